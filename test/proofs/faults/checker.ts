import type { Evidence, RequestEntry, SinkEntry } from './evidence';

export interface Violation {
  kind: ViolationKind;
  /** The id of what is wrong. */
  subject: string;
  detail: string;
}

export type ViolationKind =
  | 'accepted_without_row'
  | 'lost'
  | 'doubled'
  | 'contradictory'
  | 'cross_clinic'
  | 'stuck'
  | 'went_backwards'
  | 'decision_lost'
  | 'call_doubled'
  | 'overlap'
  | 'forged'
  | 'wrong_status'
  | 'hang'
  | 'ended_by_itself'
  | 'slow_recovery'
  | 'nothing_proven';

export interface CheckOptions {
  /** A request without an answer for so long counts as hanging. */
  hangMs: number;
  /** At least one retry, redelivery or unknown answer must have been seen. */
  expectsTrouble: boolean;
}

const RECOVERY = 'abandonment-recovery';

/** Joins the ledgers with the records and Temporal's list, and names everything that breaks a promise. */
export function check(evidence: Evidence, options: CheckOptions): Violation[] {
  return [
    ...answersWithoutRows(evidence),
    ...differingAnswers(evidence),
    ...casesAndRuns(evidence),
    ...outcomes(evidence),
    ...completions(evidence),
    ...bodies(evidence),
    ...deliveries(evidence),
    ...calls(evidence),
    ...bookings(evidence),
    ...backwards(evidence),
    ...statuses(evidence, options),
    ...processes(evidence),
    ...slowRecoveries(evidence),
    ...vacuity(evidence, options),
  ];
}

/** Every accepted form and start has its run and its case, in the clinic that it was sent to. */
function answersWithoutRows({ requests, runs, cases }: Evidence): Violation[] {
  const found: Violation[] = [];
  const runById = new Map(runs.map((run) => [run.id, run]));
  const caseById = new Map(cases.map((one) => [one.id, one]));
  for (const request of requests) {
    const { clinicId, sessionId, workflowId, recoveryCaseId, operation } = request;
    if (request.result !== 'ok' || (request.kind !== 'form' && request.kind !== 'start')) continue;
    const run = workflowId === null ? undefined : runById.get(workflowId);
    const recoveryCase = recoveryCaseId === null ? undefined : caseById.get(recoveryCaseId);
    if (!run) found.push({ kind: 'accepted_without_row', subject: operation, detail: `no run ${workflowId}` });
    else if (run.clinicId !== clinicId)
      found.push({ kind: 'cross_clinic', subject: operation, detail: `run ${run.id} belongs to ${run.clinicId}` });
    else if (run.sessionId !== sessionId)
      found.push({ kind: 'contradictory', subject: operation, detail: `run ${run.id} is of ${run.sessionId}` });
    if (request.kind === 'start') continue;
    if (!recoveryCase)
      found.push({ kind: 'accepted_without_row', subject: operation, detail: `no case ${recoveryCaseId}` });
    else if (recoveryCase.clinicId !== clinicId)
      found.push({ kind: 'cross_clinic', subject: operation, detail: `case ${recoveryCase.id} is another clinic's` });
  }
  return found;
}

/** One operation asked again, and one session told twice, have one answer. */
function differingAnswers({ requests }: Evidence): Violation[] {
  const found: Violation[] = [];
  const compare = (name: 'workflowId' | 'recoveryCaseId' | 'appointmentId', keyOf: (one: RequestEntry) => string) => {
    const first = new Map<string, string>();
    for (const request of requests) {
      const id = request[name];
      if (request.result !== 'ok' || id === null) continue;
      const known = first.get(keyOf(request));
      if (known === undefined) first.set(keyOf(request), id);
      else if (known !== id)
        found.push({ kind: 'contradictory', subject: request.operation, detail: `${name} ${known}, then ${id}` });
    }
  };
  const bySession = ({ clinicId, sessionId, operation }: RequestEntry) => `${clinicId} ${sessionId ?? operation}`;
  compare('workflowId', bySession);
  compare('recoveryCaseId', bySession);
  compare('appointmentId', ({ operation }) => operation);
  return found;
}

/** One case and one run for each session, one workflow for each run, and all of them ended. */
function casesAndRuns({ runs, cases, executions }: Evidence): Violation[] {
  const found: Violation[] = [];
  for (const [name, rows] of [
    ['run', runs],
    ['case', cases],
  ] as const) {
    for (const [session, same] of groups<{ clinicId: string; sessionId: string }>(
      rows,
      (row) => `${row.clinicId} ${row.sessionId}`,
    )) {
      if (same.length > 1) found.push({ kind: 'doubled', subject: session, detail: `${same.length} ${name}s` });
    }
  }
  const byId = groups(
    executions.filter(({ status }) => status !== 'CONTINUED_AS_NEW'),
    ({ workflowId }) => workflowId,
  );
  const caseOf = new Map(cases.map((one) => [one.workflowId, one]));
  for (const run of runs) {
    const own = byId.get(run.id) ?? [];
    if (run.status === 'started') found.push({ kind: 'stuck', subject: run.id, detail: 'the run has not ended' });
    else if (run.status === 'failed') found.push({ kind: 'lost', subject: run.id, detail: 'the run failed' });
    if (!run.isDispatched && run.status === 'started')
      found.push({ kind: 'stuck', subject: run.id, detail: 'never given to Temporal' });
    else if (own.length === 0) found.push({ kind: 'lost', subject: run.id, detail: 'Temporal has no such workflow' });
    if (own.length > 1) found.push({ kind: 'doubled', subject: run.id, detail: `${own.length} workflows` });
    for (const { status } of own) {
      if (status === 'RUNNING') found.push({ kind: 'stuck', subject: run.id, detail: 'the workflow still runs' });
      else if (status !== 'COMPLETED')
        found.push({ kind: 'lost', subject: run.id, detail: `the workflow is ${status}` });
    }
    const recoveryCase = caseOf.get(run.id);
    if (!recoveryCase && run.workflowType === RECOVERY)
      found.push({ kind: 'accepted_without_row', subject: run.id, detail: 'a run without its case' });
    else if (recoveryCase && recoveryCase.isEnded && run.outcome !== null && run.outcome !== recoveryCase.status)
      found.push({ kind: 'contradictory', subject: run.id, detail: `${run.outcome} and ${recoveryCase.status}` });
  }
  for (const { id, isEnded, status } of cases) {
    if (!isEnded) found.push({ kind: 'stuck', subject: id, detail: `the case is ${status}` });
  }
  return found;
}

/** Each case tells its creation once and one outcome, which is its own; and it ends as the client's story decides. */
function outcomes({ cases, events, requests }: Evidence): Violation[] {
  const found: Violation[] = [];
  const bySubject = groups(events, ({ subject }) => subject);
  const expected = expectedEnds(requests);
  for (const one of cases) {
    const told = bySubject.get(one.id) ?? [];
    for (const { id, clinicId } of told) {
      if (clinicId !== one.clinicId)
        found.push({ kind: 'cross_clinic', subject: id, detail: `an event about case ${one.id} of another clinic` });
    }
    const count = (name: string) => told.filter(({ event }) => event === name).length;
    for (const name of one.isEnded ? ['recovery_case.created', 'recovery_case.outcome'] : ['recovery_case.created']) {
      if (count(name) === 0) found.push({ kind: 'lost', subject: one.id, detail: `no ${name}` });
      if (count(name) > 1) found.push({ kind: 'doubled', subject: one.id, detail: `${count(name)} ${name}` });
    }
    for (const { event, recoveryStatus } of told) {
      if (event === 'recovery_case.outcome' && recoveryStatus !== one.status)
        found.push({ kind: 'contradictory', subject: one.id, detail: `told ${recoveryStatus}, is ${one.status}` });
    }
    const allowed = expected.get(`${one.clinicId} ${one.sessionId}`);
    if (one.isEnded && allowed && !allowed.includes(one.status))
      found.push({ kind: 'decision_lost', subject: one.id, detail: `${one.status}, not ${allowed.join(' or ')}` });
  }
  return found;
}

/** Each run of another type tells its end once, and ends as the client's story decides. */
function completions({ runs, events, requests }: Evidence): Violation[] {
  const found: Violation[] = [];
  const expected = expectedEnds(requests);
  for (const { id, clinicId, sessionId, workflowType, status, outcome } of runs) {
    if (workflowType === RECOVERY || status === 'started') continue;
    const told = events.filter(({ event, subject }) => event === 'workflow.completed' && subject === id);
    if (told.length === 0) found.push({ kind: 'lost', subject: id, detail: 'no workflow.completed' });
    if (told.length > 1) found.push({ kind: 'doubled', subject: id, detail: `${told.length} workflow.completed` });
    const allowed = expected.get(`${clinicId} ${sessionId}`);
    if (allowed && !allowed.includes(outcome ?? ''))
      found.push({ kind: 'decision_lost', subject: id, detail: `${outcome}, not ${allowed.join(' or ')}` });
  }
  return found;
}

/** What every definite answer about a session allows; several stories about one session allow what any of them does. */
function expectedEnds(requests: RequestEntry[]): Map<string, string[]> {
  const ends = new Map<string, string[]>();
  for (const { clinicId, sessionId, expected } of requests) {
    if (sessionId === null || expected === null) continue;
    const key = `${clinicId} ${sessionId}`;
    ends.set(key, [...new Set([...(ends.get(key) ?? []), ...expected])]);
  }
  return ends;
}

/** What receivers were sent: genuine, their own, the same body under the same id, and one outcome for each case. */
function bodies({ bodies: received, events }: Evidence): Violation[] {
  const found: Violation[] = [];
  const eventById = new Map(events.map((event) => [event.id, event]));
  for (const { eventId, isGenuine, clinicId, text } of received) {
    if (!isGenuine) found.push({ kind: 'forged', subject: eventId, detail: 'the signature does not hold' });
    const told = parse(text);
    if (told.clinicId !== clinicId)
      found.push({ kind: 'cross_clinic', subject: eventId, detail: `of ${told.clinicId}, sent to ${clinicId}` });
    const event = eventById.get(eventId);
    if (!event) found.push({ kind: 'accepted_without_row', subject: eventId, detail: 'sent, but not in the records' });
    else if (event.clinicId !== clinicId)
      found.push({ kind: 'cross_clinic', subject: eventId, detail: `belongs to ${event.clinicId}` });
  }
  for (const [eventId, same] of groups(received, (body) => body.eventId)) {
    if (new Set(same.map(({ text }) => text)).size > 1)
      found.push({ kind: 'contradictory', subject: eventId, detail: 'two bodies under one id' });
  }
  const told = received.filter(({ text }) => parse(text).event === 'recovery_case.outcome');
  for (const [caseId, same] of groups(told, ({ text }) => parse(text).recoveryCaseId)) {
    const ends = new Set(same.map(({ text }) => parse(text).recoveryStatus));
    if (ends.size > 1) found.push({ kind: 'contradictory', subject: caseId, detail: `told ${[...ends].join(', ')}` });
    else if (new Set(same.map(({ eventId }) => eventId)).size > 1)
      found.push({ kind: 'doubled', subject: caseId, detail: 'one outcome told under two ids' });
  }
  return found;
}

/** What is delivered was received, and what was received with a 2xx is delivered. */
function deliveries({ deliveries: rows, bodies: received }: Evidence): Violation[] {
  const found: Violation[] = [];
  const taken = new Set(received.filter(isTaken).map(({ eventId }) => eventId));
  for (const { eventId, state } of rows) {
    if (state === 'DELIVERED' && !taken.has(eventId))
      found.push({ kind: 'lost', subject: eventId, detail: 'delivered, but no receiver has it' });
    if (state === 'PENDING') found.push({ kind: 'stuck', subject: eventId, detail: 'not delivered' });
    if (state === 'DEAD') found.push({ kind: 'lost', subject: eventId, detail: 'a dead letter' });
  }
  return found;
}

const isTaken = ({ status }: SinkEntry): boolean => status !== null && status >= 200 && status < 300;

/** One phone rings at most once for one attempt, by the voice platform's account; and no call stays open. */
function calls({ calls: rows, rings }: Evidence): Violation[] {
  const found: Violation[] = [];
  const placed = groups(rings, ({ callId }) => callId);
  const known = rings.filter(({ phone, attempt }) => phone !== null && attempt !== null);
  for (const [attempt, same] of groups(known, (ring) => `${ring.phone} attempt ${ring.attempt}`)) {
    const ids = [...new Set(same.map(({ callId }) => callId))];
    if (ids.length > 1) found.push({ kind: 'call_doubled', subject: attempt, detail: `calls ${ids.join(', ')}` });
  }
  for (const [callId, same] of placed) {
    if (same.length > 1) found.push({ kind: 'call_doubled', subject: callId, detail: `rung ${same.length} times` });
  }
  for (const [attempt, same] of groups(rows, (row) => `${row.workflowId} attempt ${row.attempt}`)) {
    const ringing = same.filter(({ id }) => placed.has(id));
    if (ringing.length > 1)
      found.push({
        kind: 'call_doubled',
        subject: attempt,
        detail: `calls ${ringing.map(({ id, endedReason }) => `${id} (${endedReason})`).join(', ')}`,
      });
  }
  for (const { id, state } of rows) {
    if (state !== 'ENDED') found.push({ kind: 'stuck', subject: id, detail: `the call is ${state}` });
  }
  return found;
}

/** A slot has one winner, who knows it; nobody is refused a slot that stays free. */
function bookings({ requests, appointments }: Evidence): Violation[] {
  const found: Violation[] = [];
  const booked = appointments.filter(({ status }) => status === 'booked');
  const asked = requests.filter(({ kind, result }) => kind === 'booking' && result !== 'unknown');
  const rowById = new Map(appointments.map((row) => [row.id, row]));
  const winners = new Map<string, Set<string>>();
  for (const { operation, result, appointmentId, clinicId, slot } of asked) {
    if (result !== 'ok' || appointmentId === null) continue;
    const row = rowById.get(appointmentId);
    if (!row)
      found.push({ kind: 'accepted_without_row', subject: operation, detail: `no appointment ${appointmentId}` });
    else if (row.clinicId !== clinicId)
      found.push({ kind: 'cross_clinic', subject: operation, detail: `appointment ${row.id} is another clinic's` });
    else if (row.providerName !== slot?.providerName || row.startsAt !== slot.startsAt)
      found.push({ kind: 'contradictory', subject: operation, detail: `appointment ${row.id} is at another time` });
    winners.set(appointmentId, (winners.get(appointmentId) ?? new Set()).add(operation));
  }
  for (const [id, operations] of winners) {
    if (operations.size > 1)
      found.push({ kind: 'doubled', subject: id, detail: `won by ${[...operations].join(', ')}` });
  }
  const slotOf = (clinicId: string, providerName: string, startsAt: string) =>
    `${clinicId} ${providerName} ${startsAt}`;
  const takenSlots = groups(booked, (row) => slotOf(row.clinicId, row.providerName, row.startsAt));
  for (const [slot, same] of takenSlots) {
    if (same.length > 1) found.push({ kind: 'overlap', subject: slot, detail: `${same.length} appointments` });
  }
  const fought = groups(
    asked.filter(({ slot }) => slot !== null),
    ({ clinicId, slot }) => slotOf(clinicId, slot!.providerName, slot!.startsAt),
  );
  for (const [slot, same] of fought) {
    const rows = takenSlots.get(slot) ?? [];
    if (rows.length === 0 && same.every(({ result }) => result === 'refused'))
      found.push({ kind: 'lost', subject: slot, detail: 'everybody was refused a slot that stayed free' });
    for (const { id } of rows) {
      if (!winners.has(id))
        found.push({ kind: 'contradictory', subject: id, detail: 'booked, but the booker was refused' });
    }
  }
  return found;
}

const backwards = ({ reversals }: Evidence): Violation[] =>
  reversals.map(({ record, id, from, to }) => ({
    kind: 'went_backwards',
    subject: id,
    detail: `${record}: ${from}, then ${to}`,
  }));

/** What is down is 503 with Retry-After; nothing is a 500, and nothing is left without an answer. */
function statuses({ requests }: Evidence, { hangMs }: CheckOptions): Violation[] {
  const found: Violation[] = [];
  for (const { operation, status, hasRetryAfter, ms, kind, result, error } of requests) {
    if (status !== null && status >= 500 && status !== 503)
      found.push({ kind: 'wrong_status', subject: operation, detail: `${kind} returned ${status}` });
    if ((status === 503 || status === 429) && !hasRetryAfter)
      found.push({ kind: 'wrong_status', subject: operation, detail: `${status} without Retry-After` });
    if (result === 'refused' && !(kind === 'booking' && status === 409))
      found.push({ kind: 'wrong_status', subject: operation, detail: `${kind} was refused with ${status}` });
    if (ms >= hangMs)
      found.push({
        kind: 'hang',
        subject: operation,
        detail: `${kind}: ${error ?? status} after ${(ms / 1_000).toFixed(1)} s`,
      });
  }
  return found;
}

const processes = ({ ownEndings }: Evidence): Violation[] =>
  ownEndings.map(({ process, how, lastLine }) => ({
    kind: 'ended_by_itself',
    subject: process,
    detail: `${how}: ${lastLine}`,
  }));

const slowRecoveries = ({ recoveries }: Evidence): Violation[] =>
  recoveries
    .filter(({ seconds, withinSeconds }) => seconds > withinSeconds)
    .map(({ what, seconds, withinSeconds }) => ({
      kind: 'slow_recovery',
      subject: what,
      detail: `${seconds === Infinity ? 'never' : `${seconds.toFixed(1)} s`}, not ${withinSeconds.toFixed(0)} s`,
    }));

/** A run that proves nothing does not pass. */
function vacuity({ requests, faults, bodies: received }: Evidence, { expectsTrouble }: CheckOptions): Violation[] {
  const found: Violation[] = [];
  const nothing = (detail: string) => found.push({ kind: 'nothing_proven', subject: 'the run', detail });
  const operations = groups(requests, ({ operation }) => operation);
  const definite = [...operations.values()].filter((asked) =>
    asked.some(({ kind, result }) => result === 'ok' || (kind === 'booking' && result === 'refused')),
  );
  if (operations.size === 0) nothing('no operation');
  else if (definite.length / operations.size < 0.9)
    nothing(`only ${definite.length} of ${operations.size} operations came to their end`);
  for (const { fault, target, wasAlive } of faults) {
    if (!wasAlive) nothing(`${fault} of ${target}, which was not alive`);
  }
  if (expectsTrouble && troubles({ requests, bodies: received }) === 0)
    nothing('no retry, redelivery or unknown answer');
  return found;
}

/** How often something was asked or told again, or had no answer. */
export function troubles({ requests, bodies: received }: Pick<Evidence, 'requests' | 'bodies'>): number {
  const unknown = requests.filter(({ result }) => result === 'unknown').length;
  const redelivered = received.length - new Set(received.map(({ eventId }) => eventId)).size;
  const answered = requests.filter(({ result }) => result === 'ok');
  const repeated = answered.length - new Set(answered.map(({ operation }) => operation)).size;
  return unknown + redelivered + repeated;
}

interface Told {
  event: string;
  clinicId: string;
  recoveryCaseId: string;
  recoveryStatus: string;
}

function parse(text: string): Told {
  try {
    const { event, clinicId, data } = JSON.parse(text) as { event: string; clinicId: string; data?: Partial<Told> };
    return {
      event,
      clinicId,
      recoveryCaseId: data?.recoveryCaseId ?? '',
      recoveryStatus: data?.recoveryStatus ?? '',
    };
  } catch {
    return { event: 'unreadable', clinicId: '', recoveryCaseId: '', recoveryStatus: '' };
  }
}

function groups<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const grouped = new Map<string, T[]>();
  for (const row of rows) {
    const same = grouped.get(keyOf(row));
    if (same) same.push(row);
    else grouped.set(keyOf(row), [row]);
  }
  return grouped;
}

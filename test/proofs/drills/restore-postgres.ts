import { setTimeout as delay } from 'node:timers/promises';
import type { UnrecordedRun } from '@clinic/commands/unrecorded-runs';
import type { Violation } from '../faults/checker';
import type { Evidence, EventRow, RequestEntry, RunRow, SinkEntry } from '../faults/evidence';
import { measureRecovery, note, scenario, type Stage } from '../faults/stage';
import { adminOf } from './clinics';
import { aGate, type Gate } from '../../support/gate';
import { castOf, type Group, inLanes, shuffled } from './cast';

interface Size {
  runs: number;
}

/** Until a first call, and between two: longer than the play, and short enough for the runs to come to their end. */
const WAIT_SECONDS = 240;
const LANES = 12;
/** For how long work goes on after the backup. */
const GOES_ON_SECONDS = { min: 20, max: 40 };

/** PostgreSQL is set back to a backup of minutes before, while Temporal and the world outside went on. */
export const restorePostgres = scenario<Size>({
  id: 'restore-postgres',
  title: 'PostgreSQL is set back to a backup',
  numbers: { pr: null, nightly: { runs: 300 }, release: { runs: 300 } },
  drainsWithinSeconds: 420,
  async play(stage, { runs }) {
    const { house, load, random, prefix, say } = stage;
    const [calling, , waiting, between] = house.clinics.map((clinic) => adminOf(house, clinic));
    if (!calling || !waiting || !between) throw new Error('the drill has its own clinics');
    await Promise.all([
      waiting.setPolicy({ firstCallDelaySeconds: WAIT_SECONDS }),
      between.setPolicy({ secondsBetweenAttempts: WAIT_SECONDS }),
    ]);
    const [meanwhile, later] = [aGate(), aGate()];
    const groups = groupsOf(stage, runs, { meanwhile, later });
    const deaf = house.clinics.at(-1)!.clinicId;
    house.sink.manners(deaf, { kind: 'answers', status: 500 });
    await send(stage, groups.before);
    await untilInPhases(stage, groups.waiting);
    load.begin({ perSecond: 4, atLeast: 30, bookings: 0, scenes: 0, copies: 1, completions: 0.2 });
    await delay(1_500);

    const backedUpAt = new Date();
    await house.backUpPostgres();
    say(`     backed up while ${lineOf(await house.records.phases(prefix))}`);
    house.sink.manners(deaf, { kind: 'answers', status: 200 });
    const goesOn = delay(random.between(GOES_ON_SECONDS.min, GOES_ON_SECONDS.max) * 1_000);
    meanwhile.open();
    await send(stage, groups.since);
    await goesOn;
    await load.finish();
    const lostState = lineOf(await house.records.phases(prefix));

    for (const target of [...house.apis, ...house.workers]) {
      note(stage, 'SIGTERM before the restore', target);
      await target.stop();
    }
    note(stage, 'SIGKILL, and its data replaced by the backup', house.postgres);
    await house.postgres.kill();
    await house.restorePostgres();
    const restoredAt = Date.now();
    stage.restored = { backedUpAt, at: new Date(restoredAt) };
    // While nobody can look: what is final now was so in the backup.
    house.records.forgetFinals();
    await house.postgres.start();
    say(`     restored; before: ${lostState}; now: ${lineOf(await house.records.phases(prefix))}`);
    await Promise.all([...house.apis, ...house.workers].map((target) => target.start()));
    await measureRecovery(stage, 'APIs ready after the restore', { isSo: house.areApisReady, withinSeconds: 30 });

    later.open();
    return { secondsLost: ((restoredAt - backedUpAt.getTime()) / 1_000).toFixed(0) };
  },
  judge,
});

/** Runs that are accepted before the backup, and those that it does not know. */
function groupsOf(stage: Stage, runs: number, gates: { meanwhile: Gate; later: Gate }) {
  const { house, prefix } = stage;
  const { phones } = house;
  const [calling, otherCalling, waiting, between] = house.clinics;
  const deaf = house.clinics.at(-1);
  if (!phones || !calling || !otherCalling || !waiting || !between || !deaf)
    throw new Error('the drill has its own clinics and phones');
  const part = (share: number) => Math.max(3, Math.round(runs * share));
  const cast = (group: Group, gate = gates.later) => castOf(group, { prefix, phones, gateFor: () => gate });
  const talks = { isAnswered: true, resolves: 'RECOVERED' };
  const ringsOut = { isAnswered: false, resolves: null };
  const untilTheGate = (resolves: string) => (gate: Gate) => [{ isAnswered: true, resolves, lasts: () => gate.opened }];
  const waits = part(0.1);
  return {
    /** How many of them wait for their first call all the time. */
    waiting: waits,
    before: [
      ...cast({ name: 'ended', clinic: calling, count: part(0.1), expected: ['RECOVERED'], scenes: () => [talks] }),
      ...cast(
        {
          name: 'settled-since',
          clinic: otherCalling,
          count: part(0.25),
          expected: ['CLINICAL_ESCALATION'],
          scenes: untilTheGate('CLINICAL_ESCALATION'),
        },
        gates.meanwhile,
      ),
      ...cast({
        name: 'talking',
        clinic: calling,
        count: part(0.15),
        expected: ['PATIENT_NOT_INTERESTED'],
        scenes: untilTheGate('PATIENT_NOT_INTERESTED'),
      }),
      ...cast({
        name: 'waiting',
        clinic: waiting,
        count: waits,
        expected: ['RECOVERED'],
        scenes: () => [talks],
      }),
      ...cast(
        {
          name: 'rung-out-since',
          clinic: between,
          count: part(0.1),
          expected: ['RECOVERED'],
          scenes: (gate) => [{ ...ringsOut, lasts: () => gate.opened }, talks],
        },
        gates.meanwhile,
      ),
      ...cast({
        name: 'told-since',
        clinic: deaf,
        count: part(0.1),
        expected: ['PATIENT_NOT_REACHED'],
        scenes: null,
      }),
    ],
    since: [
      ...cast({
        name: 'ended-since',
        clinic: calling,
        count: part(0.1),
        expected: ['RECOVERED'],
        scenes: () => [talks],
      }),
      ...cast({
        name: 'accepted-since',
        clinic: otherCalling,
        count: part(0.1),
        expected: ['RECOVERED'],
        scenes: untilTheGate('RECOVERED'),
      }),
    ],
  };
}

const send = ({ load, random }: Stage, forms: ReturnType<typeof castOf>) =>
  inLanes(shuffled(forms, random.fork('order')), LANES, (form) => load.form(form));

/** Until only those wait for their first call that are to. */
async function untilInPhases({ house, prefix, patience }: Stage, waiting: number): Promise<void> {
  for (const deadline = Date.now() + 60_000 * patience; Date.now() < deadline; await delay(500)) {
    const phases = await house.records.phases(prefix);
    const [accepted, dialling, before] = ['accepted only', 'dialling', 'before the first call'].map(
      (phase) => phases.get(phase) ?? 0,
    );
    if (accepted === 0 && dialling === 0 && before === waiting) return;
  }
  throw new Error('the runs do not come into their phases, without any fault');
}

/**
 * What the restored records do not know is not checked against them; but each of it must be named: its run by Temporal, or
 * its case by what receivers were told. What receivers were told before counts as told: it must not be contradicted.
 */
async function judge(stage: Stage, evidence: Evidence): Promise<{ evidence: Evidence; violations: Violation[] }> {
  const { house, restored, say } = stage;
  if (!restored) return { evidence, violations: [] };
  const unrecorded = await house.unrecordedRuns(new Date(restored.backedUpAt.getTime() - 60_000));
  const known = new Set(evidence.runs.map(({ id }) => id));
  const knownCases = new Set(evidence.cases.map(({ id }) => id));
  const isLost = ({ workflowId }: RequestEntry) => workflowId !== null && !known.has(workflowId);
  const toldBefore = evidence.bodies.filter(({ at }) => at < restored.at.toISOString());
  const events = withToldOnes(evidence.events, toldBefore);
  const lost = evidence.requests.filter(isLost);
  const lostSessions = new Set(lost.map(({ sessionId }) => sessionId));
  const requests = evidence.requests.filter(({ sessionId }) => !lostSessions.has(sessionId));
  const violations = [...unnamed(lost, unrecorded, toldBefore), ...toldAfterwards(evidence, restored.at, knownCases)];
  const caseIds = new Set(unrecorded.map(({ caseId }) => caseId));
  const toldOfLost = new Set(toldBefore.map(caseOf).filter((id) => !knownCases.has(id)));
  say(
    `     accepted since the backup and not in the records: ${new Set(lost.map(({ workflowId }) => workflowId)).size}; ` +
      `named by Temporal: ${caseIds.size}; by what receivers were told: ${toldOfLost.size}`,
  );
  return { evidence: await withoutCutOff(stage, { ...evidence, requests, events }), violations };
}

/**
 * A call that was placed since the backup is not in the records: its run cannot go on, and is left to staff. That is as it
 * should be where it has told no other outcome, which is checked elsewhere, and where staff have a task.
 */
async function withoutCutOff({ house, load, prefix }: Stage, evidence: Evidence): Promise<Evidence> {
  const known = new Set(evidence.calls.map(({ id }) => id));
  const phones = new Set(evidence.rings.filter(({ callId }) => !known.has(callId)).map(({ phone }) => phone));
  const sessions = new Set(load.forms.filter(({ phone }) => phones.has(phone)).map(({ sessionId }) => sessionId));
  const withTask = new Set(await house.records.runsWithTask(prefix));
  const isCutOff = ({ id, sessionId, outcome }: RunRow) =>
    sessions.has(sessionId) && outcome === 'FOLLOW_UP_REQUIRED' && withTask.has(id);
  const cutOff = new Map(evidence.runs.filter(isCutOff).map((run) => [run.id, run.sessionId]));
  const cutOffSessions = new Set(cutOff.values());
  return {
    ...evidence,
    runs: evidence.runs.map((run) => (cutOff.has(run.id) ? { ...run, status: 'completed' } : run)),
    executions: evidence.executions.map((one) =>
      cutOff.has(one.workflowId) && one.status === 'FAILED' ? { ...one, status: 'COMPLETED' } : one,
    ),
    requests: evidence.requests.map((one) =>
      one.expected !== null && cutOffSessions.has(one.sessionId ?? '')
        ? { ...one, expected: [...one.expected, 'FOLLOW_UP_REQUIRED'] }
        : one,
    ),
  };
}

/** Everything that was accepted and is gone is in one of the two lists. */
function unnamed(lost: RequestEntry[], unrecorded: UnrecordedRun[], toldBefore: SinkEntry[]): Violation[] {
  const runs = new Set(unrecorded.map(({ workflowId }) => workflowId));
  const cases = new Set(toldBefore.map(caseOf));
  return lost
    .filter(({ workflowId, recoveryCaseId }) => !runs.has(workflowId ?? '') && !cases.has(recoveryCaseId ?? ''))
    .map(({ operation, workflowId }) => ({
      kind: 'lost',
      subject: operation,
      detail: `${workflowId} was accepted since the backup, and nothing names it`,
    }));
}

/** Nothing more is told of a case that the records have lost: it could only differ from what was told. */
function toldAfterwards({ bodies }: Evidence, restoredAt: Date, knownCases: ReadonlySet<string>): Violation[] {
  const earlier = new Set(bodies.filter(({ at }) => at < restoredAt.toISOString()).map(({ eventId }) => eventId));
  return bodies
    .filter(
      (body) => body.at >= restoredAt.toISOString() && !knownCases.has(caseOf(body)) && !earlier.has(body.eventId),
    )
    .map(({ eventId }) => ({
      kind: 'contradictory',
      subject: eventId,
      detail: 'told after the restore, of a case that the records do not know',
    }));
}

/** The events of the records, and those that receivers have. */
function withToldOnes(events: EventRow[], told: SinkEntry[]): EventRow[] {
  const all = new Map(events.map((event) => [event.id, event]));
  for (const { eventId, text, clinicId } of told) {
    const { event, data } = JSON.parse(text) as { event: string; data: { recoveryStatus?: string } };
    if (all.has(eventId)) continue;
    const subject = caseOf({ text });
    all.set(eventId, { id: eventId, clinicId, event, subject, recoveryStatus: data.recoveryStatus ?? null });
  }
  return [...all.values()];
}

const caseOf = ({ text }: Pick<SinkEntry, 'text'>): string =>
  (JSON.parse(text) as { data: { recoveryCaseId?: string } }).data.recoveryCaseId ?? '';

const lineOf = (phases: Map<string, number>): string =>
  [...phases].map(([phase, count]) => `${count} ${phase}`).join(', ');

import type { RecoveryStatus } from '@clinic/shared/domain/outreach/case-state';
import { type Outcome, taskFor, type WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { minuteMs } from '@clinic/shared/domain/calendar/zone-offsets';
import { outcomeOf } from '@clinic/shared/domain/voice/scenes';
import type { Random } from '../random';
import { type ClinicToFill, hourAt, momentsOf } from './clinic';
import { tell } from './deliveries';
import { barriers, conversations, type Form, forms, summaries } from './forms';
import { type Outreach, outreachOf } from './outreach';
import type { Person } from './people';
import { json, type Rows } from './rows';
import { openTask } from './tasks';

/** A run that is over, with all that it has left behind. */
interface EndedRun {
  id: string;
  type: WorkflowType;
  person: Person;
  caseId: string | null;
  sessionId: string;
  openedAt: number;
  endedAt: number;
  outcome: Outcome;
  outreach: Outreach;
  summary: string | null;
}

/** Forms that were left, each with its case, from the oldest on. */
export function addCases(clinic: ClinicToFill, rows: Rows, people: readonly Person[]): void {
  const moment = momentsOf(clinic);
  const moments = Array.from({ length: clinic.cases }, moment).toSorted((one, other) => one - other);
  for (const [index, openedAt] of moments.entries()) {
    const person = people[index % people.length];
    const form = forms[clinic.random.weighed(forms.map(({ weight }) => weight))];
    if (person && form) addCase(clinic, rows, { person, form, openedAt });
  }
}

function addCase(
  clinic: ClinicToFill,
  rows: Rows,
  { person, form, openedAt }: { person: Person; form: Form; openedAt: number },
): void {
  const { random, newId, clinicId } = clinic;
  const { outreach, outcome, endedAt } = endOf(clinic, { form, openedAt });
  const caseId = newId(openedAt);
  const id = newId(openedAt, 'run');
  const sessionId = newId(openedAt, 'session');
  const said = isConversation(outcome) ? outcome : null;
  addRun(clinic, rows, {
    id,
    type: 'abandonment-recovery',
    person,
    caseId,
    sessionId,
    openedAt,
    endedAt,
    outcome,
    outreach,
    summary: said && summaries[said],
    left: () => {
      const page = random.whole(1, form.pages);
      const isAtCheckout = form.products.length > 0 && page === form.pages;
      const chosen = form.products.filter((_, index) => index === 0 || random.chance(0.4));
      rows.cases.push({
        id: caseId,
        clinicId,
        sessionId,
        workflowId: id,
        patientId: person.id,
        status: outcome,
        formId: form.id,
        formName: form.name,
        lastPageReached: page,
        totalPages: form.pages,
        completionPercentage: Math.round((1000 * (page - 1)) / form.pages) / 10,
        abandonedAtCheckout: isAtCheckout,
        abandonedAt: new Date(openedAt - random.whole(20, 120) * minuteMs),
        resumeUrl: `https://forms.example/resume/${sessionId}`,
        selectedProducts: form.products.length > 0 && page > 2 ? json(chosen) : undefined,
        barrier: said ? json(random.pick(barriers[said])) : undefined,
        resolution: said ? json({ resumeLinkSent: said === 'RECOVERED', recoveryStatus: said }) : undefined,
        formCompletedAt: outcome === 'ALREADY_COMPLETED' ? new Date(endedAt) : undefined,
        createdAt: new Date(openedAt),
        endedAt: new Date(endedAt),
      });
    },
  });
  tell(clinic, rows, {
    event: 'recovery_case.created',
    subject: caseId,
    at: openedAt,
    data: {
      recoveryCaseId: caseId,
      sessionId,
      patientFirstName: person.firstName,
      patientLastName: person.lastName,
    },
  });
  tell(clinic, rows, {
    event: 'recovery_case.outcome',
    subject: caseId,
    at: endedAt,
    data: { recoveryCaseId: caseId, sessionId, recoveryStatus: outcome },
  });
}

const isConversation = (outcome: RecoveryStatus): outcome is keyof typeof conversations =>
  Object.hasOwn(conversations, outcome);

interface CaseEnd {
  outcome: RecoveryStatus;
  outreach: Outreach;
  endedAt: number;
}

const NO_OUTREACH: Outreach = { decisions: [], dials: [], endedAt: 0, isReached: false };

/** Some finish by themselves before anybody calls; the others are called, and what the rules have not come to by now came by itself too. */
function endOf(clinic: ClinicToFill, { form, openedAt }: { form: Form; openedAt: number }): CaseEnd {
  const { random, now, zone } = clinic;
  const byItself = (): CaseEnd => ({
    outcome: 'ALREADY_COMPLETED',
    outreach: NO_OUTREACH,
    endedAt: Math.min(openedAt + random.whole(3, 90) * minuteMs, now - minuteMs),
  });
  if (random.chance(0.11)) return byItself();
  const answersAt = 1 + random.weighed([55, 20, 9, 16]);
  const type = { openedAt, workflowType: 'abandonment-recovery' } as const;
  const planned = outreachOf(clinic, { ...type, answersAt });
  // The newest have not had the time for all of their calls: then the first one is answered.
  const outreach = planned.endedAt < now ? planned : outreachOf(clinic, { ...type, answersAt: 1 });
  const { endedAt, isReached } = outreach;
  if (!isReached) return endedAt < now ? { outcome: 'PATIENT_NOT_REACHED', outreach, endedAt } : byItself();
  const calledAt = hourAt(endedAt, zone);
  const isGoodHour = calledAt >= 10 && calledAt < 12;
  const luck = form.luck * (isGoodHour ? 1.35 : 1) * (calledAt >= 17 ? 0.7 : 1);
  return { outcome: drawn(random, luck), outreach, endedAt };
}

function drawn(random: Random, luck: number): RecoveryStatus {
  const names = Object.keys(conversations) as (keyof typeof conversations)[];
  const index = random.weighed(names.map((name) => conversations[name] * (name === 'RECOVERED' ? luck : 1)));
  return names[index] ?? 'RECOVERED';
}

const otherTypes = [
  { type: 'appointment-reminder', weight: 5 },
  { type: 'cancellation-follow-up', weight: 2 },
  { type: 'care-gap-follow-up', weight: 2 },
  { type: 'payment-recovery', weight: 1.5 },
  { type: 'prescription-follow-up', weight: 1 },
] as const satisfies { type: WorkflowType; weight: number }[];

/** Runs of the other types: a fifth of the cases. */
export function addOtherRuns(clinic: ClinicToFill, rows: Rows, people: readonly Person[]): void {
  const { random, newId, now } = clinic;
  const moment = momentsOf(clinic);
  for (let index = 0; index < clinic.cases / 5; index += 1) {
    const { type } = otherTypes[random.weighed(otherTypes.map(({ weight }) => weight))] ?? otherTypes[0];
    const person = people[(index * 7) % people.length];
    const openedAt = moment();
    const answersAt = 1 + random.weighed([60, 18, 8, 14]);
    const outreach = outreachOf(clinic, { openedAt, workflowType: type, answersAt });
    if (!person || outreach.endedAt >= now) continue;
    const part = random.pick([
      'agrees',
      'agrees',
      'agrees',
      'agrees',
      'wants-callback',
      'asks-clinical-question',
      'declines',
    ] as const);
    const outcome = outcomeOf({ part: outreach.isReached ? part : 'never-answers' }, type) as Outcome;
    const summary = outreach.isReached
      ? 'The patient was told what the call was about, and said what they want.'
      : null;
    addRun(clinic, rows, {
      id: newId(openedAt, 'run'),
      type,
      person,
      caseId: null,
      sessionId: newId(openedAt, 'event'),
      openedAt,
      endedAt: outreach.endedAt,
      outcome,
      outreach,
      summary,
    });
  }
}

function addRun(clinic: ClinicToFill, rows: Rows, { left, ...run }: EndedRun & { left?: () => void }): void {
  const { clinicId } = clinic;
  const { id, type, person, openedAt, endedAt, outcome, outreach, sessionId } = run;
  rows.runs.push({
    id,
    clinicId,
    workflowType: type,
    sessionId,
    patientId: person.id,
    status: 'completed',
    outcome,
    attempts: outreach.dials.at(-1)?.attempt ?? 0,
    startedAt: new Date(openedAt),
    dispatchedAt: new Date(openedAt + 40),
    completedAt: new Date(endedAt),
  });
  left?.();
  const callIds = addCalls(clinic, rows, run);
  for (const [index, { at, rule, decision, dial }] of outreach.decisions.entries()) {
    rows.decisions.push({
      id: `${id}-${index}`,
      clinicId,
      workflowId: id,
      callId: dial === null ? undefined : callIds[dial],
      stage: decision.stage,
      rule,
      decided: json(decision.decided),
      inputs: json(decision.inputs),
      decidedAt: new Date(at),
    });
  }
  const reason = taskFor(outcome, []);
  if (reason !== null)
    openTask(clinic, rows, { reason, at: endedAt, ...run, patientId: person.id, callId: callIds.at(-1) });
  if (outcome === 'PATIENT_NOT_INTERESTED' && clinic.random.chance(0.25)) optOut(clinic, rows, run, callIds.at(-1));
  if (type !== 'abandonment-recovery') {
    const data = { workflowId: id, workflowType: type, sessionId, outcome };
    tell(clinic, rows, { event: 'workflow.completed', subject: id, at: endedAt, data });
  }
}

/** Returns their ids, in the order of the dials. */
function addCalls({ clinicId, newId, random }: ClinicToFill, rows: Rows, run: EndedRun): string[] {
  const { outreach, person, type, caseId, summary } = run;
  return outreach.dials.map(({ attempt, at, endedAt, answeredAt, endedReason }, index) => {
    const id = newId(at);
    const isVoicemail = endedReason === 'voicemail';
    const seconds = answeredAt === null ? undefined : Math.round((endedAt - answeredAt) / 1_000);
    rows.calls.push({
      id,
      clinicId,
      patientId: person.id,
      workflowType: type,
      workflowId: run.id,
      caseId: caseId ?? undefined,
      direction: 'outbound',
      state: 'ENDED',
      phone: person.phone,
      attempt,
      dial: index + 1,
      platformCallId: newId(at, 'platform'),
      requestedAt: new Date(at),
      requests: 1,
      rangAt: endedAt - at < 4_000 ? undefined : new Date(at + 2_000),
      endedReason,
      summary: answeredAt === null ? undefined : summary,
      said: isVoicemail ? 'voicemail' : undefined,
      createdAt: new Date(at),
      startedAt: answeredAt === null ? undefined : new Date(answeredAt),
      endedAt: new Date(endedAt),
      costUsd: seconds === undefined ? undefined : Math.round(seconds * random.between(0.13, 0.2)) / 100,
      durationSeconds: seconds,
    });
    if (answeredAt === null) return id;
    rows.evidence.push({
      clinicId,
      callId: id,
      transcript: transcriptOf(run),
      success: random.chance(0.9) ? 'true' : 'false',
      createdAt: new Date(endedAt),
    });
    return id;
  });
}

function transcriptOf({ person, outcome, summary }: EndedRun): string {
  return [
    `AI: Hello, this is the automated assistant of your clinic. Am I speaking with ${person.firstName}?`,
    'User: Yes, speaking.',
    'AI: Thank you. I am calling about what you began on our website. Is there anything that I can help with?',
    outcome === 'RECOVERED'
      ? 'User: I ran out of time. Please send me the link.'
      : 'User: I would rather talk about it first.',
    `AI: Of course. ${summary ?? ''}`,
    'User: Thank you, goodbye.',
  ].join('\n');
}

function optOut({ clinicId, newId }: ClinicToFill, rows: Rows, { person, endedAt }: EndedRun, callId = ''): void {
  if (rows.optOuts.some(({ phone }) => phone === person.phone)) return;
  rows.optOuts.push({
    id: newId(endedAt),
    clinicId,
    phone: person.phone,
    scope: 'all',
    source: 'tool',
    addedBy: `call:${callId}`,
    createdAt: new Date(endedAt),
  });
}

import { proxyActivities, proxyLocalActivities, uuid4 } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { MadeCall, RunFacts } from '@clinic/activities/runs';
import type { WaitReason } from '@clinic/shared/domain/outreach/calling-policy';
import { spreadOpening } from '@clinic/shared/domain/outreach/opening-spread';
import { withdrawalWaitSeconds } from '@clinic/shared/domain/outreach/dialling';
import type { Outcome } from '@clinic/shared/domain/outreach/workflow-types';
import { MAX_LINE_WAIT_MS, records, recordsAtOnce } from '../timeouts';
import { afterCall, answerPatient, recordAttempt, waitOutFault } from './after-call';
import { priorityOf, windowEnd } from './next-call';
import type { OutreachState } from './outreach-state';
import type { CallNow, NoCall, Story, Wait } from './story';

const { loadRun, recordDecision } = proxyLocalActivities<Activities>(recordsAtOnce);
const { standInLine } = proxyActivities<Activities>(records);

/** One turn of the loop: from what the records say now to a wait, a call or the end. */
export async function takeStep<Ends extends Outcome>(outreach: OutreachState<Ends>, story: Story<Ends>): Promise<void> {
  const { clinicId, workflowId, known } = outreach;
  const facts = await loadRun({ clinicId, workflowId, callsAfter: known.attemptDial ?? known.calls.dials });
  if (!outreach.isOpen()) return undefined;
  if (facts.outcome) return outreach.endAsRecorded(facts.outcome, facts.end);
  if (!known.hasBegun) known.dueAt = facts.dueAt;
  known.hasBegun = true;
  const { inboundCallId, recovery } = facts;
  const calls = recovery?.resolution ? [] : facts.calls;
  const unknown = calls.find(({ dial }) => dial > known.calls.dials);
  if (unknown) return goThrough(outreach, story, unknown);
  // Its end was told as a fault, and what was reported later says that somebody had picked up.
  const answered = calls.find(({ end }) => end?.wasAnswered);
  if (answered?.end) return recordAttempt(outreach, answered.end);
  if (inboundCallId !== null && !known.answered.includes(inboundCallId)) {
    known.answered.push(inboundCallId);
    return answerPatient(outreach, story, inboundCallId);
  }
  const step = await story.decide(facts);
  if (!outreach.isOpen()) return undefined;
  switch (step.kind) {
    case 'end':
      return outreach.end(step.outcome);
    case 'no_call':
      await explain(outreach, step);
      // A time from the waitlist goes to the next who waits for it.
      if (step.reason === 'no_preferred_hours' && facts.offer === null) return leaveHoursToStaff(outreach);
      return outreach.end(story.uncalled(step.reason));
    case 'wait':
      return waitForTurn(outreach, facts, step);
    case 'call':
      if ((await waitOutFault(outreach)) === 'over') await callPatient(outreach, story, facts, step);
  }
}

/**
 * A call that the run has made and its workflow does not know, because it began anew: what came of it counts before policy,
 * hours and pauses are asked for another.
 */
async function goThrough<Ends extends Outcome>(
  outreach: OutreachState<Ends>,
  story: Story<Ends>,
  call: MadeCall,
): Promise<void> {
  if (call.end === null) await outreach.writeCalling();
  const placed = await outreach.line.resume(call);
  return placed.kind === 'withdrawn' ? outreach.backToDeciding() : afterCall(outreach, story, placed);
}

/** The patient asked for hours in which the clinic calls nobody: it takes a person to find a time for both. */
const leaveHoursToStaff = <Ends extends Outcome>(outreach: OutreachState<Ends>): Promise<void> =>
  outreach.end('FOLLOW_UP_REQUIRED', { taskReason: 'unmet_call_hours' });

/** Returns how many others wait for the same instant. */
async function explain<Ends extends Outcome>(
  { clinicId, workflowId }: OutreachState<Ends>,
  { inputs, ...decided }: NoCall | Wait,
): Promise<number> {
  const decision = { stage: 'plan', inputs, decided } as const;
  return recordDecision({ id: uuid4(), clinicId, workflowId, decision });
}

/**
 * Where an opening of calling hours brings more calls than lines, a first one comes a little later, and is due since the
 * opening. A call that a pause holds back is due all the same. One that comes later by itself gets a new place in line.
 */
async function waitForTurn<Ends extends Outcome>(
  outreach: OutreachState<Ends>,
  facts: RunFacts,
  step: Wait,
): Promise<void> {
  const { workflowId, known } = outreach;
  const { until, reason, inputs } = step;
  const othersWaiting = await explain(outreach, step);
  const turn = spreadOpening({ workflowId, until, othersWaiting, inputs });
  if (turn !== until) known.dueAt ??= until;
  if (reason === 'paused') {
    known.dueAt ??= inputs.now;
    return waitOutPause(outreach, facts, step);
  }
  if (comesLater.includes(reason)) known.dueAt = null;
  const summary = reason.replaceAll('_', ' ');
  const details = `Waiting until ${turn}: ${summary}`;
  return outreach.rest('waiting', { ms: msUntil(turn), details, summary });
}

/** The waits after which a call is due anew. */
const comesLater: readonly WaitReason[] = ['patient_limits', 'between_attempts', 'patient_called'];

/** In line meanwhile: when outreach goes on, those are woken who get a line, and not a thousand others with them. */
async function waitOutPause<Ends extends Outcome>(
  outreach: OutreachState<Ends>,
  { phone }: RunFacts,
  { until, inputs }: Wait,
): Promise<void> {
  const { clinicId, workflowId, known } = outreach;
  const { now, uselessFrom = null } = inputs;
  const notAfter = windowEnd(inputs);
  outreach.isLineFree = false;
  const stands = await standInLine({
    clinicId,
    workflowId,
    phone: phone ?? '',
    dueAt: known.dueAt ?? now,
    priority: priorityOf(uselessFrom),
    notAfter,
  });
  // It has ended meanwhile, and nobody is told of that.
  if (stands === 'not_paused') return;
  const ms = Math.min(msUntil(until), notAfter === null ? Infinity : msUntil(notAfter));
  return outreach.rest('in_line', { ms, details: 'In line: outreach is paused', summary: 'paused' });
}

/** One attempt. A call that settled something ends the outreach, however it ended itself. */
async function callPatient<Ends extends Outcome>(
  outreach: OutreachState<Ends>,
  story: Story<Ends>,
  { phone, policy }: RunFacts,
  { attempt, notAfter, appointmentStartsAt, inputs }: CallNow,
): Promise<void> {
  const { known, line } = outreach;
  const { maxConcurrentCalls, callsPerPatientPerDay, callsPerPatientPerWeek } = policy;
  known.dueAt ??= new Date().toISOString();
  outreach.isLineFree = false;
  const placed = await line.ring({
    phone: phone ?? '',
    dueAt: known.dueAt,
    priority: priorityOf(appointmentStartsAt),
    attempt,
    notAfter,
    appointmentStartsAt,
    inputs,
    maxConcurrentCalls,
    callsPerPatientPerDay,
    callsPerPatientPerWeek,
  });
  if (placed.kind === 'queued') return waitForLine(outreach, notAfter);
  // One that was withdrawn was not made: it is due since then.
  if (placed.kind === 'withdrawn') return decideAgain(outreach);
  known.dueAt = null;
  if (placed.kind === 'limited') return decideAgain(outreach);
  known.withdrawnInARow = 0;
  return afterCall(outreach, story, placed);
}

async function decideAgain<Ends extends Outcome>(outreach: OutreachState<Ends>): Promise<void> {
  const { known } = outreach;
  known.withdrawnInARow += 1;
  await outreach.backToDeciding();
  const ms = withdrawalWaitSeconds(known.withdrawnInARow) * 1_000;
  if (ms > 0) await outreach.rest('waiting', { ms, summary: 'the call was withdrawn' });
}

/** Sleeps until it is this run's turn, or calling hours end. Anyone who ends a call wakes the next in line. */
async function waitForLine<Ends extends Outcome>(
  outreach: OutreachState<Ends>,
  notAfter: string | null,
): Promise<void> {
  const ms = Math.min(notAfter === null ? Infinity : msUntil(notAfter), MAX_LINE_WAIT_MS);
  return outreach.rest('in_line', { ms, details: 'Waiting for a free line', summary: 'wait for a free line' });
}

const msUntil = (instant: string): number => Date.parse(instant) - Date.now();

import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import type { Outreach } from './outreach';
import type { CallOver, CallToMake } from './phone-line';

export type Step<Outcome extends string> =
  | { kind: 'end'; outcome: Outcome }
  | { kind: 'wait'; until: string; reason: string }
  | { kind: 'call'; call: CallToMake }
  /** The patient has called us. */
  | { kind: 'answer'; callId: string };

/** What one kind of outreach adds to the way that all of them go. */
export interface Story<Outcome extends string> {
  /** Before anything else. */
  begin?(): Promise<void>;
  /** Asked before every call: end, wait or call. */
  decide(): Promise<Step<Outcome>>;
  /** What a call that is over came to; null when it settled nothing. */
  conclude(call: CallOver): Promise<Outcome | null>;
  /** Once the outcome stands. */
  afterwards?(): Promise<void>;
}

/**
 * The way of every outreach: decide; wait, or ring and hold the line while the agent talks and its tools come in; draw
 * the conclusion; until there is exactly one outcome.
 */
export async function reachPatient<Outcome extends string>(
  outreach: Outreach<Outcome>,
  story: Story<Outcome>,
): Promise<Outcome> {
  // A cancel in Temporal is a message like others: it ends the outreach, and cuts nothing off half-way.
  return CancellationScope.nonCancellable(async () => {
    try {
      await story.begin?.();
      while (outreach.isOpen()) {
        const step = await story.decide();
        if (step.kind === 'end') await outreach.end(step.outcome);
        if (step.kind === 'wait') await outreach.waitUntil(step.until, step.reason);
        if (step.kind === 'call') await callPatient(outreach, story, step.call);
        if (step.kind === 'answer') await answerPatient(outreach, story, step.callId);
        if (workflowInfo().continueAsNewSuggested) await outreach.continueAsNew();
      }
    } catch (error) {
      await outreach.endAfter(error);
    }
    const outcome = await outreach.close();
    await story.afterwards?.();
    return outcome;
  });
}

/** One attempt. A call that settled something ends the outreach, however it ended itself. */
async function callPatient<Outcome extends string>(
  outreach: Outreach<Outcome>,
  story: Story<Outcome>,
  call: CallToMake,
): Promise<void> {
  const rung = await outreach.ring(call);
  if (rung.kind === 'busy') return outreach.waitForLine();
  if (rung.kind !== 'ended' || !outreach.isOpen()) return undefined;

  const outcome = await story.conclude(rung);
  if (outcome) return outreach.end(outcome);
  switch (rung.ending) {
    case 'platform_fault':
      return outreach.recordFault();
    case 'bad_number':
      return outreach.endWithBadNumber();
    case 'cancelled':
    case 'conversation':
      return outreach.leaveToStaff();
    case 'not_reached':
      return outreach.recordAttempt();
  }
}

/** The patient's own call. Nobody who has talked to us, or tried to, is rung for the same matter. */
async function answerPatient<Outcome extends string>(
  outreach: Outreach<Outcome>,
  story: Story<Outcome>,
  callId: string,
): Promise<void> {
  const held = await outreach.answer(callId);
  if (held.kind !== 'ended' || !outreach.isOpen()) return;
  const outcome = await story.conclude(held);
  await (outcome ? outreach.end(outcome) : outreach.leaveToStaff());
}

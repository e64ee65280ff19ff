import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  ContinueAsNew,
  continueAsNew,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { ClinicNotice } from '@clinic/activities/clinic-systems';
import type { Activities } from '@clinic/activities/index';
import type { Outcome, OutcomeOf, WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { records } from '../timeouts';
import { tellClinicSystems } from './clinic-notices';
import { setHandlers } from './handlers';
import { OutreachState, type RunInput } from './outreach-state';
import { takeStep } from './steps';
import type { CommonOutcome, Story } from './story';

const { openTask } = proxyActivities<Activities>(records);

/** One patient to be reached by phone. A story sets its own handlers before it calls `reach`. */
export const openOutreach = <Type extends WorkflowType>(workflowType: Type, input: RunInput) =>
  new Outreach<OutcomeOf<Type> | CommonOutcome>(workflowType, input);

class Outreach<Ends extends Outcome> extends OutreachState<Ends> {
  /** Decides; waits, or rings and holds the line while the agent talks; concludes; until there is one outcome, which is then told. */
  reach(story: Story<Ends>): Promise<Ends> {
    setHandlers(this, story);
    // A cancel in Temporal is a message like others: it ends the outreach, and cuts nothing off half-way.
    return CancellationScope.nonCancellable(async () => {
      const failure = await untilEnded(this, story).catch((error: unknown) => endAfter(this, error));
      const outcome = await close(this, failure);
      await tellClinicSystems(this.known.untold, (notice, why) => leaveToStaff(this, notice, why));
      return outcome;
    });
  }
}

async function untilEnded<Ends extends Outcome>(outreach: OutreachState<Ends>, story: Story<Ends>): Promise<null> {
  if (!outreach.input.carried) await story.begin?.();
  while (outreach.isOpen()) {
    outreach.isWoken = false;
    await takeStep(outreach, story);
    if (workflowInfo().continueAsNewSuggested) await goOnInNewRun(outreach);
  }
  return null;
}

async function goOnInNewRun<Ends extends Outcome>(outreach: OutreachState<Ends>): Promise<void> {
  await condition(allHandlersFinished);
  if (!outreach.isOpen()) return;
  const { input, known: carried } = outreach;
  await continueAsNew<(input: RunInput) => Promise<unknown>>({ ...input, carried });
}

/** Something broke that no retry mends: staff follow up, and the workflow fails with it. */
async function endAfter<Ends extends Outcome>(outreach: OutreachState<Ends>, error: unknown): Promise<unknown> {
  if (error instanceof ContinueAsNew) throw error;
  await outreach.end('FOLLOW_UP_REQUIRED', { status: 'failed' });
  return error;
}

/** Sends the outcome, then stays until the line is quiet: the record of a call is its own workflow's to finish. */
async function close<Ends extends Outcome>(outreach: OutreachState<Ends>, failure: unknown): Promise<Ends> {
  await condition(allHandlersFinished);
  await outreach.written;
  await outreach.sendEvents();
  const over = await outreach.line.quiet();
  // A person ended the workflow in the middle of a call: what the tools did in it is told all the same. A recovery tells of its form alone.
  if (over !== null && outreach.ended?.status === 'cancelled' && outreach.caseId === null) await outreach.review(over);
  await condition(allHandlersFinished);
  if (failure) throw failure;
  const state = outreach.state();
  if (state === 'PENDING' || state === 'CALLING') {
    throw ApplicationFailure.nonRetryable('an outreach closed without an outcome');
  }
  return state;
}

/** A task that says what the clinic's own system was not told, and what it takes to try again. */
function leaveToStaff<Ends extends Outcome>(outreach: OutreachState<Ends>, notice: ClinicNotice, why: string) {
  const { clinicId, patientId, caseId, workflowId, subject } = outreach;
  const { action, callId, appointmentId } = notice;
  const reason = 'clinic_system_not_told';
  const cause = `${reason}:${subject}:${action}:${appointmentId ?? callId}`;
  const detail = { action, why, ...(appointmentId && { appointmentId }) };
  return openTask({ clinicId, reason, cause, patientId, callId, caseId, workflowId, detail });
}

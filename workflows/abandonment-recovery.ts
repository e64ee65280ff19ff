import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import type { RecoveryStatus } from '@clinic/shared/domain/recovery-policy';
import { type CallToMake, openRecovery, type Recovery, type RecoveryInput } from './recovery-case';

/**
 * A patient left a form or checkout unfinished. Tell the clinic, then call the patient within its policy until the
 * form is finished, the call brings an outcome, or the attempts are used up. Every case ends in exactly one outcome.
 */
export async function abandonmentRecovery(input: RecoveryInput): Promise<RecoveryStatus> {
  const recovery = openRecovery(input);
  try {
    await recovery.announce();
    while (recovery.isOpen()) {
      const step = await recovery.decide();
      if (step.kind === 'end') await recovery.end(step.outcome);
      if (step.kind === 'wait') await recovery.waitUntil(step.until, step.reason);
      if (step.kind === 'call') await callPatient(recovery, step.call);
      if (workflowInfo().continueAsNewSuggested) await recovery.continueAsNew();
    }
  } catch (error) {
    await CancellationScope.nonCancellable(() => recovery.endAfter(error));
  }
  return CancellationScope.nonCancellable(() => recovery.close());
}

/** One attempt: ring, hold the line while the agent talks and its tools come in, and draw the conclusion. */
async function callPatient(recovery: Recovery, call: CallToMake): Promise<void> {
  const rung = await recovery.ring(call);
  switch (rung.kind) {
    case 'busy':
      return recovery.waitForLine();
    case 'withdrawn':
    case 'settled':
      return undefined;
    case 'ended':
      break;
  }
  if (!recovery.isOpen()) return undefined;
  switch (rung.ending) {
    case 'platform_fault':
      return recovery.recordFault();
    case 'bad_number':
      return recovery.endWithBadNumber();
    case 'cancelled':
      return recovery.end('FOLLOW_UP_REQUIRED');
    case 'conversation':
      return recovery.end(recovery.wasCompletedInCall() ? 'RECOVERED' : 'FOLLOW_UP_REQUIRED');
    case 'not_reached':
      return recovery.wasCompletedInCall() ? recovery.end('RECOVERED') : recovery.recordAttempt();
  }
}

import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import { faultWaitSeconds } from '@clinic/shared/domain/outreach/call-faults';
import type { Outcome } from '@clinic/shared/domain/outreach/workflow-types';
import { isSetupFault } from '@clinic/shared/domain/voice/ended-reason';
import { records, recordsAtOnce } from '../timeouts';
import type { OutreachState } from './outreach-state';
import type { CallOver, Held } from './phone-line';
import type { Story } from './story';

const { loadRun } = proxyLocalActivities<Activities>(recordsAtOnce);
const { reportSetupFault } = proxyActivities<Activities>(records);

/** What becomes of the outreach after a call of ours. */
export async function afterCall<Ends extends Outcome>(
  outreach: OutreachState<Ends>,
  story: Story<Ends>,
  call: Held,
): Promise<void> {
  if (call.kind === 'settled' || !outreach.isOpen()) return undefined;
  outreach.moveTo('concluding');
  const outcome = await story.conclude(call);
  if (outcome) return outreach.end(outcome);
  if (call.kind === 'lost') return leaveLostCall(outreach);
  switch (outreach.voicemails.has(call.callId) ? 'not_reached' : call.ending) {
    case 'platform_fault':
      if (call.wasAnswered) return recordAttempt(outreach, call);
      return isSetupFault(call.reason) ? leaveSetupToStaff(outreach, call) : recordFault(outreach, call);
    case 'bad_number':
      await outreach.askStaff('bad_number');
      return outreach.end('PATIENT_NOT_REACHED');
    case 'cancelled':
      return outreach.end('FOLLOW_UP_REQUIRED');
    case 'conversation':
      return leaveConversation(outreach, story);
    case 'not_reached':
      return recordAttempt(outreach, call);
  }
}

/** The patient's own call. A patient who has talked to us, or tried to, is not called for the same matter. */
export async function answerPatient<Ends extends Outcome>(
  outreach: OutreachState<Ends>,
  story: Story<Ends>,
  callId: string,
): Promise<void> {
  outreach.moveTo('calling', 'The patient called');
  const call = await outreach.line.answer(callId);
  if (call.kind === 'settled' || !outreach.isOpen()) return undefined;
  outreach.moveTo('concluding');
  const outcome = await story.conclude(call);
  return outcome === null && call.kind === 'lost'
    ? leaveLostCall(outreach)
    : outreach.end(outcome ?? 'FOLLOW_UP_REQUIRED');
}

/** Nobody can say how a call went that settled nothing we know of: staff find out, and nobody is called again. */
const leaveLostCall = <Ends extends Outcome>(outreach: OutreachState<Ends>): Promise<void> =>
  outreach.end('FOLLOW_UP_REQUIRED', { taskReason: 'call_lost' });

/** A call of ours that settled nothing. Who asked in it for no more calls is not called back by staff either. */
async function leaveConversation<Ends extends Outcome>(
  outreach: OutreachState<Ends>,
  story: Story<Ends>,
): Promise<void> {
  const { clinicId, workflowId } = outreach;
  const { isOptedOut } = await loadRun({ clinicId, workflowId });
  return outreach.end(isOptedOut ? story.uncalled('opted_out') : 'FOLLOW_UP_REQUIRED');
}

/** The platform's own failure is not an attempt: the same attempt is made again, later and later. What is long over is not waited for. */
async function recordFault<Ends extends Outcome>(
  outreach: OutreachState<Ends>,
  { reason, endedAt = new Date().toISOString() }: CallOver,
): Promise<void> {
  const { known } = outreach;
  known.faultsInARow += 1;
  const seconds = faultWaitSeconds(known.faultsInARow, reason);
  if (seconds === null) {
    await outreach.askStaff('platform_fault');
    return outreach.end('FOLLOW_UP_REQUIRED');
  }
  known.retryAt = new Date(Date.parse(endedAt) + seconds * 1_000).toISOString();
  await outreach.backToDeciding();
  await waitOutFault(outreach);
}

/** Gives the platform the rest of its time. A change of rules has the next step decided again, and makes that time no shorter. */
export async function waitOutFault<Ends extends Outcome>(outreach: OutreachState<Ends>): Promise<'over' | 'waited'> {
  const { faultsInARow, retryAt = null } = outreach.known;
  const ms = retryAt === null ? 0 : Date.parse(retryAt) - Date.now();
  if (ms <= 0) return 'over';
  const details = `The voice platform failed ${faultsInARow} times; trying again`;
  await outreach.rest('waiting', { ms, details, summary: 'the voice platform failed' });
  return 'waited';
}

/** A fault of configuration does not pass: staff hear at once what the platform says. */
async function leaveSetupToStaff<Ends extends Outcome>(
  outreach: OutreachState<Ends>,
  { callId, reason, said }: CallOver,
): Promise<void> {
  const { clinicId, workflowId, patientId, caseId } = outreach;
  await reportSetupFault({ clinicId, workflowId, callId, reason, said: said ?? null, patientId, caseId });
  return outreach.end('FOLLOW_UP_REQUIRED', { taskReason: 'voice_setup_fault' });
}

/** A call that reached nobody, or that failed when somebody had picked up. */
export async function recordAttempt<Ends extends Outcome>(
  outreach: OutreachState<Ends>,
  { endedAt = new Date().toISOString() }: Pick<CallOver, 'endedAt'>,
): Promise<void> {
  const { known } = outreach;
  known.attempts += 1;
  known.attemptDial = known.calls.dials;
  known.faultsInARow = 0;
  known.lastAttemptEndedAt = endedAt;
  return outreach.backToDeciding();
}

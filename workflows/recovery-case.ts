import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  ContinueAsNew,
  continueAsNew,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { Barrier, Resolution } from '@clinic/shared/contracts/recovery';
import { faultWaitSeconds } from '@clinic/shared/domain/call-faults';
import {
  type CaseState,
  isTerminal,
  nextStep,
  type RecoveryStatus,
  taskForOutcome,
} from '@clinic/shared/domain/recovery-policy';
import { searchAttributes } from './ids';
import * as messages from './messages';
import { type LineLog, openLine } from './phone-line';
import { delivering, LINE_CHECK_SECONDS, records, recordsInUpdate } from './timeouts';

const { loadCase, setCaseStatus, endCase, openTask, wakeDeliveries } = proxyActivities<Activities>(records);
const { attemptDelivery } = proxyActivities<Activities>(delivering);
const inUpdate = proxyLocalActivities<Activities>(recordsInUpdate);

export interface RecoveryInput {
  clinicId: string;
  recoveryCaseId: string;
  patientId: string;
  /** What an earlier run of this workflow hands on when its history grew long. */
  carried?: { attempts: number; lastAttemptEndedAt: string | null; faultsInARow: number; line: LineLog };
}

export type Recovery = ReturnType<typeof openRecovery>;
export type CallToMake = { phone: string; attempt: number; maxConcurrentCalls: number };

/** The case's state, its messages, and the steps the story above is told in. */
export function openRecovery(input: RecoveryInput) {
  const { clinicId, recoveryCaseId: caseId, patientId, carried } = input;
  const { workflowId } = workflowInfo();
  let status: CaseState = 'PENDING';
  let barrier: Barrier | null = null;
  let attempts = carried?.attempts ?? 0;
  let lastAttemptEndedAt = carried?.lastAttemptEndedAt ?? null;
  let faultsInARow = carried?.faultsInARow ?? 0;
  let busyInARow = 0;
  let isCompleted = false;
  let isCompletedInCall = false;
  let failure: unknown = null;
  const testCalls = new Set<string>();
  const isOpen = () => !isTerminal(status);
  const line = openLine(
    {
      ...{ clinicId, workflowType: 'abandonment-recovery', patientId, caseId },
      isSettled: () => !isOpen(),
      onReserved: (attempt) => void (isOpen() && show('CALLING', `Attempt ${attempt}`)),
    },
    carried?.line,
  );

  function show(next: CaseState, details: string) {
    status = next;
    upsertSearchAttributes([{ key: searchAttributes.status, value: next }]);
    setCurrentDetails(details);
  }

  /** Terminal at once, so that nothing else can end it while the records are written. */
  const end = async (
    outcome: RecoveryStatus,
    runStatus: 'completed' | 'cancelled' | 'failed' = 'completed',
    { resolution = null, write = endCase }: { resolution?: Resolution | null; write?: Activities['endCase'] } = {},
  ) => {
    if (!isOpen()) return;
    show(outcome, `Ended: ${outcome}`);
    await write({
      clinicId,
      caseId,
      workflowId,
      status: outcome,
      runStatus,
      resolution,
      taskReason: taskForOutcome(outcome),
    });
  };

  const refuseUnlessCalling = (_told: unknown) => {
    if (status !== 'CALLING') throw ApplicationFailure.nonRetryable('the case is not CALLING', 'no_calling_case');
  };
  const refuseIfEnded = (..._told: unknown[]) => {
    if (!isOpen()) throw ApplicationFailure.nonRetryable('the workflow has ended', 'already_ended');
  };
  const backToPending = async () => {
    if (!isOpen() || line.isInCall() || testCalls.size > 0) return;
    show('PENDING', `Between calls, ${attempts} made`);
    await setCaseStatus({ clinicId, caseId, status: 'PENDING' });
  };

  setHandler(messages.formCompleted, () => {
    isCompleted = true;
    isCompletedInCall ||= status === 'CALLING';
  });
  setHandler(messages.callEnded, async ({ callId, reason, isTest }) => {
    if (!isTest) return line.hangUp(callId, reason);
    testCalls.delete(callId);
    return backToPending();
  });
  setHandler(
    messages.recordBarrier,
    async (told) => {
      barrier = told;
      await inUpdate.saveBarrier({ clinicId, caseId, barrier: told });
    },
    { validator: refuseUnlessCalling },
  );
  setHandler(
    messages.resolveOutcome,
    (resolution) => end(resolution.recoveryStatus, 'completed', { resolution, write: inUpdate.endCase }),
    { validator: refuseUnlessCalling },
  );
  setHandler(messages.cancelRun, () => end('FOLLOW_UP_REQUIRED', 'cancelled', { write: inUpdate.endCase }), {
    validator: refuseIfEnded,
  });
  setHandler(
    messages.testCallOpened,
    async ({ callId }) => {
      testCalls.add(callId);
      show('CALLING', 'In a test call');
      await inUpdate.setCaseStatus({ clinicId, caseId, status: 'CALLING' });
    },
    { validator: refuseIfEnded },
  );
  setHandler(messages.caseState, () => ({ status, attempts, barrier }));

  const pause = (ms: number, summary: string) =>
    condition(() => !isOpen() || (isCompleted && !isCompletedInCall), Math.max(ms, 1), { summary });

  return {
    isOpen,
    end,
    wasCompletedInCall: () => isCompletedInCall,

    /** An operator cancelled the run in Temporal, or something broke that no retry mends: staff follow up. */
    async endAfter(error: unknown) {
      if (error instanceof ContinueAsNew) throw error;
      if (!isCancellation(error)) failure = error;
      await end('FOLLOW_UP_REQUIRED', failure ? 'failed' : 'cancelled');
    },

    /** The clinic hears of the case before its patient is called; a receiver that is down only delays it by one attempt. */
    async announce() {
      if (carried) return;
      setCurrentDetails('Telling the clinic');
      const attempt = await attemptDelivery({ clinicId, subject: caseId });
      if (attempt.kind === 'later') await wakeDeliveries({ clinicId, subject: caseId });
    },

    async decide() {
      const facts = await loadCase({ clinicId, caseId });
      const step = nextStep({
        ...facts,
        phone: facts.phone !== null,
        isFormCompleted: facts.isFormCompleted || isCompleted,
        attemptsMade: attempts,
        now: new Date().toISOString(),
        caseOpenedAt: facts.openedAt,
        lastAttemptEndedAt,
      });
      if (step.kind !== 'call') return step;
      const { maxConcurrentCalls } = facts.policy;
      return { kind: 'call', call: { phone: facts.phone ?? '', attempt: step.attempt, maxConcurrentCalls } } as const;
    },

    async waitUntil(until: string, reason: string) {
      setCurrentDetails(`Waiting until ${until}: ${reason.replaceAll('_', ' ')}`);
      await pause(Date.parse(until) - Date.now(), reason.replaceAll('_', ' '));
    },

    async ring(call: CallToMake) {
      const rung = await line.ring(call);
      if (rung.kind !== 'busy') busyInARow = 0;
      if (rung.kind === 'withdrawn') await backToPending();
      return rung;
    },

    async waitForLine() {
      busyInARow += 1;
      const seconds = Math.min(LINE_CHECK_SECONDS.first * 2 ** (busyInARow - 1), LINE_CHECK_SECONDS.most);
      setCurrentDetails('Waiting for a free line');
      await pause(seconds * 1_000, 'wait for a free line');
    },

    /** The platform's own failure is not an attempt: the same attempt is made again, later and later. */
    async recordFault() {
      faultsInARow += 1;
      const seconds = faultWaitSeconds(faultsInARow);
      if (seconds === null) {
        await openTask({
          clinicId,
          reason: 'platform_fault',
          cause: `platform_fault:${caseId}`,
          patientId,
          caseId,
          workflowId,
        });
        return end('FOLLOW_UP_REQUIRED');
      }
      await backToPending();
      setCurrentDetails(`The voice platform failed ${faultsInARow} times; trying again`);
      await pause(seconds * 1_000, 'the voice platform failed');
      return undefined;
    },

    async recordAttempt() {
      attempts += 1;
      faultsInARow = 0;
      lastAttemptEndedAt = new Date().toISOString();
      await backToPending();
    },

    async endWithBadNumber() {
      await openTask({ clinicId, reason: 'bad_number', cause: `bad_number:${caseId}`, patientId, caseId, workflowId });
      await end('PATIENT_NOT_REACHED');
    },

    async continueAsNew() {
      if (!isOpen() || testCalls.size > 0) return;
      await condition(allHandlersFinished);
      if (!isOpen()) return;
      const { recoveryCaseId } = input;
      const next = { attempts, lastAttemptEndedAt, faultsInARow, line: line.log() };
      await continueAsNew<(next: RecoveryInput) => Promise<RecoveryStatus>>({
        clinicId,
        recoveryCaseId,
        patientId,
        carried: next,
      });
    },

    /** Sends the outcome, then stays until the line is quiet: the call's record is this workflow's to finish. */
    async close() {
      await condition(allHandlersFinished);
      await wakeDeliveries({ clinicId, subject: caseId });
      await line.quiet();
      await condition(allHandlersFinished);
      if (failure) throw failure;
      if (!isTerminal(status)) throw ApplicationFailure.nonRetryable('a recovery closed without an outcome');
      return status;
    },
  };
}

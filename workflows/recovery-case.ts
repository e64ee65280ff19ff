import {
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { Barrier, Resolution } from '@clinic/shared/contracts/recovery';
import { nextStep, type RecoveryStatus, taskForOutcome } from '@clinic/shared/domain/calling-policy';
import * as messages from './messages';
import { type Carried, type Ending, openOutreach, shielded } from './outreach';
import { toCall } from './phone-line';
import type { Step } from './reach-patient';
import { asking, delivering, records, recordsInUpdate } from './timeouts';

const { loadCase, setCaseStatus, endCase, wakeDeliveries } = proxyActivities<Activities>(records);
const { checkFormProgress } = proxyActivities<Activities>({ ...asking, summary: 'form.progress' });
const { attemptDelivery } = proxyActivities<Activities>(delivering);
const inUpdate = proxyLocalActivities<Activities>(recordsInUpdate);

export interface RecoveryInput {
  clinicId: string;
  recoveryCaseId: string;
  patientId: string;
  carried?: Carried;
}

export type Recovery = ReturnType<typeof openRecovery>;

/** An outreach with a recovery case: what the agent's tools, the form and test calls say to it, and its own steps. */
export function openRecovery(input: RecoveryInput) {
  const { clinicId, recoveryCaseId: caseId } = input;
  const { workflowId } = workflowInfo();
  let barrier: Barrier | null = null;
  let isCompleted = false;
  let isCompletedInCall = false;
  const testCalls = new Set<string>();

  const lastWrite = ({ outcome, runStatus }: Ending<RecoveryStatus>, resolution: Resolution | null = null) => ({
    clinicId,
    caseId,
    workflowId,
    runStatus,
    resolution,
    status: outcome,
    taskReason: taskForOutcome(outcome),
  });
  const outreach = openOutreach<RecoveryStatus>({
    workflowType: 'abandonment-recovery',
    input,
    caseId,
    write: (ending) => endCase(lastWrite(ending)),
    writeInUpdate: (ending) => inUpdate.endCase(lastWrite(ending)),
    recordPending: () => setCaseStatus({ clinicId, caseId, status: 'PENDING' }),
    isOvertaken: () => isCompleted && !isCompletedInCall,
    isHeld: () => testCalls.size > 0,
  });
  const { show, end, state, hangUp, backToPending, refuseIfEnded } = outreach;

  const refuseUnlessCalling = (_told: unknown) => {
    if (state() !== 'CALLING') throw ApplicationFailure.nonRetryable('the case is not CALLING', 'no_calling_case');
  };

  setHandler(messages.formCompleted, () => {
    isCompleted = true;
    isCompletedInCall ||= state() === 'CALLING';
  });
  setHandler(
    messages.callEnded,
    shielded(async ({ callId, reason, isTest }) => {
      if (!isTest) return hangUp(callId, reason);
      if (!testCalls.delete(callId)) return undefined;
      if (isCompletedInCall && !outreach.isInCall()) return end('RECOVERED');
      return backToPending();
    }),
  );
  setHandler(
    messages.recordBarrier,
    shielded(async (told: Barrier) => {
      barrier = told;
      await inUpdate.saveBarrier({ clinicId, caseId, barrier: told });
    }),
    { validator: refuseUnlessCalling },
  );
  setHandler(
    messages.resolveOutcome,
    shielded((resolution: Resolution) =>
      end(resolution.recoveryStatus, 'completed', (ending) => inUpdate.endCase(lastWrite(ending, resolution))),
    ),
    { validator: refuseUnlessCalling },
  );
  setHandler(
    messages.testCallOpened,
    shielded(async ({ callId }) => {
      testCalls.add(callId);
      show('CALLING', 'In a test call');
      await inUpdate.setCaseStatus({ clinicId, caseId, status: 'CALLING' });
    }),
    { validator: refuseIfEnded },
  );
  setHandler(messages.caseState, () => ({ status: state(), attempts: outreach.progress().attemptsMade, barrier }));

  /** The clinic's own word on the form, where it has approved that we ask. No answer does not hold the call back. */
  const isCompletedAtClinic = async () => {
    try {
      return (await checkFormProgress({ clinicId, caseId })).isCompleted;
    } catch (error) {
      if (isCancellation(error)) throw error;
      return false;
    }
  };

  return {
    ...outreach,
    wasCompletedInCall: () => isCompletedInCall,

    /** The clinic hears of the case before its patient is called; a receiver that is down only delays it by one attempt. */
    async announce() {
      if (outreach.isContinued) return;
      setCurrentDetails('Telling the clinic');
      const attempt = await attemptDelivery({ clinicId, subject: caseId });
      if (attempt.kind === 'failed' || attempt.kind === 'later') await wakeDeliveries({ clinicId, subject: caseId });
    },

    async decide(): Promise<Step<RecoveryStatus>> {
      const facts = await loadCase({ clinicId, caseId });
      const step = nextStep({
        ...facts,
        ...outreach.progress(),
        phone: facts.phone !== null,
        isFormCompleted: facts.isFormCompleted || isCompleted,
        now: new Date().toISOString(),
        caseOpenedAt: facts.openedAt,
      });
      if (step.kind !== 'call') return step;
      if (facts.hasProgressApi && (await isCompletedAtClinic())) return { kind: 'end', outcome: 'ALREADY_COMPLETED' };
      return { kind: 'call', call: toCall(facts, step.attempt) };
    },
  };
}

import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  ContinueAsNew,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import { faultWaitSeconds } from '@clinic/shared/domain/call-faults';
import type { WorkflowType } from '@clinic/shared/domain/workflow-types';
import { searchAttributes } from './ids';
import { cancelRun } from './messages';
import { type CallToMake, type LineLog, openLine } from './phone-line';
import { LINE_CHECK_SECONDS, records } from './timeouts';

const { openTask, wakeDeliveries } = proxyActivities<Activities>(records);

/** Two outcomes that every type of workflow has, whatever it is about. */
export const everyType = <Outcome extends string>(outcome: 'FOLLOW_UP_REQUIRED' | 'PATIENT_NOT_REACHED') =>
  outcome as string as Outcome;

export interface Ending<Outcome extends string> {
  outcome: Outcome;
  runStatus: 'completed' | 'cancelled' | 'failed';
}

/** What an earlier run of a long-lived workflow hands on when its history grew long. */
export interface Carried {
  attempts: number;
  lastAttemptEndedAt: string | null;
  faultsInARow: number;
  line: LineLog;
}

export interface OutreachOwner<Outcome extends string> {
  workflowType: WorkflowType;
  input: { clinicId: string; patientId: string; carried?: Carried };
  /** The recovery case, where there is one. Events and tasks are told under its id, else under the workflow's. */
  caseId: string | null;
  /** Ends the records: the outcome, its event and a task for staff, together. */
  write(ending: Ending<Outcome>): Promise<void>;
  /** The same, inside an update that somebody waits for. */
  writeInUpdate(ending: Ending<Outcome>): Promise<void>;
  /** Has the records say that no call is going on, where they say so at all. */
  recordPending?(): Promise<void>;
  /** Something has happened that makes waiting pointless: the next step is decided anew. */
  isOvertaken?(): boolean;
  /** A call that is not the line's own keeps the workflow as it is. */
  isHeld?(): boolean;
}

export type Outreach<Outcome extends string> = ReturnType<typeof openOutreach<Outcome>>;

/** One patient to be reached by phone: where that stands, and the steps that every workflow takes towards an outcome. */
export function openOutreach<Outcome extends string>(owner: OutreachOwner<Outcome>) {
  const { workflowType, caseId, input } = owner;
  const { clinicId, patientId, carried } = input;
  const { workflowId } = workflowInfo();
  const subject = caseId ?? workflowId;
  const isOvertaken = () => owner.isOvertaken?.() ?? false;
  const isHeld = () => owner.isHeld?.() ?? false;
  let state: 'PENDING' | 'CALLING' | Outcome = 'PENDING';
  let attempts = carried?.attempts ?? 0;
  let lastAttemptEndedAt = carried?.lastAttemptEndedAt ?? null;
  let faultsInARow = carried?.faultsInARow ?? 0;
  let busyInARow = 0;
  let failure: unknown = null;
  let written: Promise<void> = Promise.resolve();
  const isOpen = () => state === 'PENDING' || state === 'CALLING';
  const isInCall = () => line.isInCall() || isHeld();
  const line = openLine(
    {
      clinicId,
      workflowType,
      patientId,
      caseId,
      isSettled: () => !isOpen(),
      onReserved: (attempt) => void (isOpen() && show('CALLING', `Attempt ${attempt}`)),
    },
    carried?.line,
  );

  function show(next: typeof state, details: string) {
    state = next;
    upsertSearchAttributes([{ key: searchAttributes.status, value: next }]);
    setCurrentDetails(details);
  }

  /** Terminal at once, so that nothing else can end it while the records are written. */
  const end = async (outcome: Outcome, runStatus: Ending<Outcome>['runStatus'] = 'completed', write = owner.write) => {
    if (!isOpen()) return;
    show(outcome, `Ended: ${outcome}`);
    written = write({ outcome, runStatus });
    await written;
  };

  const leaveToStaff = () => end(everyType('FOLLOW_UP_REQUIRED'));

  const backToPending = async () => {
    if (!isOpen() || isInCall()) return;
    show('PENDING', `Between calls, ${attempts} made`);
    await owner.recordPending?.();
  };

  const pause = (ms: number, summary: string) =>
    condition(() => !isOpen() || isOvertaken(), Math.max(ms, 1), { summary });

  /** Opens a task for staff, once for each reason. */
  const askStaff = (reason: string) =>
    openTask({ clinicId, reason, cause: `${reason}:${subject}`, patientId, caseId, workflowId });

  const refuseIfEnded = (..._told: unknown[]) => {
    if (!isOpen()) throw ApplicationFailure.nonRetryable('the workflow has ended', 'already_ended');
  };
  const cancel = shielded(() => end(everyType('FOLLOW_UP_REQUIRED'), 'cancelled', owner.writeInUpdate));
  setHandler(cancelRun, cancel, { validator: refuseIfEnded });
  // Whoever waits for the end hears of a write that failed.
  CancellationScope.current()
    .cancelRequested.catch(cancel)
    .catch(() => undefined);

  return {
    isOpen,
    show,
    end,
    leaveToStaff,
    backToPending,
    askStaff,
    refuseIfEnded,
    hangUp: line.hangUp,
    isInCall,
    state: () => state,
    progress: () => ({ attemptsMade: attempts, lastAttemptEndedAt }),
    isContinued: carried !== undefined,

    /** Something broke that no retry mends: staff follow up. */
    async endAfter(error: unknown) {
      if (error instanceof ContinueAsNew) throw error;
      failure = error;
      await end(everyType('FOLLOW_UP_REQUIRED'), 'failed');
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

    /** Holds a call that the patient placed. */
    async answer(callId: string) {
      show('CALLING', 'The patient called');
      return line.answer(callId);
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
        await askStaff('platform_fault');
        return leaveToStaff();
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
      await askStaff('bad_number');
      await end(everyType('PATIENT_NOT_REACHED'));
    },

    async continueAsNew() {
      if (!isOpen() || isHeld()) return;
      await condition(allHandlersFinished);
      if (!isOpen() || isHeld()) return;
      const next: Carried = { attempts, lastAttemptEndedAt, faultsInARow, line: line.log() };
      await continueAsNew<(input: object) => Promise<unknown>>({ ...input, carried: next });
    },

    /** Sends the outcome, then stays until the line is quiet: the call's record is this workflow's to finish. */
    async close() {
      await condition(allHandlersFinished);
      await written;
      await wakeDeliveries({ clinicId, subject });
      await line.quiet();
      await condition(allHandlersFinished);
      if (failure) throw failure;
      if (state === 'PENDING' || state === 'CALLING') {
        throw ApplicationFailure.nonRetryable('an outreach closed without an outcome');
      }
      return state;
    },
  };
}

/** Runs a message's handler to its end, whatever is cancelled meanwhile. */
export function shielded<Args extends unknown[], Result>(handle: (...args: Args) => Promise<Result>) {
  return (...args: Args): Promise<Result> => CancellationScope.nonCancellable(() => handle(...args));
}

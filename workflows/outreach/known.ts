import type { ClinicNotice } from '@clinic/activities/clinic-systems';
import type { ToolFact } from '@clinic/shared/domain/outreach/conversation';
import type { CallLog } from './phone-line';

/**
 * All that an outreach has to remember from one step to the next. It is plain data: a run whose history grew long gives it
 * to the run that goes on for it, as it is.
 */
export interface Known {
  /** The records were looked at: what they hold of an earlier run of the workflow is known. */
  hasBegun: boolean;
  attempts: number;
  lastAttemptEndedAt: string | null;
  /** Faults of the voice platform since the last attempt. */
  faultsInARow: number;
  /** Until when the platform is given time after the last of them; left out by an earlier release. */
  retryAt?: string | null;
  /** Since when the call that waits for a line has been due. */
  dueAt: string | null;
  withdrawnInARow: number;
  calls: CallLog;
  /** Which of the requests to ring was the last attempt, 0 for none: those since were faults. Left out by an earlier release. */
  attemptDial?: number;
  /** Calls of the patient's own that were held. */
  answered: string[];
  /** Internal test calls that are open. */
  testCalls: string[];
  /** What the calls' tools changed. */
  changes: ToolFact[];
  /** What the clinic's own systems are still to be told. */
  untold: ClinicNotice[];
}

export const nothingYet = (): Known => ({
  hasBegun: false,
  attempts: 0,
  lastAttemptEndedAt: null,
  faultsInARow: 0,
  retryAt: null,
  dueAt: null,
  withdrawnInARow: 0,
  calls: { dials: 0, endedReasons: [] },
  attemptDial: 0,
  answered: [],
  testCalls: [],
  changes: [],
  untold: [],
});

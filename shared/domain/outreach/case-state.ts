import { workflowTypes } from './workflow-types';

/** How a recovery case can end. */
export const recoveryStatuses = workflowTypes['abandonment-recovery'].outcomes;
export type RecoveryStatus = (typeof recoveryStatuses)[number];

/** The states of a recovery case: open ones first, then the ways it ends. */
export const caseStates = ['PENDING', 'CALLING', ...recoveryStatuses] as const;
export type CaseState = (typeof caseStates)[number];

/** A case that is worked on: its patient waits for a call, or is in one. */
export type OpenCaseState = Exclude<CaseState, RecoveryStatus>;

/** Whether a state is an ending, which never changes again. */
export function isTerminal(state: CaseState): state is RecoveryStatus {
  return state !== 'PENDING' && state !== 'CALLING';
}

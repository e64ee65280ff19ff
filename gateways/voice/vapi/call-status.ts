import type { CallState } from '@clinic/shared/domain/outreach/call-state';

/** What the voice platform (Vapi) calls the states of a call, and which of our states each one is. */
const statesByStatus = {
  scheduled: 'QUEUED',
  queued: 'QUEUED',
  ringing: 'RINGING',
  'in-progress': 'IN_PROGRESS',
  forwarding: 'IN_PROGRESS',
  ended: 'ENDED',
  'deletion-failed': 'ENDED',
} as const satisfies Record<string, CallState>;

/** The `status` of a call, as the platform reports it. */
type CallStatus = keyof typeof statesByStatus;

/** The state that a status of the platform stands for; null for a status that is new to us. */
export function callStateOf(status: string | null | undefined): CallState | null {
  return isCallStatus(status) ? statesByStatus[status] : null;
}

const isCallStatus = (status: string | null | undefined): status is CallStatus =>
  typeof status === 'string' && Object.hasOwn(statesByStatus, status);

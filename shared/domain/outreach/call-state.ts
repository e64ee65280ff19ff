/** How far a call has come; it never goes back. */
export const callStates = ['QUEUED', 'RINGING', 'IN_PROGRESS', 'ENDED'] as const;
export type CallState = (typeof callStates)[number];

/** How far a call has come; it never goes back. */
export const callStates = ['QUEUED', 'RINGING', 'IN_PROGRESS', 'ENDED'] as const;
export type CallState = (typeof callStates)[number];

const platformStatuses = new Map<string, CallState>([
  ['scheduled', 'QUEUED'],
  ['queued', 'QUEUED'],
  ['ringing', 'RINGING'],
  ['in-progress', 'IN_PROGRESS'],
  ['forwarding', 'IN_PROGRESS'],
  ['ended', 'ENDED'],
  ['deletion-failed', 'ENDED'],
]);

/** Where a call stands by the voice platform's word for it (Vapi's `status`); null for a word that is new to us. */
export const callStateOf = (status: string | null | undefined): CallState | null =>
  platformStatuses.get(status ?? '') ?? null;

/** Where a run stands. `started` is open; the others are final. */
export const runStatuses = ['started', 'completed', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof runStatuses)[number];
export type FinalRunStatus = Exclude<RunStatus, 'started'>;

/** What the end of a call means for the workflow it belongs to. */
export const callEndings = ['conversation', 'not_reached', 'bad_number', 'platform_fault', 'cancelled'] as const;
export type CallEnding = (typeof callEndings)[number];

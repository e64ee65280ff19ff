/** The lists whose filters a person can save under a name. */
export const savedLists = ['cases', 'calls', 'queue', 'tasks', 'patients', 'runs', 'deliveries', 'audit'] as const;
export type SavedList = (typeof savedLists)[number];

/** So many views one account keeps. */
export const MAX_VIEWS = 50;

import type { Right } from './rights';

/** The lists whose filters a person can save under a name. */
export const savedLists = ['cases', 'calls', 'queue', 'tasks', 'patients', 'runs', 'deliveries', 'audit'] as const;
export type SavedList = (typeof savedLists)[number];

/** Its views are for those who may see the list: filters hold names that were searched for. */
export const rightOfList: Record<SavedList, Right> = {
  cases: 'workflows',
  calls: 'workflows',
  queue: 'workflows',
  tasks: 'tasks',
  patients: 'patients.read',
  runs: 'workflows',
  deliveries: 'deliveries',
  audit: 'audit',
};

/** So many views one account keeps. */
export const MAX_VIEWS = 50;

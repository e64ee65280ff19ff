import type { Area } from '#http';
import { plural, t } from '#texts';

/** What shows another record once two are one, or apart again. */
export const mergedAreas: Area[] = ['patients', 'cases', 'calls', 'tasks', 'overview'];

/** What follows from making two of one again. */
export const undoing = { done: t`The two records are separate again.`, refresh: mergedAreas };

/** What people know of the tables, with how many of it there are. */
const words: Record<string, ((count: number) => string) | undefined> = {
  appointments: (count) => plural(count, { one: '# appointment', other: '# appointments' }),
  documents: (count) => plural(count, { one: '# note', other: '# notes' }),
  calls: (count) => plural(count, { one: '# call', other: '# calls' }),
  call_evidence: (count) => plural(count, { one: '# transcript', other: '# transcripts' }),
  recovery_cases: (count) => plural(count, { one: '# recovery case', other: '# recovery cases' }),
  workflow_runs: (count) => plural(count, { one: '# follow-up by the service', other: '# follow-ups by the service' }),
  staff_tasks: (count) => plural(count, { one: '# task', other: '# tasks' }),
  waitlist_entries: (count) => plural(count, { one: '# place on the waitlist', other: '# places on the waitlist' }),
  inbound_events: (count) => plural(count, { one: '# received event', other: '# received events' }),
  outbound_events: (count) => plural(count, { one: '# sent event', other: '# sent events' }),
};

export const countedRecords = (counts: readonly { records: string; count: number }[]): string[] =>
  counts.flatMap(({ records, count }) => {
    const say = words[records];
    return say ? [say(count)] : [];
  });

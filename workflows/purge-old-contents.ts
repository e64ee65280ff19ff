import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import { records } from './timeouts';

const { purgeSomeContents } = proxyActivities<Activities>(records);

/** Some hours' work, in a history that stays short; the next run goes on. */
const MAX_TURNS = 500;

/** Takes the contents of what clinics no longer keep, and returns how much by kind. A Temporal Schedule runs it. */
export async function purgeOldContents(): Promise<Record<string, number>> {
  const purged: Record<string, number> = {};
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const { counts, isDone } = await purgeSomeContents();
    for (const [kind, count] of Object.entries(counts)) purged[kind] = (purged[kind] ?? 0) + count;
    if (isDone) break;
  }
  return purged;
}

import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import { records } from './timeouts';

const { purgeSomeContents } = proxyActivities<Activities>(records);

/** Some hours' work, in a history that stays short; the next run goes on. */
const MAX_TURNS = 500;

/** Takes the contents of what clinics no longer keep, and returns how much by kind. A Temporal Schedule runs it. */
export async function purgeOldContents(): Promise<Record<string, number>> {
  const purged: Record<string, number> = {};
  let place: Awaited<ReturnType<Activities['purgeSomeContents']>>['place'];
  for (let turns = 0; turns < MAX_TURNS; turns += 1) {
    const turn = await purgeSomeContents(place);
    place = turn.place;
    for (const [kind, count] of Object.entries(turn.counts)) purged[kind] = (purged[kind] ?? 0) + count;
    if (turn.isDone) break;
  }
  return purged;
}

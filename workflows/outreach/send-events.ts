import { ActivityFailure, proxyActivities, TimeoutFailure } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import { announcing, records } from '../timeouts';

const { wakeDeliveries } = proxyActivities<Activities>(records);
const { attemptDelivery } = proxyActivities<Activities>(announcing);

/**
 * Sends the events of a subject while its receiver takes them. What it does not take at once is left to a workflow of its
 * own, which tries again.
 */
export async function sendEvents(owner: { clinicId: string; subject: string }): Promise<void> {
  for (;;) {
    const attempt = await attemptDelivery(owner).catch(laterWhereNoPlaceIsFree);
    if (attempt.kind === 'failed' || attempt.kind === 'later') return wakeDeliveries(owner);
    if (attempt.kind === 'none' || !attempt.hasMore) return undefined;
  }
}

function laterWhereNoPlaceIsFree(error: unknown): { kind: 'later' } {
  const isTooLate = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure;
  if (!isTooLate) throw error;
  return { kind: 'later' };
}

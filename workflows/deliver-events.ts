import {
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { ToReceiver } from '@clinic/shared/domain/events/delivery-owner';
import { deliveriesChanged } from './messages';
import { delivering } from './timeouts';

const { attemptDelivery } = proxyActivities<Activities>(delivering);

/**
 * Sends the events of one subject to a receiver, oldest first, each until it is delivered or dead; then ends. A signal looks again at
 * once: something was added, or a person sends a dead letter again.
 */
export async function deliverEvents(owner: ToReceiver): Promise<void> {
  let isChanged = true;
  setHandler(deliveriesChanged, () => {
    isChanged = true;
  });
  for (;;) {
    isChanged = false;
    const attempt = await attemptDelivery(owner);
    if (attempt.kind === 'later') {
      setCurrentDetails(`Trying again at ${attempt.at}`);
      await condition(() => isChanged, Math.max(attempt.waitMs, 250), { summary: 'wait before the next attempt' });
    }
    const isLast = attempt.kind === 'none' || (attempt.kind === 'attempted' && !attempt.hasMore);
    if (isLast && !isChanged) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliverEvents>(owner);
  }
}

import {
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { DeliveryOwner } from '@clinic/shared/domain/outbound-endpoint';
import { deliveriesChanged } from './messages';
import { delivering } from './timeouts';

const { attemptDelivery } = proxyActivities<Activities>(delivering);

/**
 * Sends the events of one subject to an endpoint of the clinic, oldest first, each until it is delivered or dead; then ends. A signal looks
 * again at once: something was added, or a person sends a dead letter again.
 */
export async function deliverEvents(owner: DeliveryOwner): Promise<void> {
  let isChanged = true;
  setHandler(deliveriesChanged, () => {
    isChanged = true;
  });
  for (;;) {
    isChanged = false;
    const attempt = await attemptDelivery(owner);
    if (attempt.kind === 'later') {
      setCurrentDetails(`Trying again at ${attempt.at}`);
      const waitMs = Math.max(Date.parse(attempt.at) - Date.now(), 250);
      await condition(() => isChanged, waitMs, { summary: 'wait before the next attempt' });
    }
    const isLast = attempt.kind === 'none' || (attempt.kind === 'attempted' && attempt.hasMore === false);
    if (isLast && !isChanged) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliverEvents>(owner);
  }
}

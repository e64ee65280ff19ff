import {
  condition,
  defineSignal,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';

interface Nothing {
  nothing(): Promise<void>;
}
const activity = proxyActivities<Nothing>({ startToCloseTimeout: '1 minute' });
const localActivity = proxyLocalActivities<Nothing>({ startToCloseTimeout: '1 minute' });

export const bareUpdate = defineUpdate<void>('bareUpdate');
export const bareEnd = defineSignal('bareEnd');

/** So many activities that do nothing, one after the other; then it answers updates, each with a local activity, until it is told to end. */
export async function bareWorkflow({ activities, isOpen }: { activities: number; isOpen: boolean }): Promise<void> {
  let isOver = !isOpen;
  setHandler(bareUpdate, () => localActivity.nothing());
  setHandler(bareEnd, () => {
    isOver = true;
  });
  for (let count = 0; count < activities; count += 1) await activity.nothing();
  await condition(() => isOver);
}

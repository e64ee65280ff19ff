import {
  condition,
  defineSignal,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';

interface Steps {
  nothing(): Promise<void>;
  place(): Promise<void>;
}
const { nothing, place } = proxyActivities<Steps>({ startToCloseTimeout: '1 minute' });
const locally = proxyLocalActivities<Steps>({ startToCloseTimeout: '1 minute' });

export const bareUpdate = defineUpdate<void>('bareUpdate');
export const bareEnd = defineSignal('bareEnd');

/** Answers updates, each with a local activity, until it is told to end. */
export async function bareUpdates(): Promise<void> {
  let isOver = false;
  setHandler(bareUpdate, () => locally.nothing());
  setHandler(bareEnd, () => {
    isOver = true;
  });
  await condition(() => isOver);
}

/** The steps of a case and nothing else: an activity, a wait with a limit that a signal ends, another activity. */
export async function bareCase(): Promise<void> {
  let isOver = false;
  setHandler(bareEnd, () => {
    isOver = true;
  });
  await place();
  await condition(() => isOver, '2 minutes');
  await nothing();
}

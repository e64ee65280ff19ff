import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from '@clinic/activities/index';
import { createWorker, type WorkerSetup } from '@clinic/worker/create-worker';
import { testPayloadKeys } from '../support/histories';

afterEach(() => jest.restoreAllMocks());

/** What the worker of each queue is made with. */
async function madeWith(more: Partial<WorkerSetup> = {}): Promise<Map<string, WorkerOptions>> {
  const made = new Map<string, WorkerOptions>();
  jest.spyOn(Worker, 'create').mockImplementation(async (options) => {
    made.set(options.taskQueue ?? '', options);
    return { getState: () => 'RUNNING' } as unknown as Worker;
  });
  const activities = { attemptDelivery: () => undefined, placeCall: () => undefined } as unknown as Activities;
  const setup = { connection: {} as NativeConnection, namespace: 'n', activities, payloadKeys: testPayloadKeys };
  await createWorker({ ...setup, workflowBundle: 'workflows.js', ...more });
  return made;
}

test('three queues are asked for work, each for so much at once as operators are told, and all end within 25 seconds', async () => {
  const made = await madeWith();

  expect(
    [...made].map(([queue, options]) => ({
      queue,
      activities: Object.keys(options.activities ?? {}),
      atOnce: options.maxConcurrentActivityTaskExecutions,
      localAtOnce: options.maxConcurrentLocalActivityExecutions,
      ends: [options.shutdownGraceTime, options.shutdownForceTime],
      hasWorkflows: options.workflowBundle !== undefined,
      versions: options.workerDeploymentOptions,
    })),
  ).toEqual(
    [
      { queue: 'clinic-deliveries', activities: ['attemptDelivery'], atOnce: 200 },
      { queue: 'clinic-long-work', activities: ['attemptDelivery', 'placeCall'], atOnce: 24 },
      { queue: 'clinic-workflows', activities: ['placeCall'], atOnce: 200, localAtOnce: 200, hasWorkflows: true },
    ].map((each) => ({
      localAtOnce: undefined,
      hasWorkflows: false,
      ends: ['20 seconds', '25 seconds'],
      versions: undefined,
      ...each,
    })),
  );
});

test('a worker of a version has all its queues keep versions apart', async () => {
  const made = await madeWith({ buildId: 'release-7' });

  expect([...made.values()].map(({ workerDeploymentOptions }) => workerDeploymentOptions)).toEqual(
    Array.from({ length: 3 }, () => ({
      version: { deploymentName: expect.any(String) as string, buildId: 'release-7' },
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'PINNED',
    })),
  );
});

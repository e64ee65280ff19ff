import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { KeyRing } from '@clinic/shared/config';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import type { Activities } from '@clinic/activities/index';
import { DELIVERY_TASK_QUEUE, DEPLOYMENT, LONG_WORK_TASK_QUEUE, TASK_QUEUE } from '@clinic/workflows/ids';
import { cachedWorkflows } from './cached-workflows';

export interface WorkerSetup {
  connection: NativeConnection;
  namespace: string;
  activities: Activities;
  payloadKeys: KeyRing;
  /** The file that `writeWorkflowBundle` wrote; without one the workflows are bundled here, in some seconds. */
  workflowBundle?: string;
  /** The version of the workflows, where Temporal is to keep versions apart. */
  buildId?: string;
}

/** Workers of all queues that live and end together. */
export interface ServiceWorker {
  isRunning(): boolean;
  /** Settles once all have ended; rejects where one broke, which ends the others. */
  run(): Promise<void>;
  /** Begins the end of those that run. */
  shutdown(): void;
}

/** Attempts to deliver that a process makes at once: many receivers may hang for the whole of their 15 s. */
const DELIVERIES_AT_ONCE = 200;
/** Steps of long work that a process makes at once, of all clinics together: Temporal and the records have other things to do. */
const LONG_WORK_AT_ONCE = 24;

/** The worker as it runs in production and in tests: of workflows and activities, one of deliveries and one of long work alone. */
export async function createWorker(setup: WorkerSetup): Promise<ServiceWorker> {
  const common: Pick<WorkerOptions, 'connection' | 'namespace' | 'dataConverter' | 'workerDeploymentOptions'> = {
    connection: setup.connection,
    namespace: setup.namespace,
    dataConverter: createDataConverter(setup.payloadKeys),
    workerDeploymentOptions: setup.buildId
      ? {
          version: { deploymentName: DEPLOYMENT, buildId: setup.buildId },
          useWorkerVersioning: true,
          defaultVersioningBehavior: 'PINNED',
        }
      : undefined,
  };
  // Longer than an attempt at a slow receiver; the container's stop period is longer still.
  const ending = { shutdownGraceTime: '20 seconds', shutdownForceTime: '25 seconds' } as const;
  const { attemptDelivery, ...activities } = setup.activities;
  const deliveries = await Worker.create({
    ...common,
    ...ending,
    taskQueue: DELIVERY_TASK_QUEUE,
    activities: { attemptDelivery },
    maxConcurrentActivityTaskExecutions: DELIVERIES_AT_ONCE,
  });
  const longWork = await Worker.create({
    ...common,
    ...ending,
    taskQueue: LONG_WORK_TASK_QUEUE,
    activities: setup.activities,
    maxConcurrentActivityTaskExecutions: LONG_WORK_AT_ONCE,
  });
  const main = await Worker.create({
    ...common,
    ...ending,
    taskQueue: TASK_QUEUE,
    ...(setup.workflowBundle
      ? { workflowBundle: { codePath: setup.workflowBundle } }
      : { workflowsPath: require.resolve('@clinic/workflows/index') }),
    activities,
    maxCachedWorkflows: cachedWorkflows(),
    maxConcurrentActivityTaskExecutions: 200,
    maxConcurrentLocalActivityExecutions: 200,
  });
  const workers = [main, deliveries, longWork];
  const shutdown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return {
    isRunning: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    async run() {
      await Promise.all(workers.map((worker) => worker.run().finally(shutdown)));
    },
    shutdown,
  };
}

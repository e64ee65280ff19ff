import type { NativeConnection } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import type { KeyRing } from '@clinic/shared/config';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import type { Activities } from '@clinic/activities/index';
import { DEPLOYMENT, TASK_QUEUE } from '@clinic/workflows/ids';

export interface WorkerSetup {
  connection: NativeConnection;
  namespace: string;
  activities: Activities;
  payloadKeys: KeyRing;
  taskQueue?: string;
  /** Without a cache, 0, every task replays its workflow from the start: tests prove determinism with it. */
  maxCachedWorkflows?: number;
  /** The file that `writeWorkflowBundle` wrote; without one the workflows are bundled here, in some seconds. */
  workflowBundle?: string;
  /** The version of the workflows, where Temporal is to keep versions apart. */
  buildId?: string;
}

/** The worker as it runs in production and in tests. */
export function createWorker(setup: WorkerSetup): Promise<Worker> {
  return Worker.create({
    connection: setup.connection,
    namespace: setup.namespace,
    taskQueue: setup.taskQueue ?? TASK_QUEUE,
    ...(setup.workflowBundle
      ? { workflowBundle: { codePath: setup.workflowBundle } }
      : { workflowsPath: require.resolve('@clinic/workflows/index') }),
    activities: setup.activities,
    dataConverter: createDataConverter(setup.payloadKeys),
    // More than calls go on at once, and few enough that memory stays flat however many cases wait.
    maxCachedWorkflows: setup.maxCachedWorkflows ?? 600,
    workerDeploymentOptions: setup.buildId
      ? {
          version: { deploymentName: DEPLOYMENT, buildId: setup.buildId },
          useWorkerVersioning: true,
          defaultVersioningBehavior: 'PINNED',
        }
      : undefined,
    maxConcurrentActivityTaskExecutions: 200,
    maxConcurrentLocalActivityExecutions: 200,
    // Longer than an attempt at a slow receiver; the container's stop period is longer still.
    shutdownGraceTime: '20 seconds',
    shutdownForceTime: '25 seconds',
  });
}

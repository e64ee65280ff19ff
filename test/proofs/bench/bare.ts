import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import { temporalAddress } from '../../support/temporal';
import { bareCase, bareEnd, bareUpdates } from './bare-workflow';
import type { BenchStack } from './stack';

const taskQueue = 'bench-bare';

/** What Temporal itself costs: workflows that do nothing else, and their worker and client in this process. */
export interface Bare {
  /** From its start to its result; it is told to go on as soon as its first activity has run. */
  case(): Promise<void>;
  /** One that answers updates until it is told to end. */
  openForUpdates(): ReturnType<BenchStack['temporal']['workflow']['start']>;
  stop(): Promise<void>;
}

export async function startBare({ temporal }: BenchStack): Promise<Bare> {
  const connection = await NativeConnection.connect({ address: temporalAddress() });
  const placed = new Map<string, () => void>();
  const worker = await Worker.create({
    connection,
    namespace: temporal.options.namespace,
    taskQueue,
    workflowsPath: require.resolve('./bare-workflow'),
    activities: {
      nothing: () => Promise.resolve(),
      async place() {
        placed.get(activityInfo().workflowExecution?.workflowId ?? '')?.();
      },
    },
    dataConverter: temporal.options.dataConverter,
  });
  const running = worker.run();
  return {
    async case() {
      const workflowId = randomUUID();
      const isPlaced = new Promise<void>((resolve) => placed.set(workflowId, resolve));
      const handle = await temporal.workflow.start(bareCase, { workflowId, taskQueue });
      await isPlaced;
      placed.delete(workflowId);
      await handle.signal(bareEnd);
      await handle.result();
    },
    openForUpdates: () => temporal.workflow.start(bareUpdates, { workflowId: randomUUID(), taskQueue }),
    async stop() {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}

import { randomUUID } from 'node:crypto';
import { ensureSearchAttributes } from '@clinic/temporal/search-attributes';
import { RETENTION_SCHEDULE_ID } from '@clinic/workflows/ids';
import { type ConnectionPlugin, isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { type ClientOptionsForTestEnv, TestWorkflowEnvironment } from '@temporalio/testing';
import { NativeConnection } from '@temporalio/worker';
import { testServers } from './servers';

/** The real Temporal server of this test run. */
export const temporalAddress = (): string => testServers().temporalAddress;

/** A namespace of one's own with the service's search attributes: workflow ids meet nobody else's. */
export async function freshNamespace(): Promise<string> {
  const namespace = `test-${randomUUID()}`;
  const connection = await NativeConnection.connect({ address: temporalAddress() });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('1 day'),
    });
    await ensureSearchAttributes(connection, namespace);
  } finally {
    await connection.close();
  }
  return namespace;
}

/** Deletes the schedule of a namespace whose worker is gone: the server would go on starting its runs, for nobody. */
export async function deleteSchedule(namespace: string): Promise<void> {
  const connection = await NativeConnection.connect({ address: temporalAddress() });
  try {
    await connection.workflowService
      .deleteSchedule({ namespace, scheduleId: RETENTION_SCHEDULE_ID })
      .catch(unlessMissing);
  } finally {
    await connection.close();
  }
}

/** gRPC's NOT_FOUND. */
const MISSING: number[] = [5];

/** A worker that was not up for long may not have made it yet. */
function unlessMissing(error: unknown): void {
  if (!isGrpcServiceError(error) || !MISSING.includes(error.code)) throw error;
}

const DAY_MS = 86_400_000;

/**
 * Asks nothing again because a machine stood still for a minute: a request to hold time, made twice, would hold it for good,
 * and on one machine no answer is lost.
 */
const patient: ConnectionPlugin = {
  name: 'patient',
  configureConnection: ({ channelArgs, ...options }) => ({
    ...options,
    channelArgs: { ...channelArgs, 'grpc.keepalive_time_ms': DAY_MS },
  }),
};

/**
 * A server that skips time while workflows wait. One per test file; `teardown()` it in afterAll. Temporal's SDK waits five
 * seconds for the server to listen, which no option changes: a machine that is busy just then is given the time again.
 */
export async function timeSkipping(client?: ClientOptionsForTestEnv): Promise<TestWorkflowEnvironment> {
  for (let start = 1; ; start += 1) {
    try {
      return await TestWorkflowEnvironment.createTimeSkipping({
        server: { executable: { type: 'existing-path', path: testServers().timeSkippingServer } },
        client,
        plugins: [patient],
      });
    } catch (error) {
      if (start === 5 || !String(error).includes('did not start within')) throw error;
    }
  }
}

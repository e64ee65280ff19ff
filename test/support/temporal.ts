import { randomUUID } from 'node:crypto';
import { ensureSearchAttributes } from '@clinic/local/temporal';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { testServers } from './servers';

/** The real Temporal server of this test run. */
export const temporalAddress = (): string => testServers().temporalAddress;

/** A queue no other test polls. */
export const freshTaskQueue = (): string => `test-${randomUUID()}`;

/** A namespace of one's own with the service's search attributes: workflow ids meet nobody else's. */
export async function freshNamespace(): Promise<string> {
  const address = temporalAddress();
  const namespace = `test-${randomUUID()}`;
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('1 day'),
    });
  } finally {
    await connection.close();
  }
  await ensureSearchAttributes({ address, namespace });
  return namespace;
}

/** A server that skips time while workflows wait. One per test file; `teardown()` it in afterAll. */
export const timeSkipping = (): Promise<TestWorkflowEnvironment> =>
  TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path: testServers().timeSkippingServer } },
  });

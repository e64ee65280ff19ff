import type { Connection } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { ensureSearchAttributes } from './search-attributes';

/** gRPC's ALREADY_EXISTS. */
const ALREADY_EXISTS = 6;
const NOT_FOUND = 5;

/**
 * Gives a Temporal server the namespace that the service works in, with its search attributes. Safe to run at any time: what is
 * there stays as it is, retention too. Whether the namespace was made.
 */
export async function setUpTemporal(
  connection: Pick<Connection, 'workflowService' | 'operatorService'>,
  { namespace, retentionDays }: { namespace: string; retentionDays: number },
): Promise<boolean> {
  const isNew = await makeNamespace(connection, { namespace, retentionDays });
  await ensureSearchAttributes(connection, namespace);
  return isNew;
}

async function makeNamespace(
  { workflowService }: Pick<Connection, 'workflowService'>,
  { namespace, retentionDays }: { namespace: string; retentionDays: number },
): Promise<boolean> {
  try {
    await workflowService.describeNamespace({ namespace });
    return false;
  } catch (error) {
    if (codeOf(error) !== NOT_FOUND) throw error;
  }
  try {
    const workflowExecutionRetentionPeriod = msToTs(`${retentionDays} days`);
    await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
    return true;
  } catch (error) {
    // Somebody else made it just now.
    if (codeOf(error) === ALREADY_EXISTS) return false;
    throw error;
  }
}

const codeOf = (error: unknown): number | null => (isGrpcServiceError(error) ? error.code : null);

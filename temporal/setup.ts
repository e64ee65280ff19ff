import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { ensureSearchAttributes } from './search-attributes';

const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
/** A server reads its namespaces again every few seconds: one that was just made is not known everywhere. */
const KNOWN_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 500;

/**
 * Gives a Temporal server the namespace that the service works in, with its search attributes. Safe to run at any time: what is
 * there stays as it is, its retention too. Returns whether the namespace was made.
 */
export async function setUpTemporal(
  connection: Pick<Connection, 'workflowService' | 'operatorService'>,
  { namespace, retentionDays }: { namespace: string; retentionDays: number },
): Promise<boolean> {
  const isNew = await makeNamespace(connection, { namespace, retentionDays });
  const until = Date.now() + (isNew ? KNOWN_WITHIN_MS : 0);
  for (;;) {
    try {
      await ensureSearchAttributes(connection, namespace);
      return isNew;
    } catch (error) {
      if (codeOf(error) !== NOT_FOUND || Date.now() >= until) throw error;
      await delay(LOOK_AGAIN_MS);
    }
  }
}

async function makeNamespace(
  { workflowService }: Pick<Connection, 'workflowService'>,
  { namespace, retentionDays }: { namespace: string; retentionDays: number },
): Promise<boolean> {
  try {
    const workflowExecutionRetentionPeriod = msToTs(`${retentionDays} days`);
    await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
    return true;
  } catch (error) {
    if (codeOf(error) === ALREADY_EXISTS) return false;
    // Who may use a namespace need not be allowed to make one.
    const isThere = await workflowService.describeNamespace({ namespace }).then(
      () => true,
      () => false,
    );
    if (isThere) return false;
    throw error;
  }
}

const codeOf = (error: unknown): number | null => (isGrpcServiceError(error) ? error.code : null);

import type { Client } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import { deliveryWorkflowId, simulatedCallWorkflowId } from '@clinic/workflows/ids';

/** gRPC's NOT_FOUND. */
const GONE: number[] = [5];
/** Of one list request. */
const IDS = 50;
/** Somebody may leave tens of thousands of histories, which have to be asked for within one activity. */
const AT_ONCE = 16;

/** The workflows that runs, cases and calls may have had; `receivers` are those of their clinic. */
export const workflowIdsOf = ({
  runs,
  cases,
  calls,
  receivers,
}: {
  runs: string[];
  cases: string[];
  calls: string[];
  receivers: string[];
}): string[] => {
  const subjects = [...runs, ...cases];
  const senders = subjects.flatMap((subject) => receivers.map((receiverId) => deliveryWorkflowId(subject, receiverId)));
  return [...runs, ...senders, ...calls.map(simulatedCallWorkflowId)];
};

/**
 * Has Temporal delete workflows with their histories, those of earlier runs included; what still runs is terminated. Temporal
 * does it a little later: returns whether nothing of them was left when it was asked. Safe to repeat.
 */
export async function deleteHistories(client: Client, workflowIds: string[]): Promise<boolean> {
  let isGone = true;
  const remove = async (execution: { workflowId: string; runId?: string }) => {
    if (await wasDeleted(client, execution)) isGone = false;
  };
  // By id alone it is the latest run, also where no list shows it yet.
  for (let from = 0; from < workflowIds.length; from += AT_ONCE) {
    await Promise.all(workflowIds.slice(from, from + AT_ONCE).map((workflowId) => remove({ workflowId })));
  }
  for (let from = 0; from < workflowIds.length; from += IDS) {
    const ids = workflowIds.slice(from, from + IDS).map((id) => `'${id.replaceAll("'", "''")}'`);
    const query = `WorkflowId IN (${ids.join(', ')})`;
    for await (const { workflowId, runId } of client.workflow.list({ query })) await remove({ workflowId, runId });
  }
  return isGone;
}

/** False for one that is not there. */
async function wasDeleted(client: Client, workflowExecution: { workflowId: string; runId?: string }): Promise<boolean> {
  const { namespace } = client.options;
  try {
    await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
    return true;
  } catch (error) {
    if (isGrpcServiceError(error) && GONE.includes(error.code)) return false;
    throw error;
  }
}

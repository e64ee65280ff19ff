import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { searchAttributes, TASK_QUEUE } from '@clinic/workflows/ids';

/** Temporal marks a workflow after two failures; a third comes ten seconds later at the earliest. */
const FAILURES = 3;
/** Where it does not help, it is not tried at every pass. */
const AGAIN_AFTER_MS = 3_600_000;

/** Somebody waits for them to be counted. */
const LIST_MS = 3_000;
const MAX_COUNTED = 1_000;

const { RESET_REAPPLY_TYPE_ALL_ELIGIBLE } = temporal.api.enums.v1.ResetReapplyType;

/** What Temporal's lists call such a workflow, besides that it goes on. */
export const KEEPS_FAILING = `TaskQueue = '${TASK_QUEUE}' AND TemporalReportedProblems = 'category=WorkflowTaskFailed'`;

/** Workflows whose tasks fail again and again, by the search attribute that Temporal gives them. One whose tasks time out has slow workers. */
export async function* stuckWorkflows(client: Client): AsyncGenerator<{ workflowId: string; clinicId: string | null }> {
  const query = `ExecutionStatus = 'Running' AND ${KEEPS_FAILING}`;
  for await (const { workflowId, typedSearchAttributes } of client.workflow.list({ query })) {
    yield { workflowId, clinicId: typedSearchAttributes.get(searchAttributes.clinic) ?? null };
  }
}

/** How many there are, by clinic. A thousand are counted. Null where Temporal does not reply in time. */
export async function stuckByClinic(client: Client): Promise<ReadonlyMap<string, number> | null> {
  const counts = new Map<string, number>();
  let counted = 0;
  try {
    await client.withDeadline(Date.now() + LIST_MS, async () => {
      for await (const { clinicId } of stuckWorkflows(client)) {
        if (clinicId !== null) counts.set(clinicId, (counts.get(clinicId) ?? 0) + 1);
        counted += 1;
        if (counted === MAX_COUNTED) return;
      }
    });
    return counts;
  } catch {
    return null;
  }
}

/**
 * Has a workflow whose tasks keep failing begin again from its first task, with the signals and updates that it had: its steps
 * are in the records and are not done twice. False where it is not so far, or was tried within the hour. A history that cannot
 * be replayed comes of new code, and of servers and workers that were cut off or frozen in the middle of a task.
 */
export async function beginAnew(
  client: Client,
  workflowId: string,
  { failures = FAILURES }: { failures?: number } = {},
): Promise<boolean> {
  const { raw, runId, startTime } = await client.workflow.getHandle(workflowId).describe();
  if ((raw.pendingWorkflowTask?.attempt ?? 0) < failures) return false;
  const isFirst = raw.workflowExecutionInfo?.firstRunId === runId;
  if (!isFirst && Date.now() - startTime.getTime() < AGAIN_AFTER_MS) return false;
  const { namespace } = client.options;
  const execution = { workflowId, runId };
  const firstTask = await firstFinishedTask(client, execution);
  if (!firstTask) return false;
  await client.workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: execution,
    reason: 'its tasks failed again and again',
    workflowTaskFinishEventId: firstTask,
    // One reset of one run, however often it is asked for.
    requestId: `anew-${runId}`,
    resetReapplyType: RESET_REAPPLY_TYPE_ALL_ELIGIBLE,
  });
  return true;
}

/** Its event's id. Signals that came before it fill pages of the history. */
async function firstFinishedTask(client: Client, execution: { workflowId: string; runId: string }) {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistory({ namespace, execution, nextPageToken });
    const finished = page.history?.events?.find((event) => event.workflowTaskCompletedEventAttributes);
    if (finished?.eventId) return finished.eventId;
    nextPageToken = page.nextPageToken;
  } while (nextPageToken?.length);
  return null;
}

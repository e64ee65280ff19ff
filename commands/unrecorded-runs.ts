import type { Client } from '@temporalio/client';
import type { Stores } from '@clinic/prisma/stores';
import { runsWhere } from '@clinic/temporal/run-lists';
import { searchAttributes } from '@clinic/workflows/ids';

const BATCH = 500;

/** A run that Temporal knows and the records do not. Ids only; null where Temporal has none. */
export interface UnrecordedRun {
  workflowId: string;
  workflowType: string;
  clinicId: string | null;
  caseId: string | null;
  sessionId: string | null;
  /** Where its case stood last. */
  caseStatus: string | null;
  /** Of the workflow, as RUNNING or COMPLETED. */
  status: string;
  startedAt: string;
}

/**
 * Names the runs that were accepted since `since` and are not in the records: what a restore of PostgreSQL from an earlier
 * backup has lost, as far as it had reached Temporal. Oldest first; nothing is changed.
 */
export async function unrecordedRuns({
  client,
  stores,
  since,
}: {
  client: Client;
  stores: Stores;
  since: Date;
}): Promise<UnrecordedRun[]> {
  const query = runsWhere(`StartTime >= '${since.toISOString()}'`);
  const found = new Map<string, UnrecordedRun>();
  for await (const execution of client.workflow.list({ query })) {
    const { workflowId, type, status, startTime, typedSearchAttributes: attributes, memo } = execution;
    // A long-lived workflow has several executions; the newest comes first.
    if (found.has(workflowId)) continue;
    found.set(workflowId, {
      workflowId,
      workflowType: type,
      clinicId: attributes.get(searchAttributes.clinic) ?? null,
      caseId: attributes.get(searchAttributes.recoveryCase) ?? null,
      sessionId: typeof memo?.sessionId === 'string' ? memo.sessionId : null,
      caseStatus: attributes.get(searchAttributes.status) ?? null,
      status: status.name,
      startedAt: startTime.toISOString(),
    });
  }
  const ids = [...found.keys()];
  for (let from = 0; from < ids.length; from += BATCH) {
    for (const id of await stores.runs.recorded(ids.slice(from, from + BATCH))) found.delete(id);
  }
  return [...found.values()].toSorted((one, other) => one.startedAt.localeCompare(other.startedAt));
}

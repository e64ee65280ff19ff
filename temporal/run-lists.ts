import type { Client } from '@temporalio/client';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { searchAttributes } from '@clinic/workflows/ids';
import { workflowOf } from './registry';

/** As many as Temporal lists at once: a hundred thousand open runs are a hundred requests. */
const PAGE = 1_000;

/** The workflow of a run, as Temporal lists it. */
export interface ListedRun {
  workflowId: string;
  clinicId: string | null;
  /** What it shows of itself: PENDING, CALLING or its outcome. */
  shown: string | null;
  /** ISO instant, UTC; null while it runs. */
  closedAt: string | null;
}

/** Workflows of runs that closed at `since` or later, a page at a time. Temporal lists what it does some seconds later. */
export const closedSince = (client: Client, since: Date): AsyncIterable<ListedRun[]> =>
  pagesOf(client, `ExecutionStatus != 'ContinuedAsNew' AND CloseTime >= '${since.toISOString()}'`);

/** Workflows of runs that go on, likewise. */
export const goingOn = (client: Client): AsyncIterable<ListedRun[]> => pagesOf(client, `ExecutionStatus = 'Running'`);

/** The query of a list that has workflows of runs alone; `condition` is of Temporal's list filters. */
export function runsWhere(condition: string): string {
  const types = workflowTypeNames.map((type) => `'${workflowOf(type)}'`).join(', ');
  return `WorkflowType IN (${types}) AND ${condition}`;
}

async function* pagesOf(client: Client, condition: string): AsyncGenerator<ListedRun[]> {
  const query = runsWhere(condition);
  let page: ListedRun[] = [];
  for await (const { workflowId, closeTime, typedSearchAttributes } of client.workflow.list({
    query,
    pageSize: PAGE,
  })) {
    page.push({
      workflowId,
      clinicId: typedSearchAttributes.get(searchAttributes.clinic) ?? null,
      shown: typedSearchAttributes.get(searchAttributes.status) ?? null,
      closedAt: closeTime?.toISOString() ?? null,
    });
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

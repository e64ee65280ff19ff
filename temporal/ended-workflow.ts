import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { searchAttributes } from '@clinic/workflows/ids';
import { runEnd, type RunEnd } from '@clinic/workflows/messages';

/** One look at a workflow that is over may take this long: a worker replays it for its answer. */
const LOOK_MS = 5_000;

/** Where the workflow of a run stands. */
export type WorkflowState =
  | { kind: 'running' }
  /** Temporal does not know it. */
  | { kind: 'lost' }
  | WorkflowOver;

export interface WorkflowOver {
  kind: 'over';
  isCompleted: boolean;
  /** Its own: null where it came to none (it was terminated before), or none that can be read. */
  outcome: string | null;
  /** The rest of what it wrote to the records; null where it wrote nothing, 'unread' where no worker replied in time. */
  end: RunEnd | null | 'unread';
  /** ISO instant, UTC. */
  closedAt: string | null;
}

/**
 * Asks Temporal where a workflow stands, and one that is over how it ended: its result, or the outcome that it had shown
 * before it was cut short.
 */
export async function workflowState(client: Client, workflowId: string): Promise<WorkflowState> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    const { status, closeTime, typedSearchAttributes } = await handle.describe();
    if (['RUNNING', 'CONTINUED_AS_NEW', 'PAUSED'].includes(status.name)) return { kind: 'running' };
    const isCompleted = status.name === 'COMPLETED';
    const look = <T, Else>(ask: () => Promise<T>, otherwise: Else) =>
      client.withDeadline(Date.now() + LOOK_MS, ask).catch(() => otherwise);
    const shown = typedSearchAttributes.get(searchAttributes.status) ?? null;
    const result: unknown = isCompleted ? await look(() => handle.result(), null) : null;
    const outcome = typeof result === 'string' ? result : isOpenState(shown) ? null : shown;
    const end = outcome === null ? null : await look(() => handle.query(runEnd), 'unread' as const);
    return { kind: 'over', isCompleted, outcome, end, closedAt: closeTime?.toISOString() ?? null };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: 'lost' };
    throw error;
  }
}

const isOpenState = (shown: string | null) => shown === 'PENDING' || shown === 'CALLING';

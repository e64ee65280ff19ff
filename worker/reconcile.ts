import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { describeError, type Logger } from '@clinic/shared/log';
import type { LeftCalls } from '@clinic/activities/left-calls';
import type { Stores } from '@clinic/prisma/stores';
import type { Run } from '@clinic/prisma/stores/runs';

/** A run this young is surely about to move. */
const SETTLED_MS = 2 * 60_000;
const BATCH = 100;
/** Old decisions are deleted little by little, so that nobody waits for it. */
const DELETED_AT_ONCE = 5_000;

export interface Reconciler {
  stop(): Promise<void>;
  /** One pass over every open run; returns how many were mended. */
  pass(): Promise<number>;
}

/**
 * Compares open runs with Temporal. A workflow that was terminated, or failed without a word, can no longer end its
 * run: that is done here, as failed, and staff follow up. One that Temporal has lost is started again. Calls that
 * no workflow ends any more are closed, and decisions that were kept for long enough are deleted.
 */
export function startReconciler({
  stores,
  leftCalls,
  client,
  log,
  everyMs = 60_000,
  settledMs = SETTLED_MS,
  keepDecisionsDays,
}: {
  stores: Stores;
  leftCalls: LeftCalls;
  client: Client;
  log: Logger;
  everyMs?: number;
  settledMs?: number;
  keepDecisionsDays: number;
}): Reconciler {
  const mend = async (run: Run): Promise<boolean> => {
    const state = await stateOf(client, run.workflowId);
    if (state === 'running') return false;
    if (state === 'lost') await stores.runs.markLost(run.workflowId);
    else await endWithoutWorkflow(stores, run);
    log.warn({ workflowId: run.workflowId, outcome: state }, 'an open run had no workflow');
    return true;
  };

  /** A platform that does not answer keeps nobody from mending the runs. */
  const closeLeftCalls = async () => {
    try {
      const closed = await leftCalls.close();
      if (closed > 0) log.info({ closed }, 'calls that nobody waited for were closed');
    } catch (error) {
      log.warn(describeError(error), 'not every call that is left could be looked up; trying again');
    }
  };

  const pass = async () => {
    let mended = 0;
    await stores.calls.expireTestCalls();
    await closeLeftCalls();
    await stores.callDecisions.deleteOlderThan(keepDecisionsDays, DELETED_AT_ONCE);
    for (let after = ''; ;) {
      const runs = await stores.runs.openSince(new Date(Date.now() - settledMs), BATCH, after);
      for (const run of runs) mended += (await mend(run)) ? 1 : 0;
      const last = runs.at(-1);
      if (runs.length < BATCH || !last) return mended;
      after = last.workflowId;
    }
  };

  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = running
      .then(pass)
      .catch((error: unknown) => log.warn(describeError(error), 'reconciling did not come to an end; trying again'));
  }, everyMs);

  return {
    pass,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

async function stateOf(client: Client, workflowId: string): Promise<'running' | 'closed' | 'lost'> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return ['RUNNING', 'CONTINUED_AS_NEW', 'PAUSED'].includes(status.name) ? 'running' : 'closed';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'lost';
    throw error;
  }
}

async function endWithoutWorkflow(stores: Stores, { clinicId, workflowId }: Run): Promise<void> {
  await stores.runs.end({
    clinicId,
    workflowId,
    status: 'failed',
    outcome: 'FOLLOW_UP_REQUIRED',
    taskReason: 'workflow_failed',
    resolution: null,
  });
}

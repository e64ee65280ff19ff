import type { Client } from '@temporalio/client';
import { type Outcome, taskFor, workflowTypes } from '@clinic/shared/domain/workflow-types';
import { describeError, type Logger } from '@clinic/shared/log';
import type { LeftCalls } from '@clinic/activities/left-calls';
import type { Stores } from '@clinic/prisma/stores';
import type { Run } from '@clinic/prisma/stores/runs';
import { type WorkflowOver, workflowState } from '@clinic/temporal/ended-workflow';

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
 * Compares open runs with Temporal. A run whose workflow has come to an outcome gets that one: the records are from a
 * backup, and the clinic was told. A workflow that was terminated, or failed without a word, can no longer end its run:
 * that is done here, as failed, and staff follow up. One that Temporal has lost is started again. Calls that no workflow
 * ends any more are closed, and decisions that were kept for long enough are deleted.
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
    const { workflowId } = run;
    const state = await workflowState(client, workflowId);
    if (state.kind === 'running') return false;
    if (state.kind === 'lost') await stores.runs.markLost(workflowId);
    else if (!(await endAsWorkflowDid(stores, run, state))) return false;
    log.warn({ workflowId, outcome: state.kind === 'lost' ? 'lost' : state.outcome }, 'an open run had no workflow');
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

/** False where it cannot be known what the clinic was told: the run stays open, and staff find out. */
async function endAsWorkflowDid(stores: Stores, run: Run, state: WorkflowOver): Promise<boolean> {
  const { clinicId, workflowId, workflowType } = run;
  const { isCompleted, outcome, end, closedAt } = state;
  if (outcome === null && !isCompleted) {
    await endWithoutOutcome(stores, run, closedAt);
    return true;
  }
  const outcomes: readonly Outcome[] = workflowTypes[workflowType].outcomes;
  const own = outcomes.find((word) => word === outcome);
  if (own === undefined) {
    await askStaffWhatWasTold(stores, run);
    return false;
  }
  const task = isCompleted ? taskFor(own, []) : 'workflow_failed';
  await stores.runs.end({
    clinicId,
    workflowId,
    status: end?.status ?? (isCompleted ? 'completed' : 'failed'),
    outcome: own,
    taskReason: end ? end.taskReason : task,
    resolution: end?.resolution ?? null,
    endedAt: end?.endedAt ?? closedAt,
    isTold: true,
  });
  return true;
}

async function askStaffWhatWasTold(stores: Stores, { clinicId, workflowId, patientId, caseId }: Run): Promise<void> {
  const reason = 'records_incomplete';
  const cause = `${reason}:${caseId ?? workflowId}`;
  await stores.tasks.open({ clinicId, reason, cause, patientId, caseId, workflowId });
}

async function endWithoutOutcome(
  stores: Stores,
  { clinicId, workflowId }: Run,
  closedAt: string | null,
): Promise<void> {
  await stores.runs.end({
    clinicId,
    workflowId,
    status: 'failed',
    outcome: 'FOLLOW_UP_REQUIRED',
    taskReason: 'workflow_failed',
    resolution: null,
    endedAt: closedAt,
  });
}

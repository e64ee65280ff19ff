import type { Client } from '@temporalio/client';
import { type Outcome, taskFor, workflowTypes } from '@clinic/shared/domain/outreach/workflow-types';
import { deadline } from '@clinic/shared/deadline';
import type { LongWork } from '@clinic/shared/domain/operations/long-work';
import { describeError, type Logger } from '@clinic/shared/log';
import type { LeftCalls } from '@clinic/activities/left-calls';
import type { Stores } from '@clinic/prisma/stores';
import type { OwingRun } from '@clinic/prisma/stores/events/clinic-notices';
import type { Run } from '@clinic/prisma/stores/outreach/runs';
import { type WorkflowOver, workflowState } from '@clinic/temporal/ended-workflow';
import { closedSince, goingOn } from '@clinic/temporal/run-lists';
import { beginAnew, stuckWorkflows } from '@clinic/temporal/stuck-workflows';
import type { Activities } from '@clinic/activities/index';
import { longWorkflowId } from '@clinic/workflows/ids';
import { createAlarms } from './alarms';
import { type Duty, type OnPass, startDuty, type Turn } from './duty';
import { inBatches, pagesOf } from './in-batches';

/** A run this young is surely about to move. */
const SETTLED_MS = 2 * 60_000;
/** A voice platform that does not answer takes no more of a pass than this. */
const LEFT_CALLS_MS = 30_000;
/** Temporal lists what has closed a little later, and its clock may differ from ours. */
const LISTED_LATE_MS = 5 * 60_000;
/** So often no worker may reply how a workflow ended; then the rest of its end is made up from its outcome. */
const MAX_UNREAD = 3;
/** How far back the first pass of all looks. */
const FIRST_LOOK_MS = 24 * 3_600_000;

interface ReconcilerDeps {
  stores: Stores;
  leftCalls: LeftCalls;
  client: Client;
  /** Gives Temporal what every workflow relies on, where it lacks it. */
  prepareTemporal: () => Promise<void>;
  wakeDeliveries: Activities['wakeDeliveries'];
  log: Logger;
  onPass?: OnPass;
  /** Of each alarm that is raised, by its kind. */
  onAlarm?: (kind: string) => void;
  settledMs?: number;
  /** Failures of a workflow's tasks in a row after which it begins again. */
  stuckAfter?: number;
}

/** Reconciles once a minute, in one process at a time. */
export function startReconciler(deps: ReconcilerDeps): Duty {
  const { stores, log, onPass } = deps;
  const reconcile = createReconciler(deps);
  const pass = async (turn: Turn) => {
    await reconcile(turn);
    return false;
  };
  return startDuty({ name: 'reconcile', duties: stores.duties, everyMs: 60_000, log, onPass, pass });
}

/**
 * One pass, which returns how many runs it mended. It compares the runs that are open in the records with Temporal's lists
 * of what has closed since the last pass and of what goes on, and looks closely only at those that differ.
 *
 * A run whose workflow has come to an outcome gets that one: the records are from a backup, and the clinic was told. A
 * workflow that was terminated, or failed without a word, can no longer end its run: that is done here, as failed, and
 * staff follow up. One that Temporal has lost is started again. One that the records do not know is a task for staff.
 * One whose tasks keep failing begins again. A bulk job or an erasure that Temporal no longer does is started again. Calls that no workflow ends any more are closed.
 */
export function createReconciler({
  stores,
  leftCalls,
  client,
  prepareTemporal,
  wakeDeliveries,
  log,
  onAlarm,
  settledMs = SETTLED_MS,
  stuckAfter,
}: ReconcilerDeps): (turn: Turn) => Promise<number> {
  const raiseAlarms = createAlarms({ stores, log, onAlarm });
  const unread = new Map<string, number>();
  /** What only a worker can say is asked for once more in the next passes: workers may be busy, or about to start. */
  const isReadAgain = (workflowId: string): boolean => {
    const times = (unread.get(workflowId) ?? 0) + 1;
    const isAgain = times < MAX_UNREAD;
    if (isAgain) unread.set(workflowId, times);
    else unread.delete(workflowId);
    return isAgain;
  };

  const isMended = async (run: Run): Promise<boolean> => {
    const { workflowId } = run;
    const state = await workflowState(client, workflowId);
    if (state.kind === 'running') return false;
    if (state.kind === 'over' && state.end === 'unread' && isReadAgain(workflowId)) return false;
    if (state.kind === 'lost') await stores.runs.markLost(workflowId);
    else if (!(await endAsWorkflowDid(stores, run, state))) return false;
    else await tellClinic(run);
    log.warn({ workflowId, outcome: state.kind === 'lost' ? 'lost' : state.outcome }, 'an open run had no workflow');
    return true;
  };

  /** A workflow that is over has told what it had to, or staff of it; one that was lost or cut short cannot any more. */
  const nameUntold = async (run: OwingRun): Promise<void> => {
    const state = await workflowState(client, run.workflowId);
    if (state.kind === 'running') return;
    await stores.clinicNotices.giveUp(run, { isKnown: state.kind === 'over' && state.isCompleted });
  };

  /** The sender of its events may have ended long ago. One that cannot be woken now is woken by the relay. */
  const tellClinic = async ({ clinicId, workflowId, caseId }: Run): Promise<void> => {
    await wakeDeliveries({ clinicId, subject: caseId ?? workflowId }).catch((error: unknown) =>
      log.warn(
        { ...describeError(error), workflowId },
        'the sender of an outcome could not be woken; the relay wakes it',
      ),
    );
  };

  /** What its row says is done is not done twice. */
  const restartLostWork = async (work: LongWork): Promise<void> => {
    const workflowId = longWorkflowId(work);
    const { kind } = await workflowState(client, workflowId);
    if (kind === 'running') return;
    await stores.longWork.markLost(work);
    log.warn({ workflowId }, 'long work had no workflow; the relay starts it again');
  };

  /** A store that began again knows neither search attributes nor schedules; what else it lacks is found below. */
  const prepare = () =>
    prepareTemporal().catch((error: unknown) =>
      log.warn(describeError(error), 'Temporal could not be given what it lacks; trying again'),
    );

  /** What a workflow has done is in the records: one that cannot be replayed goes on from there. */
  const resetOne = async (workflowId: string) => {
    const isReset = await beginAnew(client, workflowId, { failures: stuckAfter });
    if (isReset) log.error({ workflowId }, 'a workflow whose tasks kept failing began anew');
  };

  /** Each by itself: one that cannot be reset keeps no other as it is. */
  const resetStuck = async (signal: AbortSignal) => {
    try {
      for await (const { workflowId } of stuckWorkflows(client)) {
        if (signal.aborted) return;
        await resetOne(workflowId).catch((error: unknown) =>
          log.warn(
            { ...describeError(error), workflowId },
            'a workflow that is stuck could not begin anew; trying again',
          ),
        );
      }
    } catch (error) {
      log.warn(describeError(error), 'workflows that are stuck could not be listed; trying again');
    }
  };

  /** A platform that does not answer keeps nobody from mending the runs. */
  const closeLeftCalls = async (signal: AbortSignal) => {
    try {
      const closed = await leftCalls.close(deadline(LEFT_CALLS_MS, signal));
      if (closed > 0) log.info({ closed }, 'calls that nobody waited for were closed');
    } catch (error) {
      log.warn(describeError(error), 'not every call that is left could be looked up; trying again');
    }
  };

  const raise = () =>
    raiseAlarms().catch((error: unknown) =>
      log.error(describeError(error), 'the audit could not be looked through for alarms; trying again'),
    );

  return async ({ held, signal }) => {
    const startedAt = Date.now();
    const settled = new Date(startedAt - settledMs);
    const failures: unknown[] = [];
    let mended = 0;
    /** What could not be mended is looked at again in the next pass, not in this one. */
    const lookedAt = new Set<string>();
    const mend = async (runs: Run[]) => {
      const others = runs.filter(({ workflowId }) => !lookedAt.has(workflowId));
      const result = await inBatches(others, signal, async (run) => {
        lookedAt.add(run.workflowId);
        if (await isMended(run)) mended += 1;
      });
      failures.push(...result.failures);
    };

    // First what needs no Temporal: a line is free again although it is down.
    await stores.calls.expireTestCalls();
    await closeLeftCalls(signal);
    await stores.signInCounts.deleteOld();
    await raise();

    if (signal.aborted) return mended;
    await prepare();
    await resetStuck(signal);
    const doneUntil = await stores.duties.doneUntil(held.name);
    for await (const page of closedSince(client, doneUntil ?? new Date(startedAt - FIRST_LOOK_MS))) {
      if (signal.aborted) return mended;
      await stores.tasks.openForUnknownRuns(page);
      const ids = page.map(({ workflowId }) => workflowId);
      await mend(await stores.runs.openAmong(ids, settled));
    }

    const running = new Set<string>();
    for await (const page of goingOn(client)) {
      if (signal.aborted) return mended;
      await stores.tasks.openForUnknownRuns(page);
      for (const { workflowId } of page) running.add(workflowId);
    }
    const hasStopped = ({ workflowId }: { workflowId: string }) => !running.has(workflowId);
    for await (const page of pagesOf(workflowIdOf, (after, limit) => stores.runs.openSince(settled, limit, after))) {
      if (signal.aborted) return mended;
      await mend(page.filter(hasStopped));
    }
    for await (const page of pagesOf(workflowIdOf, (after, limit) =>
      stores.clinicNotices.owing(settled, limit, after),
    )) {
      if (signal.aborted) return mended;
      failures.push(...(await inBatches(page.filter(hasStopped), signal, nameUntold)).failures);
    }
    for await (const page of pagesOf(idOf, (after, limit) => stores.longWork.underWay(settled, limit, after))) {
      failures.push(...(await inBatches(page, signal, restartLostWork)).failures);
    }
    // A run that could not be mended is open still, and found by that.
    if (!signal.aborted) await stores.duties.noteDone(held, new Date(startedAt - LISTED_LATE_MS));
    if (failures.length > 0) throw failures[0];
    return mended;
  };
}

const workflowIdOf = ({ workflowId }: { workflowId: string }) => workflowId;
const idOf = ({ id }: { id: string }) => id;

/** False where it cannot be known what the clinic was told: the run stays open, and staff find out. */
async function endAsWorkflowDid(stores: Stores, run: Run, state: WorkflowOver): Promise<boolean> {
  const { clinicId, workflowId, workflowType } = run;
  const { isCompleted, outcome, closedAt } = state;
  const end = state.end === 'unread' ? null : state.end;
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
    cancelledBy: end?.cancelledBy,
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

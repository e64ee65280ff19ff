import type { OutboundEvent } from '@clinic/shared/contracts/events/outbound-events';
import type { ClinicNotice } from '@clinic/shared/contracts/events/clinic-notice';
import type { Resolution } from '@clinic/shared/contracts/outreach/recovery';
import { claims, judged, leavesOpen } from '@clinic/shared/domain/outreach/evidence';
import { recoveryStatuses } from '@clinic/shared/domain/outreach/case-state';
import type { FinalRunStatus, RunStatus } from '@clinic/shared/domain/outreach/run-status';
import type { TaskReason } from '@clinic/shared/domain/tasks/task';
import { offerAfter } from '@clinic/shared/domain/calendar/waitlist';
import {
  type Outcome,
  taskFor,
  type WorkflowType,
  workflowTypeNames,
} from '@clinic/shared/domain/outreach/workflow-types';
import type { Database } from '../../client';
import type { ErasedKeys } from '../patients/erased-keys';
import type { Sql } from '../../sql';
import type { RecoveryCase, WorkflowRun } from '../../generated/client';
import { type Cursors, olderThan, type PageOf } from '../cursor';
import { owe } from '../events/clinic-notices';
import { emit } from '../events/deliveries';
import type { Intake } from '../events/intake';
import { heldFor } from './held-facts';
import { type EndRow, factsOfRun, type RecordedEnd, recordedEnd, type RunFacts } from './run-facts';
import { createRunOpeners, type RunOpeners } from './run-openers';
import { openTask } from '../tasks/tasks';
import { closeOffer } from '../calendar/waitlist-offers';

/** What a workflow REST client sees of a run, and what the relay needs to start it. */
export interface Run {
  workflowId: string;
  clinicId: string;
  workflowType: WorkflowType;
  sessionId: string;
  patientId: string | null;
  status: RunStatus;
  outcome: string | null;
  attempts: number;
  /** Its calls are played by the simulator. */
  isSimulated: boolean;
  startedAt: Date;
  dispatchedAt: Date | null;
  completedAt: Date | null;
  /** Of a recovery; null for every other type. */
  caseId: string | null;
}

export interface RunEnding {
  clinicId: string;
  workflowId: string;
  status: FinalRunStatus;
  outcome: Outcome;
  /** Why staff get a task; null for none. */
  taskReason: TaskReason | null;
  /** What the agent said of a recovery, where the outcome is the agent's word. */
  resolution: Resolution | null;
  /** When it ended (ISO instant, UTC), as the workflow's clock says: told to the clinic; now where no workflow says it. */
  endedAt?: string | null;
  /** Who cancelled it, as the audit names them; left out where nobody did. */
  cancelledBy?: string | null | undefined;
  /** What its workflow has still to tell the clinic's own system; left out where nobody knows it. */
  notices?: ClinicNotice[];
  /** Its workflow ended so before, and the clinic may have been told: it stands, whatever was resolved in the records since. */
  isTold?: boolean;
}

export interface RunStores extends RunOpeners {
  /** Whether what opens runs here waits for the commit before its own. */
  areOpeningsWaiting(): boolean;
  find(clinicId: string, workflowId: string): Promise<Run | null>;
  list(
    clinicId: string,
    filter: { status?: RunStatus; workflowType?: WorkflowType; limit: number; cursor?: string },
  ): Promise<PageOf<Run>>;
  /** Runs that were stored but never reached Temporal, oldest first; the clinics take turns. */
  undispatched(olderThanMs: number, limit: number): Promise<Run[]>;
  /** False once it has ended, or was erased. */
  isOpen(clinicId: string, workflowId: string): Promise<boolean>;
  markDispatched(workflowIds: string[]): Promise<void>;
  /** Has the relay start a run again that Temporal no longer knows. */
  markLost(workflowId: string): Promise<void>;
  /** Those of these runs that are open, though Temporal has had them since before this. */
  openAmong(workflowIds: string[], before: Date): Promise<Run[]>;
  /** Started runs that Temporal should know: what the reconciler compares. */
  openSince(before: Date, limit: number, afterId: string): Promise<Run[]>;
  /** Which of these ids are runs in the records, or were until they were erased. */
  recorded(workflowIds: string[]): Promise<string[]>;
  /** Null for an unknown run. `callsAfter` is the last dial that its workflow need not hear of; left out where nobody asks for its calls. */
  facts(clinicId: string, workflowId: string, callsAfter?: number): Promise<RunFacts | null>;
  /**
   * Ends a run: its result, its recovery case where it has one, the event for the clinic and the task for staff, in one
   * transaction. What the agent has resolved stands, whatever `ending` says, and what the records contradict does not. Safe to run twice; a run that has ended
   * stays as it is. Returns what stands; null for an unknown run.
   */
  end(ending: RunEnding): Promise<RecordedEnd | null>;
}

export function createRunStores(
  database: Database,
  { cursors, erasedKeys, intake }: { cursors: Cursors; erasedKeys: ErasedKeys; intake: Intake },
): RunStores {
  const { sql, transaction, prisma } = database;
  return {
    ...createRunOpeners(database, erasedKeys, intake),
    areOpeningsWaiting: () => intake.isBehind(),

    async find(clinicId, workflowId) {
      const [run] = await sql<Run>`
        select r.id as "workflowId", r.clinic_id as "clinicId", r.workflow_type as "workflowType", r.session_id as "sessionId",
          r.patient_id as "patientId", r.status, r.outcome, r.attempts, r.is_simulated as "isSimulated", r.started_at as "startedAt",
          r.dispatched_at as "dispatchedAt", r.completed_at as "completedAt", c.id as "caseId"
        from workflow_runs r left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
        where r.clinic_id = ${clinicId} and r.id = ${workflowId}`;
      return run ?? null;
    },

    async list(clinicId, { status, workflowType, limit, cursor }) {
      const rows = await prisma.workflowRun.findMany({
        where: { clinicId, status, workflowType, ...olderThan('startedAt', cursors.decode(cursor, clinicId)) },
        orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
        include: withCase,
      });
      const page = cursors.page(clinicId, rows, limit, ({ startedAt, id }) => ({ at: startedAt, id }));
      return { ...page, items: page.items.map(toRun) };
    },

    async undispatched(olderThanMs, limit) {
      const turns = await sql<{ id: string }>`
        with recursive waiting as (
          (select clinic_id from workflow_runs where dispatched_at is null and status = 'started' order by clinic_id limit 1)
          union all
          select (select n.clinic_id from workflow_runs n
            where n.dispatched_at is null and n.status = 'started' and n.clinic_id > w.clinic_id
            order by n.clinic_id limit 1)
          from waiting w where w.clinic_id is not null
        )
        select r.id
        from waiting w cross join lateral (
          select id, started_at, row_number() over (order by started_at) as turn
          from workflow_runs
          where clinic_id = w.clinic_id and dispatched_at is null and status = 'started'
            and workflow_type = any(${workflowTypeNames})
            and started_at <= now() - make_interval(secs => ${olderThanMs / 1000})
          order by started_at limit ${limit}
        ) r
        order by r.turn, r.started_at limit ${limit}`;
      if (turns.length === 0) return [];
      const ids = turns.map(({ id }) => id);
      const rows = await prisma.workflowRun.findMany({ where: { id: { in: ids } }, include: withCase });
      return rows.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id)).map(toRun);
    },

    async isOpen(clinicId, workflowId) {
      const [open] = await sql`
        select id from workflow_runs where clinic_id = ${clinicId} and id = ${workflowId} and status = 'started'`;
      return open !== undefined;
    },

    async markDispatched(workflowIds) {
      await sql`update workflow_runs set dispatched_at = now() where id = any(${workflowIds}) and dispatched_at is null`;
    },

    async markLost(workflowId) {
      await sql`update workflow_runs set dispatched_at = null where id = ${workflowId} and status = 'started'`;
    },

    async openAmong(workflowIds, before) {
      const rows = await prisma.workflowRun.findMany({
        where: { id: { in: workflowIds }, status: 'started', dispatchedAt: { not: null }, startedAt: { lt: before } },
        include: withCase,
      });
      return rows.map(toRun);
    },

    async openSince(before, limit, afterId) {
      const rows = await prisma.workflowRun.findMany({
        where: { status: 'started', dispatchedAt: { not: null }, startedAt: { lt: before }, id: { gt: afterId } },
        orderBy: { id: 'asc' },
        take: limit,
        include: withCase,
      });
      return rows.map(toRun);
    },

    async recorded(workflowIds) {
      const rows = await sql<{ id: string }>`
        select id from workflow_runs where id = any(${workflowIds})
        union select key from tombstones where key = any(${workflowIds}) and kind = 'run'`;
      return rows.map(({ id }) => id);
    },

    facts: (clinicId, workflowId, callsAfter) => factsOfRun(database, erasedKeys, { clinicId, workflowId, callsAfter }),

    end: (ending) => transaction((tx) => endRun(tx, ending)),
  };
}

/** Ends a run in the transaction that decides it, as `RunStores.end` says. */
export async function endRun(tx: Sql, ending: RunEnding): Promise<RecordedEnd | null> {
  const { clinicId, workflowId } = ending;
  const at = ending.endedAt ? new Date(ending.endedAt) : null;
  const decision = await decisionOf(tx, ending);
  const stands = ending.isTold ? asTold(ending, decision) : (decidedBy(decision) ?? (await asRecorded(tx, ending)));
  const { status, outcome, taskReason, resolution } = stands;
  const cancelledBy = status === 'cancelled' ? (ending.cancelledBy ?? null) : null;
  const [run] = await tx<EndedRun>`
    with run as (
      update workflow_runs set status = ${status}, outcome = ${outcome},
        completed_at = coalesce(${at}::timestamptz, now()), cancelled_by = ${cancelledBy}
      where clinic_id = ${clinicId} and id = ${workflowId} and status = 'started'
      returning id, clinic_id, workflow_type, session_id, patient_id, completed_at
    ), ended as (
      update recovery_cases c set status = ${outcome}, ended_at = coalesce(${at}::timestamptz, now()),
        resolution = ${resolution ? JSON.stringify(resolution) : null}::jsonb
      from run where c.clinic_id = run.clinic_id and c.workflow_id = run.id and c.status in ('PENDING', 'CALLING')
      returning c.id
    ), waiting as (
      delete from line_tickets t using run where t.clinic_id = run.clinic_id and t.workflow_id = run.id
    )
    select workflow_type as "workflowType", session_id as "sessionId", patient_id as "patientId",
      completed_at as "completedAt", (select id from ended) as "caseId",
      (select id from calls k where k.clinic_id = run.clinic_id and k.workflow_id = run.id order by created_at desc limit 1) as "callId"
    from run`;
  if (!run) return endOnRecord(tx, ending);
  const { patientId, caseId, callId } = run;
  const subject = caseId ?? workflowId;
  if (run.workflowType === 'waitlist-offer') await closeOffer(tx, { clinicId, workflowId, as: offerAfter(outcome) });
  await emit(tx, { clinicId, subject, at, ...endOf(run, { workflowId, outcome }) });
  const detail = cancelledBy === null ? {} : { cancelledBy };
  const open = (reason: TaskReason) =>
    openTask(tx, { clinicId, reason, cause: `${reason}:${subject}`, patientId, caseId, callId, workflowId, detail });
  await owe(tx, ending.notices ?? []);
  if (taskReason !== null) await open(taskReason);
  if (decision && decision.recoveryStatus !== outcome) await open('records_incomplete');
  return recordedEnd({ ...run, outcome, status, resolution, cancelledBy });
}

/** Taken under the lock of its case: none is stored between this look and the end. */
async function decisionOf(tx: Sql, { clinicId, workflowId }: RunEnding): Promise<Resolution | null> {
  const [found] = await tx<{ resolution: Resolution | null }>`
    select decision -> 'resolution' as resolution from recovery_cases
    where clinic_id = ${clinicId} and workflow_id = ${workflowId} for update`;
  return found?.resolution ?? null;
}

function decidedBy(
  resolution: Resolution | null,
): Pick<RunEnding, 'status' | 'outcome' | 'taskReason' | 'resolution'> | null {
  if (!resolution) return null;
  const outcome = resolution.recoveryStatus;
  return { status: 'completed', outcome, taskReason: taskFor(outcome, []), resolution };
}

/**
 * What a run is to end with, as far as the records permit it: a promise that nothing made true is left to staff, and what they have
 * settled meanwhile is not. Who cancels a run ends it as it is.
 */
async function asRecorded(tx: Sql, ending: RunEnding): Promise<RunEnding> {
  if (claims[ending.outcome] === null && !(leavesOpen(ending.outcome) && ending.status === 'completed')) return ending;
  const held = await heldFor(tx, ending);
  if (!held) return ending;
  const { outcome, taskReason } = judged({ workflowType: held.workflowType, outcome: ending.outcome }, held.facts);
  return {
    ...ending,
    outcome,
    taskReason: outcome === ending.outcome ? (taskReason ?? ending.taskReason) : taskReason,
  };
}

/** What the agent said is kept where it is of the same outcome. */
function asTold(ending: RunEnding, decision: Resolution | null): RunEnding {
  if (ending.resolution !== null || decision?.recoveryStatus !== ending.outcome) return ending;
  return { ...ending, resolution: decision };
}

async function endOnRecord(tx: Sql, { clinicId, workflowId }: RunEnding): Promise<RecordedEnd | null> {
  const [run] = await tx<EndRow>`
    select r.outcome, r.status, r.completed_at as "completedAt", r.cancelled_by as "cancelledBy", c.resolution
    from workflow_runs r left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
    where r.clinic_id = ${clinicId} and r.id = ${workflowId}`;
  return run ? recordedEnd(run) : null;
}

interface EndedRun extends Pick<EndRow, 'completedAt'> {
  workflowType: WorkflowType;
  sessionId: string;
  patientId: string | null;
  caseId: string | null;
  /** Its last. */
  callId: string | null;
}

/** What the clinic is told: a recovery has an event of its own. */
function endOf(
  { workflowType, sessionId, caseId }: EndedRun,
  { workflowId, outcome }: { workflowId: string; outcome: Outcome },
): OutboundEvent {
  const recoveryStatus = recoveryStatuses.find((status) => status === outcome);
  if (caseId !== null && recoveryStatus) {
    return { event: 'recovery_case.outcome', data: { recoveryCaseId: caseId, sessionId, recoveryStatus } };
  }
  return { event: 'workflow.completed', data: { workflowId, workflowType, sessionId, outcome } };
}

const withCase = { case: { select: { id: true } } } as const;

const toRun = ({ id, case: recoveryCase, ...row }: WorkflowRun & { case: Pick<RecoveryCase, 'id'> | null }): Run => ({
  ...row,
  workflowId: id,
  workflowType: row.workflowType as WorkflowType,
  status: row.status as RunStatus,
  caseId: recoveryCase?.id ?? null,
});

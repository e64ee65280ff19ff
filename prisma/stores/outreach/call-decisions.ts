import { type Decision, ruleOf } from '@clinic/shared/domain/outreach/call-decisions';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { CallDecision } from '../../generated/client';
import type { Sql } from '../../sql';

export type CallDecisionRecord = CallDecision;

export interface DecisionToRecord {
  /** The same whenever it is written again. */
  id: string;
  clinicId: string;
  workflowId: string;
  callId: string | null;
  decision: Decision;
}

/** More than a clinic can have lines, and than first calls are spread by. */
const MANY_WAITING = 1_500;

export const createCallDecisionStores = (database: Database) => bound(database, { record, after });

/** Safe to repeat by its id. Returns how many other open runs of the clinic wait for the same instant, of many not all. */
async function record({ sql }: Database, decision: DecisionToRecord): Promise<number> {
  await recordDecision(sql, decision);
  return countOthersWaiting(sql, decision);
}

/** Decisions of all clinics, in the order of their ids, for looking through them. */
const after = ({ prisma }: Database, id: string, limit: number): Promise<CallDecisionRecord[]> =>
  prisma.callDecision.findMany({ where: { id: { gt: id } }, orderBy: { id: 'asc' }, take: limit });

/** Stores a decision in the transaction that acts on it. */
export async function recordDecision(
  tx: Sql,
  { id, clinicId, workflowId, callId, decision }: DecisionToRecord,
): Promise<void> {
  await tx`
    insert into call_decisions (id, clinic_id, workflow_id, call_id, stage, rule, decided, inputs)
    select ${id}, clinic_id, id, ${callId}, ${decision.stage}, ${ruleOf(decision)}, ${JSON.stringify(decision.decided)}::jsonb,
      ${JSON.stringify(decision.inputs)}::jsonb
    from workflow_runs where clinic_id = ${clinicId} and id = ${workflowId}
    on conflict (id) do nothing`;
}

/** By their decisions to wait, which are stored when they are made. */
async function countOthersWaiting(sql: Sql, { clinicId, workflowId, decision }: DecisionToRecord): Promise<number> {
  const { decided } = decision;
  if (decided.kind !== 'wait') return 0;
  const [row] = await sql<{ others: number }>`
    select count(*)::int as others from (
      select distinct d.workflow_id
      from call_decisions d join workflow_runs r on r.clinic_id = d.clinic_id and r.id = d.workflow_id
      where d.clinic_id = ${clinicId} and d.decided ->> 'kind' = 'wait' and d.decided ->> 'until' = ${decided.until}
        and d.workflow_id <> ${workflowId} and r.status = 'started'
      limit ${MANY_WAITING}
    ) waiting`;
  return row?.others ?? 0;
}

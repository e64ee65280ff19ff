import { type Decision, ruleOf } from '@clinic/shared/domain/call-decisions';
import type { Database } from '../client';
import type { CallDecision } from '../generated/client';
import type { Sql } from '../sql';

export type CallDecisionRecord = CallDecision;

export interface CallDecisionStores {
  /** Safe to repeat by its id. */
  record(decision: DecisionToRecord): Promise<void>;
  /** Decisions of all clinics, in the order of their ids, for looking through them. */
  after(id: string, limit: number): Promise<CallDecisionRecord[]>;
}

export interface DecisionToRecord {
  /** The same whenever it is written again. */
  id: string;
  clinicId: string;
  workflowId: string;
  callId: string | null;
  decision: Decision;
}

export function createCallDecisionStores({ sql, prisma }: Database): CallDecisionStores {
  return {
    record: (decision) => recordDecision(sql, decision),
    after: (id, limit) =>
      prisma.callDecision.findMany({ where: { id: { gt: id } }, orderBy: { id: 'asc' }, take: limit }),
  };
}

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

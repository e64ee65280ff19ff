import { isDeepStrictEqual } from 'node:util';
import { type CallDecisionRecord, createCallDecisionStores } from './stores/call-decisions';
import { openDatabase } from './client';
import { type Decision, decidedAgain } from '@clinic/shared/domain/call-decisions';

const BATCH = 500;

/** What a decision was, and what the rules say to the same inputs now. */
export interface Difference {
  id: string;
  clinicId: string;
  workflowId: string;
  callId: string | null;
  stored: unknown;
  now: unknown;
}

/** Reads the decisions of all clinics in turn; nothing is changed. */
export async function verifyDials(databaseUrl: string): Promise<{ checked: number; differences: Difference[] }> {
  const database = openDatabase(databaseUrl, { poolSize: 2 });
  const decisions = createCallDecisionStores(database);
  const differences: Difference[] = [];
  let checked = 0;
  try {
    let last = '';
    for (;;) {
      const records = await decisions.after(last, BATCH);
      checked += records.length;
      differences.push(...records.flatMap((record) => differenceOf(record) ?? []));
      const end = records.at(-1);
      if (!end || records.length < BATCH) return { checked, differences };
      last = end.id;
    }
  } finally {
    await database.close();
  }
}

function differenceOf({ id, clinicId, workflowId, callId, ...record }: CallDecisionRecord): Difference | null {
  const decision = { stage: record.stage, inputs: record.inputs, decided: record.decided } as unknown as Decision;
  const now = again(decision);
  return isDeepStrictEqual(now, record.decided)
    ? null
    : { id, clinicId, workflowId, callId, stored: record.decided, now };
}

/** Inputs that the rules of today cannot read are a difference too. */
function again(decision: Decision): unknown {
  try {
    return decidedAgain(decision);
  } catch (error) {
    return { cannotDecide: error instanceof Error ? error.message : String(error) };
  }
}

import { isDeepStrictEqual } from 'node:util';
import { Command } from 'commander';
import type { Stores } from '@clinic/prisma/stores';
import type { CallDecisionRecord } from '@clinic/prisma/stores/outreach/call-decisions';
import { type Decision, decidedAgain } from '@clinic/shared/domain/outreach/call-decisions';
import type { CommandLine } from './command-line';

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

/** Decides every stored decision about a call again; exits with 1 where any comes out differently. */
export const verifyDialsCommand = (line: CommandLine): Command =>
  new Command('verify-dials')
    .description('decides every stored decision about a call again, and prints what comes out differently')
    .action(
      line.onRecords(async ({ stores }) => {
        const found = await verifyDials(stores);
        return { shown: found, isFailed: found.differences.length > 0 };
      }),
    );

/** Reads the decisions of all clinics in turn; nothing is changed. */
export async function verifyDials({
  callDecisions,
}: Pick<Stores, 'callDecisions'>): Promise<{ checked: number; differences: Difference[] }> {
  const differences: Difference[] = [];
  let checked = 0;
  let last = '';
  for (;;) {
    const records = await callDecisions.after(last, BATCH);
    checked += records.length;
    differences.push(...records.flatMap((record) => differenceOf(record) ?? []));
    const end = records.at(-1);
    if (!end) return { checked, differences };
    last = end.id;
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

import type { Client } from '@temporalio/client';
import { OWED_WAIT_MS } from '@clinic/shared/domain/erasure';
import { describeError, type Logger } from '@clinic/shared/log';
import type { Stores } from '@clinic/prisma/stores';
import type { ErasureRecord, ReplyPlace } from '@clinic/prisma/stores/erasures';
import { createAsk } from '@clinic/temporal/ask';
import { deleteHistories, workflowIdsOf } from '@clinic/temporal/histories';
import type { WorkflowStarter } from '@clinic/temporal/starter';
import { createCancelRun } from './cancel-run';
import { type Duty, type OnPass, startDuty, type Turn } from './duty';
import { inBatches } from './in-batches';

const BATCH = 200;

interface EraserDeps {
  stores: Stores;
  client: Client;
  starter: Pick<WorkflowStarter, 'startRun'>;
  log: Logger;
}

/** Takes up each erasure that was requested and is not done, in one process at a time, for as long as it takes. */
export function startEraser({
  onPass,
  everyMs = 1_000,
  ...deps
}: EraserDeps & { onPass?: OnPass; everyMs?: number }): Duty {
  const { stores, log } = deps;
  return startDuty({ name: 'erase', duties: stores.duties, everyMs, log, onPass, pass: createEraser(deps) });
}

/**
 * One pass over the erasures that are not done. Each step may be repeated, and what was done stands in the records: a process
 * that ends in the middle is followed by another that goes on.
 *
 * First every open run of the patient is cancelled as a person would cancel it, so that its lines are free and its clinic is
 * told; then calls that go on are waited for, and for a while what is still to be delivered. Then the rows go, all at once,
 * then the histories of the
 * workflows, and last the replies that were stored for repeated requests.
 */
export function createEraser({ stores, client, starter, log }: EraserDeps): (turn: Turn) => Promise<boolean> {
  const cancelRunOf = createCancelRun({ stores, starter, ask: createAsk({ client, log }) });
  const cancel = ({ clinicId, id, requestedBy: by }: ErasureRecord, workflowId: string) =>
    cancelRunOf({ clinicId, workflowId, by, id: `${id}-${workflowId}`, taskReason: null });

  /** Whether the records are gone. */
  const eraseRecords = async (erasure: ErasureRecord): Promise<boolean> => {
    if (erasure.state !== 'REQUESTED') return true;
    const { clinicId } = erasure;
    const { runs, testCalls } = await stores.erasures.standing(erasure);
    for (const callId of testCalls) await stores.calls.closeTestCall(clinicId, callId);
    for (const { workflowId } of runs) await cancel(erasure, workflowId);
    const { runs: open, openCalls, owed, ageMs } = await stores.erasures.standing(erasure);
    if (open.length > 0 || openCalls > 0 || (owed > 0 && ageMs < OWED_WAIT_MS)) return false;
    const { kind } = await stores.erasures.erase(erasure);
    return kind === 'erased';
  };

  const advance = async (erasure: ErasureRecord): Promise<void> => {
    if (!(await eraseRecords(erasure))) return;
    const ids = workflowIdsOf(await stores.erasures.erasedIds(erasure));
    if (!(await deleteHistories(client, ids))) return;
    let after: ReplyPlace | null = null;
    do after = await stores.erasures.forgetReplies(erasure, after);
    while (after !== null);
    await stores.erasures.markDone(erasure);
    log.info({ clinicId: erasure.clinicId, subject: erasure.id }, 'an erasure is done');
  };

  return async ({ signal }) => {
    const unfinished = await stores.erasures.unfinished(BATCH);
    const { done, failures } = await inBatches(unfinished, signal, advance);
    if (failures.length > 0 && done === 0) throw failures[0];
    if (failures.length > 0) log.warn(describeError(failures[0]), 'an erasure could not go on; trying again');
    return false;
  };
}

import { continueAsNew, proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { WhatIsOpen } from '@clinic/activities/erasures';
import { OWED_WAIT_MS } from '@clinic/shared/domain/patients/erasure';
import { workDeletion, workRecords, workStep } from './timeouts';

const { whatIsOpen, endErasure } = proxyActivities<Activities>(workRecords);
const { cancelOpenRun } = proxyActivities<Activities>(workStep);
const { eraseRecords, deleteErasedHistories, forgetErasedReplies } = proxyActivities<Activities>(workDeletion);

/** A call may go on for minutes: it is looked for less and less often. */
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;

interface Erasure {
  clinicId: string;
  id: string;
}

/**
 * Erases a patient. First what is open ends: every run is cancelled as a person would cancel it, so that its lines are free and
 * its clinic is told; then calls that go on are waited for, and for a while what is still to be delivered. Then the
 * records go, all at once, then the histories of their workflows, and last the replies that were stored for repeated requests.
 */
export async function erasePatient(erasure: Erasure): Promise<void> {
  await eraseOnceNothingIsOpen(erasure);
  await deleteHistories(erasure);
  await forgetReplies(erasure);
  await endErasure(erasure);
}

async function eraseOnceNothingIsOpen(erasure: Erasure): Promise<void> {
  const wait = growingWait();
  for (;;) {
    const open = await whatIsOpen(erasure);
    if (open === null) return;
    const { runs } = open;
    if (!keepsWaiting(open) && (await eraseRecords(erasure)) === 'erased') return;
    const results = await Promise.all(runs.map((workflowId) => cancel(erasure, workflowId, open.by)));
    const areAllOver = runs.length > 0 && !results.includes('no_answer');
    if (!areAllOver) await wait(waitsFor(open));
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof erasePatient>(erasure);
  }
}

const keepsWaiting = ({ runs, openCalls, owed, ageMs }: WhatIsOpen): boolean =>
  runs.length > 0 || openCalls > 0 || (owed > 0 && ageMs < OWED_WAIT_MS);

function waitsFor({ runs, openCalls, owed }: WhatIsOpen): string {
  if (runs.length > 0) return 'a workflow that does not answer';
  if (openCalls > 0) return 'a call that goes on';
  return owed > 0 ? 'events that the clinic is still to be sent' : 'what has just been opened';
}

const cancel = ({ clinicId, id }: Erasure, workflowId: string, by: string) =>
  cancelOpenRun({ clinicId, workflowId, by, id: `${id}-${workflowId}`, taskReason: null });

/** Temporal deletes them a little later than it is told to. */
async function deleteHistories(erasure: Erasure): Promise<void> {
  const wait = growingWait();
  while (!(await deleteErasedHistories(erasure))) await wait('Temporal, which deletes histories');
}

async function forgetReplies(erasure: Erasure): Promise<void> {
  let next = await forgetErasedReplies({ ...erasure, after: null });
  while (next !== null) next = await forgetErasedReplies({ ...erasure, after: next });
}

/** A wait that is longer each time. */
function growingWait(): (what: string) => Promise<void> {
  let ms = FIRST_WAIT_MS;
  return async (what) => {
    setCurrentDetails(`Waits for ${what}`);
    await sleep(ms, { summary: what });
    ms = Math.min(ms * 3, MAX_WAIT_MS);
  };
}

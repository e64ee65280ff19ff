import type { WorkflowHandle } from '@temporalio/client';
import type { WhatIsOpen } from '@clinic/activities/erasures';
import { OWED_WAIT_MS } from '@clinic/shared/domain/patients/erasure';
import { createWorkflowStarter } from '@clinic/temporal/starter';
import { longWorkflowId } from '@clinic/workflows/ids';
import { recordHistory, testPayloadKeys } from '../support/histories';
import { activityTime, currentDetails, openBench, untilWaiting, type WorkflowBench } from '../support/workflow-bench';

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

interface Erasure {
  /** What is open of the patient; a test changes it. */
  open: Pick<WhatIsOpen, 'runs' | 'openCalls' | 'owed'>;
  state: 'REQUESTED' | 'ERASED' | 'DONE';
  /** What was done, in order. */
  log: string[];
  /** Times that Temporal is asked before a history is gone. */
  histories: number;
  /** Pages of replies. */
  replies: number;
  /** Opened just before the rows go, once. */
  opensLate: string[];
  /** Runs whose workflows do not reply. */
  silent: string[];
  workflow: WorkflowHandle;
  start(): Promise<void>;
}

let requested = 0;

async function openErasure(about: Partial<Erasure> = {}): Promise<Erasure> {
  const work = { kind: 'erase_patient' as const, clinicId: 'clinic-1', id: `erasure-${(requested += 1)}` };
  const workflowId = longWorkflowId(work);
  const startedAt = Date.parse(await bench.now());
  const starter = createWorkflowStarter(bench.client, testPayloadKeys);
  const erasure: Erasure = {
    open: { runs: [], openCalls: 0, owed: 0 },
    state: 'REQUESTED',
    log: [],
    histories: 0,
    replies: 1,
    opensLate: [],
    silent: [],
    workflow: bench.client.workflow.getHandle(workflowId),
    start: () => starter.startWork(work),
    ...about,
  };
  bench.fake(workflowId, {
    async whatIsOpen() {
      if (erasure.state !== 'REQUESTED') return null;
      return { ...erasure.open, by: 'account:ann', ageMs: Date.parse(activityTime()) - startedAt };
    },
    async cancelOpenRun({ workflowId: run, by, taskReason, id }) {
      expect([by, taskReason, id]).toEqual(['account:ann', null, `${work.id}-${run}`]);
      erasure.log.push(`cancelled ${run}`);
      if (erasure.silent.includes(run)) {
        erasure.silent = erasure.silent.filter((each) => each !== run);
        return 'no_answer';
      }
      erasure.open.runs = erasure.open.runs.filter((each) => each !== run);
      return 'over';
    },
    async eraseRecords() {
      const late = erasure.opensLate.splice(0);
      if (late.length > 0) {
        erasure.open.runs = late;
        return 'busy';
      }
      erasure.state = 'ERASED';
      erasure.log.push('erased');
      return 'erased';
    },
    async deleteErasedHistories() {
      erasure.histories -= 1;
      if (erasure.histories < 0) erasure.log.push('histories gone');
      return erasure.histories < 0;
    },
    async forgetErasedReplies({ after }) {
      erasure.log.push(`replies after ${after?.key ?? 'none'}`);
      erasure.replies -= 1;
      return erasure.replies === 0 ? null : { route: 'POST /x', key: `key-${erasure.replies}` };
    },
    async endErasure() {
      erasure.state = 'DONE';
      erasure.log.push('done');
    },
  });
  await erasure.start();
  return erasure;
}

const atOnce = ['erased', 'histories gone', 'replies after none', 'done'];

test('open runs are cancelled, then rows, histories and replies go, and last it is done', async () => {
  const erasure = await openErasure({
    open: { runs: ['run-1', 'run-2'], openCalls: 0, owed: 0 },
    histories: 2,
    replies: 2,
  });
  await erasure.start();

  await bench.result(erasure.workflow);
  expect(erasure.log.slice(0, 2).toSorted()).toEqual(['cancelled run-1', 'cancelled run-2']);
  expect(erasure.log.slice(2)).toEqual([
    'erased',
    'histories gone',
    'replies after none',
    'replies after key-1',
    'done',
  ]);
  await recordHistory(erasure.workflow, 'erase-patient/with-open-runs');
});

test('a call that goes on is waited for, as Temporal shows, and nothing is erased before', async () => {
  const erasure = await openErasure({ open: { runs: [], openCalls: 1, owed: 0 } });
  await untilWaiting(erasure.workflow);
  const shown = await currentDetails(erasure.workflow);
  await bench.skip(60_000);
  const early = [...erasure.log];
  erasure.open.openCalls = 0;

  await bench.result(erasure.workflow);
  expect([shown, early]).toEqual(['Waits for a call that goes on', []]);
  expect(erasure.log).toEqual(atOnce);
  await recordHistory(erasure.workflow, 'erase-patient/call-goes-on');
});

test('what the clinic is still to be sent is waited for, but only for so long', async () => {
  const erasure = await openErasure({ open: { runs: [], openCalls: 0, owed: 1 } });
  await untilWaiting(erasure.workflow);
  const shown = await currentDetails(erasure.workflow);
  await bench.skip(OWED_WAIT_MS - 60_000);
  const early = [...erasure.log];

  await bench.result(erasure.workflow);
  expect(shown).toBe('Waits for events that the clinic is still to be sent');
  expect([early, erasure.log]).toEqual([[], atOnce]);
  await recordHistory(erasure.workflow, 'erase-patient/events-not-taken');
});

test('a run whose workflow does not answer is asked again, and one that opens late is cancelled too', async () => {
  const erasure = await openErasure({
    open: { runs: ['run-1'], openCalls: 0, owed: 0 },
    silent: ['run-1'],
    opensLate: ['run-2'],
  });
  await untilWaiting(erasure.workflow);
  const shown = await currentDetails(erasure.workflow);

  await bench.result(erasure.workflow);
  expect(shown).toBe('Waits for a workflow that does not answer');
  expect(erasure.log).toEqual(['cancelled run-1', 'cancelled run-1', 'cancelled run-2', ...atOnce]);
});

test('one that is begun again goes on from where the records say', async () => {
  const erasure = await openErasure({ state: 'ERASED' });

  await bench.result(erasure.workflow);
  expect(erasure.log).toEqual(atOnce.slice(1));
});

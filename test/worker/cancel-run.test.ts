import type { Client } from '@temporalio/client';
import { AppError } from '@clinic/shared/errors';
import type { Ask } from '@clinic/temporal/ask';
import { createCancelRun } from '@clinic/worker/cancel-run';
import { openRecords, type OpenedRun, type Records } from '../support/records';

/** What a cancellation does by what Temporal says; test/worker/long-work.test.ts has Temporal itself say it. */

let records: Records;

beforeAll(async () => {
  records = await openRecords();
});

afterAll(() => records.close());

const isDown = () => Promise.reject(new AppError('unavailable', 'The workflow did not answer'));

async function cancelled(
  run: OpenedRun,
  { ask, isUp = true }: { ask: () => Promise<unknown>; isUp?: boolean },
): Promise<{ result: unknown; told: string[] }> {
  const { stores, clinicId } = records;
  const told: string[] = [];
  const cancelRun = createCancelRun({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whether it can be reached is all that is asked of it
    client: {
      withDeadline: (_at: number, work: () => Promise<unknown>) => work(),
      connection: { workflowService: { getSystemInfo: () => (isUp ? Promise.resolve({}) : isDown()) } },
    } as unknown as Client,
    stores,
    starter: {
      startRun: async ({ workflowId: started }) => {
        told.push(`started ${started === run.workflowId}`);
      },
    },
    ask: (async () => {
      told.push('asked');
      return ask();
    }) as unknown as Ask,
  });
  const { workflowId } = run;
  const cancellation = { clinicId, workflowId, by: 'account:admin', id: 'once', taskReason: null };
  const result = await cancelRun(cancellation).catch((error: unknown) => error);
  return { result, told };
}

const done = () => Promise.resolve({ kind: 'done', result: undefined });
const statusOf = async ({ clinicId, workflowId }: OpenedRun) =>
  (await records.stores.runs.find(clinicId, workflowId))?.status;

test('a run that Temporal has not taken yet is started first, and one that it has is not started again', async () => {
  const run = await records.aRun();

  expect(await cancelled(run, { ask: done })).toEqual({ result: 'over', told: ['started true', 'asked'] });
  expect(await cancelled(run, { ask: done })).toEqual({ result: 'over', told: ['asked'] });
});

test('a run that has ended is left as it is', async () => {
  const { stores } = records;
  const run = await records.aRun();
  const end = { status: 'completed', outcome: 'REBOOKED', taskReason: null, resolution: null } as const;
  await stores.runs.end({ clinicId: run.clinicId, workflowId: run.workflowId, ...end });

  expect(await cancelled(run, { ask: done })).toEqual({ result: 'over', told: [] });
  expect(await statusOf(run)).toBe('completed');
});

test.each([
  ['has cancelled it', done, true, 'over', 'started'],
  ['refuses', () => Promise.resolve({ kind: 'refused', type: 'ended' }), true, 'over', 'started'],
  ['is gone', () => Promise.resolve({ kind: 'not_running' }), true, 'over', 'cancelled'],
  ['does not answer', isDown, true, 'no_answer', 'started'],
  ['cannot be reached, as Temporal cannot', isDown, false, expect.any(AppError), 'started'],
  ['fails', () => Promise.reject(new TypeError('broken')), true, expect.any(TypeError), 'started'],
])(
  'where its workflow %s, the run is ended by nobody else but where none is left',
  async (_, ask, isUp, result, status) => {
    const run = await records.aRun();

    expect((await cancelled(run, { ask, isUp })).result).toEqual(result);
    expect(await statusOf(run)).toBe(status);
  },
);

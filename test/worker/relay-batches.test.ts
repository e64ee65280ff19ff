import type { WorkflowStarter } from '@clinic/temporal/starter';
import { createLog } from '@clinic/shared/log';
import { startRelay } from '@clinic/worker/relay';
import { eventually } from '../support/eventually';
import { openRecords, type Records } from '../support/records';

let records: Records;
beforeEach(async () => {
  records = await openRecords();
});
afterEach(() => records.close());

/** Old enough that nobody else is about to start them; the first is the oldest. */
async function runsThatWait(count: number): Promise<string[]> {
  const runs = await Promise.all(Array.from({ length: count }, () => records.aRun()));
  const ids = runs.map(({ workflowId }) => workflowId);
  for (const [index, id] of ids.entries()) {
    const startedAt = new Date(Date.now() - 60_000 + index);
    await records.database.prisma.workflowRun.update({ where: { id }, data: { startedAt } });
  }
  return ids;
}

async function relaying({
  startRun,
  everyMs,
  until,
}: {
  startRun: WorkflowStarter['startRun'];
  everyMs: number;
  until: () => boolean;
}): Promise<void> {
  const starter = { startRun } as WorkflowStarter;
  const log = createLog({ process: 'test', level: 'silent' });
  const relay = startRelay({ stores: records.stores, starter, log, everyMs });
  try {
    await eventually(until, { within: 20_000 });
  } finally {
    await relay.stop();
  }
}

test('a run that can never be started holds up none of the later ones, not even until the next look', async () => {
  const [bad, ...good] = await runsThatWait(60);
  const begun = new Set<string>();

  await relaying({
    everyMs: 600_000,
    startRun: async ({ workflowId }) => {
      if (workflowId === bad) throw new Error('14 UNAVAILABLE');
      begun.add(workflowId);
    },
    until: () => begun.size === good.length,
  });

  expect([...begun].toSorted()).toEqual(good.toSorted());
});

test('after a full batch the next one is looked for at once', async () => {
  const runs = await runsThatWait(230);
  const begun = new Set<string>();

  await relaying({
    everyMs: 600_000,
    startRun: async ({ workflowId }) => void begun.add(workflowId),
    until: () => begun.size === runs.length,
  });

  expect(begun.size).toBe(runs.length);
});

import { createWatch, type Observed } from '@clinic/sandbox/readiness/watch';
import { createLog } from '@clinic/shared/log';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import { openRecords, type Records } from '../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const by = { actor: 'account:ann' };

test('runs are looked at when they change and when the first of them is over, and not in between', async () => {
  const { validationRuns } = records.stores;
  const [short, long] = [records.clinicId, records.otherClinicId];
  const now = new Date();
  for (const [clinicId, ms] of [
    [short, 300],
    [long, 3_600_000],
  ] as const)
    await validationRuns.start({ clinicId, label: null, now, endsAt: new Date(now.getTime() + ms), by });
  let looks = 0;
  const ended: [string, boolean][] = [];
  const watch = createWatch({
    stores: {
      validationRuns: {
        ...validationRuns,
        unended: () => {
          looks += 1;
          return validationRuns.unended();
        },
      },
    },
    changes: { subscribe: () => () => undefined },
    digest: (text) => text,
    endOverdue: async ({ clinicId, id: runId, endsAt: endedAt }) => {
      ended.push([clinicId, endedAt.getTime() <= Date.now()]);
      await validationRuns.end({ clinicId, runId, endedAt, findings: {} });
    },
    log: createLog({ process: 'test', level: 'silent' }),
  });

  await watch.changed({ clinicId: short });
  await eventually(async () => ended.length > 0);
  await delay(100);
  await watch.close();

  expect(ended).toEqual([[short, true]]);
  // Of a slow machine the first look finds it over already.
  expect([1, 2]).toContain(looks);
});

const anExchange = (second: number): Observed => ({
  at: new Date(Date.UTC(2035, 2, 5, 9, 0, second)).toISOString(),
  durationMs: 1,
  operation: 'schedule',
  status: 200,
  credential: null,
  key: null,
  request: `request ${second}`,
  retryAfterSeconds: null,
  refusal: null,
  facts: {},
});

/** A watch whose store takes a moment to keep what was watched; `refused` of its first calls fail. Its clinic has a run. */
async function watching({ refused = 0 }: { refused?: number } = {}) {
  const { validationRuns } = records.stores;
  const clinicId = await records.aClinic();
  const now = new Date();
  const started = await validationRuns.start({
    clinicId,
    label: null,
    now,
    endsAt: new Date(now.getTime() + 3_600_000),
    by,
  });
  if (started.kind !== 'started') throw new Error('the clinic has a run already');
  const { id } = started.run;
  const parts: number[] = [];
  const watch = createWatch({
    stores: {
      validationRuns: {
        ...validationRuns,
        observe: async (of, run, exchanges) => {
          await delay(20);
          parts.push(exchanges.length);
          if (parts.length <= refused) throw new Error('the database is away');
          await validationRuns.observe(of, run, exchanges);
        },
      },
    },
    changes: { subscribe: () => () => undefined },
    digest: (text) => text,
    endOverdue: async () => undefined,
    log: createLog({ process: 'test', level: 'silent' }),
  });
  await watch.changed({ clinicId });
  const kept = async () => (await validationRuns.find(clinicId, id))?.exchanges;
  return { watch, clinicId, parts, kept };
}

test.each([
  [0, []],
  [1, [1]],
  [50, [50]],
  [51, [50, 1]],
])('what was watched is stored when a flush ends, fifty at a time: %i of them', async (count, inParts) => {
  const { watch, clinicId, parts, kept } = await watching();
  for (let second = 0; second < count; second += 1) watch.add(clinicId, anExchange(second));
  watch.add('nobody', anExchange(0));

  await watch.flush(clinicId);
  const found = [await kept(), [...parts]];
  await watch.close();

  expect(found).toEqual([count, inParts]);
  expect(await kept()).toBe(count);
});

test('what is left is stored when the watch ends, and what the store refuses is lost alone', async () => {
  const { watch, clinicId, kept } = await watching({ refused: 1 });
  watch.add(clinicId, anExchange(1));
  await watch.flush(clinicId);
  const refused = await kept();
  watch.add(clinicId, anExchange(2));
  watch.add(clinicId, anExchange(3));

  await watch.close();

  expect([refused, await kept()]).toEqual([0, 2]);
});

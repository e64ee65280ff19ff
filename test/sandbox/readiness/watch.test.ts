import { createWatch } from '@clinic/sandbox/readiness/watch';
import { createLog } from '@clinic/shared/log';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import { openRecords, type Records } from '../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

test('runs are looked at when they change and when the first of them is over, and not in between', async () => {
  const { validationRuns } = records.stores;
  const [short, long] = [records.clinicId, records.otherClinicId];
  const now = new Date();
  const by = { actor: 'account:ann' };
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

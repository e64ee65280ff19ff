import { readFileSync } from 'node:fs';
import { lineThrough } from './line-through';
import { sizing } from './main';
import { Measurement, measurementFile } from './measurement';

const assumed = { forms: 50, calls: 2, callMinutes: 3, openDays: 2, retentionDays: 30 };

test('what a case costs is the slope over the steps of load, and what costs without any is not counted with it', () => {
  expect(
    lineThrough([
      [0, 20],
      [1, 120],
      [2, 220],
    ]),
  ).toEqual({ slope: 100, intercept: 20 });
});

test('a thousand clinics need what the last measurement says for their cases a second', () => {
  const measured = Measurement.parse(JSON.parse(readFileSync(measurementFile, 'utf8')));
  const worker = { msPerCase: 100, idlePercent: 2 };

  const needed = sizing(
    { ...measured, processor: { worker }, diskKbPerCase: { service: 10, temporal: 20 } },
    1_000,
    assumed,
  );

  expect(needed).toMatchObject({
    'cases a second in the busiest hour': '1.74',
    'calls at once in it': '625',
    'open cases': '100,000',
    'cores in it, of worker and API': '0.19',
    "the service's database, a year, nothing purged": '174 GB',
    "Temporal's databases, with 30 days of retention": '31 GB',
  });
});

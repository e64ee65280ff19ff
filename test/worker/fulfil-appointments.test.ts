import { setTimeout as delay } from 'node:timers/promises';
import { createLog } from '@clinic/shared/log';
import type { OnPass } from '@clinic/worker/duty';
import { startFulfilment } from '@clinic/worker/fulfil-appointments';
import { eventually } from '../support/eventually';
import { openRecords, type Records } from '../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

test('visits that have ended are marked batch after batch; then the next look waits for its minute', async () => {
  const { stores } = records;
  const marked = [500, 500, 499];
  const limits: number[] = [];
  const fulfilPast = async (_now: Date, limit: number) => {
    limits.push(limit);
    return marked.shift() ?? limit;
  };
  const results: string[] = [];
  const onPass: OnPass = ({ result }) => void results.push(result);
  const log = createLog({ process: 'test', level: 'silent' });
  const ours = { ...stores, appointments: { ...stores.appointments, fulfilPast } };

  const duty = startFulfilment({ stores: ours, log, onPass });
  await eventually(() => results.length > 2);
  await delay(150);
  await duty.stop();

  expect(limits).toEqual([500, 500, 500]);
  expect(results).toEqual(['done', 'done', 'done']);
});

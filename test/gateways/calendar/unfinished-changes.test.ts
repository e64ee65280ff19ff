import { createUnfinishedChanges } from '@clinic/gateways/calendar/fhir/unfinished-changes';
import type { EhrAnswer } from '@clinic/gateways/calendar/fhir/server';
import type { LiveCall } from '@clinic/prisma/stores/outreach/live-calls';
import { openRecords, type Records } from '../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const startsAt = '2035-02-01T10:00:00.000Z';
const booking = { action: 'book', key: 'booking-1', startsAt, appointment: null } as const;
const other = { ...booking, key: 'booking-2' };
const lost: EhrAnswer<string> = { kind: 'unavailable', error: 'timeout', status: null, said: null } as never;
const done = (value: string): EhrAnswer<string> => ({ kind: 'done', value });

/** A call whose booking was asked for, and whose answer was lost; then staff close the task that stands for it. */
async function lostBooking({ isMade }: { isMade: boolean }) {
  const { clinicId, stores, database } = records;
  const run = await records.aRun();
  const { callId } = await records.aPlacedCall(run);
  const sent: string[] = [];
  const { tasks } = stores;
  const changes = createUnfinishedChanges({
    call: { ...run, callId } as unknown as LiveCall,
    tasks,
    findBooking: async () => ({ kind: 'done', value: isMade ? 'appointment-1' : null }),
  });
  const book = (change: typeof booking | typeof other, answer: EhrAnswer<string>) =>
    changes.run(change, async () => {
      sent.push(change.key);
      return answer;
    });
  const taskOf = () => database.prisma.staffTask.findMany({ where: { clinicId, callId } });
  await book(booking, lost);
  const [task] = await taskOf();
  await tasks.change(clinicId, [{ id: task?.id ?? '' }], { state: 'RESOLVED' }, { actor: 'account:1' });
  return { sent, book, taskOf };
}

test('a booking whose answer was lost is not sent again when staff close its task during the call', async () => {
  const { sent, book, taskOf } = await lostBooking({ isMade: false });
  const [closed] = await taskOf();

  const again = [await book(booking, done('appointment-2')), await book(other, done('appointment-3'))];

  expect(closed?.state).toBe('RESOLVED');
  expect(again).toEqual([{ kind: 'left_to_staff' }, { kind: 'left_to_staff' }]);
  expect(sent).toEqual([booking.key]);
});

test('and is found where it was made after all; from then on other changes are made', async () => {
  const { sent, book, taskOf } = await lostBooking({ isMade: true });

  expect(await book(booking, done('appointment-2'))).toMatchObject({
    kind: 'booked_before',
    appointment: { id: 'appointment-1' },
  });
  await book(other, done('appointment-3'));

  expect(sent).toEqual([booking.key, other.key]);
  expect((await taskOf()).filter(({ state }) => state === 'OPEN')).toEqual([]);
});

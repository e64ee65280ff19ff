import { createFhirCalendar } from '@clinic/gateways/calendar/fhir/calendar';
import { createUnfinishedChanges } from '@clinic/gateways/calendar/fhir/unfinished-changes';
import type { ClinicApiFailure } from '@clinic/gateways/clinic-api/result';
import type { EhrAnswer } from '@clinic/gateways/calendar/fhir/server';
import type { LiveCall } from '@clinic/prisma/stores/outreach/live-calls';
import { openRecords, type Records } from '../../support/records';
import { slowly } from '../../support/slowly';

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

type Options = Parameters<typeof createUnfinishedChanges>[0];

/** The changes of a call at an EHR that says so of a booking, and the tasks of that call. */
async function changesOfACall(findBooking: Options['findBooking'], tasks: Options['tasks'] = records.stores.tasks) {
  const run = await records.aRun();
  const { callId } = await records.aPlacedCall(run);
  const changes = createUnfinishedChanges({ call: { ...run, callId } as unknown as LiveCall, tasks, findBooking });
  const { clinicId, database } = records;
  return { changes, tasksOf: () => database.prisma.staffTask.findMany({ where: { clinicId, callId } }) };
}

/** A call whose booking was asked for, and whose answer was lost; then staff close the task that stands for it. */
async function lostBooking({ isMade }: { isMade: boolean }) {
  const { clinicId, stores } = records;
  const value = isMade ? 'appointment-1' : null;
  const { changes, tasksOf: taskOf } = await changesOfACall(async () => ({ kind: 'done', value }));
  const sent: string[] = [];
  const book = (change: typeof booking | typeof other, answer: EhrAnswer<string>) =>
    changes.run(change, async () => {
      sent.push(change.key);
      return answer;
    });
  await book(booking, lost);
  const [task] = await taskOf();
  await stores.tasks.change(clinicId, [{ id: task?.id ?? '' }], { state: 'RESOLVED' }, { actor: 'account:1' });
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

test.each([
  ['the same', booking, { kind: 'time_refused', reason: 'slot_taken' }, []],
  ['another', other, 'again', ['booking-2']],
])('a booking that was lost, and undone as somebody came first: %s is told so', async (_next, next, told, expected) => {
  const taken = { kind: 'refused', status: 409, fault: 'taken', body: null, because: 'time_taken' } as const;
  const { changes, tasksOf } = await changesOfACall(async () => taken);
  const sent: string[] = [];
  await changes.run<unknown>(booking, async () => lost);

  const answer = await changes.run<unknown>(next, async () => {
    sent.push(next.key);
    return done('again');
  });

  expect([answer, sent]).toEqual([told, expected]);
  expect(await tasksOf()).toEqual([]);
});

type AnyChange = Parameters<ReturnType<typeof createUnfinishedChanges>['run']>[0];
const visit = { id: 'visit-1', providerName: 'Dr.Vega', startsAt, actor: null, visitType: 'Visit' };
const moving = { action: 'move', key: 'move-1', startsAt, appointment: visit } as const;
const cancelling = { action: 'cancel', key: 'cancel-1', startsAt, appointment: visit } as const;
const refusal: EhrAnswer<string> = { kind: 'refused', status: 422, fault: 'a refusal (422)', body: null };
const LEFT = { kind: 'left_to_staff' };
const there = { id: 'appointment-1', providerName: null, startsAt, status: 'booked' };

test.each<
  [
    earlier: string,
    next: string,
    AnyChange,
    EhrAnswer<string>,
    AnyChange,
    isThere: boolean,
    { told: unknown; sent: string[]; looked: number; open: number },
  ]
>([
  ['a booking that was lost', 'the same', booking, lost, booking, false, { told: LEFT, sent: [], looked: 1, open: 1 }],
  ['a booking that was lost', 'another', booking, lost, other, false, { told: LEFT, sent: [], looked: 1, open: 1 }],
  ['a booking that was lost', 'a move', booking, lost, moving, false, { told: LEFT, sent: [], looked: 1, open: 1 }],
  [
    'a booking that was made',
    'the same',
    booking,
    lost,
    booking,
    true,
    { told: ['made', there], sent: [], looked: 1, open: 0 },
  ],
  [
    'a booking that was made',
    'another',
    booking,
    lost,
    other,
    true,
    { told: { kind: 'booked_before', appointment: there }, sent: [], looked: 1, open: 0 },
  ],
  [
    'a move that was lost',
    'the same',
    moving,
    lost,
    moving,
    true,
    { told: 'again', sent: ['move-1'], looked: 0, open: 0 },
  ],
  [
    'a move that was lost',
    'another',
    moving,
    lost,
    { ...moving, key: 'move-2' },
    true,
    { told: LEFT, sent: [], looked: 0, open: 1 },
  ],
  ['a move that was lost', 'a booking', moving, lost, booking, true, { told: LEFT, sent: [], looked: 0, open: 1 }],
  [
    'a cancellation that was lost',
    'the same',
    cancelling,
    lost,
    cancelling,
    true,
    { told: 'again', sent: ['cancel-1'], looked: 0, open: 0 },
  ],
  [
    'a cancellation that was lost',
    'a move',
    cancelling,
    lost,
    moving,
    true,
    { told: LEFT, sent: [], looked: 0, open: 1 },
  ],
  [
    'a booking that was refused',
    'another',
    booking,
    refusal,
    other,
    true,
    { told: 'again', sent: ['booking-2'], looked: 0, open: 0 },
  ],
  [
    'a move that was made',
    'a booking',
    moving,
    done('moved'),
    booking,
    true,
    { told: 'again', sent: ['booking-1'], looked: 0, open: 0 },
  ],
])(
  'after %s, %s: asked for again, left to staff, or found',
  async (_earlier, _next, earlier, came, next, isThere, expected) => {
    const { clinicId, stores, database } = records;
    const run = await records.aRun();
    const { callId } = await records.aPlacedCall(run);
    const { tasks } = stores;
    let looked = 0;
    const changes = createUnfinishedChanges({
      call: { ...run, callId } as unknown as LiveCall,
      tasks: {
        intend: slowly(tasks.intend),
        open: slowly(tasks.open),
        pending: slowly(tasks.pending),
        withdraw: slowly(tasks.withdraw),
      },
      findBooking: async ({ key, startsAt: at }) => {
        looked += 1;
        expect([key, at]).toEqual([earlier.key, earlier.startsAt]);
        return { kind: 'done', value: isThere ? 'appointment-1' : null };
      },
    });
    const tasksOf = () => database.prisma.staffTask.findMany({ where: { clinicId, callId } });
    const openTasks = async () => (await tasksOf()).filter(({ state }) => state === 'OPEN').length;
    const sent: string[] = [];

    await changes.run<unknown>(earlier, async () => came);
    const [noted] = await tasksOf();
    const unfinished = await changes.unfinished();
    const told = await changes.run<unknown>(
      next,
      async () => {
        sent.push(next.key);
        return done('again');
      },
      (appointment) => ['made', appointment],
    );
    const open = await openTasks();
    await changes.leaveLookUp({ kind: 'not_permitted' });

    expect(noted?.detail ?? null).toEqual(
      came.kind === 'done' ? null : expect.objectContaining({ intent: { ...earlier, isOpen: came === lost } }),
    );
    expect(unfinished).toEqual(came === lost ? { ...earlier, isOpen: true } : null);
    expect({ told, sent, looked, open }).toEqual(expected);
    expect(await openTasks()).toBe(open + 1);
  },
);

const taken: EhrAnswer<string> = { ...refusal, because: 'time_taken' } as never;
const anotherVisit = { ...cancelling, key: 'cancel-2', appointment: { ...visit, id: 'visit-2' } };
test.each<[string, [AnyChange, EhrAnswer<string>][], string[]]>([
  [
    'a cancellation, then a booking is made',
    [
      [cancelling, refusal],
      [booking, done('1')],
    ],
    ['cancel'],
  ],
  [
    'a cancellation, then another visit is cancelled',
    [
      [cancelling, refusal],
      [anotherVisit, done('2')],
    ],
    ['cancel'],
  ],
  [
    'a cancellation, then the visit is moved',
    [
      [cancelling, refusal],
      [moving, done('1')],
    ],
    [],
  ],
  [
    'a cancellation, then it is made',
    [
      [cancelling, refusal],
      [cancelling, done('1')],
    ],
    [],
  ],
  [
    'a cancellation twice',
    [
      [cancelling, refusal],
      [cancelling, refusal],
    ],
    ['cancel'],
  ],
  [
    'a move, then a booking too',
    [
      [moving, refusal],
      [booking, refusal],
    ],
    ['book', 'move'],
  ],
  [
    'a booking, and another time is taken',
    [
      [booking, refusal],
      [other, taken],
    ],
    ['book'],
  ],
  [
    'a booking, another time is taken, and a third is booked',
    [
      [booking, refusal],
      [other, taken],
      [{ ...booking, key: 'booking-3' }, done('3')],
    ],
    [],
  ],
  [
    'a cancellation, a booking, and then the visit is cancelled',
    [
      [cancelling, refusal],
      [booking, done('1')],
      [cancelling, done('1')],
    ],
    [],
  ],
  [
    'a booking, and another one is lost and found',
    [
      [booking, refusal],
      [other, lost],
      [other, lost],
    ],
    [],
  ],
])('what was refused is left to staff until something makes up for it: %s', async (_what, asked, left) => {
  const { changes, tasksOf } = await changesOfACall(async () => done('appointment-1'));

  for (const [change, answer] of asked) await changes.run<unknown>(change, async () => answer);

  const open = (await tasksOf()).filter(({ state }) => state === 'OPEN');
  expect(open.map(({ detail }) => (detail as { action: string }).action).toSorted()).toEqual(left);
});

test.each<[string, [AnyChange, EhrAnswer<string>], [AnyChange, EhrAnswer<string>], string[]]>([
  ['a move that was lost is made', [moving, lost], [moving, done('1')], ['RESOLVED move']],
  ['a move that was lost is lost again', [moving, lost], [moving, lost], ['OPEN move', 'RESOLVED move']],
  ['after a cancellation a booking is made', [cancelling, refusal], [booking, done('1')], ['RESOLVED cancel']],
  [
    'after a cancellation a booking is refused',
    [cancelling, refusal],
    [booking, refusal],
    ['OPEN book', 'RESOLVED cancel'],
  ],
  ['a cancellation is refused again', [cancelling, refusal], [cancelling, refusal], ['OPEN cancel', 'RESOLVED cancel']],
])('a task that staff have closed stays closed, and what goes wrong anew has one of its own: %s', async (...played) => {
  const [, first, second, left] = played;
  const { clinicId, stores } = records;
  const { changes, tasksOf } = await changesOfACall(async () => done('appointment-1'));
  const play = ([change, answer]: typeof first) => changes.run<unknown>(change, async () => answer);
  await play(first);
  const [task] = await tasksOf();
  const closing = { state: 'RESOLVED', outcome: 'spoke' } as const;
  await stores.tasks.change(clinicId, [{ id: task?.id ?? '' }], closing, { actor: 'account:1' });

  await play(second);

  const tasks = await tasksOf();
  const shown = tasks.map(({ state, detail }) => `${state} ${(detail as { action: string }).action}`);
  expect(shown.toSorted()).toEqual(left);
  expect(tasks.find(({ id }) => id === task?.id)).toMatchObject(closing);
});

test.each<[string, ClinicApiFailure, string, string, boolean | null]>([
  [
    'that does not answer',
    { kind: 'unavailable', error: 'timeout' },
    'Your own system did not answer: timeout.',
    'left_to_staff',
    true,
  ],
  [
    'that was not asked, for it has failed before',
    { kind: 'unavailable', error: 'circuit_open' },
    'Your own system did not answer: circuit_open.',
    'left_to_staff',
    false,
  ],
  [
    'that gives no token',
    { kind: 'unavailable', error: 'unauthorized', said: 'the token server refuses the key' },
    'Your own system did not answer: the token server refuses the key.',
    'left_to_staff',
    false,
  ],
  [
    'that refuses',
    { kind: 'refused', status: 422, fault: 'a refusal (422)', body: null },
    'Your own system answered a refusal (422).',
    'left_to_staff',
    false,
  ],
  [
    'that refuses after a part of it was done',
    { kind: 'refused', status: 422, fault: 'a refusal (422)', body: null, isInPart: true },
    'Your own system answered a refusal (422), after a part of it was done.',
    'left_to_staff',
    true,
  ],
  [
    'that is not asked for the rest',
    { kind: 'unavailable', error: 'circuit_open', isInPart: true },
    'Your own system did not answer: circuit_open.',
    'left_to_staff',
    true,
  ],
  [
    'whose time was taken',
    { kind: 'refused', status: 409, fault: 'a conflict (409)', body: null, because: 'time_taken' },
    'Your own system answered a conflict (409).',
    'time_refused',
    null,
  ],
  [
    'that cannot be asked about this patient',
    { kind: 'unusable', reason: 'the patient has no id there' },
    'Your own system could not be asked: the patient has no id there.',
    'patient_not_identified',
    null,
  ],
  ['that is off', { kind: 'not_permitted' }, 'Your own system is switched off meanwhile.', 'left_to_staff', false],
])('of a system %s staff and the caller are told so', async (_what, failure, why, kind, isOpen) => {
  const { changes, tasksOf } = await changesOfACall(async () => ({ kind: 'done', value: null }));

  const { kind: told } = await changes.run(booking, async (): Promise<EhrAnswer<never>> => failure);
  const changed = await tasksOf();
  const lookedUp = [await changes.leaveLookUp(failure), await changes.leaveLookUp(failure)];
  const left = (await tasksOf()).filter(({ id }) => changed.every((each) => each.id !== id));

  expect(told).toBe(kind);
  expect(changed.map(({ detail }) => detail)).toEqual(
    isOpen === null ? [] : [{ why, action: 'book', startsAt, intent: { ...booking, isOpen } }],
  );
  expect(lookedUp).toEqual([{ kind: 'left_to_staff' }, { kind: 'left_to_staff' }]);
  expect(left.map(({ reason, detail }) => [reason, detail])).toEqual([['booking_to_check', { why }]]);
});

test.each([
  ['which is now is in the past', 0, { kind: 'time_refused', reason: 'in_the_past' }],
  ['which is to come is asked for', -1, { kind: 'left_to_staff' }],
])('a start %s', async (_what, nowAfterMs, told) => {
  const run = await records.aRun();
  const { callId } = await records.aPlacedCall(run);
  const call = { ...run, callId, clinicZone: 'America/Denver' } as unknown as LiveCall;
  const calendar = createFhirCalendar(call, {
    stores: records.stores,
    systems: { approvedApi: async () => null, callMemory: () => ({}) as never },
  });
  const at = { now: new Date(Date.parse(startsAt) + nowAfterMs) } as never;

  expect([
    await calendar.book({ provider: 'Dr.Vega', visitType: 'Follow-up', startsAt }, at),
    await calendar.move(startsAt, at),
  ]).toEqual([told, told]);
});

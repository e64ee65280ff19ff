import {
  type AppointmentStatus,
  appointmentStatuses,
  type VisitNote,
} from '@clinic/shared/domain/calendar/appointment-status';
import { newId } from '@clinic/shared/crypto';
import { eventually } from '../../../support/eventually';
import { waitingForLocks } from '../../../support/locks';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;
let patientId: string;
let otherPatientId: string;
let vegaId: string;
let mossId: string;
beforeAll(async () => {
  records = await openRecords();
  ({ clinicId } = records);
  patientId = await records.aPatient();
  otherPatientId = await records.aPatient();
  const [vega] = await records.stores.providers.list(clinicId);
  if (!vega) throw new Error('a clinic has a provider');
  await records.stores.providers.replace(clinicId, [vega, { ...vega, name: 'Dr.Moss', displayName: 'Dr. Moss' }]);
  const rows = await records.database.prisma.provider.findMany({ where: { clinicId }, orderBy: { name: 'desc' } });
  [vegaId, mossId] = [rows[0]?.id ?? '', rows[1]?.id ?? ''];
});
beforeEach(async () => {
  await records.database.prisma.appointment.deleteMany();
  await records.database.prisma.freedTime.deleteMany();
});
afterAll(() => records.close());

const at = (time: string, day = '2035-03-05') => new Date(`${day}T${time}:00.000Z`);
const iso = (time: string) => at(time).toISOString();
const now = at('09:00', '2035-03-01');
const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000);

interface About {
  id?: string;
  clinicId?: string;
  patientId?: string;
  providerId?: string;
  status?: AppointmentStatus;
  heldUntil?: Date;
  cancelledAt?: Date;
  startsAt?: Date;
}

/** Booked by the patient with Dr. Vega at ten, unless told otherwise. */
async function anAppointment({ id = newId(), startsAt = at('10:00'), ...about }: About = {}): Promise<string> {
  const endsAt = new Date(startsAt.getTime() + 1_800_000);
  const booked = { clinicId, patientId, providerId: vegaId, status: 'booked', visitType: 'Check-up' };
  await records.database.prisma.appointment.create({ data: { id, ...booked, startsAt, endsAt, ...about } });
  return id;
}
const aHold = (about: About = {}) => anAppointment({ status: 'cancelled', heldUntil: later(5), ...about });
const row = (id: string) => records.database.prisma.appointment.findUniqueOrThrow({ where: { id } });
const rows = () => records.database.prisma.appointment.findMany();
const isEnded = async (id: string) => (await row(id)).cancelledAt !== null;

/** What is answered to what waits for the provider's calendar while something happens to it, and what is there before it is answered. */
async function whileLocked<T, Before>(ask: () => Promise<T>, meanwhile: () => Promise<Before>) {
  const { database } = records;
  const { asking, before } = await database.transaction(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${vegaId}, 0))`;
    const asked = ask();
    await eventually(async () => (await waitingForLocks(database)) > 0);
    return { asking: asked, before: await meanwhile() };
  });
  return { answer: await asking, before };
}

const wanted = () => ({
  clinicId,
  patientId,
  provider: 'Dr.Vega',
  visitType: 'Follow-up',
  startsAt: iso('10:00'),
  now,
});
const by = { actor: 'account:ann' };
const { book, hold, override } = {
  book: () => records.stores.appointments.book(wanted()),
  hold: () => records.stores.holds.hold({ ...wanted(), minutes: 5 }),
  override: () => records.stores.overrides.book({ ...wanted(), reason: 'urgent' }, by),
};
const move = async () => {
  const appointmentId = await anAppointment({ startsAt: at('15:00') });
  return records.stores.appointments.reschedule({ clinicId, appointmentId, startsAt: iso('10:00'), now });
};
const restore = async () => {
  const gone = { status: 'cancelled' as const, cancelledAt: at('08:00', '2035-03-01') };
  const appointmentId = await anAppointment(gone);
  return records.stores.visits.restore({ clinicId, appointmentId, now });
};
const ways = { book, hold, override, move, restore };
const done = { book: 'booked', hold: 'held', override: 'booked', move: 'moved', restore: 'restored' };

type InTheWay = [string, () => Promise<string>, 'free' | 'slot_taken' | 'slot_held'];
const inTheWay: InTheWay[] = [
  ['an appointment', () => anAppointment({ patientId: otherPatientId }), 'slot_taken'],
  ['an appointment of the same patient', () => anAppointment(), 'slot_taken'],
  ['who has arrived', () => anAppointment({ status: 'arrived' }), 'slot_taken'],
  ['who has left', () => anAppointment({ status: 'fulfilled' }), 'free'],
  ['what was cancelled', () => anAppointment({ status: 'cancelled', cancelledAt: now }), 'free'],
  ["somebody else's hold", () => aHold({ patientId: otherPatientId }), 'slot_held'],
  ['their own hold', () => aHold(), 'free'],
  ["somebody else's hold that is over", () => aHold({ patientId: otherPatientId, heldUntil: now }), 'free'],
  ["somebody else's hold that outlasts any", () => aHold({ patientId: otherPatientId, heldUntil: later(17) }), 'free'],
  ["somebody else's hold that was given up", () => aHold({ patientId: otherPatientId, cancelledAt: now }), 'free'],
  [
    'an appointment with another provider',
    () => anAppointment({ providerId: mossId, patientId: otherPatientId }),
    'free',
  ],
  ['an appointment that begins within it', () => anAppointment({ startsAt: at('10:15') }), 'slot_taken'],
  ["somebody's hold from before", () => aHold({ startsAt: at('09:45'), patientId: otherPatientId }), 'slot_held'],
  ['an appointment that ends as it begins', () => anAppointment({ startsAt: at('09:30') }), 'free'],
  ['an appointment that begins as it ends', () => anAppointment({ startsAt: at('10:30') }), 'free'],
];

const wayNames = ['book', 'hold', 'override', 'move', 'restore'] as const;
/** All ways look at the same; of what decides each is tried. */
const decisive = /^(an appointment|somebody else's hold|their own hold|somebody else's hold that is over)$/;
const looks = inTheWay.flatMap(([what, put, expected]) =>
  wayNames.filter((way) => way === 'book' || decisive.test(what)).map((way) => ({ way, what, put, expected })),
);

test.each(looks)('to $way where there is $what gives what the rule says', async ({ way, put, expected }) => {
  await put();
  const beside = [
    await aHold({ startsAt: at('13:00'), patientId: otherPatientId }),
    await aHold({ startsAt: at('14:00'), providerId: mossId, patientId: otherPatientId }),
  ];

  const { kind } = await ways[way]();

  expect(kind).toBe(expected === 'free' ? done[way] : expected);
  const keeping = await records.database.prisma.appointment.findMany({
    where: { providerId: vegaId, startsAt: at('10:00'), OR: [{ status: 'booked' }, { heldUntil: { not: null } }] },
  });
  // Of the time itself there is one that keeps it, whoever has it.
  if (expected === 'free') expect(keeping.filter(({ cancelledAt }) => cancelledAt === null)).toHaveLength(1);
  for (const id of beside) expect(await isEnded(id)).toBe(false);
});

test.each(['book', 'hold', 'override'] as const)(
  'to %s under an id that another clinic has comes to an end',
  async (way) => {
    const [vega] = await records.database.prisma.provider.findMany({ where: { clinicId: records.otherClinicId } });
    const { patientId: stranger } = await records.aRun({ clinicId: records.otherClinicId });
    const theirs = { clinicId: records.otherClinicId, patientId: stranger, providerId: vega?.id ?? '' };
    const id = await aHold({ ...theirs, startsAt: at('11:00') });
    const asked = { ...wanted(), startsAt: iso('15:00') };
    const { appointments, holds, overrides } = records.stores;
    const under = {
      book: () => appointments.book({ ...asked, appointmentId: id }),
      hold: () => holds.hold({ ...asked, holdId: id, minutes: 5 }),
      override: () => overrides.book({ ...asked, appointmentId: id, reason: 'urgent' }, by),
    };

    expect((await under[way]()).kind).toBe('slot_taken');
    expect(await row(id)).toMatchObject({ ...theirs, heldUntil: later(5), cancelledAt: null });
  },
);

test.each<[string, () => Promise<() => Promise<{ kind: string }>>, string]>([
  [
    'books what is held',
    async () => {
      await aHold();
      return book;
    },
    'booked',
  ],
  [
    'overrides a hold of the same patient',
    async () => {
      await aHold();
      return override;
    },
    'booked',
  ],
  [
    'moves to what is held',
    async () => {
      await aHold();
      const appointmentId = await anAppointment({ startsAt: at('15:00') });
      const change = { undoSeconds: 600 };
      return () =>
        records.stores.appointments.reschedule({ clinicId, appointmentId, startsAt: iso('10:00'), now, change });
    },
    'moved',
  ],
  [
    'restores',
    async () => {
      const appointmentId = await anAppointment({ status: 'cancelled', cancelledAt: at('08:00', '2035-03-01') });
      return () => records.stores.visits.restore({ clinicId, appointmentId, now });
    },
    'restored',
  ],
  [
    'notes who has come',
    async () => {
      const appointmentId = await anAppointment();
      return () => records.stores.visits.note({ clinicId, appointmentId, as: 'arrived', now: at('10:00') });
    },
    'noted',
  ],
])("who %s takes the provider's turn before any row", async (_what, prepare, expected) => {
  const ask = await prepare();
  const { answer, before } = await whileLocked(
    ask,
    () => records.database.sql`select id from appointments where clinic_id = ${clinicId} for update nowait`,
  );

  expect(before.length).toBeGreaterThan(0);
  expect(answer.kind).toBe(expected);
});

test('a move that waits for a hold to end has the turn meanwhile', async () => {
  const { database } = records;
  const id = await aHold();
  const { moving, isFree } = await database.transaction(async (tx) => {
    await tx`select id from appointments where id = ${id} for update`;
    const asked = move();
    await eventually(async () => (await waitingForLocks(database)) > 0);
    const [turn] = await tx<{ isFree: boolean | null }>`
      select pg_try_advisory_xact_lock(hashtextextended(${vegaId}, 0)) as "isFree"`;
    return { moving: asked, isFree: turn?.isFree };
  });

  expect(isFree).toBe(false);
  expect((await moving).kind).toBe('moved');
});

test.each<[string, () => Promise<object>, object]>([
  ['a time that has begun', async () => ({ now: at('10:00') }), { kind: 'in_the_past' }],
  [
    'a time that is on offer no more, for nobody',
    async () => ({ startsAt: iso(offTheGrid), patientId: newId() }),
    { kind: 'unknown_patient' },
  ],
  ['a time that is on offer no more', async () => ({ startsAt: iso(offTheGrid) }), { kind: 'slot_unavailable' }],
  [
    'a time under the id of what was booked since',
    async () => ({ holdId: await anAppointment() }),
    { kind: 'slot_taken' },
  ],
])('to hold %s is refused', async (_what, about, refusal) => {
  const asked = { ...wanted(), minutes: 5, ...(await about()) };

  expect(await records.stores.holds.hold(asked)).toMatchObject(refusal);
});

const offTheGrid = '10:07';
test.each<[string, () => About, boolean]>([
  ['holds it', () => ({}), true],
  ['held it until now', () => ({ heldUntil: now }), false],
  ['holds it for longer than anybody may', () => ({ heldUntil: later(17) }), false],
  ['gave it up', () => ({ cancelledAt: now }), false],
  ['holds it with another provider', () => ({ providerId: mossId }), false],
  ['holds another time', () => ({ startsAt: at('10:08') }), false],
  ['sees it held for somebody else', () => ({ patientId: otherPatientId }), false],
])('a time that is on offer no more is booked by who %s: %#', async (_who, about, isBooked) => {
  const id = await aHold({ startsAt: at(offTheGrid), ...about() });
  const before = await row(id);

  const booking = await records.stores.appointments.book({ ...wanted(), startsAt: iso(offTheGrid) });

  expect(booking.kind).toBe(isBooked ? 'booked' : 'slot_unavailable');
  if (isBooked) expect(await records.database.prisma.appointment.findUnique({ where: { id } })).toBeNull();
  else expect(await row(id)).toEqual(before);
});

test('what the patient holds becomes the booking with its own kind of visit, and nothing else that is held ends', async () => {
  const mine = await aHold();
  const others = [
    await aHold({ startsAt: at('11:00') }),
    await aHold({ providerId: mossId }),
    await aHold({ startsAt: at('12:00'), patientId: otherPatientId }),
  ];

  const booking = await book();

  const id = booking.kind === 'booked' ? booking.appointment.id : '';
  expect(await records.database.prisma.appointment.findUnique({ where: { id: mine } })).toBeNull();
  expect(await row(id)).toMatchObject({ status: 'booked', visitType: 'Follow-up', heldUntil: null });
  expect(await Promise.all(others.map(isEnded))).toEqual([false, false, false]);
});

test('a held time is booked under the identifier of its client, once, with who booked it', async () => {
  const { appointments, ehrAppointments } = records.stores;
  const [identifier, change] = ['https://client.example|visit-1', { by: 'account:ann', request: 'request-1' }];
  await aHold();
  await aHold({ startsAt: at('11:00') });

  const first = await appointments.book({ ...wanted(), identifier, change });
  const again = await appointments.book({ ...wanted(), identifier, change });
  const elsewhere = await appointments.book({ ...wanted(), startsAt: iso('11:00'), identifier, change });

  const id = first.kind === 'booked' ? first.appointment.id : '';
  expect([again, elsewhere]).toMatchObject([
    { kind: 'booked', appointment: { id }, isEarlier: true },
    { kind: 'booked', appointment: { id }, isEarlier: true },
  ]);
  const { items } = await ehrAppointments.search(clinicId, { identifier, limit: 5 });
  expect(items).toMatchObject([{ id, changedBy: 'account:ann' }]);
});

test('who holds a time keeps that hold for longer, never for less, and no other', async () => {
  const mine = await aHold({ heldUntil: later(2) });
  const others = [
    await aHold({ startsAt: at('11:00'), heldUntil: later(2) }),
    await aHold({ providerId: mossId, heldUntil: later(2) }),
  ];
  const first = await hold();
  const shorter = await records.stores.holds.hold({ ...wanted(), minutes: 1 });

  expect([first, shorter]).toMatchObject([
    { kind: 'held', hold: { id: mine, heldUntil: later(5), visitType: 'Follow-up' } },
    { kind: 'held', hold: { id: mine, heldUntil: later(5) } },
  ]);
  expect((await Promise.all(others.map(row))).map(({ heldUntil }) => heldUntil)).toEqual([later(2), later(2)]);
});

test.each<[string, object, string]>([
  ['booked', { status: 'booked', heldUntil: null }, 'slot_taken'],
  ['given up', { cancelledAt: now }, 'held'],
])('a hold that is %s while it is asked for again is not made longer', async (_what, meanwhile, kind) => {
  const mine = await aHold({ heldUntil: later(2) });

  const { answer, before } = await whileLocked(hold, async () => {
    await records.database.prisma.appointment.update({ where: { id: mine }, data: meanwhile });
    return row(mine);
  });

  expect(answer.kind).toBe(kind);
  expect(await row(mine)).toEqual(before);
});

test.each<[string, About, string]>([
  ['held', {}, 'booked'],
  ['held until now', { heldUntil: now }, 'hold_expired'],
  ['held for longer than anybody may', { heldUntil: later(17) }, 'hold_expired'],
  ['given up', { cancelledAt: now }, 'hold_expired'],
  ['begun', { startsAt: now }, 'in_the_past'],
])('a hold that is %s confirms as it should: %#', async (_how, about, kind) => {
  const [id, other] = [await aHold(about), await aHold({ startsAt: at('16:00') })];

  expect((await records.stores.holds.confirm({ clinicId, holdId: id, now })).kind).toBe(kind);
  expect([(await row(id)).status, (await row(other)).status]).toEqual([
    kind === 'booked' ? 'booked' : 'cancelled',
    'cancelled',
  ]);
});

test.each<[string, (where: { id: string }) => Promise<unknown>, string]>([
  [
    'confirmed',
    (where) =>
      records.database.prisma.appointment.update({
        where,
        data: { status: 'booked', heldUntil: null, createdAt: now },
      }),
    'booked',
  ],
  [
    'given up',
    (where) => records.database.prisma.appointment.update({ where, data: { cancelledAt: now } }),
    'hold_expired',
  ],
  ['erased', (where) => records.database.prisma.appointment.delete({ where }), 'unknown'],
])('a hold that is %s while it is being confirmed is told as what it is by then', async (_what, meanwhile, kind) => {
  const id = await aHold();
  const confirm = () => records.stores.holds.confirm({ clinicId, holdId: id, now });

  const { answer: told, before } = await whileLocked(confirm, async () => {
    await meanwhile({ id });
    return rows();
  });

  expect(told.kind).toBe(kind);
  if (told.kind === 'booked') expect(told.appointment).toMatchObject({ id, patientId, status: 'booked' });
  expect(await rows()).toEqual(before);
});

test.each<[AppointmentStatus, string]>([
  ['booked', 'booked'],
  ['arrived', 'appointment_fulfilled'],
  ['fulfilled', 'appointment_fulfilled'],
  ['noshow', 'appointment_fulfilled'],
  ['cancelled', 'appointment_cancelled'],
])('what was held and is %s since is told as that, and is no hold to give up', async (status, kind) => {
  const id = await anAppointment({ status, ...(status === 'cancelled' && { cancelledAt: now }) });

  expect((await records.stores.holds.confirm({ clinicId, holdId: id, now })).kind).toBe(kind);
  expect(await records.stores.holds.release({ clinicId, holdId: id })).toBeNull();
  expect((await row(id)).status).toBe(status);
});

test('a hold is given up alone, once', async () => {
  const [mine, other] = [await aHold(), await aHold({ startsAt: at('11:00') })];
  await records.stores.holds.release({ clinicId, holdId: mine });
  const { cancelledAt } = await row(mine);
  const again = await records.stores.holds.release({ clinicId, holdId: mine });

  expect([again?.id, (await row(mine)).cancelledAt, await isEnded(other)]).toEqual([mine, cancelledAt, false]);
});

test('held times of a provider are those that are held now, in order, with names', async () => {
  const second = await aHold({ startsAt: at('11:00') });
  const first = await aHold();
  await aHold({ startsAt: at('12:00'), heldUntil: now });
  await aHold({ startsAt: at('12:30'), cancelledAt: now });
  await aHold({ startsAt: at('13:00'), providerId: mossId });
  await anAppointment({ startsAt: at('13:30') });
  const of = async (from: string, until: string) =>
    (
      await records.stores.holds.ofProvider(clinicId, {
        providerName: 'Dr.Vega',
        from: iso(from),
        until: iso(until),
        now,
      })
    ).map(({ id, patientName, isOffered }) => [id, patientName, isOffered]);

  expect(await of('10:00', '14:00')).toEqual([
    [first, 'Ann Lee', false],
    [second, 'Ann Lee', false],
  ]);
  expect(await of('10:00', '11:00')).toEqual([[first, 'Ann Lee', false]]);
  expect(await of('10:01', '14:00')).toEqual([[second, 'Ann Lee', false]]);
});

test('how long calls may hold a time is set for one clinic, at once, and is in the audit', async () => {
  const minutes = async (clinic: string) => (await records.stores.agendas.of(clinic))?.callHoldMinutes;
  const before = [await minutes(clinicId), await minutes(records.otherClinicId)];

  await records.stores.holds.setForCalls({ clinicId, minutes: 7 }, by);

  expect([await minutes(clinicId), await minutes(records.otherClinicId)]).toEqual([7, before[1]]);
  expect((await records.stores.audit.list(clinicId, { limit: 1 })).items).toMatchObject([
    { action: 'sandbox.call-holds', detail: { minutes: 7 }, actor: 'account:ann' },
  ]);
});

test('how long calls may hold a time is set once it is stored, however long another change of the clinic takes', async () => {
  const { database, stores } = records;
  const minutes = async () => (await stores.agendas.of(clinicId))?.callHoldMinutes;
  const before = await minutes();
  let isSet = false;

  const setting = await database.transaction(async (tx) => {
    await tx`select id from clinics where id = ${clinicId} for update`;
    const stored = stores.holds.setForCalls({ clinicId, minutes: 9 }, by).then(() => (isSet = true));
    await eventually(async () => (await waitingForLocks(database)) > 0);
    expect([isSet, await minutes()]).toEqual([false, before]);
    return { stored };
  });
  await setting.stored;

  expect(await minutes()).toBe(9);
});

describe('an override', () => {
  const asked = (about: object = {}) => records.stores.overrides.book({ ...wanted(), reason: 'urgent', ...about }, by);
  const overrides = async () => (await records.stores.audit.list(clinicId, { limit: 1 })).items[0];

  test.each([
    ['10:00', true],
    ['20:00', false],
    ['10:07', false],
  ])(
    'books %s whatever the hours, says in the audit whether it is on offer (%s), and once',
    async (time, isOnOffer) => {
      const appointmentId = newId();

      const [first, again] = [
        await asked({ appointmentId, startsAt: iso(time) }),
        await asked({ appointmentId, startsAt: iso(time) }),
      ];

      expect(first).toMatchObject({ kind: 'booked', appointment: { id: appointmentId, startsAt: at(time) } });
      expect(again).toEqual(first);
      expect(await overrides()).toMatchObject({
        action: 'appointment.override',
        subject: appointmentId,
        detail: { reason: 'urgent', isOnOffer },
      });
      const entries = await records.stores.audit.count(clinicId, { subject: appointmentId });
      expect(entries.count).toBe(1);
    },
  );

  test('is refused for who or what is not there, and for what has begun', async () => {
    expect(await asked({ patientId: newId() })).toEqual({ kind: 'unknown_patient' });
    expect(await asked({ provider: 'Dr.Who' })).toEqual({ kind: 'unknown_provider' });
    expect(await asked({ now: at('10:00') })).toEqual({ kind: 'in_the_past' });
  });
});

describe('a change that may be taken back', () => {
  const freed = (about: object = {}) =>
    records.database.prisma.freedTime.create({
      data: { clinicId, providerId: vegaId, startsAt: at('10:00'), lookAt: new Date(), ...about },
    });
  const isLater = async ({ id }: { id: bigint }) =>
    (await records.database.prisma.freedTime.findUniqueOrThrow({ where: { id } })).lookAt.getTime() - Date.now() >
    300_000;

  test.each(['cancel', 'move'])('by a %s has that time alone offered later', async (how) => {
    const appointmentId = await anAppointment();
    const times = [
      await freed(),
      await freed({ startsAt: at('11:00') }),
      await freed({ providerId: mossId }),
      await freed({ clinicId: records.otherClinicId }),
    ];
    const change = { undoSeconds: 600 };
    const { appointments } = records.stores;
    if (how === 'cancel') await appointments.cancel({ clinicId, appointmentId, change });
    else await appointments.reschedule({ clinicId, appointmentId, startsAt: iso('15:00'), now, change });

    expect(await Promise.all(times.map(isLater))).toEqual([true, false, false, false]);
  });

  test.each(['cancel', 'move'])('by a %s of another version than was seen changes nothing', async (how) => {
    const appointmentId = await anAppointment();
    const { appointments } = records.stores;
    const changed = (version: number) =>
      how === 'cancel'
        ? appointments.cancel({ clinicId, appointmentId, change: { version } })
        : appointments.reschedule({ clinicId, appointmentId, startsAt: iso('15:00'), now, change: { version } });

    expect((await changed(2)).kind).toBe('version_changed');
    expect((await row(appointmentId)).status).toBe('booked');
    expect((await changed(1)).kind).toBe(how === 'cancel' ? 'cancelled' : 'moved');
  });
});

describe('a visit', () => {
  test.each([...appointmentStatuses])(
    'that is %s is moved, cancelled and restored as its status lets it',
    async (status) => {
      const { appointments, visits } = records.stores;
      const make = () => anAppointment({ status, ...(status === 'cancelled' && { cancelledAt: now }) });
      const kinds: string[] = [];
      for (const act of [
        (appointmentId: string) => appointments.reschedule({ clinicId, appointmentId, startsAt: iso('15:00'), now }),
        (appointmentId: string) => visits.restore({ clinicId, appointmentId, now }),
        (appointmentId: string) => appointments.cancel({ clinicId, appointmentId }),
      ]) {
        kinds.push((await act(await make())).kind);
        await records.database.prisma.appointment.deleteMany();
      }

      const gone = ['appointment_fulfilled', 'appointment_fulfilled', 'appointment_fulfilled'];
      const expected: Partial<Record<AppointmentStatus, string[]>> = {
        booked: ['moved', 'restored', 'cancelled'],
        cancelled: ['appointment_cancelled', 'restored', 'cancelled'],
      };
      expect(kinds).toEqual(expected[status] ?? gone);
    },
  );

  const note = (appointmentId: string, as: VisitNote, when = at('10:00')) =>
    records.stores.visits.note({ clinicId, appointmentId, as, now: when });

  test('that was cancelled or is held is not noted, and one that is noted changes alone', async () => {
    const [gone, held] = [
      await anAppointment({ status: 'cancelled', cancelledAt: now }),
      await aHold({ startsAt: at('12:00') }),
    ];
    const [mine, other] = [await anAppointment(), await anAppointment({ startsAt: at('11:00') })];

    expect(await note(gone, 'arrived')).toEqual({ kind: 'appointment_cancelled' });
    expect(await note(held, 'arrived')).toEqual({ kind: 'unknown' });
    expect(await note(mine, 'arrived')).toEqual({ kind: 'noted', followUp: null });
    expect([(await row(mine)).status, (await row(other)).status]).toEqual(['arrived', 'booked']);
  });

  test('that is cancelled while it is noted stays cancelled', async () => {
    const { database } = records;
    const id = await anAppointment();
    const { noting } = await database.transaction(async (tx) => {
      await tx`update appointments set status = 'cancelled', cancelled_at = now() where id = ${id}`;
      const asked = note(id, 'arrived');
      await eventually(async () => (await waitingForLocks(database)) > 0);
      return { noting: asked };
    });

    expect(await noting).toEqual({ kind: 'appointment_cancelled' });
    expect((await row(id)).status).toBe('cancelled');
  });

  test('whose time somebody has by now is not booked again by a note', async () => {
    const missed = await anAppointment({ status: 'noshow' });
    await anAppointment({ patientId: otherPatientId });

    expect(await note(missed, 'booked')).toEqual({ kind: 'slot_taken' });
    expect((await row(missed)).status).toBe('noshow');
  });

  test.each([
    ['with a sandbox', true, false, 'due'],
    ['that books in its own calendar', false, true, 'due'],
    ['whose calendar is elsewhere', false, false, null],
  ])('that is missed at a clinic %s: %#', async (_which, isSandboxOn, booksInOwnCalendar, followUp) => {
    const { prisma } = records.database;
    await prisma.clinic.update({ where: { id: clinicId }, data: { sandboxEnabled: isSandboxOn } });
    await prisma.callingPolicy.update({ where: { clinicId }, data: { booksInOwnCalendar } });
    const [mine, other] = [await anAppointment(), await anAppointment({ startsAt: at('11:00') })];
    const later11 = at('11:30');
    const runs = () => prisma.workflowRun.findMany({ where: { clinicId, workflowType: 'reschedule-follow-up' } });

    const noted = await note(mine, 'noshow');
    const ofOther = await note(other, 'noshow', later11);
    const opened = await runs();
    const takenBack = await note(mine, 'booked');
    const messages = await prisma.workflowMessage.findMany({ where: { clinicId } });
    const act = await records.stores.visits.callsAct(clinicId);
    await prisma.workflowMessage.deleteMany({ where: { clinicId } });
    await prisma.workflowRun.deleteMany({ where: { clinicId } });
    await prisma.clinic.update({ where: { id: clinicId }, data: { sandboxEnabled: false } });
    await prisma.callingPolicy.update({ where: { clinicId }, data: { booksInOwnCalendar: false } });

    expect([noted, ofOther]).toEqual([
      { kind: 'noted', followUp },
      { kind: 'noted', followUp },
    ]);
    expect(takenBack).toEqual({ kind: 'noted', followUp: null });
    expect(opened).toHaveLength(followUp ? 2 : 0);
    const ofMine = opened.find(({ context }) => JSON.stringify(context).includes(mine));
    expect(messages.map(({ workflowId, signal }) => [workflowId, signal])).toEqual(
      followUp ? [[ofMine?.id, 'rulesChanged']] : [],
    );
    expect(act).toEqual({ isEhrLive: false, areFreedTimesOffered: followUp !== null });
  });
});

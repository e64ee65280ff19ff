import type { AppointmentStatus } from '@clinic/shared/domain/calendar/appointment-status';
import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let patientId: string;
let otherPatientId: string;
let providers: Record<string, string>;
beforeAll(async () => {
  records = await openRecords();
  patientId = await records.aPatient();
  otherPatientId = await records.aPatient({ firstName: 'Bo', lastName: '', phone: '+13035550101' });
  const [vega] = await records.stores.providers.list(records.clinicId);
  if (!vega) throw new Error('a clinic has a provider');
  await records.stores.providers.replace(records.clinicId, [
    vega,
    { ...vega, name: 'Dr.Moss', displayName: 'Dr. Moss' },
  ]);
  const kept = await records.database.prisma.provider.findMany({ where: { clinicId: records.clinicId } });
  providers = Object.fromEntries(kept.map(({ name, id }) => [name, id]));
});
beforeEach(() => records.database.prisma.appointment.deleteMany());
afterAll(() => records.close());

const at = (time: string, day = '2035-03-05') => new Date(`${day}T${time}:00.000Z`);
const iso = (time: string, day?: string) => at(time, day).toISOString();

interface About {
  id?: string;
  patientId?: string;
  providerId?: string;
  status?: AppointmentStatus;
  visitType?: string;
  cancelledAt?: Date;
  heldUntil?: Date;
  identifier?: string;
  createdAt?: Date;
  endsAt?: Date;
}

/** Of half an hour with Dr. Vega. */
async function anAppointment(startsAt: Date, { id = newId(), ...about }: About = {}): Promise<string> {
  const endsAt = new Date(startsAt.getTime() + 1_800_000);
  const booked = { clinicId: records.clinicId, patientId, providerId: providers['Dr.Vega'] ?? '', status: 'booked' };
  const data = { id, ...booked, visitType: 'Check-up', startsAt, endsAt, ...about };
  await records.database.prisma.appointment.create({ data });
  return id;
}
const held = { status: 'cancelled' as const, heldUntil: at('09:05', '2035-03-01') };

const search = async (asked: object = {}) =>
  (await records.stores.ehrAppointments.search(records.clinicId, { limit: 50, ...asked })).items.map(({ id }) => id);

test('a search takes each condition, and leaves held times out', async () => {
  const first = await anAppointment(at('10:00'), { identifier: 'urn:ours|1' });
  const second = await anAppointment(at('11:00'), { patientId: otherPatientId });
  const third = await anAppointment(at('12:00'), { providerId: providers['Dr.Moss'], status: 'arrived' });
  const hold = await anAppointment(at('13:00'), held);
  const all = [first, second, third];

  expect(await search()).toEqual(all);
  expect(await search({ ids: [third, hold, first] })).toEqual([first, third]);
  expect(await search({ patientId })).toEqual([first, third]);
  expect(await search({ providerName: 'Dr.Vega' })).toEqual([first, second]);
  expect(await search({ identifier: 'urn:ours|1' })).toEqual([first]);
  expect(await search({ statuses: ['arrived', 'noshow'] })).toEqual([third]);
  expect(await search({ statuses: ['booked', 'arrived'] })).toEqual(all);
  expect(await search({ from: iso('11:00'), until: iso('12:00') })).toEqual([second]);
  expect(await search({ from: iso('10:01') })).toEqual([second, third]);
  expect(await search({ isNewestFirst: true })).toEqual(all.toReversed());
  expect(await records.stores.ehrAppointments.find(records.clinicId, hold)).toBeNull();
  expect((await records.stores.ehrAppointments.search(records.clinicId, { limit: 1, patientId })).total).toBe(2);
});

test.each([false, true])(
  'pages follow each other, those of one time by id, the newest first: %s',
  async (isNewestFirst) => {
    const moss = { providerId: providers['Dr.Moss'] };
    const one = await anAppointment(at('10:00'), { id: `a-${newId()}` });
    const two = await anAppointment(at('10:00'), { id: `b-${newId()}`, ...moss });
    const three = await anAppointment(at('11:00'), { id: `A-${newId()}` });
    const four = await anAppointment(at('11:00'), { id: `z-${newId()}`, ...moss });
    await anAppointment(at('10:00', '2035-03-06'), { id: `m-${newId()}`, patientId: otherPatientId });
    await anAppointment(at('12:00', '2035-03-04'), { id: `m-${newId()}`, patientId: otherPatientId });
    const asked = { limit: 1, patientId, isNewestFirst };
    const ordered = [one, two, three, four];

    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await records.stores.ehrAppointments.search(records.clinicId, { ...asked, cursor });
      pages.push(page.items.map(({ id }) => id));
      expect(page.total).toBe(4);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);

    expect(pages.flat()).toEqual(isNewestFirst ? ordered.toReversed() : ordered);
    expect(pages).toHaveLength(4);
  },
);

test('a total is told up to a thousand', async () => {
  const more = async (count: number) => {
    const of = { clinicId: records.clinicId, patientId, providerId: providers['Dr.Vega'] ?? '', visitType: 'Check-up' };
    const times = { startsAt: at('10:00'), endsAt: at('10:30'), status: 'cancelled', cancelledAt: at('09:00') };
    const rows = Array.from({ length: count }, () => ({ id: newId(), ...of, ...times }));
    await records.database.prisma.appointment.createMany({ data: rows });
    return (await records.stores.ehrAppointments.search(records.clinicId, { limit: 1 })).total;
  };

  expect([await more(1_000), await more(1)]).toEqual([1_000, null]);
});

test('what was merged into another patient is found by either, and what was not stays apart', async () => {
  const replacedId = await records.aPatient();
  const keptId = await records.aPatient();
  const id = await anAppointment(at('10:00'), { patientId: replacedId });
  await anAppointment(at('11:00'));
  await records.stores.patientMerges.merge(
    { clinicId: records.clinicId, keptId, replacedId, take: [] },
    { actor: 'account:1' },
  );

  expect([await search({ patientId: replacedId }), await search({ patientId: keptId })]).toEqual([[id], [id]]);
  expect(await search({ patientId: otherPatientId })).toEqual([]);
  expect(await search({ patientId: replacedId, from: iso('10:01') })).toEqual([]);
});

test('versions are those of one appointment, the newest first, each as it was then', async () => {
  const id = await anAppointment(at('10:00'));
  const other = await anAppointment(at('12:00'));
  const { appointments, ehrAppointments } = records.stores;
  const move = (appointmentId: string, startsAt: string, by: string) =>
    appointments.reschedule({
      clinicId: records.clinicId,
      appointmentId,
      startsAt,
      now: at('09:00', '2035-03-01'),
      change: { by, request: newId() },
    });
  await move(id, iso('14:00'), 'account:1');
  await move(other, iso('15:00'), 'account:2');
  await move(id, iso('14:30'), 'account:3');

  const versions = await ehrAppointments.versions(records.clinicId, id);

  expect(versions.map(({ version, startsAt, changedBy }) => [version, startsAt.toISOString(), changedBy])).toEqual([
    [3, iso('14:30'), 'account:3'],
    [2, iso('14:00'), 'account:1'],
    [1, iso('10:00'), null],
  ]);
  expect(versions.every((version) => version.id === id && version.patientId === patientId)).toBe(true);
  expect(await ehrAppointments.versions(records.clinicId, newId())).toEqual([]);
});

describe('appointments of a list', () => {
  const list = async (asked: object = {}) =>
    (await records.stores.appointments.list(records.clinicId, { limit: 50, ...asked })).items.map(({ id }) => id);

  test('are those that meet each condition, the latest first', async () => {
    const first = await anAppointment(at('10:00'));
    const second = await anAppointment(at('11:00'), { patientId: otherPatientId });
    const third = await anAppointment(at('12:00'), { providerId: providers['Dr.Moss'], status: 'arrived' });
    await anAppointment(at('13:00'), held);

    expect(await list()).toEqual([third, second, first]);
    expect(await list({ patientId })).toEqual([third, first]);
    expect(await list({ providerName: 'Dr.Vega' })).toEqual([second, first]);
    expect(await list({ status: 'arrived' })).toEqual([third]);
    expect(await list({ from: iso('11:00'), until: iso('12:00') })).toEqual([second]);
  });

  test('go on after the last of a page, those of one time by id', async () => {
    const moss = { providerId: providers['Dr.Moss'] };
    const ordered = [
      await anAppointment(at('11:00'), { id: `z-${newId()}` }),
      await anAppointment(at('11:00'), { id: `a-${newId()}`, ...moss }),
      await anAppointment(at('10:00'), { id: `zz-${newId()}` }),
    ];
    const { appointments } = records.stores;

    const one = await appointments.list(records.clinicId, { limit: 1 });
    const two = await appointments.list(records.clinicId, { limit: 1, cursor: one.nextCursor ?? '' });
    const three = await appointments.list(records.clinicId, { limit: 1, cursor: two.nextCursor ?? '' });

    expect([one, two, three].flatMap(({ items }) => items.map(({ id }) => id))).toEqual(ordered);
    expect(three.nextCursor).toBeNull();
  });

  test("of a provider's calendar are all but cancelled and held ones, in order of time, with names", async () => {
    const later = await anAppointment(at('11:00'), { patientId: otherPatientId });
    const first = await anAppointment(at('10:00'), { status: 'noshow' });
    await anAppointment(at('12:00'), { status: 'cancelled', cancelledAt: at('09:00') });
    await anAppointment(at('12:00'), held);
    await anAppointment(at('10:00'), { providerId: providers['Dr.Moss'] });
    const of = (from: string, until: string, limit = 50) =>
      records.stores.appointments.calendar(records.clinicId, {
        providerName: 'Dr.Vega',
        from: iso(from),
        until: iso(until),
        limit,
      });

    expect((await of('10:00', '13:00')).map(({ id, patientName }) => [id, patientName])).toEqual([
      [first, 'Ann Lee'],
      [later, 'Bo'],
    ]);
    expect((await of('10:00', '11:00')).map(({ id }) => id)).toEqual([first]);
    expect((await of('10:01', '13:00')).map(({ id }) => id)).toEqual([later]);
    expect(await of('10:00', '13:00', 1)).toHaveLength(1);
  });

  test('of a day have whom to ring, by time and then by provider, without cancelled ones', async () => {
    const moss = { providerId: providers['Dr.Moss'] };
    const vegas = await anAppointment(at('11:00'), { patientId: otherPatientId });
    const mosses = await anAppointment(at('11:00'), { ...moss, status: 'fulfilled' });
    const first = await anAppointment(at('10:00'));
    await anAppointment(at('12:00'), { status: 'cancelled', cancelledAt: at('09:00') });
    const ofDay = (from: string, until: string) =>
      records.stores.visits.ofDay(records.clinicId, { from: iso(from), until: iso(until) });

    // "Dr. Luz Vega" comes before "Dr. Moss".
    expect((await ofDay('10:00', '13:00')).map(({ id }) => id)).toEqual([first, vegas, mosses]);
    expect((await ofDay('10:00', '13:00'))[1]).toMatchObject({ patientName: 'Bo', phone: '+13035550101' });
    expect((await ofDay('10:01', '11:00')).map(({ id }) => id)).toEqual([]);
    expect((await ofDay('11:00', '11:01')).map(({ id }) => id)).toEqual([vegas, mosses]);
  });
});

describe("a patient's own", () => {
  const next = async (now: Date, patient = patientId) =>
    (await records.stores.appointments.nextUpcoming(records.clinicId, patient, now))?.id ?? null;

  test('next one is booked, theirs, and has not begun', async () => {
    await anAppointment(at('09:00'), { patientId: otherPatientId });
    await anAppointment(at('09:30'), { status: 'arrived' });
    const later = await anAppointment(at('11:00'));
    const first = await anAppointment(at('10:00'));

    expect([await next(at('08:00')), await next(at('10:00')), await next(at('11:00'))]).toEqual([first, later, null]);
  });
});

test('an appointment is found with its own provider', async () => {
  const id = await anAppointment(at('10:00'), { providerId: providers['Dr.Moss'], identifier: 'urn:ours|1' });

  expect(await records.stores.appointments.find(records.clinicId, id)).toEqual({
    id,
    clinicId: records.clinicId,
    patientId,
    providerName: 'Dr.Moss',
    providerDisplayName: 'Dr. Moss',
    status: 'booked',
    visitType: 'Check-up',
    startsAt: at('10:00'),
    endsAt: at('10:30'),
    cancellationReason: null,
  });
  expect(await records.stores.ehrAppointments.find(records.clinicId, id)).toMatchObject({
    providerName: 'Dr.Moss',
    providerDisplayName: 'Dr. Moss',
    version: 1,
    status: 'booked',
    identifier: 'urn:ours|1',
    changedBy: null,
  });
});

describe('a time', () => {
  const explain = (startsAt: string, now = at('09:00', '2035-03-01'), providerName = 'Dr.Vega') =>
    records.stores.appointments.explain({ clinicId: records.clinicId, providerName, startsAt, now });
  const isOffered = async (startsAt: string, now = at('09:00', '2035-03-01')) => {
    const until = new Date(Date.parse(startsAt) + 1_800_000).toISOString();
    const asked = { clinicId: records.clinicId, providerName: 'Dr.Vega', from: startsAt, until, now };
    return (await records.stores.appointments.slotsOf(asked))?.length === 1;
  };

  test.each<[string, About, 'booking' | 'hold' | 'free', number?]>([
    ['booked', {}, 'booking'],
    ['taken by who has arrived', { status: 'arrived' }, 'booking'],
    ['of who has left', { status: 'fulfilled' }, 'free'],
    ['of who did not come', { status: 'noshow' }, 'free'],
    ['cancelled', { status: 'cancelled', cancelledAt: at('09:00', '2035-03-01') }, 'free'],
    ['held', held, 'hold'],
    ['held no more', { ...held, cancelledAt: at('09:00', '2035-03-01') }, 'free'],
    ['held until now', { ...held, heldUntil: at('09:00', '2035-03-01') }, 'free'],
    ['held for longer than anybody may', { ...held, heldUntil: at('09:17', '2035-03-01') }, 'free'],
    ["of another provider's", { providerId: 'Dr.Moss' }, 'free'],
    ['booked for before, up to its beginning', {}, 'free', -30],
    ['booked from a quarter of an hour before on', {}, 'booking', -15],
    ['booked from a quarter of an hour later on', {}, 'booking', 15],
    ['booked for after, from its end on', {}, 'free', 30],
    ['held from a quarter of an hour before on', held, 'hold', -15],
    ['held for before, up to its beginning', held, 'free', -30],
    ['held for after, from its end on', held, 'free', 30],
  ])('that is %s is %#', async (_how, about, expected, minutes = 0) => {
    const startsAt = at('10:00');
    const providerId = about.providerId === undefined ? undefined : providers[about.providerId];
    await anAppointment(new Date(startsAt.getTime() + minutes * 60_000), {
      ...about,
      ...(providerId && { providerId }),
    });

    const reason = await explain(startsAt.toISOString());

    expect(reason === 'booking' || reason === 'hold' ? reason : 'free').toBe(expected);
    expect(await isOffered(startsAt.toISOString())).toBe(expected === 'free');
  });

  test('of a provider or a clinic that is not there has no reason and no slots', async () => {
    const asked = {
      clinicId: records.clinicId,
      providerName: 'Dr.Who',
      from: iso('10:00'),
      until: iso('11:00'),
      now: at('08:00'),
    };

    expect([await explain(iso('10:00'), at('08:00'), 'Dr.Who')]).toEqual([null]);
    expect(await records.stores.appointments.slotsOf(asked)).toBeNull();
    expect(await records.stores.appointments.openSlots({ ...asked, provider: 'Dr.Who' })).toEqual({
      kind: 'unknown_provider',
    });
  });

  test('is offered with each provider in order of time and then of name, or with one of them', async () => {
    await anAppointment(at('10:00'), { providerId: providers['Dr.Moss'] });
    const asked = {
      clinicId: records.clinicId,
      from: iso('10:00'),
      until: iso('11:00'),
      now: at('09:00', '2035-03-01'),
    };
    const of = async (provider: string | null) => {
      const found = await records.stores.appointments.openSlots({ ...asked, provider });
      return found.kind === 'slots' ? found.slots.map((slot) => [slot.startsAt, slot.providerName]) : found.kind;
    };

    expect(await of(null)).toEqual([
      [iso('10:00'), 'Dr.Vega'],
      [iso('10:30'), 'Dr.Moss'],
      [iso('10:30'), 'Dr.Vega'],
    ]);
    expect(await of('dr moss')).toEqual([[iso('10:30'), 'Dr.Moss']]);
  });
});

describe('what is over', () => {
  const statusOf = async (id: string) =>
    (await records.database.prisma.appointment.findUnique({ where: { id } }))?.status ?? null;
  const fulfil = (realNow: Date, limit = 1_000) => records.stores.appointments.fulfilPast(realNow, limit);

  test.each<[AppointmentStatus, boolean]>([
    ['booked', true],
    ['arrived', true],
    ['noshow', false],
    ['cancelled', false],
  ])('of the status %s is fulfilled once it has ended: %s', async (status, isFulfilled) => {
    const cancelledAt = status === 'cancelled' ? { cancelledAt: at('08:00') } : {};
    const id = await anAppointment(at('10:00'), { status, ...cancelledAt });

    const early = [await fulfil(new Date(at('10:30').getTime() - 1)), await statusOf(id)];
    const then = [await fulfil(at('10:30')), await statusOf(id)];

    expect([early, then]).toEqual([[0, status], isFulfilled ? [1, 'fulfilled'] : [0, status]]);
  });

  const withClock = async (isEnabled: boolean, runsSince: Date | null) => {
    const { prisma } = records.database;
    const clinicId = await records.aClinic();
    await prisma.clinic.update({ where: { id: clinicId }, data: { sandboxEnabled: isEnabled } });
    await prisma.sandboxClock.create({ data: { clinicId, shows: at('12:00'), runsSince } });
    const id = newId();
    await prisma.patient.create({ data: { id, clinicId, phone: '+13035550100' } });
    const [provider] = await prisma.provider.findMany({ where: { clinicId } });
    const of = { clinicId, patientId: id, providerId: provider?.id ?? '' };
    return (startsAt: Date, about: About = {}) => anAppointment(startsAt, { ...of, ...about });
  };

  test('goes by the clock of its sandbox where that is on, whether it stands or runs', async () => {
    const real = at('09:00', '2035-01-01');
    const [stands, runs, off] = [
      await withClock(true, null),
      await withClock(true, new Date(real.getTime() - 3_600_000)),
      await withClock(false, null),
    ];
    const ofStanding = [
      await stands(at('11:30')),
      await stands(at('11:00'), { status: 'arrived' }),
      await stands(at('10:00'), { status: 'noshow' }),
      await stands(at('12:01')),
    ];
    const ofRunning = [await runs(at('12:30')), await runs(at('13:00'))];
    const ofOff = [await off(at('08:00', '2034-12-31')), await off(at('11:00'))];
    const plain = [await anAppointment(at('08:00', '2034-12-31')), await anAppointment(at('11:00'))];

    const first = await fulfil(real, 3);
    const second = await fulfil(real);

    expect([first, second]).toEqual([3, 2]);
    expect(await Promise.all([...ofStanding, ...ofRunning].map(statusOf))).toEqual([
      'fulfilled',
      'fulfilled',
      'noshow',
      'booked',
      'fulfilled',
      'booked',
    ]);
    expect(await Promise.all([...ofOff, ...plain].map(statusOf))).toEqual([
      'fulfilled',
      'booked',
      'fulfilled',
      'booked',
    ]);
    // By the real time they are over, by the clock they are not.
    expect(await fulfil(at('23:00'), 1_000)).toBe(3);
    expect(await statusOf(ofStanding[3] ?? '')).toBe('booked');
  });

  test('or was held a day ago is removed, so many at once; what was cancelled stays', async () => {
    const now = at('09:00');
    const old = [
      await anAppointment(at('10:00'), { ...held, createdAt: new Date(now.getTime() - 86_400_002) }),
      await anAppointment(at('11:00'), { ...held, createdAt: new Date(now.getTime() - 86_400_001) }),
    ];
    const young = await anAppointment(at('12:00'), { ...held, createdAt: new Date(now.getTime() - 86_399_999) });
    const gone = { status: 'cancelled' as const, cancelledAt: at('08:00') };
    const cancelled = await anAppointment(at('13:00'), { ...gone, createdAt: new Date(0) });

    await fulfil(now, 1);
    const left = await Promise.all([...old, young, cancelled].map(statusOf));
    await fulfil(now);

    expect(left).toEqual([null, 'cancelled', 'cancelled', 'cancelled']);
    expect(await Promise.all([...old, young, cancelled].map(statusOf))).toEqual([null, null, 'cancelled', 'cancelled']);
  });
});

test('known visit types are those of active providers, and of more than one of the latest appointments', async () => {
  const clinicId = await records.aClinic();
  const { prisma } = records.database;
  const vega = { displayName: 'Dr. Luz Vega', workingHours: {} };
  await records.stores.providers.replace(clinicId, [
    { ...vega, name: 'Dr.Vega', visitTypes: ['Check-up', 'Vaccination'] },
    { ...vega, name: 'Dr.Gone', visitTypes: ['Surgery'] },
  ]);
  await records.stores.providers.replace(clinicId, [
    { ...vega, name: 'Dr.Vega', visitTypes: ['Check-up', 'Vaccination'] },
  ]);
  const id = newId();
  await prisma.patient.create({ data: { id, clinicId, phone: '+13035550100' } });
  const provider = await prisma.provider.findFirstOrThrow({ where: { clinicId, name: 'Dr.Vega' } });
  const of = { clinicId, patientId: id, providerId: provider.id };
  for (const [index, visitType] of ['Flu', 'Flu', 'Once', 'Held'].entries())
    await anAppointment(at(`1${index}:00`), { ...of, visitType, ...(visitType === 'Held' ? held : {}) });
  await anAppointment(at('15:00'), { ...of, visitType: 'Held', ...held });
  for (const time of ['10:00', '11:00']) await anAppointment(at(time), { visitType: 'Of others' });

  expect(await records.stores.providers.knownVisitTypes(clinicId)).toEqual(['Check-up', 'Flu', 'Vaccination']);
});

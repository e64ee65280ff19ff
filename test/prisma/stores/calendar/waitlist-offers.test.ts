import type { Sql } from '@clinic/prisma/sql';
import { newId } from '@clinic/shared/crypto';
import { localDate, plusDays } from '@clinic/shared/domain/calendar/clinic-time';
import type { OfferStatus, WaitlistStatus } from '@clinic/shared/domain/calendar/waitlist';
import { eventually } from '../../../support/eventually';
import { waitingForLocks } from '../../../support/locks';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;
let providerId: string;
let mossId: string;
beforeAll(async () => {
  records = await openRecords();
});
/** What other tests left is nobody's turn any more. */
beforeEach(async () => {
  const { prisma } = records.database;
  await prisma.waitlistOffer.deleteMany();
  await prisma.waitlistEntry.deleteMany();
  await prisma.appointment.deleteMany();
  await prisma.freedTime.deleteMany();
  clinicId = await aClinic();
  [providerId, mossId] = await idsOfProviders(clinicId);
});
afterAll(() => records.close());

const MINUTE_MS = 60_000;
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS);
const at = (time: string, day = '2045-03-06') => new Date(`${day}T${time}:00.000Z`);

async function aClinic({ isSandboxOn = true } = {}): Promise<string> {
  const id = await records.aClinic();
  const [vega] = await records.stores.providers.list(id);
  if (!vega) throw new Error('a clinic has a provider');
  await records.stores.providers.replace(id, [vega, { ...vega, name: 'Dr.Moss', displayName: 'Dr. Moss' }]);
  await records.database.prisma.clinic.update({ where: { id }, data: { sandboxEnabled: isSandboxOn } });
  records.stores.agendas.forget({ table: '*', clinicId: null, id: '*' });
  return id;
}

async function idsOfProviders(clinic: string): Promise<[string, string]> {
  const rows = await records.database.prisma.provider.findMany({
    where: { clinicId: clinic },
    orderBy: { name: 'desc' },
  });
  return [rows[0]?.id ?? '', rows[1]?.id ?? ''];
}

let people = 0;
async function aPerson({ phone, clinic = clinicId }: { phone?: string | null; clinic?: string } = {}): Promise<string> {
  const id = newId();
  const number = `+1303555${String((people += 1)).padStart(4, '0')}`;
  await records.database.prisma.patient.create({
    data: { id, clinicId: clinic, firstName: 'Ann', lastName: 'Lee', phone: phone === undefined ? number : phone },
  });
  return id;
}

interface Wish {
  patientId?: string;
  providerId?: string;
  status?: WaitlistStatus;
  visitType?: string;
  earliestOn?: string;
  latestOn?: string;
  fromTime?: string;
  untilTime?: string;
  notBefore?: Date;
  createdAt?: Date;
}

/** Somebody who takes any time of any provider. */
async function wait({ patientId, ...about }: Wish = {}): Promise<string> {
  const id = newId();
  const wish = { visitType: 'Check-up', earliestOn: '2045-01-01', latestOn: '2045-12-31', addedBy: 'test' };
  const data = { id, clinicId, patientId: patientId ?? (await aPerson()), ...wish, ...about };
  await records.database.prisma.waitlistEntry.create({ data });
  return id;
}

const entry = (id: string) => records.database.prisma.waitlistEntry.findUniqueOrThrow({ where: { id } });
const free = (startsAt = at('10:00'), about: object = {}) =>
  records.database.prisma.freedTime.create({
    data: { clinicId, providerId, startsAt, lookAt: inMinutes(-1), ...about },
  });
const due = async () => (await records.stores.waitlistOffers.due(1_000)).filter((freed) => freed.clinicId === clinicId);
/** One look at the times that are due: the runs that it opened. */
async function look(): Promise<string[]> {
  const opened: string[] = [];
  for (const freed of await due()) {
    const offer = await records.stores.waitlistOffers.offer(freed);
    if (offer) opened.push(offer.workflowId);
  }
  return opened;
}
const offerOf = (workflowId: string) => records.stores.waitlistOffers.ofRun(clinicId, workflowId);
const hold = (id: string) => records.database.prisma.appointment.findUniqueOrThrow({ where: { id } });

/** An offer to somebody who waits for it, of a time of its own. */
async function anOffer(
  startsAt = at('10:00'),
): Promise<{ workflowId: string; entryId: string; appointmentId: string }> {
  const entryId = await wait();
  await free(startsAt);
  const [workflowId = ''] = await look();
  return { workflowId, entryId, appointmentId: (await offerOf(workflowId))?.appointmentId ?? '' };
}

test('times are due once their moment has come, the first first, so many at once', async () => {
  const second = await free(at('11:00'), { lookAt: inMinutes(-2) });
  const first = await free(at('10:00'), { lookAt: inMinutes(-3) });
  await free(at('12:00'), { lookAt: inMinutes(1) });

  expect(await due()).toEqual([first, second].map(({ id }) => ({ id: String(id), clinicId })));
  expect(await records.stores.waitlistOffers.due(1)).toEqual([{ id: String(first.id), clinicId }]);
});

describe('a time that became free', () => {
  const outcome = async () => {
    const opened = await look();
    const left = await records.database.prisma.freedTime.findMany({ where: { clinicId } });
    return { offers: opened.length, kept: left.length };
  };
  const offered = { offers: 1, kept: 0 };
  const nobody = { offers: 0, kept: 0 };

  test.each<[string, object, typeof offered]>([
    ['anybody', {}, offered],
    ['this provider', { providerId: 'vega' }, offered],
    ['another provider', { providerId: 'moss' }, nobody],
    ['who is not called before a time that comes after it', { notBefore: at('10:00') }, nobody],
    ['who was called before', { notBefore: inMinutes(-1) }, offered],
    ['who may be called in time', { notBefore: at('09:00') }, { offers: 0, kept: 1 }],
    ['a later day', { earliestOn: '2045-03-07' }, nobody],
    ['an earlier day', { latestOn: '2045-03-05' }, nobody],
    ['the same day', { earliestOn: '2045-03-06', latestOn: '2045-03-06' }, offered],
    ['a later time', { fromTime: '10:30' }, nobody],
    ['an earlier time', { untilTime: '10:00' }, nobody],
    ['who is off the list', { status: 'removed' }, nobody],
    ['who has one', { status: 'booked' }, nobody],
    ['who is asked about another, and may be asked later', { status: 'offered' }, { offers: 0, kept: 1 }],
    ['who waited until a day that is over', { status: 'expired' }, nobody],
  ])(
    'is offered to who waits for %s: %#',
    async (_who, { providerId: named, ...about }: { providerId?: string }, expected) => {
      const ids: Record<string, string> = { vega: providerId, moss: mossId };
      await wait({ ...about, ...(named && { providerId: ids[named] }) });
      await free();

      expect(await outcome()).toEqual(expected);
    },
  );

  test.each<[string, object, typeof offered]>([
    ['the provider is gone', { providerId: 'gone' }, nobody],
    ['it is off the hours', { startsAt: at('20:00') }, nobody],
    ['it has begun', { startsAt: new Date('2020-03-06T10:00:00Z') }, nobody],
    ['it is off the grid', { startsAt: at('10:07') }, nobody],
  ])('is forgotten where %s: %#', async (_why, about: { startsAt?: Date }, expected) => {
    await wait();
    await free(about.startsAt, about);

    expect(await outcome()).toEqual(expected);
  });

  test('is nobody’s where calls do not act on this calendar, and somebody’s where the clinic books here', async () => {
    clinicId = await aClinic({ isSandboxOn: false });
    [providerId] = await idsOfProviders(clinicId);
    await wait();
    await free();
    const without = await outcome();
    await records.database.prisma.callingPolicy.update({ where: { clinicId }, data: { booksInOwnCalendar: true } });
    await free();

    expect([without, await outcome()]).toEqual([nobody, offered]);
  });

  test.each<[how: string, heldFor: number | null, expected: typeof offered]>([
    ['booked', null, nobody],
    ['held', 5, nobody],
    ['held, which is over', -1, { offers: 1, kept: 1 }],
    ['held for longer than anybody may', 17, { offers: 1, kept: 1 }],
  ])('is forgotten where somebody has it again, and offered where they had: %s', async (_how, heldFor, expected) => {
    await wait();
    const endsAt = at('10:30');
    const taken = {
      clinicId,
      patientId: await aPerson(),
      providerId,
      visitType: 'Check-up',
      startsAt: at('10:00'),
      endsAt,
    };
    const as = heldFor === null ? { status: 'booked' } : { status: 'cancelled', heldUntil: inMinutes(heldFor) };
    await records.database.prisma.appointment.create({ data: { id: newId(), ...taken, ...as } });
    await free();

    expect(await outcome()).toEqual(expected);
  });

  test('is held for the first who waits, whose run it opens; the others wait on', async () => {
    const first = await wait({ createdAt: inMinutes(-10), notBefore: inMinutes(-1) });
    const second = await wait({ createdAt: inMinutes(-5) });
    await free();

    const [workflowId = ''] = await look();

    const offer = await offerOf(workflowId);
    const run = await records.database.prisma.workflowRun.findUniqueOrThrow({ where: { id: workflowId } });
    const { patientId } = await entry(first);
    expect(offer).toMatchObject({
      status: 'open',
      providerName: 'Dr.Vega',
      visitType: 'Check-up',
      startsAt: at('10:00'),
    });
    expect(run).toMatchObject({
      workflowType: 'waitlist-offer',
      patientId,
      isSimulated: true,
      context: { appointment: { providerName: 'Dr.Vega', startsAt: at('10:00').toISOString(), visitType: 'Check-up' } },
    });
    const held = await hold(offer?.appointmentId ?? '');
    expect(held).toMatchObject({
      patientId,
      providerId,
      status: 'cancelled',
      startsAt: at('10:00'),
      endsAt: at('10:30'),
    });
    expect(Math.abs((held.heldUntil?.getTime() ?? 0) - inMinutes(15).getTime())).toBeLessThan(MINUTE_MS);
    expect([(await entry(first)).status, (await entry(second)).status]).toEqual(['offered', 'waiting']);
    expect((await entry(first)).notBefore).toBeNull();
  });

  test('is offered to nobody who cannot be called, who is called already, or who said no to it', async () => {
    const optedOut = await aPerson({ phone: '+13035559999' });
    await records.stores.optOuts.add(clinicId, '+13035559999', { actor: 'account:ann' });
    await wait({ patientId: optedOut });
    await wait({ patientId: await aPerson({ phone: null }) });
    const busy = await aPerson();
    await wait({ patientId: busy, status: 'offered' });
    await wait({ patientId: busy, visitType: 'Vaccination' });
    await free();

    expect((await outcome()).offers).toBe(0);
  });

  test.each<[OfferStatus, boolean]>([
    ['declined', false],
    ['lapsed', false],
    ['withdrawn', false],
    ['postponed', true],
  ])('is offered again to whose offer of it was %s: %s', async (as, isOffered) => {
    const { workflowId, entryId } = await anOffer();
    const { prisma } = records.database;
    await prisma.waitlistOffer.updateMany({ where: { workflowId }, data: { status: as } });
    await prisma.appointment.deleteMany({ where: { clinicId } });
    await prisma.freedTime.deleteMany({ where: { clinicId } });
    const { patientId } = await entry(entryId);
    await prisma.waitlistEntry.update({ where: { id: entryId }, data: { status: 'removed' } });
    await wait({ patientId });

    await free();
    const ofSame = await outcome();
    await free(at('11:00'));
    const ofLater = isOffered ? null : await outcome();

    expect(ofSame).toEqual(isOffered ? offered : nobody);
    expect(ofLater).toEqual(isOffered ? null : offered);
  });

  test('is put off while outreach of this kind is paused, to the end of the pause or a minute', async () => {
    const { prisma } = records.database;
    await wait();
    const freed = await free();
    const pause = (endsAt: Date | null) =>
      prisma.outreachPause.create({ data: { id: newId(), clinicId, reason: 'a test', pausedBy: 'test', endsAt } });
    const lookAt = async () => {
      await prisma.freedTime.updateMany({ where: { clinicId }, data: { lookAt: inMinutes(-1) } });
      expect(await look()).toEqual([]);
      await prisma.outreachPause.deleteMany({ where: { clinicId } });
      return (await prisma.freedTime.findUniqueOrThrow({ where: { id: freed.id } })).lookAt;
    };
    const soon = inMinutes(0.5);

    await pause(soon);
    const untilItsEnd = await lookAt();
    await pause(inMinutes(60));
    const aMinute = await lookAt();
    await pause(null);
    const open = await lookAt();

    expect(untilItsEnd).toEqual(soon);
    for (const each of [aMinute, open]) expect(Math.abs(each.getTime() - inMinutes(1).getTime())).toBeLessThan(20_000);
  });
});

describe('an offer that ends', () => {
  const ends: [string, (workflowId: string) => Promise<unknown>, OfferStatus, WaitlistStatus][] = [
    ['is declined', (id) => decline(id), 'declined', 'waiting'],
    ['is declined for good', (id) => decline(id, true), 'declined', 'removed'],
    ['is put off', (id) => postpone(id), 'postponed', 'waiting'],
    ['lapses', (id) => lapse(id), 'lapsed', 'waiting'],
    ['is withdrawn', (id) => withdraw(id), 'withdrawn', 'removed'],
  ];
  const decline = (workflowId: string, leavesList = false) =>
    records.stores.waitlistOffers.decline({ clinicId, workflowId, leavesList });
  const postpone = (workflowId: string) =>
    records.stores.waitlistOffers.postpone({ clinicId, workflowId, until: at('08:00').toISOString() });
  const lapse = async (workflowId: string) => {
    await records.database.prisma.waitlistOffer.updateMany({ where: { workflowId }, data: { endsAt: inMinutes(-1) } });
    return records.stores.waitlistOffers.endOverdue();
  };
  const withdraw = async (workflowId: string) => {
    const offer = await records.database.prisma.waitlistOffer.findFirstOrThrow({ where: { workflowId } });
    return records.stores.waitlist.remove(clinicId, offer.entryId);
  };

  test.each(ends)(
    'because it %s frees its time, and leaves every other offer as it is',
    async (_how, end, status, of) => {
      const [other, mine] = [await anOffer(at('11:00')), await anOffer()];

      await end(mine.workflowId);
      await end(mine.workflowId);

      expect([(await offerOf(mine.workflowId))?.status, (await entry(mine.entryId)).status]).toEqual([status, of]);
      expect((await hold(mine.appointmentId)).cancelledAt).not.toBeNull();
      expect([(await offerOf(other.workflowId))?.status, (await entry(other.entryId)).status]).toEqual([
        'open',
        'offered',
      ]);
      expect((await hold(other.appointmentId)).cancelledAt).toBeNull();
      const { notBefore } = await entry(mine.entryId);
      expect(notBefore).toEqual(status === 'postponed' ? at('08:00') : null);
      expect((await entry(other.entryId)).notBefore).toBeNull();
      const messages = await records.database.prisma.workflowMessage.findMany({
        where: { workflowId: mine.workflowId },
      });
      expect(messages.map(({ signal }) => signal)).toEqual(
        status === 'lapsed' || status === 'withdrawn' ? ['rulesChanged'] : [],
      );
      expect((await entry(mine.entryId)).endedAt !== null).toBe(of === 'removed');
    },
  );

  test.each(['booked', 'removed', 'expired'] as const)(
    'leaves an entry that is %s by then as it is',
    async (status) => {
      const { workflowId, entryId, appointmentId } = await anOffer();
      await records.database.prisma.waitlistEntry.update({ where: { id: entryId }, data: { status } });

      await decline(workflowId);

      expect([(await offerOf(workflowId))?.status, (await entry(entryId)).status]).toEqual(['declined', status]);
      expect((await hold(appointmentId)).cancelledAt).not.toBeNull();
    },
  );

  test('has other times of the clinic looked at again, and none of another clinic', async () => {
    const { prisma } = records.database;
    const { workflowId } = await anOffer();
    const lookAt = inMinutes(30);
    const mine = await free(at('11:00'), { lookAt });
    const elsewhere = await prisma.freedTime.create({
      data: { clinicId: records.otherClinicId, providerId, startsAt: at('11:00'), lookAt },
    });
    const of = async ({ id }: { id: bigint }) => (await prisma.freedTime.findUniqueOrThrow({ where: { id } })).lookAt;
    const isDue = await free(at('12:00'), { lookAt: inMinutes(-30) });

    await decline(workflowId);

    expect(await of(isDue)).toEqual(isDue.lookAt);
    expect((await of(mine)).getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(await of(elsewhere)).toEqual(lookAt);
  });

  test('because its time is up does so by the minute, and not while a call of its run is under way', async () => {
    const { prisma } = records.database;
    const { waitlistOffers } = records.stores;
    const [up, talking, talked, open] = [
      await anOffer(),
      await anOffer(at('11:00')),
      await anOffer(at('12:00')),
      await anOffer(at('13:00')),
    ];
    const call = async ({ workflowId, entryId }: typeof up) => {
      const { patientId } = await entry(entryId);
      const { phone } = await prisma.patient.findUniqueOrThrow({ where: { id: patientId } });
      const of = { clinicId, workflowId, workflowType: 'waitlist-offer' as const, patientId, caseId: null };
      return records.aPlacedCall({ ...of, phone: phone ?? '', sessionId: '' });
    };
    const { callId } = await call(talked);
    await prisma.call.update({ where: { id: callId }, data: { state: 'ENDED' } });
    await call(talking);
    for (const { workflowId } of [up, talking, talked])
      await prisma.waitlistOffer.updateMany({ where: { workflowId }, data: { endsAt: inMinutes(-0.1) } });

    expect(await waitlistOffers.endOverdue()).toBe(2);

    const statuses = await Promise.all([up, talking, talked, open].map(({ workflowId }) => offerOf(workflowId)));
    expect(statuses.map((offer) => offer?.status)).toEqual(['lapsed', 'open', 'lapsed', 'open']);
  });
});

describe('a hold that is over', () => {
  const aHold = async (heldUntil: Date, about: object = {}) => {
    const id = newId();
    const of = { clinicId, patientId: await aPerson(), providerId, visitType: 'Check-up', status: 'cancelled' };
    await records.database.prisma.appointment.create({
      data: { id, ...of, startsAt: at('15:00'), endsAt: at('15:30'), heldUntil, ...about },
    });
    return id;
  };
  const isEnded = async (id: string) => (await hold(id)).cancelledAt !== null;

  test.each<[string, { heldUntil?: Date; startsAt?: Date; endsAt?: Date }, WaitlistStatus | null, boolean]>([
    ['while somebody waits', {}, 'waiting', true],
    ['while somebody is asked', {}, 'offered', true],
    ['while nobody waits', {}, null, false],
    ['while nobody waits any more', {}, 'removed', false],
    ['not yet', { heldUntil: inMinutes(5) }, 'waiting', false],
    [
      'and has begun',
      { startsAt: new Date('2020-01-01T10:00:00Z'), endsAt: new Date('2020-01-01T10:30:00Z') },
      'waiting',
      false,
    ],
  ])('%s: %#', async (_when, { heldUntil = inMinutes(-1), ...about }, status, expected) => {
    if (status) await wait({ status });
    const id = await aHold(heldUntil, about);

    const count = await records.stores.waitlistOffers.endOverdue();

    expect([count, await isEnded(id)]).toEqual([Number(expected), expected]);
  });

  test('stays where it is offered, where calls do not act here, and by the clock of its sandbox', async () => {
    const { prisma } = records.database;
    const { appointmentId } = await anOffer();
    await prisma.appointment.update({ where: { id: appointmentId }, data: { heldUntil: inMinutes(-1) } });
    const shown = at('09:00');
    await prisma.sandboxClock.create({ data: { clinicId, shows: shown, runsSince: null } });
    const [over, held] = [
      await aHold(new Date(shown.getTime() - 1)),
      await aHold(new Date(shown.getTime() + 1), { startsAt: at('16:00'), endsAt: at('16:30') }),
    ];

    expect(await records.stores.waitlistOffers.endOverdue()).toBe(1);
    expect([await isEnded(over), await isEnded(held), await isEnded(appointmentId)]).toEqual([true, false, false]);
    await prisma.sandboxClock.update({ where: { clinicId }, data: { runsSince: inMinutes(-1) } });
    expect(await records.stores.waitlistOffers.endOverdue()).toBe(1);
    expect(await isEnded(held)).toBe(true);

    await prisma.clinic.update({ where: { id: clinicId }, data: { sandboxEnabled: false } });
    const elsewhere = await aHold(inMinutes(-1), { startsAt: at('16:00'), endsAt: at('16:30') });
    const realHeld = await aHold(inMinutes(5), { startsAt: at('17:00'), endsAt: at('17:30') });
    expect(await records.stores.waitlistOffers.endOverdue()).toBe(0);
    await prisma.callingPolicy.update({ where: { clinicId }, data: { booksInOwnCalendar: true } });
    expect(await records.stores.waitlistOffers.endOverdue()).toBe(1);
    expect([await isEnded(elsewhere), await isEnded(realHeld)]).toEqual([true, false]);
  });
});

test('holds that are over are ended five hundred at a time, those first that are over for longest', async () => {
  await wait();
  await records.database.sql`
    insert into appointments (id, clinic_id, patient_id, provider_id, status, visit_type, starts_at, ends_at, held_until)
    select ${clinicId} || '-over-' || n, ${clinicId}, ${await aPerson()}, ${providerId}, 'cancelled', 'Check-up',
      timestamptz '2036-01-01 00:00:00Z' + make_interval(mins => n * 30), timestamptz '2036-01-01 00:30:00Z' + make_interval(mins => n * 30),
      now() - make_interval(mins => n)
    from generate_series(1, 501) n`;
  const left = () =>
    records.database.prisma.appointment.findMany({
      where: { clinicId, heldUntil: { not: null }, cancelledAt: null },
      select: { id: true },
    });

  expect([await records.stores.waitlistOffers.endOverdue(), await left()]).toEqual([
    500,
    [{ id: `${clinicId}-over-1` }],
  ]);
  expect([await records.stores.waitlistOffers.endOverdue(), await left()]).toEqual([1, []]);
});

describe('an offer that is taken', () => {
  const accept = (workflowId: string) => records.stores.waitlistOffers.accept(clinicId, workflowId);

  test('is booked once, and takes its entry off the list; other offers stay', async () => {
    const [other, mine] = [await anOffer(at('11:00')), await anOffer()];

    const [first, again] = [await accept(mine.workflowId), await accept(mine.workflowId)];

    expect(first).toMatchObject({ kind: 'booked', offer: { status: 'accepted', appointmentId: mine.appointmentId } });
    expect(again).toEqual(first);
    expect(await hold(mine.appointmentId)).toMatchObject({ status: 'booked', heldUntil: null });
    const { status, endedAt } = await entry(mine.entryId);
    expect([status, endedAt === null]).toEqual(['booked', false]);
    expect([(await offerOf(other.workflowId))?.status, (await entry(other.entryId)).status]).toEqual([
      'open',
      'offered',
    ]);
    expect((await hold(other.appointmentId)).status).toBe('cancelled');
    const found = await records.stores.waitlist.find(clinicId, mine.entryId);
    expect(found).toMatchObject({ appointmentId: mine.appointmentId, offeredAt: at('10:00') });
    expect(found?.offers).toMatchObject([{ providerDisplayName: 'Dr. Luz Vega', status: 'accepted' }]);
  });

  test.each<[string, object, string]>([
    ['is not held any more', { cancelledAt: new Date() }, 'over'],
    ['is no hold any more', { heldUntil: null, status: 'booked' }, 'over'],
    ['has begun', { startsAt: new Date('2020-01-01T10:00:00Z'), endsAt: new Date('2020-01-01T10:30:00Z') }, 'over'],
  ])('is not booked where the time %s', async (_how, data, kind) => {
    const { workflowId, appointmentId, entryId } = await anOffer();
    await records.database.prisma.appointment.update({ where: { id: appointmentId }, data });

    expect((await accept(workflowId)).kind).toBe(kind);
    expect((await offerOf(workflowId))?.status).toBe('open');
    expect((await entry(entryId)).status).toBe('offered');
    expect((await accept('unknown')).kind).toBe('unknown');
  });

  test('is not booked once it has ended, or when its time begins by the clock of the sandbox', async () => {
    const { prisma } = records.database;
    const [ended, begun] = [await anOffer(at('11:00')), await anOffer()];
    await prisma.waitlistOffer.updateMany({ where: { workflowId: ended.workflowId }, data: { status: 'declined' } });
    const ofEnded = await accept(ended.workflowId);
    await prisma.sandboxClock.create({ data: { clinicId, shows: at('10:00'), runsSince: null } });
    records.stores.agendas.forget({ table: '*', clinicId: null, id: '*' });

    expect([ofEnded.kind, (await accept(begun.workflowId)).kind]).toEqual(['over', 'over']);
    expect((await hold(ended.appointmentId)).status).toBe('cancelled');
  });

  test('goes on for longer once its patient has picked up, never for less, and no other does', async () => {
    const { prisma } = records.database;
    const [other, mine] = [await anOffer(at('11:00')), await anOffer()];
    const prolong = (workflowId: string) => records.stores.waitlistOffers.prolong(clinicId, workflowId);
    const ends = async ({ workflowId, appointmentId }: typeof mine) => [
      (await prisma.waitlistOffer.findFirstOrThrow({ where: { workflowId } })).endsAt.getTime(),
      (await hold(appointmentId)).heldUntil?.getTime() ?? 0,
    ];
    const shortly = inMinutes(1);
    for (const { workflowId, appointmentId } of [mine, other]) {
      await prisma.waitlistOffer.updateMany({ where: { workflowId }, data: { endsAt: shortly } });
      await prisma.appointment.update({ where: { id: appointmentId }, data: { heldUntil: shortly } });
    }

    const isProlonged = await prolong(mine.workflowId);
    const [ended = 0, held = 0] = await ends(mine);
    await prisma.appointment.update({ where: { id: mine.appointmentId }, data: { heldUntil: inMinutes(50) } });
    await prisma.waitlistOffer.updateMany({ where: { workflowId: mine.workflowId }, data: { endsAt: inMinutes(600) } });
    const far = await ends(mine);
    await prolong(mine.workflowId);

    expect(isProlonged).toBe(true);
    expect(ended).toBeGreaterThan(shortly.getTime());
    expect(Math.abs(held - inMinutes(15).getTime())).toBeLessThan(MINUTE_MS);
    expect(await ends(mine)).toEqual(far);
    expect(await ends(other)).toEqual([shortly.getTime(), shortly.getTime()]);
    await prisma.appointment.update({ where: { id: mine.appointmentId }, data: { cancelledAt: new Date() } });
    expect(await prolong(mine.workflowId)).toBe(false);
  });
});

describe('the list', () => {
  const wish = {
    visitType: 'Check-up',
    earliestOn: '2045-01-01',
    latestOn: '2045-12-31',
    fromTime: null,
    untilTime: null,
  };
  const add = async (about: { patientId: string; provider?: string | null; visitType?: string }) => {
    const added = await records.stores.waitlist.add({ clinicId, provider: null, ...wish, ...about }, 'account:ann');
    return added.kind === 'added' ? added.entry.id : added.kind;
  };

  test('keeps one place for one wish of a patient, and another for any that differs', async () => {
    const patientId = await aPerson();
    const first = await add({ patientId });
    const others = [
      { visitType: 'Vaccination' },
      { earliestOn: '2045-01-02' },
      { latestOn: '2045-12-30' },
      { fromTime: '09:00' },
      { untilTime: '12:00' },
      { provider: 'Dr.Moss' },
    ];
    const ids = [];
    for (const about of others) ids.push(await add({ patientId, ...about }));
    const again = [];
    for (const about of [{}, ...others]) again.push(await add({ patientId, ...about }));

    expect(new Set([first, ...ids]).size).toBe(7);
    expect(again).toEqual([first, ...ids]);
    expect(await add({ patientId: await aPerson() })).not.toBe(first);
    await records.stores.waitlist.remove(clinicId, first);
    const anew = await add({ patientId });
    expect([first, ...ids]).not.toContain(anew);
    expect([await add({ patientId: newId() }), await add({ patientId, provider: 'Dr.Who' })]).toEqual([
      'unknown_patient',
      'unknown_provider',
    ]);
  });

  test('has ten open places for a patient at most', async () => {
    const patientId = await aPerson();
    await wait({ patientId, status: 'removed' });
    await wait({ patientId, status: 'booked' });
    await wait({ patientId, status: 'offered' });
    for (let count = 1; count < 9; count += 1) await wait({ patientId, visitType: `Visit ${count}` });
    const tenth = await add({ patientId, visitType: 'Visit 9' });

    expect(await add({ patientId, visitType: 'Vaccination' })).toBe('too_many');
    expect(await add({ patientId, visitType: 'Visit 9' })).toBe(tenth);
    expect(await add({ patientId: await aPerson() })).not.toBe('too_many');
  });

  test('shows the open ones first come first, else the newest first, by patient and status, page by page', async () => {
    const patientId = await aPerson();
    const one = await wait({ createdAt: inMinutes(-3), patientId });
    const two = await wait({ createdAt: inMinutes(-2), status: 'removed', patientId });
    const three = await wait({ createdAt: inMinutes(-1), status: 'offered' });
    const list = async (filter: object) =>
      (await records.stores.waitlist.list(clinicId, { limit: 50, ...filter })).items.map(({ id }) => id);

    expect(await list({})).toEqual([three, two, one]);
    expect(await list({ isOpen: true })).toEqual([one, three]);
    expect(await list({ isOpen: true, status: 'removed' })).toEqual([]);
    expect(await list({ status: 'removed' })).toEqual([two]);
    expect(await list({ patientId })).toEqual([two, one]);
    const first = await records.stores.waitlist.list(clinicId, { limit: 1, isOpen: true });
    const cursor = first.nextCursor ?? '';
    expect(await list({ limit: 1, isOpen: true, cursor })).toEqual([three]);
    expect(await records.stores.waitlist.find(clinicId, one)).toMatchObject({
      patientName: 'Ann Lee',
      offeredAt: null,
    });
  });

  test.each<[phone: string | null, names: object, patientName: string]>([
    ['+13035550999', {}, 'Ann Lee'],
    ['', { lastName: '' }, 'Ann'],
    [null, { firstName: '' }, 'Lee'],
  ])('shows who waits, by which phone, for what and with whom: %s', async (phone, names, patientName) => {
    const patientId = await aPerson({ phone });
    await records.database.prisma.patient.update({ where: { id: patientId }, data: names });
    const createdAt = inMinutes(-5);
    const hours = { fromTime: '09:00', untilTime: '12:00' };
    const id = await wait({ patientId, providerId: mossId, createdAt, ...hours });
    const { providerName, ...anybodys } = (await records.stores.waitlist.find(clinicId, await wait())) ?? {};

    expect(await records.stores.waitlist.find(clinicId, id)).toEqual({
      id,
      clinicId,
      patientId,
      patientName,
      phone: phone || null,
      providerName: 'Dr.Moss',
      visitType: 'Check-up',
      earliestOn: '2045-01-01',
      latestOn: '2045-12-31',
      ...hours,
      status: 'waiting',
      offeredAt: null,
      appointmentId: null,
      offers: [],
      createdAt,
      endedAt: null,
    });
    expect([providerName, anybodys]).toMatchObject([null, { fromTime: null, untilTime: null }]);
  });
});

test.each(['removal', 'reset'])(
  'who is taken off the list by a %s while a time is just being offered to them is called about none',
  async (how) => {
    const { database, stores } = records;
    const patientId = await aPerson();
    const entryId = await wait({ patientId });
    await database.prisma.patient.update({ where: { id: patientId }, data: { inSandbox: true } });
    await free();
    const takeOff = () =>
      how === 'removal'
        ? stores.waitlist.remove(clinicId, entryId)
        : stores.sandboxData.reset({ clinicId, realNow: new Date() });
    const { offering, removing } = await database.transaction(async (tx) => {
      // Somebody books the time, and lets it go again: the offer waits for that.
      const other = { id: newId(), patientId: await aPerson() };
      await tx`
        insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at)
        values (${other.id}, ${clinicId}, ${other.patientId}, ${providerId}, 'Check-up', ${at('10:00')}, ${at('10:30')})`;
      const looking = look();
      await eventually(async () => (await waitingForLocks(database)) === 1);
      const taking = takeOff();
      await eventually(async () => (await waitingForLocks(database)) === 2);
      await tx`delete from appointments where id = ${other.id}`;
      return { offering: looking, removing: taking };
    });
    const [workflowId = ''] = await offering;
    await removing;

    expect((await entry(entryId)).status).toBe('removed');
    const { status, appointmentId } = (await offerOf(workflowId)) ?? { status: null, appointmentId: '' };
    expect(status).toBe('withdrawn');
    const held = await database.prisma.appointment.findUnique({ where: { id: appointmentId } });
    expect(held === null || held.cancelledAt !== null).toBe(true);
  },
);

describe('a freed time that another process has in hand', () => {
  const inHand = (id: bigint, ask: () => Promise<unknown>) =>
    records.database.transaction(async (tx) => {
      await tx`select id from freed_times where id = ${String(id)}::bigint for update`;
      return ask();
    });
  const lookAt = async (id: bigint) =>
    (await records.database.prisma.freedTime.findUniqueOrThrow({ where: { id } })).lookAt;

  test('is offered to nobody', async () => {
    const entryId = await wait();
    const { id } = await free();

    expect(await inHand(id, look)).toEqual([]);
    expect((await entry(entryId)).status).toBe('waiting');
  });

  test('keeps nobody from declining another, and is not looked at again for it', async () => {
    const { workflowId } = await anOffer();
    const [later, held] = [inMinutes(30), await free(at('12:00'), { lookAt: inMinutes(30) })];
    const another = await free(at('13:00'), { lookAt: later });

    const decline = () => records.stores.waitlistOffers.decline({ clinicId, workflowId, leavesList: false });
    expect(await inHand(held.id, decline)).toBe(true);
    expect(await lookAt(held.id)).toEqual(held.lookAt);
    expect((await lookAt(another.id)).getTime()).toBeLessThan(later.getTime());
  });
});

test.each<[string, (tx: Sql, workflowId: string) => Promise<unknown>, string]>([
  ["its provider's turn", (tx: Sql) => tx`select pg_advisory_xact_lock(hashtextextended(${providerId}, 0))`, 'booked'],
  [
    'who declines it',
    (tx: Sql, workflowId) => tx`update waitlist_offers set status = 'declined' where workflow_id = ${workflowId}`,
    'over',
  ],
])('who accepts an offer waits for %s before the held time is changed', async (_what, take, expected) => {
  const { database, stores } = records;
  const { workflowId, appointmentId } = await anOffer();
  const { accepting } = await database.transaction(async (tx) => {
    await take(tx, workflowId);
    const asked = stores.waitlistOffers.accept(clinicId, workflowId);
    await eventually(async () => (await waitingForLocks(database)) === 1);
    await tx`select id from appointments where id = ${appointmentId} for update nowait`;
    return { accepting: asked };
  });

  expect((await accepting).kind).toBe(expected);
});

test('the wish of who is just being offered a time is ended by nobody meanwhile', async () => {
  const { database } = records;
  const entryId = await wait();
  await free();
  const { offering } = await database.transaction(async (tx) => {
    // Somebody books the time: the offer waits for that, and has looked at the list.
    const patientId = await aPerson();
    await tx`
      insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at)
      values (${newId()}, ${clinicId}, ${patientId}, ${providerId}, 'Check-up', ${at('10:00')}, ${at('10:30')})`;
    const looking = look();
    await eventually(async () => (await waitingForLocks(database)) === 1);
    const ending = database.sql`select id from waitlist_entries where id = ${entryId} for update nowait`;
    await expect(ending).rejects.toThrow('could not obtain lock');
    return { offering: looking };
  });
  expect(await offering).toEqual([]);
});

test('the last five offers of an entry are shown, the newest first', async () => {
  const entryId = await wait();
  const other = await wait();
  const { prisma } = records.database;
  const hours = [9, 10, 11, 12, 13, 14];
  for (const hour of hours) {
    const { workflowId } = await records.aRun({ clinicId });
    const startsAt = at(`${String(hour).padStart(2, '0')}:00`);
    const about = {
      workflowId,
      providerId: mossId,
      startsAt,
      appointmentId: newId(),
      status: 'declined',
      endsAt: startsAt,
    };
    await prisma.waitlistOffer.create({
      data: { id: newId(), clinicId, entryId, ...about, offeredAt: inMinutes(-hour) },
    });
  }

  const found = await records.stores.waitlist.find(clinicId, entryId);

  expect(found?.offers.map(({ startsAt }) => startsAt.getUTCHours())).toEqual([9, 10, 11, 12, 13]);
  expect(found?.offers[0]).toMatchObject({ providerDisplayName: 'Dr. Moss', status: 'declined' });
  expect([found?.offeredAt, found?.appointmentId]).toEqual([null, null]);
  expect((await records.stores.waitlist.find(clinicId, other))?.offers).toEqual([]);
});

test('offers of one instant are shown in the order of their ids', async () => {
  const entryId = await wait();
  const about = { clinicId, entryId, providerId, status: 'declined', endsAt: at('08:00'), offeredAt: inMinutes(-1) };
  for (const place of [2, 1, 4, 3]) {
    const { workflowId } = await records.aRun({ clinicId });
    await records.database.prisma.waitlistOffer.create({
      data: { id: `${place}-${entryId}`, ...about, workflowId, startsAt: at(`1${place}:00`), appointmentId: newId() },
    });
  }

  const found = await records.stores.waitlist.find(clinicId, entryId);

  expect(found?.offers.map(({ startsAt }) => startsAt.getUTCHours())).toEqual([14, 13, 12, 11]);
});

describe('entries whose last day is over', () => {
  test.each<[string, object, boolean]>([
    ['yesterday', { latestOn: '2045-03-05' }, true],
    ['today', { latestOn: '2045-03-06' }, false],
    ['while they are asked', { latestOn: '2045-03-05', status: 'offered' }, false],
  ])('by the clock of the sandbox, %s: %#', async (_when, about, isExpired) => {
    const id = await wait(about);
    await records.database.prisma.sandboxClock.create({ data: { clinicId, shows: at('23:00'), runsSince: null } });

    expect(await records.stores.waitlistOffers.endExpired()).toBe(Number(isExpired));
    const { status, endedAt } = await entry(id);
    expect([status === 'expired', endedAt !== null]).toEqual([isExpired, isExpired]);
  });

  test('go by the clock that the service knows, whatever PostgreSQL knows of the zone', async () => {
    const [zone, shows] = ['America/Vancouver', new Date('2026-11-23T07:30:00.000Z')];
    const today = localDate(shows.toISOString(), zone);
    await records.database.prisma.clinic.update({ where: { id: clinicId }, data: { timezone: zone } });
    const [over, last] = [await wait({ latestOn: plusDays(today, -1) }), await wait({ latestOn: today })];
    await records.database.prisma.sandboxClock.create({ data: { clinicId, shows, runsSince: null } });

    expect(await records.stores.waitlistOffers.endExpired()).toBe(1);
    expect([(await entry(over)).status, (await entry(last)).status]).toEqual(['expired', 'waiting']);
  });

  test('go by the real day where the sandbox is off, and by a clock that runs', async () => {
    const { prisma } = records.database;
    const id = await wait({ latestOn: '2045-03-06' });
    await prisma.sandboxClock.create({ data: { clinicId, shows: at('23:30'), runsSince: inMinutes(-60) } });
    await prisma.clinic.update({ where: { id: clinicId }, data: { sandboxEnabled: false } });
    const byRealDay = await records.stores.waitlistOffers.endExpired();
    await prisma.clinic.update({ where: { id: clinicId }, data: { sandboxEnabled: true } });

    expect([byRealDay, await records.stores.waitlistOffers.endExpired()]).toEqual([0, 1]);
    expect((await entry(id)).status).toBe('expired');
  });
});

test('who waits for the time of an appointment are counted by person, without its own patient', async () => {
  const patientId = await aPerson();
  const id = newId();
  const of = { clinicId, patientId, providerId, visitType: 'Check-up', startsAt: at('10:00'), endsAt: at('10:30') };
  await records.database.prisma.appointment.create({ data: { id, ...of, status: 'booked' } });
  const twice = await aPerson();
  await wait({ patientId: twice });
  await wait({ patientId: twice, providerId });
  await wait({ providerId });
  await wait({ providerId: mossId });
  await wait({ latestOn: '2045-03-05' });
  await wait({ status: 'offered' });
  await wait({ patientId });
  const waiting = () => records.stores.visits.waitingForTimeOf(clinicId, id);

  expect(await waiting()).toEqual({ count: 2, isOffered: true });
  await records.database.prisma.clinic.update({ where: { id: clinicId }, data: { sandboxEnabled: false } });
  expect(await waiting()).toEqual({ count: 2, isOffered: false });
  await records.database.prisma.callingPolicy.update({ where: { clinicId }, data: { booksInOwnCalendar: true } });
  expect(await waiting()).toEqual({ count: 2, isOffered: true });
  expect(await records.stores.visits.waitingForTimeOf(clinicId, newId())).toBeNull();
});

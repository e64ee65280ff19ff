import type { ChangeOfAppointment } from '@clinic/prisma/stores/calendar/appointments';
import { newId } from '@clinic/shared/crypto';
import type { VisitNote } from '@clinic/shared/domain/calendar/appointment-status';
import { seeded } from '../../../shared/domain/calendar/seeded';
import { eventually } from '../../../support/eventually';
import { waitingForLocks } from '../../../support/locks';
import { openRecords, type Records } from '../../../support/records';
import { thorough } from '../../../support/thorough';
import { waitlistFaults } from '../../../support/waitlist';

let records: Records;
let patientId: string;
beforeAll(async () => {
  records = await openRecords();
  patientId = await records.aPatient();
  const [vega] = await records.stores.providers.list(records.clinicId);
  const providers = ['Dr.Vega', 'Dr.Moss'].map((name) => ({
    displayName: name,
    workingHours: {},
    visitTypes: [],
    ...vega,
    name,
  }));
  await records.stores.providers.replace(records.clinicId, providers);
});
afterAll(() => records.close());

const now = new Date('2035-01-01T00:00:00Z');
let days = 0;
/** A time of a day that no other test uses. */
const aTime = (time = '10:00') =>
  `${new Date(Date.UTC(2035, 1, (days += 1))).toISOString().slice(0, 10)}T${time}:00.000Z`;

const book = (startsAt: string, about: object = {}) =>
  records.stores.appointments.book({
    clinicId: records.clinicId,
    patientId,
    provider: 'Dr.Vega',
    visitType: 'Follow-up consultation',
    startsAt,
    now,
    ...about,
  });
const booked = async (startsAt: string) => {
  const booking = await book(startsAt);
  if (booking.kind !== 'booked') throw new Error(booking.kind);
  return booking.appointment.id;
};
const inClinic = () => records.clinicId;
const reschedule = (appointmentId: string, startsAt: string, about: object = {}) =>
  records.stores.appointments.reschedule({ clinicId: inClinic(), appointmentId, startsAt, now, ...about });
const cancel = (appointmentId: string, clinicId = inClinic()) =>
  records.stores.appointments.cancel({ clinicId, appointmentId });
const find = (id: string) => records.stores.appointments.find(inClinic(), id);

test('a booking that is made twice under one id is one booking', async () => {
  const [appointmentId, startsAt] = [newId(), aTime()];

  const [first, second] = [await book(startsAt, { appointmentId }), await book(startsAt, { appointmentId })];

  expect(first).toMatchObject({ kind: 'booked', appointment: { id: appointmentId } });
  expect(second).toMatchObject({ kind: 'booked', appointment: { id: appointmentId } });
  expect(await records.database.prisma.appointment.count({ where: { startsAt: new Date(startsAt) } })).toBe(1);
});

describe('whose answer was lost is found again by its own id', () => {
  const about = () => ({
    clinicId: inClinic(),
    patientId,
    provider: 'Dr.Vega',
    visitType: 'Follow-up consultation',
    now,
  });
  const vega = { name: 'Dr.Vega', displayName: 'Dr. Luz Vega', visitTypes: [] };

  test('a booking, also when its time has begun, is off the hours or of a provider who has left', async () => {
    const wanted = [
      { startsAt: aTime(), appointmentId: newId() },
      { startsAt: aTime(), identifier: `urn:test|${newId()}` },
    ];
    const first = await Promise.all(wanted.map(({ startsAt, ...own }) => book(startsAt, own)));
    const repeated = (at: object = {}) =>
      Promise.all(wanted.map(({ startsAt, ...own }) => book(startsAt, { ...own, ...at })));
    const before = await records.stores.providers.list(inClinic());

    const begun = await repeated({ now: new Date('2036-01-01T00:00:00Z') });
    await records.stores.providers.replace(inClinic(), [{ ...vega, workingHours: {} }]);
    const offHours = await repeated();
    await records.stores.providers.replace(inClinic(), []);
    const left = await repeated();
    await records.stores.providers.replace(inClinic(), before);

    const same = first.map((booking) => ({ ...booking, isEarlier: true }));
    expect({ begun, offHours, left }).toEqual({ begun: same, offHours: same, left: same });
  });

  test('an override and a hold, when their time has begun', async () => {
    const begun = { now: new Date('2036-01-01T00:00:00Z') };
    const override = { ...about(), appointmentId: newId(), startsAt: aTime(), reason: 'urgent' as const };
    const hold = { ...about(), holdId: newId(), startsAt: aTime(), minutes: 5 };
    const by = { actor: 'user:1' };
    const first = [await records.stores.overrides.book(override, by), await records.stores.holds.hold(hold)];

    expect([
      await records.stores.overrides.book({ ...override, ...begun }, by),
      await records.stores.holds.hold({ ...hold, ...begun }),
    ]).toEqual(first);
  });
});

describe('asked for again under its key', () => {
  const restore = (appointmentId: string) =>
    records.stores.visits.restore({ clinicId: inClinic(), appointmentId, now });
  const cancelUnder = (appointmentId: string, change: ChangeOfAppointment) =>
    records.stores.appointments.cancel({ clinicId: inClinic(), appointmentId, change });

  test('a move is shown as it was made, and what was moved, cancelled or begun since stays as it is', async () => {
    const id = await booked(aTime());
    const [to, since] = [aTime(), aTime()];
    const change = { key: newId(), by: 'account:1', request: newId() };
    const move = (about: object = {}) => reschedule(id, to, { change, ...about });

    const first = await move();
    await reschedule(id, since);
    const afterMove = await move();
    const begun = await move({ now: new Date('2036-01-01T00:00:00Z') });
    const versioned = await move({ change: { ...change, version: 1 } });
    const moved = await find(id);
    await cancel(id);
    const afterCancellation = await move();

    expect(first).toMatchObject({ kind: 'moved', appointment: { id, status: 'booked', startsAt: new Date(to) } });
    const again = { kind: 'moved', appointment: { ...(first as { appointment: object }).appointment } };
    for (const each of [afterMove, begun, versioned, afterCancellation]) expect(each).toMatchObject(again);
    expect(moved?.startsAt).toEqual(new Date(since));
    expect((await find(id))?.status).toBe('cancelled');
  });

  test('a cancellation is shown as it was made, and what was booked again since stays so', async () => {
    const id = await booked(aTime());
    const change = { key: newId(), reason: 'pat' };

    const first = await cancelUnder(id, change);
    await restore(id);
    const again = await cancelUnder(id, change);

    expect(first).toMatchObject({
      kind: 'cancelled',
      appointment: { id, status: 'cancelled', cancellationReason: 'pat' },
    });
    expect(again).toEqual(first);
    expect(await find(id)).toMatchObject({ status: 'booked', cancellationReason: null });
    expect((await cancelUnder(id, { key: newId() })).kind).toBe('cancelled');
    expect((await find(id))?.status).toBe('cancelled');
  });

  test.each([
    ['', {}],
    [' of a version', { version: 1 }],
    [', to be undone', { undoSeconds: 15 }],
  ])('two at once make one move%s', async (_what, about) => {
    const id = await booked(aTime());
    const to = aTime();
    const change = { key: newId(), ...about };
    const { database } = records;
    const [row] = await database.sql<{ providerId: string }>`
      select provider_id as "providerId" from appointments where id = ${id}`;

    const both = await database.transaction(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${row?.providerId}, 0))`;
      const moves = [1, 2].map(() => reschedule(id, to, { change }));
      await eventually(async () => (await waitingForLocks(database)) === 2, { within: 10_000 });
      return { moves };
    });

    const moved = { kind: 'moved', appointment: { id, startsAt: new Date(to) } };
    expect(await Promise.all(both.moves)).toMatchObject([moved, moved]);
    expect(await database.sql`select version from appointments where id = ${id}`).toEqual([{ version: 2 }]);
  });
});

test('a time is not offered where a visit begins before its end, also when only its beginning is asked for', async () => {
  const startsAt = aTime();
  const quarterPast = new Date(Date.parse(startsAt) + 15 * 60_000).toISOString();
  const offered = async () => {
    const [from, until] = [startsAt, new Date(Date.parse(startsAt) + 1).toISOString()];
    const about = { clinicId: inClinic(), providerName: 'Dr.Vega', now };
    return (await records.stores.appointments.slotsOf({ ...about, from, until }))?.map((slot) => slot.startsAt);
  };
  const before = await offered();

  const overriding = await records.stores.overrides.book(
    {
      clinicId: inClinic(),
      patientId,
      provider: 'Dr.Vega',
      visitType: 'Follow-up consultation',
      startsAt: quarterPast,
      appointmentId: newId(),
      reason: 'urgent',
      now,
    },
    { actor: 'user:1' },
  );

  expect(overriding.kind).toBe('booked');
  expect([before, await offered()]).toEqual([[startsAt], []]);
});

test('of two who book one slot at the same time one has it', async () => {
  const startsAt = aTime();

  const kinds = (await Promise.all([book(startsAt), book(startsAt)])).map(({ kind }) => kind);

  expect(kinds.toSorted()).toEqual(['booked', 'slot_taken']);
});

test('the time of a cancelled appointment can be booked again', async () => {
  const startsAt = aTime();
  await cancel(await booked(startsAt));

  expect((await book(startsAt)).kind).toBe('booked');
});

test("another clinic's patient is unknown", async () => {
  expect(await book(aTime(), { clinicId: records.otherClinicId })).toEqual({ kind: 'unknown_patient' });
  expect(await book(aTime('03:00'), { patientId: newId() })).toEqual({ kind: 'unknown_patient' });
});

test('a time outside working hours is not on offer, and one that has begun is in the past', async () => {
  expect(await book(aTime('20:00'))).toEqual({ kind: 'slot_unavailable' });
  const startsAt = aTime();
  expect(await book(startsAt, { now: new Date(startsAt) })).toEqual({ kind: 'in_the_past' });
});

describe('moving', () => {
  test('twice to the same time is one move', async () => {
    const id = await booked(aTime());
    const to = aTime();

    const [first, second] = [await reschedule(id, to), await reschedule(id, to)];

    expect(first.kind).toBe('moved');
    expect(second.kind).toBe('moved');
    expect((await find(id))?.startsAt.toISOString()).toBe(to);
  });

  test('to a taken time is refused, and the appointment stays where it was', async () => {
    const [from, taken] = [aTime(), aTime()];
    const id = await booked(from);
    await booked(taken);

    expect(await reschedule(id, taken)).toEqual({ kind: 'slot_taken' });
    expect((await find(id))?.startsAt.toISOString()).toBe(from);
  });

  test('to another provider frees the time of the first; of two who cross each of them gets what is free', async () => {
    const [one, two] = [aTime(), aTime()];
    const [vega, other] = [await booked(one), await booked(two)];

    const moved = await reschedule(vega, one, { providerName: 'Dr.Moss' });
    const crossed = await Promise.all([
      reschedule(vega, two, { providerName: 'Dr.Vega' }),
      reschedule(other, two, { providerName: 'Dr.Moss' }),
    ]);

    expect(moved).toMatchObject({ kind: 'moved', appointment: { providerName: 'Dr.Moss' } });
    expect((await book(one)).kind).toBe('booked');
    // Whoever comes first finds the other's time taken or not; nobody waits for ever, and no time is had twice.
    expect(crossed.map(({ kind }) => kind)).toContain('moved');
    expect(await reschedule(other, aTime(), { providerName: 'Dr.Who' })).toEqual({ kind: 'slot_unavailable' });
  });

  test('frees the time that it leaves', async () => {
    const from = aTime();
    await reschedule(await booked(from), aTime());

    expect((await book(from)).kind).toBe('booked');
  });

  test('keeps the length of a slot', async () => {
    const id = await booked(aTime());
    const before = await find(id);
    await reschedule(id, aTime('11:00'));
    const after = await find(id);

    const length = (found: typeof before) => (found ? found.endsAt.getTime() - found.startsAt.getTime() : 0);
    expect(length(after)).toBe(length(before));
    expect(length(after)).toBeGreaterThan(0);
  });

  test('a cancelled or fulfilled one, or one of another clinic, is refused', async () => {
    const [cancelled, fulfilled, mine] = [await booked(aTime()), await booked(aTime()), await booked(aTime())];
    await cancel(cancelled);
    await records.database.prisma.appointment.update({ where: { id: fulfilled }, data: { status: 'fulfilled' } });
    const to = aTime();

    expect(await reschedule(cancelled, to)).toEqual({ kind: 'appointment_cancelled' });
    expect(await reschedule(fulfilled, to)).toEqual({ kind: 'appointment_fulfilled' });
    expect(await reschedule(mine, to, { clinicId: records.otherClinicId })).toEqual({ kind: 'unknown' });
    expect(await reschedule(mine, to, { now: new Date(to) })).toEqual({ kind: 'in_the_past' });
    expect(await reschedule(cancelled, to, { now: new Date(to) })).toEqual({ kind: 'in_the_past' });
  });

  test('one that is cancelled between the look at it and the move is refused', async () => {
    const [from, to] = [aTime(), aTime()];
    const id = await booked(from);

    const moving = await records.database.transaction(async (tx) => {
      await tx`update appointments set status = 'cancelled', cancelled_at = now() where id = ${id}`;
      const result = reschedule(id, to);
      await eventually(async () => (await waitingForLocks(records.database)) > 0);
      return { result };
    });

    expect(await moving.result).toEqual({ kind: 'appointment_cancelled' });
    expect((await find(id))?.startsAt.toISOString()).toBe(from);
  });
});

describe('cancelling', () => {
  test('twice keeps the time of the first', async () => {
    const id = await booked(aTime());
    await cancel(id);
    const first = await records.database.prisma.appointment.findUniqueOrThrow({ where: { id } });
    const again = await cancel(id);
    const second = await records.database.prisma.appointment.findUniqueOrThrow({ where: { id } });

    expect(again.kind).toBe('cancelled');
    expect(second.cancelledAt).toEqual(first.cancelledAt);
    expect(second.cancelledAt).not.toBeNull();
  });

  test('leaves what has been fulfilled, and what another clinic asks for', async () => {
    const [fulfilled, mine] = [await booked(aTime()), await booked(aTime())];
    await records.database.prisma.appointment.update({ where: { id: fulfilled }, data: { status: 'fulfilled' } });

    expect(await cancel(fulfilled)).toEqual({ kind: 'appointment_fulfilled' });
    expect(await cancel(mine, records.otherClinicId)).toEqual({ kind: 'unknown' });
    expect((await find(fulfilled))?.status).toBe('fulfilled');
    expect((await find(mine))?.status).toBe('booked');
  });
});

describe('booking again what was cancelled', () => {
  const restore = (appointmentId: string, about: object = {}) =>
    records.stores.visits.restore({ clinicId: inClinic(), appointmentId, now, ...about });

  test('takes back its own time, once or twice, and forgets why it was cancelled', async () => {
    const id = await booked(aTime());
    await records.stores.appointments.cancel({ clinicId: inClinic(), appointmentId: id, change: { reason: 'pat' } });
    expect(await find(id)).toMatchObject({ status: 'cancelled', cancellationReason: 'pat' });

    expect([await restore(id), await restore(id)]).toEqual([{ kind: 'restored' }, { kind: 'restored' }]);
    expect(await find(id)).toMatchObject({ status: 'booked', cancellationReason: null });
  });

  test('is refused where somebody has or holds the time by now, where it has begun, and to another clinic', async () => {
    const [taken, held, begun] = [aTime(), aTime(), aTime()];
    const ids = [await booked(taken), await booked(held), await booked(begun)];
    for (const id of ids) await cancel(id);
    await booked(taken);
    const hold = {
      clinicId: inClinic(),
      patientId: await records.aPatient(),
      provider: 'Dr.Vega',
      visitType: 'Consultation',
    };
    await records.stores.holds.hold({ ...hold, startsAt: held, minutes: 5, now });

    const kinds = [
      await restore(ids[0] ?? ''),
      await restore(ids[1] ?? ''),
      await restore(ids[2] ?? '', { now: new Date(begun) }),
      await restore(ids[2] ?? '', { clinicId: records.otherClinicId }),
    ];

    expect(kinds.map(({ kind }) => kind)).toEqual(['slot_taken', 'slot_held', 'in_the_past', 'unknown']);
  });

  test('of two who want the time at once, one by a new booking, one has it', async () => {
    const startsAt = aTime();
    const id = await booked(startsAt);
    await cancel(id);

    const kinds = (await Promise.all([restore(id), book(startsAt)])).map(({ kind }) => kind);

    expect([
      ['restored', 'slot_taken'],
      ['slot_taken', 'booked'],
    ]).toContainEqual(kinds);
  });
});

describe('what became of a visit', () => {
  const hourMs = 3_600_000;
  const note = async (appointmentId: string, as: VisitNote, at: number, clinicId = inClinic()) =>
    (await records.stores.visits.note({ clinicId, appointmentId, as, now: new Date(at) })).kind;
  const followUps = (clinicId: string) =>
    records.database.prisma.workflowRun.findMany({ where: { clinicId, workflowType: 'reschedule-follow-up' } });

  test('is noted on its day and taken back; who arrived keeps the time, and who missed it is never taken to have been seen', async () => {
    const startsAt = aTime();
    const [id, start] = [await booked(startsAt), Date.parse(startsAt)];

    const early = [await note(id, 'arrived', start - 30 * hourMs), await note(id, 'noshow', start - hourMs)];
    early.push(await note(id, 'fulfilled', start - 1));
    const arrived = await note(id, 'arrived', start - hourMs);
    const taken = await book(startsAt);
    // Who has arrived may be seen early.
    const left = [
      await note(id, 'fulfilled', start - 1),
      await note(id, 'arrived', start),
      await note(id, 'fulfilled', start),
      await note(id, 'booked', start),
    ];
    const missed = [await note(id, 'noshow', start), await note(id, 'noshow', start + 1)];
    await records.stores.appointments.fulfilPast(new Date(start + 9 * hourMs), 1_000);

    expect(early).toEqual(['not_yet', 'not_yet', 'not_yet']);
    expect([arrived, taken]).toEqual(['noted', { kind: 'slot_taken' }]);
    expect([...left, ...missed]).toEqual(Array.from({ length: 6 }, () => 'noted'));
    expect((await find(id))?.status).toBe('noshow');
    expect(await reschedule(id, aTime())).toEqual({ kind: 'appointment_fulfilled' });
    expect(await note(id, 'arrived', start, records.otherClinicId)).toBe('unknown');
    expect(await followUps(inClinic())).toEqual([]);
  });

  test('a missed one has its patient called about another time, once and not within a minute; what is taken back ends that, and may be missed again', async () => {
    const clinicId = await records.aClinic();
    await records.database.sql`update clinics set sandbox_enabled = true where id = ${clinicId}`;
    const patient = newId();
    await records.database.prisma.patient.create({ data: { id: patient, clinicId, phone: '+13035550107' } });
    const startsAt = aTime();
    const booking = await book(startsAt, { clinicId, patientId: patient });
    const id = booking.kind === 'booked' ? booking.appointment.id : '';
    const start = Date.parse(startsAt);

    const marks = [await note(id, 'noshow', start, clinicId), await note(id, 'noshow', start, clinicId)];
    const [run, ...more] = await followUps(clinicId);
    const facts = () => records.stores.runs.facts(clinicId, run?.id ?? '');
    const [previewed] = await records.stores.callPreview.openRuns(clinicId, { limit: 1 });
    const before = await facts();
    const followUpOf = async (as: VisitNote) =>
      records.stores.visits.note({ clinicId, appointmentId: id, as, now: new Date(start) });
    const due = await followUpOf('noshow');
    const takenBack = await followUpOf('arrived');
    const after = await facts();
    await records.aReservedCall({
      clinicId,
      workflowId: run?.id ?? '',
      workflowType: 'reschedule-follow-up',
      patientId: patient,
      phone: '+13035550107',
      caseId: null,
      sessionId: run?.sessionId ?? '',
    });
    const called = await followUpOf('booked');
    const aMinuteOn = new Date((run?.startedAt.getTime() ?? 0) + 60_000).toISOString();

    expect([marks, more]).toEqual([['noted', 'noted'], []]);
    expect(run).toMatchObject({ patientId: patient, context: { appointment: { appointmentId: id, startsAt } } });
    expect([before?.isTakenBack, after?.isTakenBack]).toEqual([false, true]);
    expect([due, takenBack, called]).toEqual([
      { kind: 'noted', followUp: 'due' },
      { kind: 'noted', followUp: null },
      { kind: 'noted', followUp: 'made' },
    ]);
    expect([before?.openedAt, previewed?.facts.openedAt]).toEqual([aMinuteOn, aMinuteOn]);
    expect(await records.database.prisma.workflowMessage.count({ where: { workflowId: run?.id } })).toBe(1);
  });

  test('each missed visit has a follow-up of its own, which is due, called and ended by itself', async () => {
    const clinicId = await records.aClinic();
    await records.database.sql`update clinics set sandbox_enabled = true where id = ${clinicId}`;
    const visits: { id: string; startsAt: string; patient: string }[] = [];
    const [one, another] = [newId(), newId()];
    for (const patient of [one, another]) {
      await records.database.prisma.patient.create({ data: { id: patient, clinicId, phone: '+13035550107' } });
    }
    for (const patient of [one, another, one]) {
      const startsAt = aTime();
      const booking = await book(startsAt, { clinicId, patientId: patient });
      visits.push({ id: booking.kind === 'booked' ? booking.appointment.id : '', startsAt, patient });
    }
    const [first, second, third] = visits;
    const noted = async (visit: (typeof visits)[number] | undefined, as: VisitNote) => {
      const about = { clinicId, appointmentId: visit?.id ?? '', as, now: new Date(visit?.startsAt ?? '') };
      const noting = await records.stores.visits.note(about);
      return noting.kind === 'noted' ? noting.followUp : noting.kind;
    };
    const told = async () => {
      const messages = await records.database.prisma.workflowMessage.findMany({ where: { clinicId } });
      return messages.map(({ workflowId }) => workflowId);
    };

    const missed = [await noted(first, 'noshow'), await noted(second, 'noshow'), await noted(third, 'arrived')];
    const runs = await followUps(clinicId);
    const runOf = (visit: (typeof visits)[number] | undefined) =>
      runs.find(({ context }) => JSON.stringify(context).includes(visit?.id ?? 'nobody'));
    const takenBack = await noted(second, 'arrived');
    await records.database.prisma.call.create({
      data: {
        id: newId(),
        clinicId,
        patientId: one,
        direction: 'outbound',
        state: 'ENDED',
        workflowId: runOf(first)?.id,
      },
    });
    const again = [await noted(first, 'noshow'), await noted(second, 'noshow'), await noted(third, 'noshow')];

    expect(missed).toEqual(['due', 'due', null]);
    expect(runs).toHaveLength(2);
    expect([runOf(first)?.patientId, runOf(second)?.patientId, runOf(third)]).toEqual([one, another, undefined]);
    expect([takenBack, await told()]).toEqual([null, [runOf(second)?.id]]);
    expect(again).toEqual(['made', 'due', 'due']);
    expect(await followUps(clinicId)).toHaveLength(3);
  });
});

describe('marking what is over as fulfilled', () => {
  test('takes booked appointments that have ended, so many at once, and nothing twice', async () => {
    const [first, second, cancelled] = [aTime(), aTime(), aTime()];
    const ids = [await booked(first), await booked(second)];
    const gone = await booked(cancelled);
    await cancel(gone);
    const ended = (await find(ids[0] ?? ''))?.endsAt ?? now;

    const early = await records.stores.appointments.fulfilPast(new Date(ended.getTime() - 1), 1_000);
    const statusEarly = (await find(ids[0] ?? ''))?.status;
    await records.stores.appointments.fulfilPast(ended, 1_000);
    const later = new Date('2036-01-01T00:00:00Z');
    const limited = await records.stores.appointments.fulfilPast(later, 1);
    await records.stores.appointments.fulfilPast(later, 1_000);

    expect(early).toBeGreaterThanOrEqual(0);
    expect(statusEarly).toBe('booked');
    expect((await find(ids[0] ?? ''))?.status).toBe('fulfilled');
    expect(limited).toBe(1);
    expect((await find(ids[1] ?? ''))?.status).toBe('fulfilled');
    expect((await find(gone))?.status).toBe('cancelled');
    expect(await records.stores.appointments.fulfilPast(later, 1_000)).toBe(0);
  });
});

describe("a patient's own", () => {
  test('next appointment is the earliest that is booked and has not begun', async () => {
    const patient = await records.aPatient();
    const of = { patientId: patient };
    const [cancelled, next, later] = [aTime(), aTime(), aTime()];
    for (const startsAt of [later, cancelled]) await book(startsAt, of);
    await book(next, { ...of, provider: 'Dr.Moss' });
    const at = await records.database.prisma.appointment.findFirstOrThrow({
      where: { patientId: patient, startsAt: new Date(cancelled) },
    });
    await cancel(at.id);

    const upcoming = (when: Date) => records.stores.appointments.nextUpcoming(records.clinicId, patient, when);
    expect(await upcoming(now)).toMatchObject({ startsAt: new Date(next), providerName: 'Dr.Moss' });
    expect(await upcoming(new Date(next))).toMatchObject({ startsAt: new Date(later), providerName: 'Dr.Vega' });
    expect(await records.stores.appointments.nextUpcoming(records.otherClinicId, patient, now)).toBeNull();
  });
});

describe('holding', () => {
  const MINUTE_MS = 60_000;
  const after = (minutes: number) => new Date(now.getTime() + minutes * MINUTE_MS);
  let other: string;
  beforeAll(async () => {
    other = await records.aPatient();
  });

  const hold = (startsAt: string, about: object = {}) =>
    records.stores.holds.hold({
      clinicId: records.clinicId,
      patientId,
      provider: 'Dr.Vega',
      visitType: 'Follow-up consultation',
      startsAt,
      minutes: 5,
      now,
      ...about,
    });
  const held = async (startsAt: string, about: object = {}) => {
    const holding = await hold(startsAt, about);
    if (holding.kind !== 'held') throw new Error(holding.kind);
    return holding.hold;
  };
  const confirm = (holdId: string, at = now) => records.stores.holds.confirm({ clinicId: inClinic(), holdId, now: at });
  const open = async (startsAt: string, at = now) => {
    const until = new Date(Date.parse(startsAt) + 1).toISOString();
    const slots = await records.stores.appointments.slotsOf({
      clinicId: inClinic(),
      providerName: 'Dr.Vega',
      from: startsAt,
      until,
      now: at,
    });
    return (slots ?? []).length === 1;
  };

  test('is said to be offered where an open offer of the waitlist is for it', async () => {
    const { database, stores, clinicId } = records;
    const times = [aTime(), aTime(), aTime()];
    const ids = [];
    for (const time of times) ids.push((await held(time)).id);
    for (const [index, status] of ['open', 'lapsed'].entries()) {
      const [id, { workflowId }] = [newId(), await records.aRun()];
      await database.sql`
        insert into waitlist_entries (id, clinic_id, patient_id, visit_type, earliest_on, latest_on, status, added_by)
        values (${id}, ${clinicId}, ${patientId}, 'Follow-up consultation', '2035-01-01', '2035-12-31', 'removed', 'test')`;
      await database.sql`
        insert into waitlist_offers (id, clinic_id, entry_id, workflow_id, provider_id, starts_at, appointment_id, status, ends_at)
        select ${id}, clinic_id, ${id}, ${workflowId}, provider_id, starts_at, id, ${status}, starts_at
        from appointments where id = ${ids[index] ?? ''}`;
    }

    const span = { from: times[0] ?? '', until: after(365 * 24 * 60).toISOString() };
    const shown = await stores.holds.ofProvider(clinicId, { providerName: 'Dr.Vega', ...span, now });
    await database.sql`delete from waitlist_offers where clinic_id = ${clinicId}`;
    await database.sql`delete from waitlist_entries where clinic_id = ${clinicId}`;

    expect(shown.map(({ id, isOffered }) => [id, isOffered])).toEqual(ids.map((id, index) => [id, index === 0]));
  });

  test('keeps a time until its instant, and from then on it is free for the first who comes', async () => {
    const startsAt = aTime();
    const { id, heldUntil } = await held(startsAt);
    const [before, then] = [new Date(heldUntil.getTime() - 1), heldUntil];

    expect(heldUntil).toEqual(after(5));
    expect([await open(startsAt, before), await open(startsAt, then)]).toEqual([false, true]);
    expect(await hold(startsAt, { patientId: other, now: before })).toEqual({ kind: 'slot_held' });
    expect(await book(startsAt, { patientId: other, now: before })).toEqual({ kind: 'slot_held' });
    expect((await book(startsAt, { patientId: other, now: then })).kind).toBe('booked');
    expect((await confirm(id, before)).kind).toBe('hold_expired');
    expect(await hold(startsAt, { now: before })).toEqual({ kind: 'slot_taken' });
  });

  test('is no appointment until it is confirmed, which is once the same booking, whatever the notice', async () => {
    const startsAt = aTime();
    const { id } = await held(startsAt);
    const listed = () =>
      records.stores.appointments.list(inClinic(), {
        limit: 5,
        from: startsAt,
        until: `${startsAt.slice(0, 10)}T23:00:00Z`,
      });

    expect([await find(id), (await listed()).items]).toEqual([null, []]);
    expect(await reschedule(id, aTime())).toEqual({ kind: 'unknown' });
    const [first, second] = [await confirm(id), await confirm(id, after(60))];

    expect(first).toMatchObject({ kind: 'booked', appointment: { id, patientId, status: 'booked' } });
    expect(second).toMatchObject({ kind: 'booked', appointment: { id } });
    expect((await listed()).items).toMatchObject([{ id, status: 'booked' }]);
    await cancel(id);
    expect(await confirm(id)).toEqual({ kind: 'appointment_cancelled' });
    expect((await book(startsAt)).kind).toBe('booked');
  });

  test('anyone who holds a time books it, moves an appointment there, or holds it for longer under the same id', async () => {
    const [toBook, toMove] = [aTime(), aTime()];
    const { id } = await held(toBook);
    const longer = await held(toBook, { now: after(4) });
    const appointmentId = newId();
    const booking = await book(toBook, { appointmentId, visitType: 'Check-up' });
    const again = await book(toBook, { appointmentId });
    await held(toMove);
    const moving = await booked(aTime());

    expect([longer.id, longer.heldUntil]).toEqual([id, after(9)]);
    expect(booking).toMatchObject({ kind: 'booked', appointment: { id: appointmentId, visitType: 'Check-up' } });
    expect(again).toMatchObject({ kind: 'booked', appointment: { id: appointmentId, visitType: 'Check-up' } });
    expect(await confirm(id)).toEqual({ kind: 'unknown' });
    expect((await reschedule(moving, toMove)).kind).toBe('moved');
    expect(await reschedule(moving, toMove)).toMatchObject({ kind: 'moved' });
  });

  test('is given up at once, and to another clinic it is unknown', async () => {
    const startsAt = aTime();
    const { id } = await held(startsAt);
    const moving = await booked(aTime());
    const release = (clinicId: string) => records.stores.holds.release({ clinicId, holdId: id });
    const elsewhere = records.otherClinicId;
    await records.database.sql`update appointments set patient_id = ${other} where id = ${id}`;

    expect(await reschedule(moving, startsAt)).toEqual({ kind: 'slot_held' });
    expect(await release(elsewhere)).toBeNull();
    expect(await records.stores.holds.confirm({ clinicId: elsewhere, holdId: id, now })).toEqual({ kind: 'unknown' });
    expect((await release(inClinic()))?.id).toBe(id);
    expect((await release(inClinic()))?.id).toBe(id);
    expect((await confirm(id)).kind).toBe('hold_expired');
    expect((await reschedule(moving, startsAt)).kind).toBe('moved');
  });

  test('ends when the time begins, is over once the clock is set back by more than it lasts, and is removed after a day', async () => {
    const [soon, set] = [aTime(), aTime()];
    const justBefore = new Date(Date.parse(soon) - MINUTE_MS);
    const { heldUntil } = await held(soon, { now: justBefore });
    const { id } = await held(set, { now: after(60) });
    const removed = (ms: number) => records.stores.appointments.fulfilPast(new Date(Date.now() + ms), 1_000);

    expect(heldUntil.toISOString()).toBe(soon);
    expect([await open(set, after(61)), await open(set)]).toEqual([false, true]);
    // Another process, whose clock is late.
    const longest = aTime();
    await held(longest, { now: after(0.5), minutes: 15 });
    expect([await open(longest), (await book(longest, { patientId: other })).kind]).toEqual([false, 'slot_held']);
    expect((await book(set, { patientId: other })).kind).toBe('booked');
    await removed(86_000_000);
    expect((await confirm(id, after(61))).kind).toBe('hold_expired');
    await removed(87_000_000);
    expect(await confirm(id, after(61))).toEqual({ kind: 'unknown' });
  });

  const trials = thorough({ few: 100, all: 10_000 });
  test(`against booking, moving, giving up and running out, ${trials} times: no overlap, and a hold that nobody could outlive is kept`, async () => {
    const random = seeded();
    const faults: unknown[] = [];
    const play = async (trial: number) => {
      const day = 400 + Math.floor(trial / 12);
      const start = Date.UTC(2035, 0, day, 9, 30 * (trial % 12));
      const startsAt = new Date(start).toISOString();
      const at = () => new Date(start - 600 * MINUTE_MS + random.below(7) * MINUTE_MS);
      const first = at();
      const others = [at(), at(), at()] as const;
      const moving = trial % 4 === 0 ? await booked(new Date(start + 4_000 * 86_400_000).toISOString()) : null;
      const mine = async () => {
        const holding = await hold(startsAt, { now: first, minutes: 3 });
        if (holding.kind !== 'held') return holding.kind;
        if (random.below(5) === 0) {
          await records.stores.holds.release({ clinicId: inClinic(), holdId: holding.hold.id });
          return 'released';
        }
        return `${(await confirm(holding.hold.id, new Date(first.getTime() + MINUTE_MS))).kind} held`;
      };
      const [own, ...rest] = await Promise.all([
        mine(),
        book(startsAt, { patientId: other, now: others[0] }).then(({ kind }) => kind),
        hold(startsAt, { patientId: other, now: others[1], minutes: 2 }).then(async (holding) =>
          holding.kind === 'held' ? (await confirm(holding.hold.id, others[1])).kind : holding.kind,
        ),
        moving ? reschedule(moving, startsAt, { now: others[2] }).then(({ kind }) => kind) : 'none',
      ]);
      const won = [own.split(' ')[0], ...rest].filter((kind) => kind === 'booked' || kind === 'moved').length;
      const last = await book(startsAt, { patientId: other, now: new Date(start - 500 * MINUTE_MS) });
      const isOutlived = others.some((time) => {
        const since = time.getTime() - first.getTime();
        return since >= 3 * MINUTE_MS || since < -12 * MINUTE_MS;
      });
      const isFair = won + Number(last.kind === 'booked') === 1;
      // The appointment that moves is the same patient's: it takes the time that they hold.
      const isKept = isOutlived || own !== 'hold_expired held' || rest.includes('moved');
      if (!isFair || !isKept) faults.push({ trial, own, rest, last: last.kind, isOutlived });
    };
    for (let from = 0; from < trials; from += 10) {
      await Promise.all(Array.from({ length: Math.min(10, trials - from) }, (_, each) => play(from + each)));
    }

    expect(faults).toEqual([]);
    const overlapping = await records.database.sql`
      select id from (
        select id, starts_at, max(ends_at) over (partition by provider_id order by starts_at, id
          rows between unbounded preceding and 1 preceding) as free_from
        from appointments where status = 'booked') a
      where starts_at < free_from`;
    expect(overlapping).toEqual([]);
  }, 600_000);
});

describe('the waitlist', () => {
  const CANCELLATIONS = Number(process.env.WAITLIST_CANCELLATIONS ?? 30);
  const all = { earliestOn: '2035-01-01', latestOn: '2060-12-31', fromTime: null, untilTime: null };
  let clinicId: string;

  beforeEach(async () => {
    clinicId = await records.aClinic();
    await records.database.sql`update clinics set sandbox_enabled = true where id = ${clinicId}`;
  });

  const aPerson = async (phone = '+13035550100') => {
    const id = newId();
    await records.database.prisma.patient.create({
      data: { id, clinicId, firstName: 'Ann', lastName: 'Lee', phone },
    });
    return id;
  };
  const wait = async (about: object = {}) => {
    const person = await aPerson();
    const entry = { clinicId, patientId: person, provider: null, visitType: 'Check-up', ...all, ...about };
    const added = await records.stores.waitlist.add(entry, 'test');
    if (added.kind !== 'added') throw new Error(added.kind);
    return added.entry.id;
  };
  const find1 = (id: string) => records.stores.waitlist.find(clinicId, id);
  const statusOf = async (id: string) => (await find1(id))?.status;
  const aBooked = async (startsAt: string) => {
    const booking = await book(startsAt, { clinicId, patientId: await aPerson(), now: new Date() });
    if (booking.kind !== 'booked') throw new Error(booking.kind);
    return booking.appointment.id;
  };
  /** One look at what became free: the workflows that it opened. */
  const look = async (): Promise<string[]> => {
    await records.stores.waitlistOffers.endOverdue();
    const opened: string[] = [];
    for (const freed of await records.stores.waitlistOffers.due(1_000)) {
      const offer = await records.stores.waitlistOffers.offer(freed);
      if (offer?.clinicId === clinicId) opened.push(offer.workflowId);
    }
    return opened;
  };
  const offerOf = (workflowId: string) => records.stores.waitlistOffers.ofRun(clinicId, workflowId);
  const accept = (workflowId: string) => records.stores.waitlistOffers.accept(clinicId, workflowId);
  const decline = (workflowId: string, leavesList = false) =>
    records.stores.waitlistOffers.decline({ clinicId, workflowId, leavesList });
  const endRun = (workflowId: string, outcome: 'PATIENT_NOT_REACHED' | 'DECLINED' | 'REBOOKED') =>
    records.stores.runs.end({
      clinicId,
      workflowId,
      status: 'completed',
      outcome,
      taskReason: null,
      resolution: null,
    });

  test('a freed time is held for the first who wants it, goes to the next who is asked, and is free when nobody is left', async () => {
    const startsAt = aTime();
    const [first, second] = [await wait(), await wait()];
    const [elsewhere, later, mornings] = [
      await wait({ latestOn: '2035-01-02' }),
      await wait({ earliestOn: '2059-01-01' }),
      await wait({ untilTime: '10:00' }),
    ];
    const appointmentId = await aBooked(startsAt);
    expect(await look()).toEqual([]);
    await cancel(appointmentId, clinicId);

    const [one = ''] = await look();
    expect(await offerOf(one)).toMatchObject({ status: 'open', startsAt: new Date(startsAt) });
    expect([await statusOf(first), await statusOf(second)]).toEqual(['offered', 'waiting']);
    expect((await book(startsAt, { clinicId, patientId: await aPerson(), now: new Date() })).kind).toBe('slot_held');
    expect(await look()).toEqual([]);
    await endRun(one, 'PATIENT_NOT_REACHED');
    const [two = ''] = await look();
    expect([await statusOf(first), await statusOf(second)]).toEqual(['waiting', 'offered']);
    expect(await decline(two, true)).toBe(true);
    expect([await decline(two), (await accept(two)).kind]).toEqual([false, 'over']);

    expect(await look()).toEqual([]);
    expect(await statusOf(second)).toBe('removed');
    expect(await Promise.all([first, elsewhere, later, mornings].map(statusOf))).toEqual(Array(4).fill('waiting'));
    expect((await book(startsAt, { clinicId, patientId: await aPerson(), now: new Date() })).kind).toBe('booked');
  });

  test('who accepts has the time, once, and is off the list; a time that is moved away from and a hold that is over are offered too', async () => {
    const [from, to, heldTime] = [aTime(), aTime(), aTime()];
    const entry = await wait();
    const moving = await aBooked(from);
    await reschedule(moving, to, { clinicId });
    const [workflowId = ''] = await look();
    const [accepted, again] = [await accept(workflowId), await accept(workflowId)];

    expect(accepted).toMatchObject({ kind: 'booked', offer: { startsAt: new Date(from), visitType: 'Check-up' } });
    expect(again).toEqual(accepted);
    expect(await find1(entry)).toMatchObject({ status: 'booked', offeredAt: new Date(from) });
    await endRun(workflowId, 'REBOOKED');
    expect((await offerOf(workflowId))?.status).toBe('accepted');
    const { id } = { id: accepted.kind === 'booked' ? accepted.offer.appointmentId : '' };
    expect((await records.stores.appointments.find(clinicId, id))?.status).toBe('booked');

    const other = await wait();
    const about = { clinicId, patientId: await aPerson(), provider: 'Dr.Vega', visitType: 'Check-up' };
    const an = { ...about, startsAt: heldTime, minutes: 1, now: new Date(Date.now() - 61_000) };
    await records.stores.holds.hold(an);
    expect(await look()).toHaveLength(1);
    expect(await statusOf(other)).toBe('offered');
    expect((await records.stores.waitlist.remove(clinicId, other))?.status).toBe('removed');
    expect(await look()).toEqual([]);
  });

  test.each<['cancelled' | 'moved' | 'moved to a time that they hold']>([
    ['cancelled'],
    ['moved'],
    ['moved to a time that they hold'],
  ])('what was %s and may be taken back is offered to nobody meanwhile, and then to whoever waits', async (how) => {
    const [from, to] = [aTime(), aTime()];
    const entry = await wait();
    const id = await aBooked(from);
    const { sql } = records.database;
    const change = { undoSeconds: 600 };
    if (how === 'moved to a time that they hold') {
      const found = await records.stores.appointments.find(clinicId, id);
      const held = {
        clinicId,
        patientId: found?.patientId ?? '',
        provider: 'Dr.Vega',
        visitType: 'Check-up',
        startsAt: to,
        minutes: 5,
      };
      await records.stores.holds.hold({ ...held, now: new Date() });
    }
    if (how === 'cancelled') await records.stores.appointments.cancel({ clinicId, appointmentId: id, change });
    else
      await records.stores.appointments.reschedule({
        clinicId,
        appointmentId: id,
        startsAt: to,
        now: new Date(),
        change,
      });
    const meanwhile = await look();
    await sql`update freed_times set look_at = look_at - interval '590 seconds' where clinic_id = ${clinicId}`;
    const stillMeanwhile = await look();
    await sql`update freed_times set look_at = look_at - interval '10 seconds' where clinic_id = ${clinicId}`;
    const then = await look();

    expect([meanwhile, stillMeanwhile, then.length]).toEqual([[], [], 1]);
    expect((await offerOf(then[0] ?? ''))?.startsAt).toEqual(new Date(from));
    await records.stores.waitlist.remove(clinicId, entry);
    await endRun(then[0] ?? '', 'PATIENT_NOT_REACHED');
    expect(await look()).toEqual([]);
  });

  test("whose last day is over by the sandbox's clock waits no longer; whose day it is does", async () => {
    const { sql } = records.database;
    const [over, today, later] = [await wait(), await wait(), await wait()];
    await sql`update clinics set sandbox_enabled = true where id = ${clinicId}`;
    await sql`update waitlist_entries set earliest_on = '2035-02-01', latest_on = '2035-02-09' where id = ${over}`;
    await sql`update waitlist_entries set earliest_on = '2035-02-01', latest_on = '2035-02-10' where id = ${today}`;
    await sql`insert into sandbox_clocks (clinic_id, shows) values (${clinicId}, '2035-02-10T18:00:00Z')`;

    await records.stores.waitlistOffers.endExpired();
    await sql`delete from sandbox_clocks where clinic_id = ${clinicId}`;

    expect([await statusOf(over), await statusOf(today), await statusOf(later)]).toEqual([
      'expired',
      'waiting',
      'waiting',
    ]);
    for (const entryId of [today, later]) await records.stores.waitlist.remove(clinicId, entryId);
  });

  test('anyone who may be called only later is passed over until then, outreach that is paused offers nothing, and an offer lapses', async () => {
    const startsAt = aTime();
    const [first, second] = [await wait(), await wait()];
    const { sql } = records.database;
    const wakeUp = () =>
      sql`update freed_times set look_at = now() - interval '1 second' where clinic_id = ${clinicId}`;
    await sql`insert into outreach_pauses (id, clinic_id, reason, paused_by) values (${newId()}, ${clinicId}, 'a test', 'test')`;
    await cancel(await aBooked(startsAt), clinicId);
    expect(await look()).toEqual([]);
    await sql`delete from outreach_pauses where clinic_id = ${clinicId}`;
    await wakeUp();

    const [one = ''] = await look();
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await records.stores.waitlistOffers.postpone({ clinicId, workflowId: one, until });
    const [two = ''] = await look();
    expect([await statusOf(first), await statusOf(second)]).toEqual(['waiting', 'offered']);
    await sql`update waitlist_offers set ends_at = now() - interval '1 second' where workflow_id = ${two}`;
    expect(await look()).toEqual([]);
    expect((await offerOf(two))?.status).toBe('lapsed');
    const told = await sql<{ signal: string }>`select signal from workflow_messages where workflow_id = ${two}`;
    expect(told).toEqual([{ signal: 'rulesChanged' }]);
    await sql`update waitlist_entries set not_before = now() - interval '1 second' where clinic_id = ${clinicId}`;
    await wakeUp();
    const [three = ''] = await look();
    expect(await statusOf(first)).toBe('offered');
    // Somebody talks to the patient: the offer does not lapse meanwhile, and the time stays theirs.
    const { patientId: called = '' } = (await find1(first)) ?? {};
    const intent = {
      clinicId,
      workflowId: three,
      workflowType: 'waitlist-offer' as const,
      patientId: called,
      caseId: null,
    };
    const placed = { ...intent, sessionId: '', phone: '+13035550100' };
    await records.aPlacedCall(placed);
    await sql`update waitlist_offers set ends_at = now() - interval '1 second' where workflow_id = ${three}`;
    await look();
    expect(await records.stores.waitlistOffers.prolong(clinicId, three)).toBe(true);
    expect((await accept(three)).kind).toBe('booked');
    expect(await records.stores.waitlistOffers.prolong(clinicId, three)).toBe(false);
  });

  /** By eight people. */
  const cancelAll = async (appointmentIds: string[]) => {
    const left = [...appointmentIds];
    const work = async () => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) await cancel(id, clinicId);
    };
    await Promise.all(Array.from({ length: 8 }, work));
  };

  test(`of ${CANCELLATIONS} cancellations no time is offered twice, and nobody is forgotten, whatever becomes of the calls`, async () => {
    const random = seeded();
    const times = Array.from({ length: CANCELLATIONS }, () => aTime());
    const appointments: string[] = [];
    // Not all at once: a connection is waited for only so long.
    for (let from = 0; from < CANCELLATIONS; from += 20) {
      const some = times.slice(from, from + 20);
      await Promise.all(some.slice(0, Math.ceil(some.length / 3)).map(() => wait()));
      appointments.push(...(await Promise.all(some.map(aBooked))));
    }
    const settle = async (workflowId: string) => {
      const turn = random.below(5);
      if (turn === 0) await accept(workflowId);
      if (turn === 1) await decline(workflowId);
      await endRun(workflowId, 'PATIENT_NOT_REACHED');
    };
    let open: string[] = [];
    const cancelling = cancelAll(appointments);
    // Two processes that both believe they have the duty.
    for (let quiet = 0; quiet < 2;) {
      const opened = (await Promise.all([look(), look()])).flat();
      const settled = open;
      open = opened;
      await Promise.all(settled.map(settle));
      quiet = opened.length + settled.length === 0 ? quiet + 1 : 0;
    }
    await cancelling;
    const isLeft = async () => (await records.database.prisma.freedTime.count({ where: { clinicId } })) > 0;
    for (let opened = await look(); opened.length > 0 || (await isLeft()); opened = await look()) {
      await Promise.all(opened.map(settle));
      await records.database
        .sql`update freed_times set look_at = now() - interval '1 second' where clinic_id = ${clinicId}`;
    }

    expect(await waitlistFaults(records.database, { clinicId, freed: times })).toEqual([]);
    const [made] = await records.database.sql<{ offers: number | null }>`
      select count(*)::int as offers from waitlist_offers where clinic_id = ${clinicId}`;
    expect(made?.offers).toBeGreaterThanOrEqual(CANCELLATIONS / 2);
  }, 600_000);
});

test('every version of an appointment is kept while the sandbox shows them; else only what a move changed', async () => {
  const { database, clinicId } = records;
  const versionsOf = async (appointmentId: string) =>
    (
      await database.sql<{ version: number }>`
        select version from appointment_versions where appointment_id = ${appointmentId} order by version`
    ).map(({ version }) => version);
  const shown = (isShown: boolean, isSandbox: boolean) => database.sql`
    update clinics set sandbox_enabled = ${isSandbox}, sandbox_leniency = jsonb_build_object('showsNextAppointmentOnly', ${!isShown}::boolean)
    where id = ${clinicId}`;
  const cancelled = async () => {
    const id = await booked(aTime());
    await cancel(id);
    return versionsOf(id);
  };

  await shown(true, false);
  const withoutSandbox = await cancelled();
  await shown(false, true);
  const hidden = await cancelled();
  await shown(true, true);
  const kept = await cancelled();
  await database.sql`update clinics set sandbox_enabled = false, sandbox_leniency = default where id = ${clinicId}`;
  const id = await booked(aTime());
  await reschedule(id, aTime());

  expect([withoutSandbox, hidden, kept, await versionsOf(id)]).toEqual([[], [], [1, 2], [1, 2]]);
});

import { newId } from '@clinic/shared/crypto';
import { eventually } from '../support/eventually';
import { openRecords, type Records } from '../support/records';

let records: Records;
let patientId: string;
beforeAll(async () => {
  records = await openRecords();
  patientId = await records.aPatient();
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
    const isAnyoneWaiting = async () => {
      const [found] = await records.database.sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return found !== undefined;
    };

    const moving = await records.database.transaction(async (tx) => {
      await tx`update appointments set status = 'cancelled', cancelled_at = now() where id = ${id}`;
      const result = reschedule(id, to);
      await eventually(isAnyoneWaiting);
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
    for (const startsAt of [later, next, cancelled]) await book(startsAt, of);
    const at = await records.database.prisma.appointment.findFirstOrThrow({
      where: { patientId: patient, startsAt: new Date(cancelled) },
    });
    await cancel(at.id);

    const upcoming = (when: Date) => records.stores.appointments.nextUpcoming(records.clinicId, patient, when);
    expect((await upcoming(now))?.startsAt.toISOString()).toBe(next);
    expect((await upcoming(new Date(next)))?.startsAt.toISOString()).toBe(later);
    expect(await records.stores.appointments.nextUpcoming(records.otherClinicId, patient, now)).toBeNull();
  });

  test('cancelled appointment counts from the instant asked for', async () => {
    const patient = await records.aPatient();
    await book(aTime(), { patientId: patient });
    const found = await records.database.prisma.appointment.findFirstOrThrow({ where: { patientId: patient } });
    await cancel(found.id);
    const { cancelledAt } = await records.database.prisma.appointment.findUniqueOrThrow({ where: { id: found.id } });
    const at = cancelledAt ?? now;
    const since = (when: Date) => records.stores.appointments.cancelledSince(records.clinicId, patient, when);

    expect((await since(at))?.id).toBe(found.id);
    expect(await since(new Date(at.getTime() + 1))).toBeNull();
    expect(await records.stores.appointments.cancelledSince(records.otherClinicId, patient, at)).toBeNull();
  });
});

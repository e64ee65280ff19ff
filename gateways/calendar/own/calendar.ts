import type { Stores } from '@clinic/prisma/stores';
import type { AppointmentRecord } from '@clinic/prisma/stores/calendar/appointment-records';
import type { TimeRefusal } from '@clinic/prisma/stores/calendar/open-times';
import type { LiveCall } from '@clinic/prisma/stores/outreach/live-calls';
import { defaultVisitType } from '@clinic/shared/contracts/calendar/appointments';
import { plusLocalDays } from '@clinic/shared/domain/calendar/clinic-time';
import type {
  Attempt,
  Booking,
  Calendar,
  CalendarAppointment,
  Cancellation,
  FreeTimes,
  Holding,
  Move,
  NewBooking,
  TimeSearch,
  TimeToHold,
} from '../port';
import { onePerTime } from '../one-per-time';

export interface OwnCalendarDeps {
  stores: Pick<Stores, 'agendas' | 'appointments' | 'holds' | 'providers' | 'toolCalls'>;
}

interface Own extends OwnCalendarDeps {
  call: LiveCall;
}

/** The clinic's calendar at this service, which the FHIR routes show too. */
export function createOwnCalendar(call: LiveCall, { stores }: OwnCalendarDeps): Calendar {
  const own: Own = { call, stores };
  return {
    isOn: call.isOwnCalendarOn,
    holdMinutes: () => holdMinutes(own),
    now: () => stores.agendas.now(call.clinicId),
    // Our own record is what the store compares with.
    birthDate: async () => ({ kind: 'found', birthDate: null }),
    freeTimes: (search, now) => freeTimes(own, search, now),
    upcoming: async (now) => {
      const next = await nextOf(own, now);
      return next ? { kind: 'found', appointment: toShown(next) } : { kind: 'nothing_upcoming' };
    },
    book: (booking, attempt) => book(own, booking, attempt),
    move: (startsAt, attempt) => move(own, startsAt, attempt),
    cancel: (attempt) => cancel(own, attempt),
    hold: (time, attempt) => hold(own, time, attempt),
  };
}

/** Only where the clinic has chosen it. */
async function holdMinutes({ call, stores }: Own): Promise<number> {
  if (!call.isOwnCalendarOn) return 0;
  return (await stores.agendas.of(call.clinicId))?.callHoldMinutes ?? 0;
}

async function freeTimes(
  { call, stores }: Own,
  { provider, from, days, limit }: TimeSearch,
  now: Date,
): Promise<FreeTimes> {
  const { clinicId, clinicZone } = call;
  const until = plusLocalDays(from, days, clinicZone);
  const found = await stores.appointments.openSlots({ clinicId, provider, from, until, now });
  if (found.kind === 'unknown_provider') return found;
  return { kind: 'found', times: provider ? found.slots.slice(0, limit) : onePerTime(found.slots, limit) };
}

const nextOf = ({ call, stores }: Own, now: Date) =>
  stores.appointments.nextUpcoming(call.clinicId, call.patientId, now);

async function book(
  own: Own,
  booking: NewBooking,
  { recordId: appointmentId, triedAt, now }: Attempt,
): Promise<Booking> {
  const { clinicId, patientId } = own.call;
  const booked = await own.stores.appointments.book({ clinicId, patientId, appointmentId, ...booking, now });
  switch (booked.kind) {
    case 'booked':
      return { kind: 'booked', appointment: toShown(booked.appointment) };
    case 'unknown_provider':
    case 'unknown_patient':
      return booked;
    case 'slot_taken': {
      const earlier = await bookedInThisCall(own, booking, triedAt);
      return earlier ? { kind: 'booked', appointment: toShown(earlier) } : refused(booked);
    }
    case 'slot_held':
    case 'slot_unavailable':
    case 'in_the_past':
      return refused(booked);
  }
}

/** The time is taken by this very call: asked for again in other words, or by a try that was cut short. */
async function bookedInThisCall(
  own: Own,
  { provider, startsAt }: NewBooking,
  triedAt: Date | null,
): Promise<AppointmentRecord | null> {
  const { call, stores } = own;
  const booked = await bookedAt(own, startsAt);
  if (!booked) return null;
  const meant = await stores.providers.recognise(call.clinicId, provider);
  if (booked.providerName !== meant?.name) return null;
  return triedAt || (await stores.toolCalls.hasToldOf(call.callId, booked.id)) ? booked : null;
}

/** What the patient has booked at a time. */
async function bookedAt({ call, stores }: Own, startsAt: string): Promise<AppointmentRecord | null> {
  const until = new Date(Date.parse(startsAt) + 1).toISOString();
  const { clinicId, patientId } = call;
  const filter = { patientId, status: 'booked', from: startsAt, until, limit: 1 } as const;
  const { items } = await stores.appointments.list(clinicId, filter);
  return items[0] ?? null;
}

async function move(own: Own, startsAt: string, attempt: Attempt): Promise<Move> {
  const { recordId: key, now } = attempt;
  const earlier = await changedBefore(own, attempt);
  if (earlier) return { kind: 'moved', appointment: earlier };
  const next = await nextOf(own, now);
  if (!next) return { kind: 'nothing_upcoming' };
  const { clinicId } = own.call;
  const asked = { clinicId, appointmentId: next.id, startsAt, now, change: { key } };
  const moved = await own.stores.appointments.reschedule(asked);
  switch (moved.kind) {
    case 'moved':
      return { kind: 'moved', appointment: toShown(moved.appointment) };
    // It was cancelled, or its time came, between the two statements.
    case 'appointment_cancelled':
    case 'appointment_fulfilled':
    case 'version_changed':
    case 'unknown':
      return { kind: 'nothing_upcoming' };
    case 'slot_taken':
    case 'slot_held':
    case 'slot_unavailable':
    case 'in_the_past':
      return refused(moved);
  }
}

/** What a try that was cut short has moved or cancelled: the next appointment may be another one by now. */
async function changedBefore(own: Own, { recordId, triedAt }: Attempt): Promise<CalendarAppointment | null> {
  const changed = triedAt && (await own.stores.appointments.changedUnder(own.call.clinicId, recordId));
  return changed && toShown(changed);
}

async function cancel(own: Own, attempt: Attempt): Promise<Cancellation> {
  const { recordId: key, now } = attempt;
  const earlier = await changedBefore(own, attempt);
  if (earlier) return { kind: 'cancelled', appointment: earlier };
  const next = await nextOf(own, now);
  if (!next) return { kind: 'nothing_upcoming' };
  const { clinicId } = own.call;
  const result = await own.stores.appointments.cancel({ clinicId, appointmentId: next.id, change: { key } });
  return result.kind === 'cancelled'
    ? { kind: 'cancelled', appointment: toShown(result.appointment) }
    : { kind: 'nothing_upcoming' };
}

async function hold(
  own: Own,
  { provider: spoken, startsAt, minutes }: TimeToHold,
  { recordId: holdId, now }: Attempt,
): Promise<Holding> {
  const { clinicId, patientId } = own.call;
  const provider = spoken ?? (await nextOf(own, now))?.providerName;
  if (provider === undefined) return { kind: 'nothing_upcoming' };
  const holding = await own.stores.holds.hold({
    clinicId,
    holdId,
    patientId,
    provider,
    visitType: defaultVisitType,
    startsAt,
    minutes,
    now,
  });
  switch (holding.kind) {
    case 'held':
      return { kind: 'held', heldUntil: holding.hold.heldUntil };
    case 'unknown_provider':
    case 'unknown_patient':
      return holding;
    case 'slot_taken':
    case 'slot_held':
    case 'slot_unavailable':
    case 'in_the_past':
      return refused(holding);
  }
}

const toShown = ({ id, providerName, status, startsAt }: AppointmentRecord): CalendarAppointment => ({
  id,
  providerName,
  status,
  startsAt: startsAt.toISOString(),
});

const refused = ({ kind }: TimeRefusal): Extract<Booking, { kind: 'time_refused' }> => ({
  kind: 'time_refused',
  reason: kind === 'slot_held' ? 'slot_taken' : kind,
});

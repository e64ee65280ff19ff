import {
  AppointmentView,
  Availability,
  CancelAppointment,
  DayList,
  defaultVisitType,
  FindAvailability,
  ListAppointments,
  NewAppointment,
  NewTime,
  NotedAppointment,
  NotedVisit,
  OverridingAppointment,
  ShowDay,
  WaitingForTime,
} from '@clinic/shared/contracts/calendar/appointments';
import { isCancellationReason } from '@clinic/shared/domain/calendar/cancellation-reasons';
import { localDate, plusDays, plusLocalDays, startOfDate } from '@clinic/shared/domain/calendar/clinic-time';
import { isWithin } from '@clinic/shared/domain/calendar/time-of-day';
import { undoSeconds } from '@clinic/shared/domain/calendar/waitlist';
import { spokenTime } from '@clinic/shared/domain/voice/spoken-time';
import { AppError } from '@clinic/shared/errors';
import type { AppointmentRecord } from '@clinic/prisma/stores/calendar/appointment-records';
import type { Booking } from '@clinic/prisma/stores/calendar/appointments';
import type { TimeRefusal } from '@clinic/prisma/stores/calendar/open-times';
import type { Overriding } from '@clinic/prisma/stores/calendar/overrides';
import { momentOf, spanOf, zoneOf } from '../../clinic-span';
import { mapPage } from '../../http/list-route';
import type { Reply } from '../../http/route';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Appointments', access: 'api-key-or-clinic', right: 'appointments.read' });

const unknown = { description: 'No such appointment of this clinic' };
const refused = {
  description:
    'The reason is the message: slot_taken, slot_held, slot_unavailable, appointment_cancelled, appointment_fulfilled',
};

/** How far availability looks, as the Slot search does. */
const DAYS = 14;

/** Scheduling through the workflow API (docs/contract.md, 4): the same rules as the FHIR routes, in plain JSON. */
export const appointmentRecordRoutes = [
  routes.get('/availability', {
    patientData: 'none',
    summary: 'Open slots of one provider or of any, from a day or an instant on',
    description:
      'Within 14 days of `from`, or of now. Book with the `startsAt` that it returned, and be ready for 409 where somebody was quicker.',
    query: FindAvailability,
    responses: {
      200: { description: 'Open slots in order of time', schema: Availability },
      404: { description: 'No such provider of this clinic' },
    },
    async handle({ caller: { clinicId }, query: { providerName, limit, ...given } }, { stores }) {
      const zone = await zoneOf(stores, clinicId);
      const now = await stores.agendas.now(clinicId);
      const from = momentOf('from', given.from, zone) ?? now.toISOString();
      const last = plusLocalDays(from, DAYS, zone);
      const until = momentOf('until', given.until, zone) ?? last;
      const found = await stores.appointments.openSlots({
        clinicId,
        provider: providerName ?? null,
        from,
        now,
        until: until < last ? until : last,
      });
      if (found.kind === 'unknown_provider') throw unknownProvider(providerName);
      const times = { fromTime: given.fromTime ?? null, untilTime: given.untilTime ?? null };
      const wanted = found.slots.filter(({ startsAt }) => isWithin(times, startsAt, zone));
      const slots = wanted.slice(0, limit).map(({ slotId, providerName: name, startsAt }) => ({
        slotId,
        providerName: name,
        startsAt,
        startsAtSpoken: spokenTime(startsAt, zone, now.toISOString()),
      }));
      return { body: { slots } };
    },
  }),
  routes.list('/appointments', {
    patientData: { action: 'appointment.list' },
    summary: 'List appointments, latest start first',
    description: 'Filters by patient, provider, status and time. Cancelled and past ones too.',
    query: ListAppointments,
    item: AppointmentView,
    items: 'appointments',
    subjectOf: ({ patientId }) => patientId,
    async read({ caller: { clinicId }, query: { from, until, ...filter } }, { stores }) {
      const span = await spanOf(stores, clinicId, { from, until });
      return mapPage(await stores.appointments.list(clinicId, { ...filter, ...span }), toView);
    },
  }),
  routes.post('/appointments', {
    right: 'appointments',
    patientData: { action: 'appointment.book', isChange: true },
    summary: 'Book an open slot',
    description:
      'Of two who want one slot, one gets 200 and the other 409 with the code as `message`, as `slot_taken`. Send an `Idempotency-Key`, and the same request again where no response came: it books once. Without `visitType` it is a follow-up consultation.',
    body: NewAppointment,
    isIdempotent: true,
    responses: {
      200: { description: 'The booked appointment', schema: AppointmentView },
      404: { description: 'No such patient or provider of this clinic' },
      409: refused,
    },
    async handle(
      { caller: { clinicId }, body: { patientId, providerName, visitType, startsAt }, idOfNew },
      { stores },
    ) {
      const booking = await stores.appointments.book({
        clinicId,
        appointmentId: idOfNew,
        patientId,
        provider: providerName,
        startsAt,
        now: await stores.agendas.now(clinicId),
        visitType: visitType ?? defaultVisitType,
      });
      return showBooked(booking, { patientId, providerName });
    },
  }),
  routes.post('/appointments/override', {
    access: 'clinic',
    right: 'operations',
    patientData: { action: 'appointment.book', isChange: true },
    summary: 'Book a time that is not on offer',
    description:
      'Whatever the hours, days off, closed days, notice and grid of the provider; the reason is kept in the audit. A time that somebody has or holds is refused as ever.',
    body: OverridingAppointment,
    isIdempotent: true,
    responses: {
      200: { description: 'The booked appointment', schema: AppointmentView },
      404: { description: 'No such patient or provider of this clinic' },
      409: { description: 'The reason is the message: slot_taken, slot_held' },
    },
    async handle(
      { caller: { clinicId }, body: { patientId, providerName, visitType, startsAt, reason }, idOfNew, by },
      { stores },
    ) {
      const booking = await stores.overrides.book(
        {
          clinicId,
          appointmentId: idOfNew,
          patientId,
          provider: providerName,
          startsAt,
          reason,
          now: await stores.agendas.now(clinicId),
          visitType: visitType ?? defaultVisitType,
        },
        by,
      );
      return showBooked(booking, { patientId, providerName });
    },
  }),
  routes.get('/appointments/:appointmentId', {
    patientData: { action: 'appointment.read' },
    summary: 'One appointment',
    description: 'Cancelled and fulfilled ones too. One of another clinic is 404.',
    responses: { 200: { description: 'The appointment', schema: AppointmentView }, 404: unknown },
    async handle({ caller: { clinicId }, params: { appointmentId } }, { stores }) {
      const appointment = await stores.appointments.find(clinicId, appointmentId);
      if (!appointment) throw notFound(appointmentId);
      return show(appointment);
    },
  }),
  routes.post('/appointments/:appointmentId/reschedule', {
    right: 'appointments',
    patientData: { action: 'appointment.reschedule', isChange: true },
    summary: 'Move a booked appointment to another open slot',
    description:
      'It keeps its id, also with another provider. The rules are those of booking, and it is never in its own way. The time that a person has left in the dashboard is offered to the waitlist fifteen seconds later, as after a cancellation. What was cancelled or fulfilled is 409.',
    body: NewTime,
    isIdempotent: true,
    responses: {
      200: { description: 'The appointment at its new time', schema: AppointmentView },
      404: unknown,
      409: refused,
    },
    async handle(
      { caller, params: { appointmentId }, body: { startsAt, providerName }, by, repeatId: key },
      { stores },
    ) {
      const { clinicId } = caller;
      const now = await stores.agendas.now(clinicId);
      const change = { by: by.actor, request: by.requestId, key, undoSeconds: undoSecondsOf(caller) };
      const moved = await stores.appointments.reschedule({
        clinicId,
        appointmentId,
        startsAt,
        providerName,
        now,
        change,
      });
      if (moved.kind === 'moved') return show(moved.appointment);
      if (moved.kind === 'unknown') throw notFound(appointmentId);
      if (providerName !== undefined && !(await stores.providers.find(clinicId, providerName))) {
        throw unknownProvider(providerName);
      }
      throw refusal(moved);
    },
  }),
  routes.post('/appointments/:appointmentId/cancel', {
    right: 'appointments',
    patientData: { action: 'appointment.cancel', isChange: true },
    summary: 'Cancel an appointment',
    description:
      'With a reason, which is kept on it. What a person has cancelled in the dashboard is offered to the waitlist fifteen seconds later, so that it can be taken back. Repeating it is 200 with the same appointment; one that was fulfilled is 409.',
    body: CancelAppointment.optional(),
    isIdempotent: true,
    responses: {
      200: { description: 'The cancelled appointment', schema: AppointmentView },
      404: unknown,
      409: refused,
    },
    async handle({ caller, params: { appointmentId }, body, repeatId: key }, { stores }) {
      const { clinicId } = caller;
      const change = { key, reason: body?.reason, undoSeconds: undoSecondsOf(caller) };
      const cancelled = await stores.appointments.cancel({ clinicId, appointmentId, change });
      if (cancelled.kind === 'cancelled') return show(cancelled.appointment);
      if (cancelled.kind === 'unknown') throw notFound(appointmentId);
      throw refusal(cancelled);
    },
  }),
  routes.post('/appointments/:appointmentId/restore', {
    right: 'appointments',
    patientData: { action: 'appointment.restore', isChange: true },
    summary: 'Book a cancelled appointment again',
    description:
      'At its own time and with its own provider, by the rule that no two have one time: 409 where somebody has or holds it by now. One that is booked stays as it is.',
    responses: {
      200: { description: 'The booked appointment', schema: AppointmentView },
      404: unknown,
      409: { description: 'The reason is the message: slot_taken, slot_held, appointment_fulfilled' },
    },
    async handle({ caller: { clinicId }, params: { appointmentId } }, { stores }) {
      const now = await stores.agendas.now(clinicId);
      const { kind } = await stores.visits.restore({ clinicId, appointmentId, now });
      const appointment = await stores.appointments.find(clinicId, appointmentId);
      if (kind === 'unknown' || !appointment) throw notFound(appointmentId);
      if (kind !== 'restored') throw refusal({ kind });
      return show(appointment);
    },
  }),
  routes.post('/appointments/:appointmentId/attendance', {
    right: 'appointments',
    patientData: { action: 'appointment.note', isChange: true },
    summary: 'Note who arrived, who did not come, and who has left',
    description:
      'As FHIR statuses: `arrived`, `noshow`, `fulfilled`; `booked` takes a note back. A patient who arrived is not reminded any more. Who did not come is called about another time, a minute later at the soonest, as a `reschedule-follow-up`, where calls act on this calendar; once that is taken back, they are not.',
    body: NotedVisit,
    responses: {
      200: { description: 'The appointment as it is now', schema: NotedAppointment },
      404: unknown,
      409: { description: 'The reason is the message: not_yet, appointment_cancelled, slot_taken' },
    },
    async handle({ caller: { clinicId }, params: { appointmentId }, body: { status } }, { stores }) {
      const now = await stores.agendas.now(clinicId);
      const noting = await stores.visits.note({ clinicId, appointmentId, as: status, now });
      const appointment = await stores.appointments.find(clinicId, appointmentId);
      if (noting.kind === 'unknown' || !appointment) throw notFound(appointmentId);
      if (noting.kind === 'not_yet') throw new AppError('conflict', noting.kind);
      if (noting.kind !== 'noted') throw refusal({ kind: noting.kind });
      return {
        body: { ...toView(appointment), followUp: noting.followUp },
        subjects: [appointment.patientId],
        detail: { appointmentId, status },
      };
    },
  }),
  routes.get('/day-list', {
    patientData: { action: 'appointment.list' },
    summary: 'The visits of a day, of all providers',
    description: 'In order of time, with whom to ring. Cancelled ones are left out.',
    query: ShowDay,
    responses: { 200: { description: 'The visits of that day', schema: DayList } },
    async handle({ caller: { clinicId }, query }, { stores }) {
      const timezone = await zoneOf(stores, clinicId);
      const date = query.date ?? localDate((await stores.agendas.now(clinicId)).toISOString(), timezone);
      const [from, until] = [startOfDate(date, timezone), startOfDate(plusDays(date, 1), timezone)];
      const visits = await stores.visits.ofDay(clinicId, { from, until });
      const items = visits.map(({ patientName, phone, dateOfBirth, ...visit }) => ({
        ...toView(visit),
        patientName,
        phone,
        dateOfBirth,
      }));
      return { body: { date, timezone, items }, subjects: visits.map(({ patientId }) => patientId) };
    },
  }),
  routes.get('/appointments/:appointmentId/waiting', {
    patientData: 'none',
    summary: 'How many wait for the time of an appointment',
    description:
      'What the waitlist does once it is cancelled or moved: of those who wait for such a time the first is called.',
    responses: { 200: { description: 'How many, and whether they are called', schema: WaitingForTime }, 404: unknown },
    async handle({ caller: { clinicId }, params: { appointmentId } }, { stores }) {
      const waiting = await stores.visits.waitingForTimeOf(clinicId, appointmentId);
      if (!waiting) throw notFound(appointmentId);
      return { body: waiting };
    },
  }),
];

const notFound = (appointmentId: string) => new AppError('not_found', `Appointment ${appointmentId} not found`);

function showBooked(
  booking: Booking | Overriding,
  { patientId, providerName }: { patientId: string; providerName: string },
): Reply {
  if (booking.kind === 'booked') return show(booking.appointment);
  if (booking.kind === 'unknown_patient') throw new AppError('not_found', `Patient ${patientId} not found`);
  if (booking.kind === 'unknown_provider') throw unknownProvider(providerName);
  throw refusal(booking);
}

const show = (record: AppointmentRecord): Reply => ({
  body: toView(record),
  subjects: [record.patientId],
  detail: { appointmentId: record.id },
});

export function toView(record: AppointmentRecord): AppointmentView {
  const { id, patientId, providerName, providerDisplayName, visitType, status, startsAt, endsAt } = record;
  const { cancellationReason } = record;
  return {
    id,
    patientId,
    providerName,
    providerDisplayName,
    visitType,
    status,
    startsAt: startsAt.toISOString(),
    endsAt: endsAt.toISOString(),
    cancellationReason: isCancellationReason(cancellationReason) ? cancellationReason : null,
  };
}

/** What a person does in the dashboard can be taken back for a while. */
const undoSecondsOf = ({ kind }: { kind: string }) => (kind === 'api-key' ? 0 : undoSeconds);

const unknownProvider = (name: string | undefined) => new AppError('not_found', `Practitioner ${name} not found`);

/** In the one error shape: the word for a machine is the message (docs/contract.md, 1). */
function refusal({
  kind,
}:
  | TimeRefusal
  | { kind: 'appointment_cancelled' }
  | { kind: 'appointment_fulfilled' }
  | { kind: 'version_changed' }): AppError {
  if (kind === 'in_the_past') return new AppError('in_the_past', 'startsAt lies in the past');
  // Nobody names a version here.
  if (kind === 'version_changed') return new AppError('conflict', kind);
  return new AppError(kind, kind);
}

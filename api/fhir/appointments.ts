import { emrTime } from '@clinic/prisma/stores/calendar/agendas';
import {
  Appointment,
  BookRequest,
  BundleOf,
  Parameters,
  RescheduleBody,
  RescheduleRequest,
} from '@clinic/shared/contracts/calendar/fhir';
import { readProposedTimeId } from '@clinic/shared/domain/calendar/proposed-time';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import type { FhirRequest, Caller } from '../http/route';
import { confirmHold, nearestHeader, PAST, refusedTime, show } from './appointment';
import { fhir, conflictOutcome, fhirResponse } from './fhir-route';
import { conflict, refuse } from '@clinic/shared/contracts/calendar/outcome';
import { namedIn, proposedIn } from '@clinic/shared/contracts/calendar/parameters';
import { askedTime } from './find';
import { ReferenceTo, searchParameters } from '@clinic/shared/contracts/calendar/search';
import { changeOf, identifierIn, showsVersions } from '@clinic/sandbox/versions';
import { searchNext } from './search-appointments';
import { cancelWaiting } from './waitlist';

export const unknownAppointment = { description: 'No such appointment of this clinic' };

const CHANGED = 'The appointment has changed since it was read';

/** `GET /Appointment`, `$book`, `$reschedule`, `$cancel`. */
export const appointmentRoutes = [
  fhir.get('/Appointment', {
    right: 'appointments.read',
    patientData: {
      action: 'appointment.search',
      asksFor: ({ query: { patient } }: { query: { patient?: string } }) =>
        patient?.startsWith('Patient/') ? [patient.slice('Patient/'.length)] : [],
    },
    summary: "A patient's next upcoming appointment",
    description: 'With `status=waitlist`: what the patient waits for, until it is booked or given up.',
    query: searchParameters({ patient: ReferenceTo('Patient', 'id') }),
    responses: { 200: fhirResponse('A Bundle of one appointment or none', BundleOf(Appointment)) },
    handle: (request, deps) => searchNext(request as FhirRequest, deps),
  }),
  fhir.post('/Appointment/$book', {
    right: 'appointments',
    patientData: { action: 'appointment.book', isChange: true },
    summary: 'Book an open slot',
    description:
      'Of two who want one slot, one gets 200 and the other 409 with `slot_taken`. Send an `Idempotency-Key`, and the same request again where no response came: it books once. A missing participant, and a time in the past or without a zone, are 400.',
    body: Parameters,
    documentedBody: BookRequest,
    isIdempotent: true,
    responses: {
      200: fhirResponse('The booked appointment', Appointment),
      404: { description: 'No such patient or practitioner of this clinic' },
      409: conflictOutcome,
    },
    async handle(request, { stores }) {
      const { caller, body, idOfNew } = request;
      const { clinicId, agenda } = caller;
      const named = namedIn(body);
      if (named !== null && !readProposedTimeId(named)) return confirmHold(stores, { clinicId, agenda, holdId: named });
      const { patientId, provider, start, visitType } = askedTime(agenda, body);
      const now = emrTime(agenda);
      const booking = await stores.appointments.book({
        clinicId,
        appointmentId: idOfNew,
        patientId,
        provider,
        isFhirId: true,
        now,
        startsAt: start,
        visitType,
        identifier:
          agenda.leniency.showsNextAppointmentOnly || named !== null ? undefined : identifierIn(proposedIn(body)),
        change: changeOf(request),
      });
      if (booking.kind === 'booked') return show(booking.appointment);
      return refusedTime(stores, booking.kind, { clinicId, patientId, provider, start, now });
    },
  }),
  fhir.post('/Appointment/:id/$reschedule', {
    right: 'appointments',
    patientData: { action: 'appointment.reschedule', isChange: true },
    summary: 'Move a booked appointment to another open slot',
    description:
      'The appointment keeps its id. The rules are those of `$book`, and it is never in its own way. What was cancelled or fulfilled is 409 with the reason. A real EHR often has no such operation: switch the lenient rule off to develop against that.',
    body: RescheduleBody,
    documentedBody: RescheduleRequest,
    isIdempotent: true,
    responses: {
      200: fhirResponse('The appointment at its new time', Appointment),
      404: unknownAppointment,
      409: conflictOutcome,
    },
    async handle(request, { stores }) {
      const { caller, params, body, repeatId: key } = request;
      const { clinicId, agenda } = caller;
      const { id: appointmentId } = params;
      const now = emrTime(agenda);
      const startsAt = body.start;
      const moved = await stores.appointments.reschedule({
        clinicId,
        appointmentId,
        startsAt,
        now,
        change: { ...changeOf(request), key },
      });
      switch (moved.kind) {
        case 'moved':
          return show(moved.appointment);
        case 'in_the_past':
          throw new AppError('in_the_past', PAST);
        case 'unknown':
          throw unknown(appointmentId);
        case 'slot_taken':
        case 'slot_held':
        case 'slot_unavailable': {
          const { providerName = '' } = (await stores.appointments.find(clinicId, appointmentId)) ?? {};
          const about = { clinicId, providerName, start: body.start, now };
          return conflict(moved.kind, await nearestHeader(stores, about));
        }
        case 'appointment_cancelled':
        case 'appointment_fulfilled':
          return conflict(moved.kind);
        case 'version_changed':
          return refuse('version_changed', CHANGED);
      }
    },
  }),
  fhir.post('/Appointment/:id/$cancel', {
    right: 'appointments',
    patientData: { action: 'appointment.cancel', isChange: true },
    summary: 'Cancel an appointment, or give up a time that is held',
    description:
      'Needs no body. Repeating it is 200 with the same appointment; one that was fulfilled is 409. A sandbox set to be like a real EHR may want a coded reason.',
    // The contract's has none: whatever is sent is ignored, unless the clinic wants a reason.
    body: z.unknown(),
    takesBody: wantsReason,
    isIdempotent: true,
    responses: {
      200: fhirResponse('The cancelled appointment', Appointment),
      404: unknownAppointment,
      409: conflictOutcome,
    },
    async handle(request, { stores, baseUrl }) {
      const { caller, params, repeatId: key } = request;
      const { clinicId } = caller;
      const { id: appointmentId } = params;
      const change = { ...changeOf(request), key };
      const cancelled = await stores.appointments.cancel({ clinicId, appointmentId, change });
      if (cancelled.kind === 'unknown') {
        const hold = await stores.holds.release({ clinicId, holdId: appointmentId });
        if (hold) return show({ ...hold, status: 'cancelled', cancellationReason: null });
        const waiting = await cancelWaiting({ stores, baseUrl }, { clinicId, entryId: appointmentId });
        if (!waiting) throw unknown(appointmentId);
        return waiting;
      }
      if (cancelled.kind === 'appointment_fulfilled') return conflict(cancelled.kind);
      if (cancelled.kind === 'version_changed') return refuse('version_changed', CHANGED);
      return show(cancelled.appointment);
    },
  }),
];

const unknown = (id: string) => new AppError('unknown_appointment', `Appointment ${id} not found`);

/** Whether a cancellation's body is looked at: where a reason is wanted, or shown. */
function wantsReason(caller: Caller): boolean {
  return caller.kind === 'session' && caller.agenda !== undefined && showsVersions(caller.agenda.leniency);
}

import {
  Appointment,
  BookRequest,
  BundleOf,
  Parameters,
  RescheduleBody,
  RescheduleRequest,
} from '@clinic/shared/contracts/fhir';
import { toAppointment } from '@clinic/shared/contracts/fhir-appointment';
import { readProposedTimeId } from '@clinic/shared/domain/proposed-time';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import type { Caller, Route } from '../http/route';
import { PAST, show } from './appointment';
import { searchset, searchUrl } from './bundle';
import { confirmHold } from './confirm-hold';
import { conflict, conflictOutcome, fhirResponse, type FhirDeps, type FhirRequest, fhirRoute } from './fhir-route';
import { nearestHeader } from './nearest';
import { refuse } from './outcome';
import { namedIn, proposedIn } from './parameters';
import { askedTime } from './find';
import { refusedTime, requirePossible } from './refused-time';
import { idOfReference, ReferenceTo, searchParameters } from './search';
import { changeOf, identifierIn, showsVersions } from './versions';
import { cancelWaiting, searchWaitlist, WAITLIST } from './waitlist';

export const AppointmentPath = z.object({ id: z.string() });
export const unknownAppointment = { description: 'No such appointment of this clinic' };

const CHANGED = 'The appointment has changed since it was read';

/** `GET /Appointment`, `$book`, `$reschedule`, `$cancel`. */
export function appointmentRoutes({ stores, baseUrl }: FhirDeps): Route[] {
  const url = `${baseUrl}/Appointment`;
  const unknown = (id: string) => new AppError('not_found', `Appointment ${id} not found`);

  return [
    fhirRoute({
      method: 'get',
      path: '/Appointment',
      patientData: {
        action: 'appointment.search',
        asksFor: ({ query: { patient } }: { query: { patient?: string } }) =>
          patient?.startsWith('Patient/') ? [patient.slice('Patient/'.length)] : [],
      },
      summary: "A patient's next upcoming appointment",
      description: 'With `status=waitlist`: what the patient waits for, until it is booked or given up.',
      query: searchParameters({ patient: ReferenceTo('Patient', 'id') }),
      responses: { 200: fhirResponse('A Bundle of one appointment or none', BundleOf(Appointment)) },
      async handle(request) {
        const { caller, query } = request;
        const { clinicId } = caller;
        const { patient } = query;
        if (query.status === WAITLIST) return searchWaitlist(request as FhirRequest, { stores, baseUrl });
        const patientId = idOfReference('Patient', patient, 'patient');
        const next = await stores.appointments.nextUpcoming(clinicId, patientId, await stores.agendas.now(clinicId));
        const entries = next ? [{ fullUrl: `${url}/${next.id}`, resource: toAppointment(next) }] : [];
        const body = searchset({ links: { self: searchUrl(url, { patient }) }, total: entries.length, entries });
        return { body };
      },
    }),

    fhirRoute({
      method: 'post',
      path: '/Appointment/$book',
      patientData: { action: 'appointment.book', isChange: true },
      summary: 'Book an open slot',
      body: Parameters,
      documentedBody: BookRequest,
      isIdempotent: true,
      responses: {
        200: fhirResponse('The booked appointment', Appointment),
        404: { description: 'No such patient or practitioner of this clinic' },
        409: conflictOutcome,
      },
      async handle(request) {
        const { caller, body, idOfNew } = request;
        const { clinicId, kindnesses } = caller;
        const named = namedIn(body);
        if (named !== null && !readProposedTimeId(named)) return confirmHold(stores, { clinicId, holdId: named });
        const { patientId, provider, start, visitType } = await askedTime(stores, clinicId, body);
        const now = await stores.agendas.now(clinicId);
        await requirePossible(stores, { clinicId, provider, start, now });
        const booking = await stores.appointments.book({
          clinicId,
          appointmentId: idOfNew,
          patientId,
          provider,
          now,
          startsAt: start,
          visitType,
          identifier:
            kindnesses.showsNextAppointmentOnly || named !== null ? undefined : identifierIn(proposedIn(body)),
          ...changeOf(request),
        });
        if (booking.kind === 'booked') return show(booking.appointment);
        return refusedTime(stores, booking.kind, { clinicId, patientId, provider, start, now });
      },
    }),

    fhirRoute({
      method: 'post',
      path: '/Appointment/:id/$reschedule',
      patientData: { action: 'appointment.reschedule', isChange: true },
      summary: 'Move a booked appointment to another open slot',
      params: AppointmentPath,
      body: RescheduleBody,
      documentedBody: RescheduleRequest,
      isIdempotent: true,
      responses: {
        200: fhirResponse('The appointment at its new time', Appointment),
        404: unknownAppointment,
        409: conflictOutcome,
      },
      async handle(request) {
        const { caller, params, body } = request;
        const { clinicId } = caller;
        const { id: appointmentId } = params;
        const now = await stores.agendas.now(clinicId);
        const startsAt = body.start;
        const moved = await stores.appointments.reschedule({
          clinicId,
          appointmentId,
          startsAt,
          now,
          ...changeOf(request),
        });
        switch (moved.kind) {
          case 'moved':
            return show(moved.appointment);
          case 'in_the_past':
            throw new AppError('bad_request', PAST);
          case 'unknown':
            throw unknown(appointmentId);
          case 'slot_taken':
          case 'slot_held':
          case 'slot_unavailable': {
            const { providerName = '' } = (await stores.appointments.find(clinicId, appointmentId)) ?? {};
            const about = { clinicId, providerName, start: body.start, now };
            return { ...conflict(moved.kind), headers: await nearestHeader(stores, about) };
          }
          case 'appointment_cancelled':
          case 'appointment_fulfilled':
            return conflict(moved.kind);
          case 'version_changed':
            return refuse('version_changed', CHANGED);
        }
      },
    }),

    fhirRoute({
      method: 'post',
      path: '/Appointment/:id/$cancel',
      patientData: { action: 'appointment.cancel', isChange: true },
      summary: 'Cancel an appointment, or give up a time that is held',
      params: AppointmentPath,
      // The contract's has none: whatever is sent is ignored, unless the clinic wants a reason.
      body: z.unknown(),
      takesBody: wantsReason,
      responses: {
        200: fhirResponse('The cancelled appointment', Appointment),
        404: unknownAppointment,
        409: conflictOutcome,
      },
      async handle(request) {
        const { caller, params } = request;
        const { clinicId } = caller;
        const { id: appointmentId } = params;
        const cancelled = await stores.appointments.cancel({ clinicId, appointmentId, ...changeOf(request) });
        if (cancelled.kind === 'unknown') {
          const hold = await stores.holds.release({ clinicId, holdId: appointmentId });
          if (hold) return show({ ...hold, status: 'cancelled' });
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
}

/** Whether a cancellation's body is looked at: where a reason is wanted, or shown. */
const wantsReason = (caller: Caller): boolean =>
  caller.kind === 'session' && caller.kindnesses !== undefined && showsVersions(caller.kindnesses);

import {
  Appointment,
  BookRequest,
  BundleOf,
  Parameters,
  ProposedAppointment,
  RescheduleRequest,
} from '@clinic/shared/contracts/fhir';
import { defaultVisitType } from '@clinic/shared/contracts/appointments';
import { latestInstant, toInstant } from '@clinic/shared/domain/clinic-time';
import { NEAREST_HEADER } from '@clinic/shared/domain/refusals';
import { nearestStarts } from '@clinic/shared/domain/slots';
import { AppError } from '@clinic/shared/errors';
import type { AppointmentRecord } from '@clinic/prisma/stores/appointments';
import { z } from 'zod';
import { parse } from '../http/parse';
import type { Reply, Route } from '../http/route';
import { searchset, searchUrl } from './bundle';
import { conflict, conflictOutcome, fhirResponse, type FhirDeps, fhirRoute } from './fhir-route';
import { parameterNamed } from './parameters';
import { idOfReference, ReferenceTo, searchParameters } from './search';

const AppointmentPath = z.object({ id: z.string() });
const unknownAppointment = { description: 'No such appointment of this clinic' };
const WEEK_MS = 7 * 24 * 3_600_000;
const PAST = 'start lies in the past';

/** `GET /Appointment`, `$book`, `$reschedule`, `$cancel`. */
export function appointmentRoutes({ stores, baseUrl }: FhirDeps): Route[] {
  const url = `${baseUrl}/Appointment`;
  const unknown = (id: string) => new AppError('not_found', `Appointment ${id} not found`);
  /** What else the practitioner has on offer about that time. */
  const nearest = async (clinicId: string, providerName: string, start: string, now: Date) => {
    const at = Date.parse(start);
    const from = toInstant(at - WEEK_MS);
    const until = toInstant(Math.min(at + WEEK_MS, latestInstant));
    const slots = await stores.appointments.slotsOf({ clinicId, providerName, from, until, now });
    const starts = nearestStarts(slots ?? [], start, 3);
    return starts.length === 0 ? undefined : { [NEAREST_HEADER]: starts.join(', ') };
  };

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
      query: searchParameters({ patient: ReferenceTo('Patient', 'id') }),
      responses: { 200: fhirResponse('A Bundle of one appointment or none', BundleOf(Appointment)) },
      async handle({ caller: { clinicId }, query: { patient } }) {
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
      async handle({ caller: { clinicId }, body, idOfNew }) {
        const { resource } = parameterNamed(body, 'appointment');
        const proposed = parse(ProposedAppointment, resource);
        const patientId = participantOf(proposed, 'Patient');
        const provider = participantOf(proposed, 'Practitioner');
        const now = await stores.agendas.now(clinicId);
        // Before anything is looked up: what can never be is a bad request, whoever asks.
        if (proposed.start <= now.toISOString()) throw new AppError('bad_request', PAST);
        if (!(await stores.providers.find(clinicId, provider))) {
          throw new AppError('not_found', `Practitioner ${provider} not found`);
        }
        const booking = await stores.appointments.book({
          clinicId,
          appointmentId: idOfNew,
          patientId,
          provider,
          now,
          startsAt: proposed.start,
          visitType: proposed.serviceType?.[0]?.text ?? defaultVisitType,
        });
        switch (booking.kind) {
          case 'booked':
            return show(booking.appointment);
          case 'slot_taken':
          case 'slot_unavailable':
            return { ...conflict(booking.kind), headers: await nearest(clinicId, provider, proposed.start, now) };
          case 'in_the_past':
            throw new AppError('bad_request', PAST);
          case 'unknown_patient':
            throw new AppError('not_found', `Patient ${patientId} not found`);
          case 'unknown_provider':
            throw new AppError('not_found', `Practitioner ${provider} not found`);
        }
      },
    }),

    fhirRoute({
      method: 'post',
      path: '/Appointment/:id/$reschedule',
      patientData: { action: 'appointment.reschedule', isChange: true },
      summary: 'Move a booked appointment to another open slot',
      params: AppointmentPath,
      body: RescheduleRequest,
      isIdempotent: true,
      responses: {
        200: fhirResponse('The appointment at its new time', Appointment),
        404: unknownAppointment,
        409: conflictOutcome,
      },
      async handle({ caller: { clinicId }, params: { id: appointmentId }, body }) {
        const now = await stores.agendas.now(clinicId);
        const moved = await stores.appointments.reschedule({ clinicId, appointmentId, startsAt: body.start, now });
        switch (moved.kind) {
          case 'moved':
            return show(moved.appointment);
          case 'in_the_past':
            throw new AppError('bad_request', PAST);
          case 'unknown':
            throw unknown(appointmentId);
          case 'slot_taken':
          case 'slot_unavailable': {
            const { providerName = '' } = (await stores.appointments.find(clinicId, appointmentId)) ?? {};
            return { ...conflict(moved.kind), headers: await nearest(clinicId, providerName, body.start, now) };
          }
          case 'appointment_cancelled':
          case 'appointment_fulfilled':
            return conflict(moved.kind);
        }
      },
    }),

    fhirRoute({
      method: 'post',
      path: '/Appointment/:id/$cancel',
      patientData: { action: 'appointment.cancel', isChange: true },
      summary: 'Cancel an appointment',
      params: AppointmentPath,
      responses: {
        200: fhirResponse('The cancelled appointment', Appointment),
        404: unknownAppointment,
        409: conflictOutcome,
      },
      async handle({ caller: { clinicId }, params: { id: appointmentId } }) {
        const cancelled = await stores.appointments.cancel({ clinicId, appointmentId });
        if (cancelled.kind === 'unknown') throw unknown(appointmentId);
        if (cancelled.kind === 'appointment_fulfilled') return conflict(cancelled.kind);
        return show(cancelled.appointment);
      },
    }),
  ];
}

/** The one participant of a type. */
export function participantOf(
  { participant }: z.output<typeof ProposedAppointment>,
  type: 'Patient' | 'Practitioner',
): string {
  const references = participant.flatMap(({ actor }) => actor?.reference ?? []);
  const [reference, ...more] = references.filter((each) => each.startsWith(`${type}/`));
  if (reference !== undefined && more.length === 0) return idOfReference(type, reference, 'participant');
  const message = `must hold one ${type}/ reference`;
  throw new AppError('bad_request', `participant ${message}`, [{ path: 'participant', message }]);
}

const show = (record: AppointmentRecord): Reply => ({ body: toAppointment(record), subjects: [record.patientId] });

/** An appointment as FHIR shows it. */
export function toAppointment(record: AppointmentRecord): Appointment {
  return {
    resourceType: 'Appointment',
    id: record.id,
    status: record.status,
    start: record.startsAt.toISOString(),
    end: record.endsAt.toISOString(),
    serviceType: [{ text: record.visitType }],
    participant: [
      { actor: { reference: `Patient/${record.patientId}` }, status: 'accepted' },
      { actor: { reference: `Practitioner/${record.providerName}` }, status: 'accepted' },
    ],
  };
}

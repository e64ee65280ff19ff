import { z } from 'zod';
import type { FhirSettings } from '@clinic/shared/contracts/events/approved-api';
import type { AppointmentNotice, PatientNotice } from '@clinic/shared/contracts/events/clinic-notice';
import { appointmentKey, identifier } from './identifiers';
import { plainName } from '@clinic/shared/domain/patients/plain-name';
import {
  Instant,
  isReferenceTo,
  plainReference,
  type Resource,
  resourcesOf,
} from '@clinic/shared/contracts/calendar/fhir-reading';

export interface AppointmentPlaces {
  patientReference: string;
  slotReference: string | null;
}

export function appointmentResource(
  notice: AppointmentNotice,
  { patientReference, slotReference }: AppointmentPlaces,
  settings: FhirSettings,
) {
  const { visitType, startsAt, endsAt, patient } = notice;
  const coded = settings.visitTypes.find(({ name }) => name === visitType);
  const actors = [patientReference, providerReference(notice, settings), locationReference(patient, settings)];
  return {
    resourceType: 'Appointment',
    identifier: identifier('appointment', appointmentKey(notice)),
    status: 'booked',
    serviceType: [{ ...(coded && { coding: [codingOf(coded)] }), text: visitType }],
    start: startsAt,
    end: endsAt,
    ...(slotReference !== null && { slot: [{ reference: slotReference }] }),
    participant: actors
      .filter((reference) => reference !== null)
      .map((reference) => ({ actor: { reference }, status: 'accepted' })),
  };
}

export const providerReference = ({ providerName }: AppointmentNotice, { providers }: FhirSettings): string | null =>
  providers.find(({ name }) => name === providerName)?.reference ?? null;

/** The location that the patient prefers; the only one where there is but one. */
function locationReference({ preferredLocation }: PatientNotice, { locations }: FhirSettings): string | null {
  const preferred = locations.find(({ name }) => plainName(name) === plainName(preferredLocation ?? ''));
  return (preferred ?? (locations.length === 1 ? locations[0] : undefined))?.reference ?? null;
}

const codingOf = ({ system, code }: { system?: string; code: string }) => ({ ...(system && { system }), code });

/** Whether an appointment will not take place, or did not; a record that was made in error never was one. */
export const isCalledOff = ({ status }: Resource): boolean =>
  status === 'cancelled' || status === 'entered-in-error' || status === 'noshow';

/** Whether an answer to `$book` or `$hold` refuses it, which may have the status of a success: the appointment is called off, or none is there. */
export function isNotBooked(body: unknown): boolean {
  const [appointment] = resourcesOf('Appointment', body);
  return appointment ? isCalledOff(appointment) : resourcesOf('OperationOutcome', body).length > 0;
}

/** Why an appointment is cancelled, in FHIR's code and in words. */
const cancellations = {
  patient: { code: 'pat', display: 'Patient', text: 'Cancelled by the patient' },
  moved: { code: 'pat', display: 'Patient', text: 'Moved to another time' },
  taken: { code: 'other', display: 'Other', text: 'Somebody else was there first' },
} as const;
export type CancellationReason = keyof typeof cancellations;

export function cancelled(reason: CancellationReason) {
  const { text, ...coding } = cancellations[reason];
  const system = 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason';
  return { status: 'cancelled', cancelationReason: { coding: [{ system, ...coding }], text } };
}

/** Whether an appointment is cancelled, for this reason, as we write it. */
export const isCancelledAs = (reason: CancellationReason, { status, cancelationReason }: Resource): boolean =>
  status === 'cancelled' && Reason.safeParse(cancelationReason).data?.text === cancellations[reason].text;

const Reason = z.object({ text: z.string() });

/** An appointment as the server has it. */
export interface EhrAppointment {
  id: string;
  /** Ours where the practitioner is mapped, else the server's; null where it names none. */
  providerName: string | null;
  /** The reference by which its schedule is found; null where it names no practitioner. */
  actor: string | null;
  visitType: string;
  startsAt: string;
  /** `pending` until somebody there has accepted it. */
  status?: string;
}

const Participants = z.object({
  participant: z.array(
    z.object({
      actor: z
        .object({
          reference: z.string().optional().catch(undefined),
          display: z.string().optional().catch(undefined),
        })
        .optional()
        .catch(undefined),
    }),
  ),
});
const Appointment = z.object({
  id: z.string(),
  status: z.string(),
  start: Instant,
  serviceType: z
    .array(
      z.object({ text: z.string().optional(), coding: z.array(z.object({ code: z.string().optional() })).optional() }),
    )
    .optional()
    .catch(undefined),
});

/** Who and what takes part in an appointment; none where it names nobody. */
const actorsIn = (appointment: Resource) =>
  (Participants.safeParse(appointment).data?.participant ?? []).flatMap(({ actor }) => actor ?? []);

/** Whether somebody takes part in an appointment, as `Patient/12`. */
export const takesPart = (appointment: Resource, reference: string): boolean =>
  actorsIn(appointment).some((actor) => isReferenceTo(actor.reference, reference));

/** The appointments of a search that are going to take place, in order of time, in our words as far as they are mapped. */
export function comingIn(
  resources: Resource[],
  now: string,
  { providers, visitTypes }: FhirSettings,
): EhrAppointment[] {
  const found = resources.flatMap((resource) => {
    const appointment = Appointment.safeParse(resource).data;
    return appointment ? [{ ...appointment, actors: actorsIn(resource) }] : [];
  });
  return found
    .filter(({ status, start }) => ['booked', 'pending'].includes(status) && start > now)
    .toSorted((one, other) => Date.parse(one.start) - Date.parse(other.start))
    .map(({ id, status, start, serviceType = [], actors }) => {
      const mapped = providers.find(({ reference }) =>
        actors.some((actor) => isReferenceTo(actor.reference, reference)),
      );
      const other = actors.find(({ reference }) => reference?.includes('Practitioner'));
      const codes = serviceType.flatMap(({ coding = [] }) => coding.map(({ code }) => code));
      const visitType = visitTypes.find(({ code }) => codes.includes(code))?.name ?? serviceType[0]?.text ?? 'Visit';
      return {
        id,
        providerName: mapped?.name ?? other?.display ?? null,
        actor: mapped?.reference ?? plainReference(other?.reference, 'PractitionerRole|Practitioner'),
        visitType,
        startsAt: start,
        status,
      };
    });
}

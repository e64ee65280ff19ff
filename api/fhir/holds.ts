import { Appointment, HeldAppointment, HoldMinutes, HoldRequest, Parameters } from '@clinic/shared/contracts/fhir';
import { holdMinutes } from '@clinic/shared/domain/holds';
import { AppError } from '@clinic/shared/errors';
import type { HoldRecord } from '@clinic/prisma/stores/holds';
import type { Route } from '../http/route';
import { AppointmentPath, unknownAppointment } from './appointments';
import { confirmHold } from './confirm-hold';
import { conflictOutcome, fhirResponse, type FhirDeps, fhirRoute } from './fhir-route';
import { parameterNamed } from './parameters';
import { askedTime } from './find';
import { refusedTime, requirePossible } from './refused-time';

/** `$hold` and `$confirm`: a time is kept for a patient while they think it over. */
export function holdRoutes({ stores, baseUrl }: FhirDeps): Route[] {
  return [
    fhirRoute({
      method: 'post',
      path: '/Appointment/$hold',
      patientData: { action: 'appointment.hold', isChange: true },
      summary: 'Keep an open slot for a patient',
      description: `For the parameter \`minutes\` (${holdMinutes.min} to ${holdMinutes.max}, ${holdMinutes.usual} unless given), at most until it begins. \`$confirm\` books it, \`$cancel\` gives it up.`,
      body: Parameters,
      documentedBody: HoldRequest,
      isIdempotent: true,
      responses: {
        200: fhirResponse('The held time, until the instant of its extension', HeldAppointment),
        404: { description: 'No such patient or practitioner of this clinic' },
        409: conflictOutcome,
      },
      async handle({ caller: { clinicId }, body, idOfNew }) {
        const minutes = minutesOf(body);
        const { patientId, provider, start, visitType } = await askedTime(stores, clinicId, body);
        const now = await stores.agendas.now(clinicId);
        await requirePossible(stores, { clinicId, provider, start, now });
        const holding = await stores.holds.hold({
          clinicId,
          holdId: idOfNew,
          patientId,
          provider,
          minutes,
          now,
          startsAt: start,
          visitType,
        });
        if (holding.kind !== 'held') {
          return refusedTime(stores, holding.kind, { clinicId, patientId, provider, start, now });
        }
        return { body: toHeldAppointment(holding.hold, baseUrl), subjects: [holding.hold.patientId] };
      },
    }),

    fhirRoute({
      method: 'post',
      path: '/Appointment/:id/$confirm',
      patientData: { action: 'appointment.confirm', isChange: true },
      summary: 'Book the time that is held',
      params: AppointmentPath,
      isIdempotent: true,
      responses: {
        200: fhirResponse('The booked appointment', Appointment),
        404: unknownAppointment,
        409: conflictOutcome,
      },
      handle: ({ caller: { clinicId }, params: { id: holdId } }) => confirmHold(stores, { clinicId, holdId }),
    }),
  ];
}

function minutesOf(body: Parameters): number {
  if (!body.parameter.some(({ name }) => name === 'minutes')) return holdMinutes.usual;
  const { valueInteger } = parameterNamed(body, 'minutes');
  const read = HoldMinutes.safeParse(valueInteger);
  if (read.success) return read.data;
  const message = `must be a whole number from ${holdMinutes.min} to ${holdMinutes.max}, as valueInteger`;
  throw new AppError('bad_request', `minutes ${message}`, [{ path: 'minutes', message }]);
}

/** A held time as FHIR shows it: an Appointment that is pending (IHE Scheduling, ITI-116). */
function toHeldAppointment(hold: HoldRecord, baseUrl: string): HeldAppointment {
  return {
    resourceType: 'Appointment',
    id: hold.id,
    extension: [{ url: `${baseUrl}/StructureDefinition/held-until`, valueInstant: hold.heldUntil.toISOString() }],
    status: 'pending',
    start: hold.startsAt.toISOString(),
    end: hold.endsAt.toISOString(),
    serviceType: [{ text: hold.visitType }],
    participant: [
      { actor: { reference: `Patient/${hold.patientId}` }, status: 'tentative' },
      { actor: { reference: `Practitioner/${hold.providerName}` }, status: 'tentative' },
    ],
  };
}

import { emrTime } from '@clinic/prisma/stores/calendar/agendas';
import {
  Appointment,
  HeldAppointment,
  HoldMinutes,
  HoldRequest,
  Parameters,
} from '@clinic/shared/contracts/calendar/fhir';
import { holdMinutes } from '@clinic/shared/domain/calendar/holds';
import { invalid } from '@clinic/shared/errors';
import type { HoldRecord } from '@clinic/prisma/stores/calendar/holds';
import { unknownAppointment } from './appointments';
import { confirmHold, refusedTime } from './appointment';
import { fhir, conflictOutcome, fhirResponse } from './fhir-route';
import { parameterNamed } from '@clinic/shared/contracts/calendar/parameters';
import { askedTime } from './find';

/** `$hold` and `$confirm`: a time is kept for a patient while they think it over. */
export const holdRoutes = [
  fhir.post('/Appointment/$hold', {
    right: 'appointments',
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
    async handle({ caller: { clinicId, agenda }, body, idOfNew }, { stores, baseUrl }) {
      const minutes = minutesOf(body);
      const { patientId, provider, start, visitType } = askedTime(agenda, body);
      const now = emrTime(agenda);
      const holding = await stores.holds.hold({
        clinicId,
        holdId: idOfNew,
        patientId,
        provider,
        isFhirId: true,
        minutes,
        now,
        startsAt: start,
        visitType,
      });
      if (holding.kind !== 'held')
        return refusedTime(stores, holding.kind, { clinicId, patientId, provider, start, now });
      return { body: toHeldAppointment(holding.hold, baseUrl), subjects: [holding.hold.patientId] };
    },
  }),
  fhir.post('/Appointment/:id/$confirm', {
    right: 'appointments',
    patientData: { action: 'appointment.confirm', isChange: true },
    summary: 'Book the time that is held',
    description: '`id` is that of `$hold`. After its time has run out it is 409 with `hold_expired`.',
    isIdempotent: true,
    responses: {
      200: fhirResponse('The booked appointment', Appointment),
      404: unknownAppointment,
      409: conflictOutcome,
    },
    handle: ({ caller: { clinicId, agenda }, params: { id: holdId } }, { stores }) =>
      confirmHold(stores, { clinicId, agenda, holdId }),
  }),
];

function minutesOf(body: Parameters): number {
  if (!body.parameter.some(({ name }) => name === 'minutes')) return holdMinutes.usual;
  const { valueInteger } = parameterNamed(body, 'minutes');
  const read = HoldMinutes.safeParse(valueInteger);
  if (read.success) return read.data;
  throw invalid('minutes', `must be a whole number from ${holdMinutes.min} to ${holdMinutes.max}, as valueInteger`);
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

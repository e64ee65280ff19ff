import { type Agenda, emrTime } from '@clinic/prisma/stores/calendar/agendas';
import type { AppointmentRecord } from '@clinic/prisma/stores/calendar/appointment-records';
import { toAppointment } from '@clinic/shared/contracts/calendar/fhir-appointment';
import { conflict } from '@clinic/shared/contracts/calendar/outcome';
import { latestInstant, toInstant } from '@clinic/shared/domain/calendar/clinic-time';
import { NEAREST_HEADER, RULE_HEADER } from '@clinic/shared/domain/calendar/refusals';
import { nearestStarts } from '@clinic/shared/domain/calendar/slots';
import { AppError } from '@clinic/shared/errors';
import type { Reply } from '../http/route';
import type { FhirDeps } from './fhir-route';

/** What is said of a start that has passed. */
export const PAST = 'start lies in the past';

export const show = (record: AppointmentRecord): Reply => ({
  body: toAppointment(record),
  subjects: [record.patientId],
  detail: { appointmentId: record.id },
});

/** Books the time that is held, as FHIR replies to it. */
export async function confirmHold(
  stores: FhirDeps['stores'],
  { clinicId, agenda, holdId }: { clinicId: string; agenda: Agenda; holdId: string },
): Promise<Reply> {
  const now = emrTime(agenda);
  const confirmed = await stores.holds.confirm({ clinicId, holdId, now });
  switch (confirmed.kind) {
    case 'booked':
      return show(confirmed.appointment);
    case 'hold_expired': {
      const { providerName, startsAt } = confirmed.hold;
      const about = { clinicId, providerName, start: startsAt.toISOString(), now };
      return conflict(confirmed.kind, await nearestHeader(stores, about));
    }
    case 'in_the_past':
      throw new AppError('in_the_past', PAST);
    case 'appointment_cancelled':
    case 'appointment_fulfilled':
      return conflict(confirmed.kind);
    case 'unknown':
      throw new AppError('unknown_appointment', `Appointment ${holdId} not found`);
  }
}

type Refusal = 'slot_taken' | 'slot_held' | 'slot_unavailable' | 'in_the_past' | 'unknown_patient' | 'unknown_provider';

interface WantedTime {
  clinicId: string;
  patientId: string;
  provider: string;
  start: string;
  now: Date;
}

/** Why a time was neither booked nor held: 409 with what else is on offer about it. Throws 400 for what can never be, else 404. */
export async function refusedTime(
  stores: FhirDeps['stores'],
  kind: Refusal,
  { clinicId, patientId, provider, start, now }: WantedTime,
) {
  if (kind === 'in_the_past' || start <= now.toISOString()) throw new AppError('in_the_past', PAST);
  switch (kind) {
    case 'slot_taken':
    case 'slot_held':
    case 'slot_unavailable':
      return conflict(kind, await nearestHeader(stores, { clinicId, providerName: provider, start, now }));
    case 'unknown_patient':
      throw new AppError('unknown_patient', `Patient ${patientId} not found`);
    case 'unknown_provider':
      throw unknownProvider(provider);
  }
}

const unknownProvider = (provider: string) =>
  new AppError('unknown_practitioner', `Practitioner ${provider} not found`);

const WEEK_MS = 7 * 24 * 3_600_000;

/** The headers that name what else a practitioner has on offer about a time that was refused, and the rule that refused it. */
export async function nearestHeader(
  { appointments }: FhirDeps['stores'],
  { clinicId, providerName, start, now }: { clinicId: string; providerName: string; start: string; now: Date },
): Promise<Record<string, string>> {
  const at = Date.parse(start);
  const from = toInstant(at - WEEK_MS);
  const until = toInstant(Math.min(at + WEEK_MS, latestInstant));
  const [slots, rule] = await Promise.all([
    appointments.slotsOf({ clinicId, providerName, from, until, now }),
    appointments.explain({ clinicId, providerName, startsAt: start, now }),
  ]);
  const starts = nearestStarts(slots ?? [], start, 3);
  return {
    ...(starts.length > 0 && { [NEAREST_HEADER]: starts.join(', ') }),
    ...(rule && rule !== 'free' && { [RULE_HEADER]: rule }),
  };
}

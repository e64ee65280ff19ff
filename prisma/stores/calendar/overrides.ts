import { newId } from '@clinic/shared/crypto';
import type { OverrideReason } from '@clinic/shared/domain/calendar/overrides';
import { slotEnd } from '@clinic/shared/domain/calendar/slots';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Agendas, providerSpokenOf } from './agendas';
import { type AppointmentRecord, findAppointment } from './appointment-records';
import { refusalOf } from './open-times';
import type { Sql } from '../../sql';
import { type Actor, audit } from '../operations/audit';
import { endHolds, lookInTheWay, MAX_LOOKS } from './held-times';

export type Overriding =
  | { kind: 'booked'; appointment: AppointmentRecord }
  | { kind: 'slot_taken' }
  | { kind: 'slot_held' }
  | { kind: 'in_the_past' }
  | { kind: 'unknown_patient' }
  | { kind: 'unknown_provider' };

interface Context {
  database: Database;
  agendas: Agendas;
}

/** Bookings that the clinic's rules do not offer. */
export const createOverrideStores = (database: Database, agendas: Agendas) => bound({ database, agendas }, { book });

/**
 * Books a time whatever hours, days off, notice and grid the provider has, and notes in the audit who did and why. What it never
 * overrides is that somebody else has the time or holds it: it goes through the constraint of all bookings. Under an
 * `appointmentId` that has booked before, it returns that booking.
 */
async function book(
  { database: { sql, transaction }, agendas }: Context,
  {
    clinicId,
    appointmentId: id = newId(),
    patientId,
    provider: spoken,
    visitType,
    startsAt,
    reason,
    now,
  }: {
    clinicId: string;
    appointmentId?: string;
    patientId: string;
    provider: string;
    visitType: string;
    startsAt: string;
    reason: OverrideReason;
    now: Date;
  },
  by: Actor,
): Promise<Overriding> {
  const show = async (tx: Sql): Promise<Overriding | null> => {
    const appointment = await findAppointment(tx, clinicId, id);
    return appointment && { kind: 'booked', appointment };
  };
  const agenda = await agendas.of(clinicId);
  const provider = agenda && providerSpokenOf(agenda, spoken);
  if (!agenda || !provider) return (await show(sql)) ?? { kind: 'unknown_provider' };
  const start = new Date(startsAt);
  const end = new Date(slotEnd(start.toISOString()));
  const refusal = refusalOf({ agenda, provider, start, now });
  if (refusal?.kind === 'in_the_past') return (await show(sql)) ?? refusal;

  return transaction(async (tx): Promise<Overriding> => {
    // Its turn comes first, as that of a move: it may end a hold and wait for others meanwhile.
    await tx`select pg_advisory_xact_lock(hashtextextended(${provider.id}, 0))`;
    for (let tries = 1; ; tries += 1) {
      const [result] = await tx<{ isKnownPatient: boolean; isBooked: boolean }>`
        with patient as (select id from patients where clinic_id = ${clinicId} and id = ${patientId}),
        booked as (
          insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at)
          select ${id}, ${clinicId}, patient.id, ${provider.id}, ${visitType}, ${start}::timestamptz, ${end}::timestamptz
          from patient
          on conflict do nothing returning id)
        select exists (select from patient) as "isKnownPatient", exists (select from booked) as "isBooked"`;
      if (!result?.isKnownPatient) return { kind: 'unknown_patient' };
      const booked = await show(tx);
      if (booked) {
        const detail = { reason, isOnOffer: refusal === null };
        if (result.isBooked) await audit(tx, by, { clinicId, action: 'appointment.override', subject: id, detail });
        return booked;
      }
      const way = await lookInTheWay(tx, { clinicId, providerId: provider.id, patientId, start, end, now });
      if (way.kind === 'slot_taken' || way.kind === 'slot_held') return { kind: way.kind };
      if (way.kind === 'own_hold') await endHolds(tx, clinicId, way.ids);
      if (tries === MAX_LOOKS) return { kind: 'slot_taken' };
    }
  });
}

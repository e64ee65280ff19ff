import { newId } from '@clinic/shared/crypto';
import { holdEnd, isHeldAt, latestHoldEnd } from '@clinic/shared/domain/calendar/holds';
import { slotEnd } from '@clinic/shared/domain/calendar/slots';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Agendas, providerAsked } from './agendas';
import { patientExists } from '../patients/patients';
import type { AppointmentRecord } from './appointment-records';
import { refusalOf, type TimeRefusal } from './open-times';
import { type Actor, audit } from '../operations/audit';
import { lookInTheWay, MAX_LOOKS } from './held-times';

/** A time that is kept for a patient until an instant of the clinic's EMR. */
export interface HoldRecord extends Omit<AppointmentRecord, 'status' | 'cancellationReason'> {
  heldUntil: Date;
}

export type Holding =
  | { kind: 'held'; hold: HoldRecord }
  | TimeRefusal
  | { kind: 'unknown_patient' }
  | { kind: 'unknown_provider' };

export type Confirmation =
  | { kind: 'booked'; appointment: AppointmentRecord }
  | { kind: 'hold_expired'; hold: HoldRecord }
  | { kind: 'in_the_past' }
  | { kind: 'appointment_cancelled' }
  | { kind: 'appointment_fulfilled' }
  | { kind: 'unknown' };

/** Times that are kept for somebody who thinks them over. They go through the constraint that bookings go through. */
export const createHoldStores = (database: Database, agendas: Agendas) =>
  bound(contextOf(database, agendas), { hold: holdTime, confirm, release, ofProvider, setForCalls });

function contextOf(database: Database, agendas: Agendas) {
  const { sql } = database;
  const find = async (clinicId: string, id: string) => {
    const [found] = await sql<AppointmentRecord & { heldUntil: Date | null; endedAt: Date | null }>`
      select a.id, a.clinic_id as "clinicId", a.patient_id as "patientId", p.name as "providerName",
        p.display_name as "providerDisplayName", a.status, a.visit_type as "visitType", a.starts_at as "startsAt",
        a.ends_at as "endsAt", a.cancellation_reason as "cancellationReason", a.held_until as "heldUntil", a.cancelled_at as "endedAt"
      from appointments a join providers p on p.id = a.provider_id
      where a.clinic_id = ${clinicId} and a.id = ${id}`;
    return found ?? null;
  };
  return { database, agendas, sql, find };
}

type Context = ReturnType<typeof contextOf>;

/**
 * Keeps an offered slot for a patient for so many minutes, at most until it begins; of two who want one slot one wins. Anyone who
 * holds it already has it for longer, under the id that it has. Under a `holdId` that has held before, it returns that hold.
 */
async function holdTime(
  { agendas, database, sql, find }: Context,
  {
    clinicId,
    holdId: id = newId(),
    patientId,
    provider: asked,
    isFhirId,
    visitType,
    startsAt,
    minutes,
    now,
  }: {
    clinicId: string;
    holdId?: string;
    patientId: string;
    provider: string;
    /** Whether `provider` is a FHIR id, and no display name. */
    isFhirId?: boolean;
    visitType: string;
    startsAt: string;
    minutes: number;
    now: Date;
  },
): Promise<Holding> {
  const agenda = await agendas.of(clinicId);
  const provider = agenda && providerAsked(agenda, asked, isFhirId);
  const start = new Date(startsAt);
  const refusal = agenda && provider ? refusalOf({ agenda, provider, start, now }) : null;
  if (!provider || refusal) {
    const earlier = await find(clinicId, id);
    if (earlier?.heldUntil) return { kind: 'held', hold: toHold(earlier, earlier.heldUntil) };
  }
  if (!provider) return { kind: 'unknown_provider' };
  if (refusal?.kind === 'in_the_past') return refusal;
  if (refusal) return (await patientExists(database, clinicId, patientId)) ? refusal : { kind: 'unknown_patient' };

  const end = new Date(slotEnd(start.toISOString()));
  const heldUntil = holdEnd({ now, minutes, startsAt: start });
  for (let tries = 1; ; tries += 1) {
    const [result] = await sql<{ isKnownPatient: boolean; isHeld: boolean }>`
      with patient as (select id from patients where clinic_id = ${clinicId} and id = ${patientId}),
      held as (
        insert into appointments (id, clinic_id, patient_id, provider_id, status, visit_type, starts_at, ends_at, held_until)
        select ${id}, ${clinicId}, patient.id, ${provider.id}, 'cancelled', ${visitType}, ${start}::timestamptz,
          ${end}::timestamptz, ${heldUntil}::timestamptz
        from patient
        on conflict do nothing returning id)
      select exists (select from patient) as "isKnownPatient", exists (select from held) as "isHeld"`;
    if (!result?.isKnownPatient) return { kind: 'unknown_patient' };
    const held = await find(clinicId, id);
    if (held?.heldUntil) return { kind: 'held', hold: toHold(held, held.heldUntil) };
    // Under this id it has been held before, and booked since.
    if (held) return { kind: 'slot_taken' };

    const way = await lookInTheWay(sql, {
      clinicId,
      providerId: provider.id,
      patientId,
      start,
      end,
      now,
    });
    if (way.kind === 'slot_taken' || way.kind === 'slot_held') return { kind: way.kind };
    if (way.kind === 'own_hold') {
      const [longer] = await sql<{ id: string }>`
        with turn as materialized (select pg_advisory_xact_lock(hashtextextended(${provider.id}, 0)))
        update appointments set held_until = greatest(held_until, ${heldUntil}), visit_type = ${visitType}, updated_at = now()
        from turn
        where clinic_id = ${clinicId} and patient_id = kept_patient(${clinicId}, ${patientId})
          and provider_id = ${provider.id} and starts_at = ${start}
          and held_until is not null and cancelled_at is null
        returning id`;
      const own = longer && (await find(clinicId, longer.id));
      if (own?.heldUntil) return { kind: 'held', hold: toHold(own, own.heldUntil) };
    }
    if (tries === MAX_LOOKS) return { kind: 'slot_taken' };
  }
}

/** Books a held time under the id of its hold, whatever notice the provider wants by now. Confirmed again it is the same booking. */
async function confirm(
  { find, sql }: Context,
  { clinicId, holdId, now }: { clinicId: string; holdId: string; now: Date },
): Promise<Confirmation> {
  const found = await find(clinicId, holdId);
  if (!found) return { kind: 'unknown' };
  const { heldUntil, endedAt, ...appointment } = found;
  if (heldUntil === null) {
    if (appointment.status === 'cancelled') return { kind: 'appointment_cancelled' };
    if (appointment.status !== 'booked') return { kind: 'appointment_fulfilled' };
    return { kind: 'booked', appointment };
  }
  if (appointment.startsAt <= now) return { kind: 'in_the_past' };
  const hold = toHold(found, heldUntil);
  if (endedAt !== null || !isHeldAt(heldUntil, now)) return { kind: 'hold_expired', hold };
  const booked = await sql`
    with turn as materialized (
      select id, pg_advisory_xact_lock(hashtextextended(provider_id, 0)) from appointments
      where clinic_id = ${clinicId} and id = ${holdId})
    update appointments a set status = 'booked', held_until = null, created_at = now(), updated_at = now() from turn
    where a.id = turn.id and a.clinic_id = ${clinicId} and a.cancelled_at is null
      and a.held_until > ${now} and a.held_until <= ${latestHoldEnd(now)}
    returning a.id`;
  if (booked.length > 0) return { kind: 'booked', appointment: { ...appointment, status: 'booked' } };
  // Somebody else confirmed or ended it between the two statements.
  const after = await find(clinicId, holdId);
  if (after?.status === 'booked') return { kind: 'booked', appointment: { ...appointment, status: 'booked' } };
  return after ? { kind: 'hold_expired', hold } : { kind: 'unknown' };
}

/** Ends a hold, also one that is over already; null where the clinic has no such hold. */
async function release(
  { sql, find }: Context,
  { clinicId, holdId }: { clinicId: string; holdId: string },
): Promise<HoldRecord | null> {
  await sql`
    update appointments set cancelled_at = now(), updated_at = now()
    where clinic_id = ${clinicId} and id = ${holdId} and held_until is not null and cancelled_at is null`;
  const found = await find(clinicId, holdId);
  return found?.heldUntil ? toHold(found, found.heldUntil) : null;
}

/** The times of a provider that are held at `now`, in order, with the names of those they are held for; `isOffered` to who waits for them. */
async function ofProvider(
  { sql }: Context,
  clinicId: string,
  { providerName, from, until, now }: { providerName: string; from: string; until: string; now: Date },
): Promise<(HoldRecord & { patientName: string; isOffered: boolean })[]> {
  const rows = await sql<
    AppointmentRecord & { heldUntil: Date | null; patientName: string | null; isOffered: boolean }
  >`
    select a.id, a.clinic_id as "clinicId", a.patient_id as "patientId", p.name as "providerName",
      p.display_name as "providerDisplayName", a.status, a.visit_type as "visitType", a.starts_at as "startsAt",
      a.ends_at as "endsAt", a.cancellation_reason as "cancellationReason", a.held_until as "heldUntil", trim(n.first_name || ' ' || n.last_name) as "patientName",
      exists (select from waitlist_offers o
        where o.clinic_id = a.clinic_id and o.appointment_id = a.id and o.status = 'open') as "isOffered"
    from providers p join appointments a on a.provider_id = p.id
    join patients n on n.clinic_id = a.clinic_id and n.id = a.patient_id
    where p.clinic_id = ${clinicId} and p.name = ${providerName} and a.held_until is not null and a.cancelled_at is null
      and a.starts_at >= ${from} and a.starts_at < ${until}
    order by a.starts_at`;
  return rows.flatMap(({ heldUntil, patientName, isOffered, ...held }) =>
    heldUntil !== null && isHeldAt(heldUntil, now)
      ? [{ ...toHold(held, heldUntil), patientName: patientName ?? '', isOffered }]
      : [],
  );
}

/** For how many minutes live calls may hold a time for their callers from now on; 0: not at all. */
async function setForCalls(
  { database, agendas }: Context,
  { clinicId, minutes }: { clinicId: string; minutes: number },
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx`update clinics set call_hold_minutes = ${minutes} where id = ${clinicId}`;
    await audit(tx, by, { clinicId, action: 'sandbox.call-holds', detail: { minutes } });
  });
  agendas.forget({ table: 'clinics', clinicId: null, id: clinicId });
}

const toHold = (
  { id, clinicId, patientId, providerName, providerDisplayName, visitType, startsAt, endsAt }: AppointmentRecord,
  heldUntil: Date,
): HoldRecord => ({
  id,
  clinicId,
  patientId,
  providerName,
  providerDisplayName,
  visitType,
  startsAt,
  endsAt,
  heldUntil,
});

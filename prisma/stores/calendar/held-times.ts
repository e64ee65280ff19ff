import { isHeldAt, latestHoldEnd } from '@clinic/shared/domain/calendar/holds';
import { type Sql, sqlState } from '../../sql';

/** A time of a provider that somebody wants for a patient. `now` is that of the clinic's EMR. */
export interface WantedTime {
  clinicId: string;
  providerId: string;
  patientId: string;
  start: Date;
  end: Date;
  now: Date;
}

/** What is in the way of it: nothing that lasts, a hold of the same patient, somebody else's, or an appointment. */
export type InTheWay = { kind: 'nothing' } | { kind: 'own_hold'; ids: string[] } | { kind: 'slot_held' | 'slot_taken' };

/** Holds may end and be made again while somebody looks; after so many looks the time counts as taken. */
export const MAX_LOOKS = 5;

/** Looks at what keeps a time besides the appointment `except`, and ends holds whose instant has passed: the time is then free for anyone who comes first. */
export async function lookInTheWay(
  sql: Sql,
  { clinicId, providerId, patientId, start, end, now }: WantedTime,
  { except = '' }: { except?: string } = {},
): Promise<InTheWay> {
  const found = await sql<{ id: string; isOwn: boolean; heldUntil: Date | null }>`
    select id, coalesce(patient_id = kept_patient(${clinicId}, ${patientId}), false) as "isOwn", held_until as "heldUntil" from appointments
    where clinic_id = ${clinicId} and provider_id = ${providerId} and id <> ${except}
      and tstzrange(starts_at, ends_at) && tstzrange(${start}::timestamptz, ${end}::timestamptz)
      and (status in ('booked', 'arrived') or (held_until is not null and cancelled_at is null))`;
  const over = found.filter(({ heldUntil }) => heldUntil !== null && !isHeldAt(heldUntil, now));
  await endHolds(
    sql,
    clinicId,
    over.map(({ id }) => id),
  );
  const left = found.filter((each) => !over.includes(each));
  if (left.length === 0) return { kind: 'nothing' };
  if (left.some(({ heldUntil }) => heldUntil === null)) return { kind: 'slot_taken' };
  const isOwn = left.every((hold) => hold.isOwn);
  return isOwn ? { kind: 'own_hold', ids: left.map(({ id }) => id) } : { kind: 'slot_held' };
}

/** Their times are free. In order of id: two who end the same ones never wait for each other. */
export async function endHolds(sql: Sql, clinicId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update appointments set cancelled_at = now(), updated_at = now()
    where id in (
      select id from appointments
      where clinic_id = ${clinicId} and id = any (${ids}::text[]) and held_until is not null and cancelled_at is null
      order by id for update)`;
}

/**
 * Makes an appointment of the time that the patient holds, in the place of the hold: at no moment is it free. False where they hold none,
 * and where the id or the client's own identifier is another appointment's by now.
 * Whatever changes a row that keeps a time takes the provider's turn, as moves do: two that cross would wait for each other.
 */
export async function bookHeldTime(
  sql: Sql,
  {
    clinicId,
    providerId,
    patientId,
    start,
    now,
    id,
    visitType,
    identifier,
    lastChange,
  }: Omit<WantedTime, 'end'> & {
    id: string;
    visitType: string;
    /** The client's own, `system|value`. */
    identifier: string | null;
    /** What is kept of the booking with its version, as JSON. */
    lastChange: string | null;
  },
): Promise<boolean> {
  try {
    const booked = await sql`
      with turn as materialized (select pg_advisory_xact_lock(hashtextextended(${providerId}, 0)))
      update appointments set id = ${id}, status = 'booked', held_until = null, visit_type = ${visitType},
        identifier = ${identifier}, last_change = ${lastChange}::jsonb, created_at = now(), updated_at = now()
      from turn
      where clinic_id = ${clinicId} and provider_id = ${providerId} and patient_id = kept_patient(${clinicId}, ${patientId}) and starts_at = ${start}
        and held_until > ${now} and held_until <= ${latestHoldEnd(now)} and cancelled_at is null
      returning id`;
    return booked.length > 0;
  } catch (error) {
    if (sqlState(error) === '23505') return false;
    throw error;
  }
}

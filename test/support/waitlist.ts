import type { Database } from '@clinic/prisma/client';

/** What went wrong with a clinic's waitlist once all is quiet: nothing, in words that name the row. */
export async function waitlistFaults(
  { sql }: Pick<Database, 'sql'>,
  { clinicId, freed }: { clinicId: string; freed: readonly string[] },
): Promise<string[]> {
  const twice = await sql<{ fault: string | null }>`
    select 'offered twice to ' || e.patient_id || ': ' || o.starts_at as fault
    from waitlist_offers o join waitlist_entries e on e.clinic_id = o.clinic_id and e.id = o.entry_id
    where o.clinic_id = ${clinicId} and o.status <> 'postponed'
    group by e.patient_id, o.provider_id, o.starts_at having count(*) > 1`;
  const atOnce = await sql<{ fault: string | null }>`
    select 'two offers at once of ' || one.starts_at as fault
    from waitlist_offers one join waitlist_offers other on other.clinic_id = one.clinic_id and other.provider_id = one.provider_id
      and other.starts_at = one.starts_at and other.id > one.id
    where one.clinic_id = ${clinicId} and one.offered_at < other.closed_at and other.offered_at < one.closed_at`;
  const forgotten = await sql<{ fault: string | null }>`
    select 'nobody asked ' || e.id || ' about ' || t.starts_at as fault
    from unnest(${freed}::timestamptz[]) t(starts_at)
    join waitlist_entries e on e.clinic_id = ${clinicId} and e.status = 'waiting'
    where not exists (
        select from appointments a where a.clinic_id = ${clinicId} and a.starts_at = t.starts_at and a.status = 'booked')
      and not exists (
        select from waitlist_offers o where o.clinic_id = e.clinic_id and o.entry_id = e.id and o.starts_at = t.starts_at)`;
  const unlike = await sql<{ fault: string | null }>`
    select 'accepted, and not booked: ' || o.id as fault
    from waitlist_offers o join waitlist_entries e on e.clinic_id = o.clinic_id and e.id = o.entry_id
    where o.clinic_id = ${clinicId} and o.status = 'accepted' and (e.status <> 'booked' or not exists (
      select from appointments a where a.clinic_id = o.clinic_id and a.id = o.appointment_id and a.status = 'booked'
        and a.patient_id = e.patient_id and a.starts_at = o.starts_at))`;
  const left = await sql<{ fault: string | null }>`
    select 'still held: ' || a.id as fault from appointments a
    where a.clinic_id = ${clinicId} and a.held_until is not null and a.cancelled_at is null`;
  return [...twice, ...atOnce, ...forgotten, ...unlike, ...left].flatMap(({ fault }) => fault ?? []);
}

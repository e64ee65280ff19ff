import { slotEnd } from '@clinic/shared/domain/calendar/slots';
import { isWished, type Wish } from '@clinic/shared/domain/calendar/waitlist';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Sql, sqlState } from '../../sql';
import type { Agendas } from './agendas';
import { endHolds, lookInTheWay } from './held-times';

export type Restoring = {
  kind: 'restored' | 'slot_taken' | 'slot_held' | 'in_the_past' | 'appointment_fulfilled' | 'unknown';
};

/** Holds may end and be made again while somebody looks; after so many looks the time counts as taken. */
const MAX_TRIES = 5;
/** Of one clinic, as when a turn is given. */
const MAX_WAITING = 5_000;

interface Context {
  database: Database;
  agendas: Agendas;
}

/** What the front desk does with appointments besides booking, moving and cancelling them. */
export const createVisitStores = (database: Database, agendas: Agendas) =>
  bound({ database, agendas }, { restore, waitingForTimeOf, isEhrLive });

interface Visit {
  status: string;
  providerId: string;
  patientId: string;
  startsAt: Date;
}

async function findVisit(sql: Sql, clinicId: string, appointmentId: string): Promise<Visit | null> {
  const [found] = await sql<Visit>`
    select status, provider_id as "providerId", patient_id as "patientId", starts_at as "startsAt" from appointments
    where clinic_id = ${clinicId} and id = ${appointmentId} and held_until is null`;
  return found ?? null;
}

/** Books a cancelled appointment again, at its own time, unless somebody has or holds that by now. */
async function restore(
  { database: { sql, transaction } }: Context,
  { clinicId, appointmentId, now }: { clinicId: string; appointmentId: string; now: Date },
): Promise<Restoring> {
  let ownHolds: string[] = [];
  for (let tries = 1; ; tries += 1) {
    const visit = await findVisit(sql, clinicId, appointmentId);
    if (!visit) return { kind: 'unknown' };
    if (visit.status === 'booked') return { kind: 'restored' };
    if (visit.status !== 'cancelled') return { kind: 'appointment_fulfilled' };
    const { providerId, patientId, startsAt: start } = visit;
    if (start <= now) return { kind: 'in_the_past' };
    const holds = ownHolds;
    const isBooked = await transaction((tx) => bookAgain(tx, { clinicId, appointmentId, providerId, holds })).catch(
      falseWhereTaken,
    );
    if (isBooked) continue;
    const end = new Date(slotEnd(start.toISOString()));
    const way = await lookInTheWay(
      sql,
      { clinicId, providerId, patientId, start, end, now },
      { except: appointmentId },
    );
    if (way.kind === 'slot_taken' || way.kind === 'slot_held') return { kind: way.kind };
    ownHolds = way.kind === 'own_hold' ? way.ids : [];
    if (tries === MAX_TRIES) return { kind: 'slot_taken' };
  }
}

/** Its provider's turn comes first, as wherever a row changes that keeps a time. What the patient holds of it becomes the appointment. */
async function bookAgain(
  tx: Sql,
  {
    clinicId,
    appointmentId,
    providerId,
    holds,
  }: { clinicId: string; appointmentId: string; providerId: string; holds: string[] },
): Promise<boolean> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${providerId}, 0))`;
  await endHolds(tx, clinicId, holds);
  const booked = await tx`
    update appointments set status = 'booked', cancelled_at = null, cancellation_reason = null, updated_at = now()
    where clinic_id = ${clinicId} and id = ${appointmentId} and provider_id = ${providerId} and status = 'cancelled'
      and held_until is null
    returning id`;
  return booked.length > 0;
}

function falseWhereTaken(error: unknown): false {
  if (sqlState(error) === '23P01') return false;
  throw error;
}

/** Those on the waitlist who wait for the time of an appointment, and whether they are called about it. Null where there is no such appointment. */
async function waitingForTimeOf(
  { database: { sql }, agendas }: Context,
  clinicId: string,
  appointmentId: string,
): Promise<{ count: number; isOffered: boolean } | null> {
  const [visit, agenda, [clinic]] = await Promise.all([
    findVisit(sql, clinicId, appointmentId),
    agendas.of(clinicId),
    sql<{ isOffered: boolean }>`
      select c.sandbox_enabled or coalesce(y.books_in_own_calendar, false) as "isOffered"
      from clinics c left join calling_policies y on y.clinic_id = c.id where c.id = ${clinicId}`,
  ]);
  if (!visit || !agenda) return null;
  const { patientId, providerId, startsAt } = visit;
  const wishes = await sql<Wish & { patientId: string }>`
    select patient_id as "patientId", provider_id as "providerId", earliest_on as "earliestOn", latest_on as "latestOn",
      from_time as "fromTime", until_time as "untilTime"
    from waitlist_entries
    where clinic_id = ${clinicId} and status = 'waiting' and patient_id <> ${patientId}
      and (provider_id is null or provider_id = ${providerId})
    order by created_at, id limit ${MAX_WAITING}`;
  const time = { providerId, startsAt: startsAt.toISOString() };
  const waiting = new Set(wishes.filter((wish) => isWished(wish, time, agenda.zone)).map((wish) => wish.patientId));
  return { count: waiting.size, isOffered: clinic?.isOffered ?? false };
}

/** Whether calls of the clinic act on the calendar of its EHR. */
async function isEhrLive({ database: { sql } }: Context, clinicId: string): Promise<boolean> {
  const [found] = await sql`
    select 1 from approved_apis where clinic_id = ${clinicId} and kind = 'fhir-r4' and fhir @> '{"isOn": true, "isLive": true}'`;
  return found !== undefined;
}

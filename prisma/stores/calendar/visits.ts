import { newId } from '@clinic/shared/crypto';
import { type AppointmentStatus, mayNote, type VisitNote } from '@clinic/shared/domain/calendar/appointment-status';
import { localDate } from '@clinic/shared/domain/calendar/clinic-time';
import { slotEnd } from '@clinic/shared/domain/calendar/slots';
import { isWished, type Wish } from '@clinic/shared/domain/calendar/waitlist';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Sql, sqlState } from '../../sql';
import type { Agendas } from './agendas';
import type { AppointmentRecord } from './appointment-records';
import { endHolds, lookInTheWay, MAX_LOOKS } from './held-times';
import { tell } from '../outreach/messages';

export type Restoring = {
  kind: 'restored' | 'slot_taken' | 'slot_held' | 'in_the_past' | 'appointment_fulfilled' | 'unknown';
};

/** Of one clinic, as when a turn is given. */
const MAX_WAITING = 5_000;

interface Context {
  database: Database;
  agendas: Agendas;
}

/** What the front desk does with appointments besides booking, moving and cancelling them. */
export const createVisitStores = (database: Database, agendas: Agendas) =>
  bound({ database, agendas }, { restore, note, ofDay, waitingForTimeOf, callsAct });

interface Visit {
  status: AppointmentStatus;
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
    if (tries === MAX_LOOKS) return { kind: 'slot_taken' };
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

/** False for what the constraint of all bookings refuses. */
function falseWhereTaken(error: unknown): false {
  if (sqlState(error) === '23P01') return false;
  throw error;
}

/** What calls have to do with a visit that was missed: one will be made about another time, or was made; null where there is none. */
export type MissedVisitCall = 'due' | 'made' | null;

export type Noting =
  | { kind: 'noted'; followUp: MissedVisitCall }
  | { kind: 'appointment_cancelled' | 'not_yet' | 'slot_taken' | 'unknown' };

/**
 * Notes who came, who did not and who has left. Whoever missed a visit is called about another one, by the clinic's calling policy, where
 * calls may act on this calendar; once the note is taken back, they are not.
 */
async function note(
  { database: { transaction }, agendas }: Context,
  { clinicId, appointmentId, as, now }: { clinicId: string; appointmentId: string; as: VisitNote; now: Date },
): Promise<Noting> {
  const zone = (await agendas.of(clinicId))?.zone ?? 'UTC';
  const dateOf = (at: Date) => localDate(at.toISOString(), zone);
  return transaction(async (tx): Promise<Noting> => {
    const known = await findVisit(tx, clinicId, appointmentId);
    if (!known) return { kind: 'unknown' };
    await tx`select pg_advisory_xact_lock(hashtextextended(${known.providerId}, 0))`;
    // Who cancels takes no turn: what they have written by now is seen, and they see the note.
    await tx`select id from appointments where clinic_id = ${clinicId} and id = ${appointmentId} for no key update`;
    const visit = (await findVisit(tx, clinicId, appointmentId)) ?? known;
    const { status, startsAt } = visit;
    if (status === 'cancelled') return { kind: 'appointment_cancelled' };
    if (!mayNote(as, { status, startsAt, now, isItsDay: dateOf(startsAt) === dateOf(now) })) return { kind: 'not_yet' };
    if (status === as) return { kind: 'noted', followUp: await followUpOf(tx, clinicId, appointmentId) };
    await tx`
      update appointments set status = ${as}, updated_at = now() where clinic_id = ${clinicId} and id = ${appointmentId}`;
    if (as === 'noshow') await openFollowUp(tx, { clinicId, appointmentId });
    if (status === 'noshow') await endFollowUps(tx, { clinicId, appointmentId });
    return { kind: 'noted', followUp: await followUpOf(tx, clinicId, appointmentId) };
  }).catch((error: unknown): Noting => falseWhereTaken(error) || { kind: 'slot_taken' });
}

/** One at a time for a missed visit, however often that is noted. */
async function openFollowUp(
  tx: Sql,
  { clinicId, appointmentId }: { clinicId: string; appointmentId: string },
): Promise<void> {
  if ((await openFollowUps(tx, clinicId, appointmentId)).length > 0) return;
  await tx`
    insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id, context, is_simulated)
    select ${newId('reschedule-follow-up')}, c.id, 'reschedule-follow-up', 'missed-' || a.id || '-' || a.version, a.patient_id,
      jsonb_build_object('appointment', jsonb_build_object('appointmentId', a.id, 'providerName', p.name,
        'startsAt', to_char(a.starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'visitType', a.visit_type)),
      c.voice_provider = 'simulator'
    from appointments a join clinics c on c.id = a.clinic_id join providers p on p.id = a.provider_id
    left join calling_policies y on y.clinic_id = c.id
    where a.clinic_id = ${clinicId} and a.id = ${appointmentId}
      and (c.sandbox_enabled or coalesce(y.books_in_own_calendar, false))`;
}

/** Their runs hear of it, and look again before they call. */
async function endFollowUps(
  tx: Sql,
  { clinicId, appointmentId }: { clinicId: string; appointmentId: string },
): Promise<void> {
  for (const { id: workflowId } of await openFollowUps(tx, clinicId, appointmentId)) {
    await tell(tx, { id: newId(), clinicId, workflowId, signal: 'rulesChanged', payload: {} });
  }
}

/** How calls stand by the newest follow-up of a visit. */
async function followUpOf(tx: Sql, clinicId: string, appointmentId: string): Promise<MissedVisitCall> {
  const [newest] = await followUps(tx, clinicId, appointmentId);
  if (newest?.isMade) return 'made';
  return newest?.isOpen && newest.isMissed ? 'due' : null;
}

const openFollowUps = async (tx: Sql, clinicId: string, appointmentId: string) =>
  (await followUps(tx, clinicId, appointmentId)).filter(({ isOpen }) => isOpen);

/** Those of a visit that was noted as missed, the newest first. */
const followUps = (tx: Sql, clinicId: string, appointmentId: string) =>
  tx<{ id: string; isOpen: boolean; isMade: boolean; isMissed: boolean }>`
  select r.id, r.status = 'started' as "isOpen", a.status = 'noshow' as "isMissed",
    exists (select from calls k where k.clinic_id = r.clinic_id and k.workflow_id = r.id) as "isMade"
  from appointments a join workflow_runs r on r.clinic_id = a.clinic_id and r.patient_id = a.patient_id
    and r.workflow_type = 'reschedule-follow-up' and r.session_id like 'missed-%'
    and r.context #>> '{appointment,appointmentId}' = a.id
  where a.clinic_id = ${clinicId} and a.id = ${appointmentId} order by r.started_at desc`;

/** So many visits of a day as nobody has. */
const MAX_OF_DAY = 2_000;

/** `dateOfBirth` as YYYY-MM-DD. */
type VisitOfDay = AppointmentRecord & { patientName: string; phone: string | null; dateOfBirth: string | null };

/** Every visit of a stretch of time that was not cancelled, with whom to ring, in order of time. */
const ofDay = (
  { database: { sql } }: Context,
  clinicId: string,
  { from, until }: { from: string; until: string },
): Promise<VisitOfDay[]> => sql<VisitOfDay>`
    select a.id, a.clinic_id as "clinicId", a.patient_id as "patientId", p.name as "providerName",
      p.display_name as "providerDisplayName", a.status, a.visit_type as "visitType", a.starts_at as "startsAt",
      a.ends_at as "endsAt", a.cancellation_reason as "cancellationReason",
      trim(n.first_name || ' ' || n.last_name) as "patientName", n.phone, n.birth_date as "dateOfBirth"
    from appointments a join providers p on p.id = a.provider_id
    join patients n on n.clinic_id = a.clinic_id and n.id = a.patient_id
    where a.clinic_id = ${clinicId} and a.starts_at >= ${from} and a.starts_at < ${until} and a.status <> 'cancelled'
    order by a.starts_at, p.display_name, a.id limit ${MAX_OF_DAY}`;

/** Those on the waitlist who wait for the time of an appointment, and whether they are called about it. Null where there is no such appointment. */
async function waitingForTimeOf(
  context: Context,
  clinicId: string,
  appointmentId: string,
): Promise<{ count: number; isOffered: boolean } | null> {
  const { sql } = context.database;
  const [visit, agenda, { areFreedTimesOffered }] = await Promise.all([
    findVisit(sql, clinicId, appointmentId),
    context.agendas.of(clinicId),
    callsAct(context, clinicId),
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
  return { count: waiting.size, isOffered: areFreedTimesOffered };
}

/** On which calendar calls of the clinic act: on that of its EHR, or on the one here, whose freed times they offer to who waits. */
async function callsAct(
  { database: { sql } }: Context,
  clinicId: string,
): Promise<{ isEhrLive: boolean; areFreedTimesOffered: boolean }> {
  const [clinic] = await sql<{ isEhrLive: boolean; areFreedTimesOffered: boolean }>`
    select c.sandbox_enabled or coalesce(y.books_in_own_calendar, false) as "areFreedTimesOffered",
      exists (select 1 from approved_apis a
        where a.clinic_id = c.id and a.kind = 'fhir-r4' and a.fhir @> '{"isOn": true, "isLive": true}') as "isEhrLive"
    from clinics c left join calling_policies y on y.clinic_id = c.id where c.id = ${clinicId}`;
  return clinic ?? { isEhrLive: false, areFreedTimesOffered: false };
}

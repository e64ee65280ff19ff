import { newId } from '@clinic/shared/crypto';
import type { AppointmentStatus } from '@clinic/shared/domain/calendar/appointment-status';
import { slotEnd } from '@clinic/shared/domain/calendar/slots';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Agendas, providerAsked } from './agendas';
import {
  type AppointmentRecord,
  calendar,
  findAppointment,
  fulfilPast,
  list,
  nextUpcoming,
} from './appointment-records';
import type { EhrAppointment } from './ehr-appointments';
import type { Cursors } from '../cursor';
import { patientExists } from '../patients/patients';
import { bookHeldTime, endHolds, lookInTheWay, MAX_LOOKS } from './held-times';
import { explain, openSlots, refusalOf, slotsOf, type TimeRefusal } from './open-times';
import { type Sql, sqlState } from '../../sql';

/** Who changes an appointment, and what they know of it. */
export interface ChangeOfAppointment {
  /** As the audit names them. */
  by?: string;
  /** Of the request, so that no two changes are alike. */
  request?: string;
  /** The same for a request that is made again: what it has done once is not done again. */
  key?: string;
  /** The version that is meant to be changed; where it is another by now, nothing is. */
  version?: number;
  /** Why it is cancelled: a code of `cancellationReasons`. */
  reason?: string;
  /** So long nobody on the waitlist is offered the time that becomes free: it may be taken back. */
  undoSeconds?: number;
}

export type Booking =
  | { kind: 'booked'; appointment: AppointmentRecord; isEarlier?: true }
  | TimeRefusal
  | { kind: 'unknown_patient' }
  | { kind: 'unknown_provider' };

export type Rescheduling =
  | { kind: 'moved'; appointment: AppointmentRecord }
  | TimeRefusal
  | { kind: 'appointment_cancelled' }
  | { kind: 'appointment_fulfilled' }
  | { kind: 'version_changed' }
  | { kind: 'unknown' };

export type Cancellation =
  | { kind: 'cancelled'; appointment: AppointmentRecord }
  | { kind: 'appointment_fulfilled' }
  | { kind: 'version_changed' }
  | { kind: 'unknown' };

interface Context {
  database: Database;
  cursors: Cursors;
  agendas: Agendas;
}

export const createAppointmentStores = (database: Database, cursors: Cursors, agendas: Agendas) =>
  bound(
    { database, cursors, agendas },
    {
      find,
      changedUnder,
      book,
      reschedule,
      cancel,
      nextUpcoming,
      list,
      calendar,
      slotsOf,
      explain,
      openSlots,
      fulfilPast,
    },
  );

const find = ({ database: { sql } }: Context, clinicId: string, appointmentId: string) =>
  findAppointment(sql, clinicId, appointmentId);

/** What was moved or cancelled under a key, as it was then; null where nothing was. */
async function changedUnder(
  { database: { sql } }: Context,
  clinicId: string,
  key: string,
): Promise<EhrAppointment | null> {
  const [found] = await sql<Omit<EhrAppointment, 'status'> & { status: string }>`
    select a.id, a.clinic_id as "clinicId", a.patient_id as "patientId", p.name as "providerName",
      p.display_name as "providerDisplayName", v.status, v.visit_type as "visitType", v.starts_at as "startsAt",
      v.ends_at as "endsAt", v.cancellation_reason as "cancellationReason", v.version, v.updated_at as "updatedAt",
      a.identifier, v.last_change ->> 'by' as "changedBy"
    from appointment_versions v
    join appointments a on a.clinic_id = v.clinic_id and a.id = v.appointment_id
    join providers p on p.id = v.provider_id
    where v.clinic_id = ${clinicId} and v.last_change ->> 'key' = ${key}`;
  return found ? { ...found, status: found.status as AppointmentStatus } : null;
}

/** What was booked before under the same id, or the client's own identifier. */
async function findEarlier(
  context: Context,
  { clinicId, id, identifier }: { clinicId: string; id: string; identifier: string | undefined },
): Promise<Booking | null> {
  const { sql } = context.database;
  const [found] = await sql<{ id: string }>`
    select id from appointments
    where clinic_id = ${clinicId} and held_until is null and (id = ${id} or identifier = ${identifier ?? null})
    order by id = ${id} desc limit 1`;
  const appointment = found ? await find(context, clinicId, found.id) : null;
  return appointment && { kind: 'booked', appointment, isEarlier: true };
}

/**
 * Books an offered slot, or the time that the patient holds. `provider` is a name or a display name; of two bookers of one slot
 * one wins. Under an `appointmentId` or `identifier` that has booked before, it returns that booking, before anything is refused.
 */
async function book(
  context: Context,
  {
    clinicId,
    appointmentId: id = newId(),
    identifier,
    change,
    patientId,
    provider: asked,
    isFhirId,
    visitType,
    startsAt,
    now,
  }: {
    clinicId: string;
    appointmentId?: string;
    /** The client's own, `system|value`. */
    identifier?: string;
    change?: ChangeOfAppointment;
    patientId: string;
    provider: string;
    /** Whether `provider` is a FHIR id, and no display name. */
    isFhirId?: boolean;
    visitType: string;
    startsAt: string;
    now: Date;
  },
): Promise<Booking> {
  const { database, agendas } = context;
  const { sql } = database;
  const own = { clinicId, id, identifier };
  const agenda = await agendas.of(clinicId);
  const provider = agenda && providerAsked(agenda, asked, isFhirId);
  if (!agenda || !provider) return (await findEarlier(context, own)) ?? { kind: 'unknown_provider' };
  const start = new Date(startsAt);
  const refusal = refusalOf({ agenda, provider, start, now });
  if (refusal) {
    const earlier = await findEarlier(context, own);
    if (earlier) return earlier;
    if (refusal.kind === 'in_the_past') return refusal;
  }
  const end = new Date(slotEnd(start.toISOString()));
  const wanted = { clinicId, providerId: provider.id, patientId, start, end, now };
  const ofHold = { ...wanted, id, visitType, identifier: identifier ?? null, lastChange: noted(change) };
  const { name: providerName, displayName: providerDisplayName } = provider;
  const booked: Booking = {
    kind: 'booked',
    appointment: {
      id,
      clinicId,
      patientId,
      providerName,
      providerDisplayName,
      status: 'booked',
      visitType,
      startsAt: start,
      endsAt: end,
      cancellationReason: null,
    },
  };
  if (refusal) {
    // What was on offer when it was held may be too soon by now.
    if (await bookHeldTime(sql, ofHold)) return booked;
    return (await patientExists(database, clinicId, patientId)) ? refusal : { kind: 'unknown_patient' };
  }

  for (let tries = 1; ; tries += 1) {
    // `on conflict` meets the exclusion constraint without an error, and without the deadlock that two inserts of
    // overlapping times can run into.
    const [result] = await sql<{ isKnownPatient: boolean; isBooked: boolean }>`
      with patient as (select id from patients where clinic_id = ${clinicId} and id = ${patientId}),
      booked as (
        insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at, identifier, last_change)
        select ${id}, ${clinicId}, patient.id, ${provider.id}, ${visitType}, ${start}::timestamptz, ${end}::timestamptz,
          ${identifier ?? null}::text, ${noted(change)}::jsonb
        from patient
        on conflict do nothing returning id)
      select exists (select from patient) as "isKnownPatient", exists (select from booked) as "isBooked"`;
    if (!result?.isKnownPatient) return { kind: 'unknown_patient' };
    if (result.isBooked) return booked;
    const earlier = await findEarlier(context, own);
    if (earlier) return earlier;
    const way = await lookInTheWay(sql, wanted);
    if (way.kind === 'slot_taken' || way.kind === 'slot_held') return { kind: way.kind };
    if (way.kind === 'own_hold' && (await bookHeldTime(sql, ofHold))) return booked;
    if (tries === MAX_LOOKS) return { kind: 'slot_taken' };
  }
}

/**
 * Moves a booked appointment to another offered slot of its provider, or of another one; it is never in its own way. Under a key that
 * has moved one before, it returns that, before anything is refused.
 */
async function reschedule(
  context: Context,
  {
    clinicId,
    appointmentId,
    startsAt,
    providerName,
    now,
    change,
  }: {
    clinicId: string;
    appointmentId: string;
    startsAt: string;
    /** Another one than it is with. */
    providerName?: string;
    now: Date;
    change?: ChangeOfAppointment;
  },
): Promise<Rescheduling> {
  const { database, agendas } = context;
  const { sql } = database;
  const start = new Date(startsAt);
  for (let tries = 1; ; tries += 1) {
    const moved = await changedBefore(context, clinicId, change);
    if (moved) return { kind: 'moved', appointment: moved };
    if (start <= now) return { kind: 'in_the_past' };
    const [agenda, appointment] = await Promise.all([agendas.of(clinicId), find(context, clinicId, appointmentId)]);
    if (!agenda || !appointment) return { kind: 'unknown' };
    if (appointment.status === 'cancelled') return { kind: 'appointment_cancelled' };
    if (appointment.status !== 'booked') return { kind: 'appointment_fulfilled' };
    const provider = agenda.providers.find(({ name }) => name === (providerName ?? appointment.providerName));
    if (!provider) return { kind: 'slot_unavailable' };
    const refusal = refusalOf({ agenda, provider, start, now });
    if (refusal) return refusal;

    const to = { clinicId, appointmentId, providerId: provider.id, start, change };
    let left = change?.undoSeconds ? await moveAsOne(database, to) : await move(sql, to);
    if (left === 'slot_taken') {
      const { patientId } = appointment;
      const end = new Date(slotEnd(start.toISOString()));
      const wanted = { clinicId, providerId: provider.id, patientId, start, end, now };
      const way = await lookInTheWay(sql, wanted, { except: appointmentId });
      if (way.kind === 'slot_taken' || way.kind === 'slot_held') return { kind: way.kind };
      if (way.kind === 'own_hold') left = await moveAsOne(database, { ...to, holds: way.ids });
    }
    if (left === 'slot_taken') {
      if (tries === MAX_LOOKS) return { kind: 'slot_taken' };
      continue;
    }
    if (left === 'not_booked') {
      // Cancelled, fulfilled or moved under the same key since it was read: look again. What is booked all the same has another version.
      const isBooked = (await find(context, clinicId, appointmentId))?.status === 'booked';
      const isTwin = (await changedBefore(context, clinicId, change)) !== null;
      if (isBooked && change?.version !== undefined && !isTwin) return { kind: 'version_changed' };
      continue;
    }
    const { name, displayName: providerDisplayName } = provider;
    const time = { startsAt: start, endsAt: new Date(slotEnd(start.toISOString())) };
    return { kind: 'moved', appointment: { ...appointment, ...time, providerName: name, providerDisplayName } };
  }
}

/** Cancels an appointment; one that is cancelled already stays as it is. Under a key that has cancelled one before, it returns that. */
async function cancel(
  context: Context,
  { clinicId, appointmentId, change }: { clinicId: string; appointmentId: string; change?: ChangeOfAppointment },
): Promise<Cancellation> {
  const { transaction } = context.database;
  const { version = null, reason = null, undoSeconds } = change ?? {};
  await transaction(async (tx) => {
    const [left] = await tx<TimeLeft>`
      update appointments set status = 'cancelled', cancelled_at = now(), updated_at = now(),
        cancellation_reason = ${reason}::text, last_change = ${noted(change)}::jsonb
      where clinic_id = ${clinicId} and id = ${appointmentId} and status = 'booked'
        and (${version}::int is null or version = ${version}::int)
      returning provider_id as "providerId", starts_at as "startsAt"`;
    if (left) await offerLater(tx, { ...left, clinicId, undoSeconds });
  }).catch((error: unknown) => {
    if (sqlState(error) !== DONE_BEFORE) throw error;
  });
  const cancelled = await changedBefore(context, clinicId, change);
  if (cancelled) return { kind: 'cancelled', appointment: cancelled };
  const appointment = await find(context, clinicId, appointmentId);
  if (!appointment) return { kind: 'unknown' };
  if (appointment.status === 'cancelled') return { kind: 'cancelled', appointment };
  // Nothing but another version has kept it from being cancelled.
  if (appointment.status === 'booked') return { kind: 'version_changed' };
  return { kind: 'appointment_fulfilled' };
}

const changedBefore = (context: Context, clinicId: string, { key }: ChangeOfAppointment = {}) =>
  key === undefined ? null : changedUnder(context, clinicId, key);

/** SQLSTATE of a second change under one key. */
const DONE_BEFORE = '23505';

/** What is kept of a change with its version. */
const noted = ({ by, request, key }: ChangeOfAppointment = {}): string | null =>
  by === undefined && key === undefined ? null : JSON.stringify({ by, request, key });

interface Move {
  clinicId: string;
  appointmentId: string;
  /** With whom it is then. */
  providerId: string;
  start: Date;
  change?: ChangeOfAppointment;
}

/** A provider's time that an appointment has no more. */
interface TimeLeft {
  providerId: string;
  startsAt: Date;
}

/**
 * One statement: the exclusion constraint leaves the row out of its own way and refuses what overlaps. Moves of one
 * provider take turns, since two updates that cross would wait for each other; of two providers in one order.
 */
async function move(
  sql: Sql,
  { clinicId, appointmentId, providerId, start, change }: Move,
): Promise<TimeLeft | 'slot_taken' | 'not_booked'> {
  const { version = null, key = null } = change ?? {};
  const end = new Date(slotEnd(start.toISOString()));
  try {
    const [left] = await sql<TimeLeft>`
      with own as materialized (
        select id, provider_id, starts_at from appointments where clinic_id = ${clinicId} and id = ${appointmentId}),
      turns as materialized (
        select pg_advisory_xact_lock(key) from (
          select distinct hashtextextended(each, 0) as key from own, unnest(array[own.provider_id, ${providerId}]) each
          order by key) k)
      update appointments a set provider_id = ${providerId}, starts_at = ${start}, ends_at = ${end}, updated_at = now(),
        last_change = ${noted(change)}::jsonb
      from own
      where a.id = own.id and a.clinic_id = ${clinicId} and a.status = 'booked'
        and (${version}::int is null or a.version = ${version}::int) and (select count(*) from turns) > 0
        and (${key}::text is null or a.last_change ->> 'key' is distinct from ${key}::text)
      returning own.provider_id as "providerId", own.starts_at as "startsAt"`;
    return left ?? 'not_booked';
  } catch (error) {
    if (sqlState(error) === '23P01') return 'slot_taken';
    if (sqlState(error) === DONE_BEFORE) return 'not_booked';
    throw error;
  }
}

/**
 * In one transaction: the times that the patient holds become that of the appointment, and refused, they go on holding them; what
 * becomes free is offered later, where the move may be taken back.
 */
const moveAsOne = ({ transaction }: Database, { holds = [], ...to }: Move & { holds?: string[] }) =>
  transaction(async (tx) => {
    const { clinicId, appointmentId, providerId, change } = to;
    // The turns come first: a move that waits for a hold to end holds them meanwhile.
    await tx`
      select pg_advisory_xact_lock(key) from (
        select distinct hashtextextended(each, 0) as key
        from appointments a, unnest(array[a.provider_id, ${providerId}]) each
        where a.clinic_id = ${clinicId} and a.id = ${appointmentId} order by key) k`;
    if (holds.length > 0) await endHolds(tx, clinicId, holds);
    const left = await move(tx, to);
    if (typeof left === 'object') await offerLater(tx, { ...left, clinicId, undoSeconds: change?.undoSeconds });
    return left;
  });

/** Nobody is offered a time that has become free before so many seconds are over. */
async function offerLater(
  tx: Sql,
  { clinicId, providerId, startsAt, undoSeconds }: TimeLeft & { clinicId: string; undoSeconds: number | undefined },
): Promise<void> {
  if (!undoSeconds) return;
  await tx`
    update freed_times set look_at = now() + make_interval(secs => ${undoSeconds})
    where clinic_id = ${clinicId} and provider_id = ${providerId} and starts_at = ${startsAt}`;
}

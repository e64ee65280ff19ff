import { newId } from '@clinic/shared/crypto';
import type { ShownVersion } from '@clinic/shared/contracts/calendar/fhir-appointment';
import type { AppointmentStatus } from '@clinic/shared/domain/calendar/appointment-status';
import { isHeldAt } from '@clinic/shared/domain/calendar/holds';
import {
  offeredSlots,
  slotEnd,
  slotMinutes,
  slotMs,
  slotStatus,
  type BookedSpan,
  type Slot,
} from '@clinic/shared/domain/calendar/slots';
import { explainTime, type TimeReason } from '@clinic/shared/domain/calendar/time-explained';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Prisma } from '../../generated/client';
import {
  type Agenda,
  type Agendas,
  providerAsked,
  providerNamed,
  type ProviderRecord,
  providerSpokenOf,
} from './agendas';
import type { Cursors, PageOf } from '../cursor';
import { patientExists } from '../patients/patients';
import { bookHeldTime, endHolds, lookInTheWay, MAX_LOOKS } from './held-times';
import { type Sql, sqlState } from '../../sql';

export interface AppointmentRecord {
  id: string;
  clinicId: string;
  patientId: string;
  providerName: string;
  providerDisplayName: string;
  status: AppointmentStatus;
  visitType: string;
  startsAt: Date;
  endsAt: Date;
  /** A code of `cancellationReasons`; null where nobody said why, or it is not cancelled. */
  cancellationReason: string | null;
}

/** A time that can be booked. */
export interface OpenSlot {
  slotId: string;
  providerName: string;
  providerDisplayName: string;
  startsAt: string;
  endsAt: string;
}

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

/** Why a time is not to be had: somebody was first, or thinks it over, it is not on offer, it has begun. */
export type TimeRefusal =
  | { kind: 'slot_taken' }
  | { kind: 'slot_held' }
  | { kind: 'slot_unavailable' }
  | { kind: 'in_the_past' };

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

export interface AppointmentFilter {
  limit: number;
  cursor?: string;
  patientId?: string;
  providerName?: string;
  status?: AppointmentStatus;
  /** Starting at this instant or later, and before `until`. */
  from?: string;
  until?: string;
}

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

export async function findAppointment(
  sql: Sql,
  clinicId: string,
  appointmentId: string,
): Promise<AppointmentRecord | null> {
  const [found] = await sql<AppointmentRecord>`
    select a.id, a.clinic_id as "clinicId", a.patient_id as "patientId", p.name as "providerName",
      p.display_name as "providerDisplayName", a.status, a.visit_type as "visitType", a.starts_at as "startsAt",
      a.ends_at as "endsAt", a.cancellation_reason as "cancellationReason"
    from appointments a join providers p on p.id = a.provider_id
    where a.clinic_id = ${clinicId} and a.id = ${appointmentId} and a.held_until is null`;
  return found ?? null;
}

/** What was moved or cancelled under a key, as it was then; null where nothing was. */
async function changedUnder(
  { database: { sql } }: Context,
  clinicId: string,
  key: string,
): Promise<(AppointmentRecord & ShownVersion) | null> {
  const [found] = await sql<Omit<AppointmentRecord & ShownVersion, 'status'> & { status: string }>`
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

/** Booked and held times by provider. An appointment is a slot long, so what overlaps began less than a slot earlier. */
async function takenTimes(
  { database: { sql } }: Context,
  providerIds: string[],
  from: string,
  until: string,
  now: Date,
) {
  // Times as texts for each provider, a held one with its end: a hundred rows cost more to read than all the rest of a search.
  const rows = await sql<{ providerId: string; booked: string | null; held: string | null }>`
    select provider_id as "providerId", string_agg(time, ' ') filter (where until is null) as booked,
      string_agg(time || '/' || until, ' ') filter (where until is not null) as held
    from (
      select provider_id, (extract(epoch from starts_at) * 1000)::bigint::text as time, null::text as until from appointments
      where provider_id = any (${providerIds}::text[]) and status in ('booked', 'arrived') and starts_at < ${until}
        and starts_at > ${from}::timestamptz - make_interval(mins => ${slotMinutes})
      union all
      select provider_id, (extract(epoch from starts_at) * 1000)::bigint::text, (extract(epoch from held_until) * 1000)::bigint::text
      from appointments
      where provider_id = any (${providerIds}::text[]) and held_until is not null and cancelled_at is null and starts_at < ${until}
        and starts_at > ${from}::timestamptz - make_interval(mins => ${slotMinutes})) t
    group by provider_id`;
  return new Map(rows.map(({ providerId, booked, held }) => [providerId, spansOf(booked, held, now)]));
}

function spansOf(booked: string | null, held: string | null, now: Date): BookedSpan[] {
  const spans: BookedSpan[] = [];
  for (const time of booked?.split(' ') ?? []) spans.push(spanFrom(Number(time)));
  for (const time of held?.split(' ') ?? []) {
    const [start = 0, heldUntil = 0] = time.split('/').map(Number);
    if (isHeldAt(new Date(heldUntil), now)) spans.push(spanFrom(start));
  }
  return spans;
}

const spanFrom = (start: number): BookedSpan => ({ start, end: start + slotMs });

/** What each of the providers offers. */
async function offered(
  context: Context,
  {
    agenda,
    providers,
    from,
    until,
    now,
  }: {
    agenda: Agenda;
    providers: ProviderRecord[];
    from: string;
    until: string;
    now: Date;
  },
): Promise<Slot[][]> {
  const { zone } = agenda;
  const at = now.toISOString();
  const ids = providers.map(({ id }) => id);
  const taken = await takenTimes(context, ids, from > at ? from : at, slotEnd(until), now);
  return providers.map((provider) =>
    offeredSlots({ ...hoursOf(provider, agenda), zone, now: at, from, until, booked: taken.get(provider.id) ?? [] }),
  );
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
    const refusal = provider ? refusalOf({ agenda, provider, start, now }) : { kind: 'slot_unavailable' as const };
    if (refusal || !provider) return refusal ?? { kind: 'slot_unavailable' };

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

/** The patient's booked appointment that begins next. */
async function nextUpcoming(
  { database: { sql } }: Context,
  clinicId: string,
  patientId: string,
  now: Date,
): Promise<AppointmentRecord | null> {
  const [found] = await sql<AppointmentRecord>`
    select a.id, a.clinic_id as "clinicId", a.patient_id as "patientId", p.name as "providerName",
      p.display_name as "providerDisplayName", a.status, a.visit_type as "visitType", a.starts_at as "startsAt",
      a.ends_at as "endsAt", a.cancellation_reason as "cancellationReason"
    from appointments a join providers p on p.id = a.provider_id
    where a.clinic_id = ${clinicId} and a.patient_id = kept_patient(${clinicId}, ${patientId}) and a.status = 'booked' and a.starts_at > ${now}
    order by a.starts_at limit 1`;
  return found ?? null;
}

/** Latest start first. */
async function list(
  { database: { prisma }, cursors }: Context,
  clinicId: string,
  { limit, cursor, patientId, providerName, status, from, until }: AppointmentFilter,
): Promise<PageOf<AppointmentRecord>> {
  const position = cursors.decode(cursor, clinicId);
  const rows = await prisma.appointment.findMany({
    where: {
      clinicId,
      patientId,
      status,
      heldUntil: null,
      provider: providerName === undefined ? undefined : { name: providerName },
      startsAt: { gte: from, lt: until, lte: position?.at },
      OR: position
        ? [{ startsAt: { lt: position.at } }, { startsAt: position.at, id: { lt: position.id } }]
        : undefined,
    },
    orderBy: [{ startsAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
    select: listed,
  });
  return cursors.page(clinicId, rows.map(toRecord), limit, ({ startsAt, id }) => ({ at: startsAt, id }));
}

/** A provider's booked and fulfilled appointments in order of time, with the names of their patients. */
async function calendar(
  { database: { prisma } }: Context,
  clinicId: string,
  { providerName, from, until, limit }: { providerName: string; from: string; until: string; limit: number },
): Promise<(AppointmentRecord & { patientName: string })[]> {
  const rows = await prisma.appointment.findMany({
    where: {
      clinicId,
      provider: { name: providerName },
      startsAt: { gte: from, lt: until },
      status: { not: 'cancelled' },
    },
    orderBy: [{ startsAt: 'asc' }, { id: 'asc' }],
    take: limit,
    select: { ...listed, patient: { select: { firstName: true, lastName: true } } },
  });
  return rows.map(({ patient: { firstName, lastName }, ...row }) => ({
    ...toRecord(row),
    patientName: `${firstName} ${lastName}`.trim(),
  }));
}

/** What the provider of exactly this name has on offer, in order of time; null where there is no such provider. */
async function slotsOf(
  context: Context,
  {
    clinicId,
    providerName,
    from,
    until,
    now,
  }: {
    clinicId: string;
    providerName: string;
    from: string;
    until: string;
    now: Date;
  },
): Promise<Slot[] | null> {
  const { agendas } = context;
  const agenda = await agendas.of(clinicId);
  const provider = agenda && providerNamed(agenda, providerName);
  if (!provider) return null;
  const [slots = []] = await offered(context, { agenda, providers: [provider], from, until, now });
  return slots;
}

/** Why a time of the provider of exactly this name is to be had or not; null where there is no such provider. */
async function explain(
  context: Context,
  { clinicId, providerName, startsAt, now }: { clinicId: string; providerName: string; startsAt: string; now: Date },
): Promise<TimeReason | null> {
  const { database, agendas } = context;
  const { sql } = database;
  const agenda = await agendas.of(clinicId);
  const provider = agenda && providerNamed(agenda, providerName);
  if (!provider) return null;
  const taken = await takenTimes(context, [provider.id], startsAt, slotEnd(startsAt), now);
  const reason = explainTime({
    ...hoursOf(provider, agenda),
    zone: agenda.zone,
    now: now.toISOString(),
    startsAt,
    booked: taken.get(provider.id) ?? [],
  });
  if (reason !== 'booking') return reason;
  const [booked] = await sql`
    select id from appointments
    where clinic_id = ${clinicId} and provider_id = ${provider.id} and status in ('booked', 'arrived')
      and starts_at < ${slotEnd(startsAt)} and ends_at > ${startsAt} limit 1`;
  return booked ? 'booking' : 'hold';
}

/** What one provider, or any (`null`), has on offer from `from` and before `until`, in order of time. */
async function openSlots(
  context: Context,
  {
    clinicId,
    provider: spoken,
    from,
    until,
    now,
  }: {
    clinicId: string;
    provider: string | null;
    from: string;
    until: string;
    now: Date;
  },
): Promise<{ kind: 'slots'; slots: OpenSlot[] } | { kind: 'unknown_provider' }> {
  const { agendas } = context;
  const agenda = await agendas.of(clinicId);
  const asked = agenda && spoken !== null ? providerSpokenOf(agenda, spoken) : null;
  if (!agenda || (spoken !== null && !asked)) return { kind: 'unknown_provider' };
  const providers = asked ? [asked] : agenda.providers;
  const found = await offered(context, { agenda, providers, from, until, now });
  const slots = providers.flatMap(({ name: providerName, displayName: providerDisplayName }, index) =>
    (found[index] ?? []).map(({ slotId, startsAt, endsAt }): OpenSlot => {
      return { slotId, providerName, providerDisplayName, startsAt, endsAt };
    }),
  );
  // ISO instants in UTC sort as text; the sort is stable, so providers of one time stay in order of name.
  return { kind: 'slots', slots: asked ? slots : slots.toSorted(byStart) };
}

/**
 * Marks appointments that were booked or arrived at and have ended as fulfilled, and leaves what was missed, `limit` at most; returns how many. Holds that were made a day ago are
 * removed on the way. `realNow` is the real time: a
 * clinic whose sandbox has a clock of its own goes by that.
 */
async function fulfilPast({ database: { sql } }: Context, realNow: Date, limit: number): Promise<number> {
  await sql`
    delete from appointments
    where id in (
      select id from appointments where held_until is not null and created_at < ${realNow}::timestamptz - interval '1 day'
      order by created_at limit ${limit})`;
  const fulfilled = await sql`
    update appointments set status = 'fulfilled', updated_at = now()
    where id in (
      select id from appointments a where status in ('booked', 'arrived') and ends_at <= ${realNow}
        and not exists (
          select from sandbox_clocks k join clinics c on c.id = k.clinic_id and c.sandbox_enabled
          where k.clinic_id = a.clinic_id)
      order by ends_at limit ${limit} for update skip locked)
    returning id`;
  const ofClocks = await sql`
    update appointments set status = 'fulfilled', updated_at = now()
    where id in (
      select a.id from sandbox_clocks k join clinics c on c.id = k.clinic_id and c.sandbox_enabled
      cross join lateral (select coalesce(k.shows + (${realNow}::timestamptz - k.runs_since), k.shows) as shown) t
      join appointments a on a.clinic_id = k.clinic_id and a.status in ('booked', 'arrived') and a.starts_at < t.shown and a.ends_at <= t.shown
      limit ${limit - fulfilled.length} for update of a skip locked)
    returning id`;
  return fulfilled.length + ofClocks.length;
}

const byStart = (one: OpenSlot, other: OpenSlot) =>
  one.startsAt < other.startsAt ? -1 : Number(one.startsAt > other.startsAt);

/** Asks the pure rule by which the search offers times; whether somebody else has the time is for the database to say. */
export function refusalOf({
  agenda,
  provider,
  start,
  now,
}: {
  agenda: Agenda;
  provider: ProviderRecord;
  start: Date;
  now: Date;
}): { kind: 'slot_unavailable' } | { kind: 'in_the_past' } | null {
  const status = slotStatus({
    ...hoursOf(provider, agenda),
    zone: agenda.zone,
    booked: [],
    startsAt: start.toISOString(),
    now: now.toISOString(),
  });
  if (status === 'in_the_past') return { kind: 'in_the_past' };
  return status === 'offered' ? null : { kind: 'slot_unavailable' };
}

const changedBefore = (context: Context, clinicId: string, { key }: ChangeOfAppointment = {}) =>
  key === undefined ? null : changedUnder(context, clinicId, key);

/** SQLSTATE of a second change under one key. */
const DONE_BEFORE = '23505';

/** What is kept of a change with its version. */
const noted = ({ by, request, key }: ChangeOfAppointment = {}): string | null =>
  by === undefined && key === undefined ? null : JSON.stringify({ by, request, key });

/** What search and booking go by alike. */
const hoursOf = (
  { name: providerName, workingHours: hours, daysInForce, noticeInForce }: ProviderRecord,
  { leniency }: Pick<Agenda, 'leniency'>,
) => ({
  providerName,
  hours,
  specialDays: daysInForce,
  noticeMinutes: noticeInForce,
  bookableDays: leniency.maximumNoticeDays,
});

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

const listed = {
  id: true,
  clinicId: true,
  patientId: true,
  status: true,
  visitType: true,
  startsAt: true,
  endsAt: true,
  cancellationReason: true,
  provider: { select: { name: true, displayName: true } },
} satisfies Prisma.AppointmentSelect;

function toRecord({
  provider,
  status,
  ...row
}: Prisma.AppointmentGetPayload<{ select: typeof listed }>): AppointmentRecord {
  return {
    ...row,
    status: status as AppointmentStatus,
    providerName: provider.name,
    providerDisplayName: provider.displayName,
  };
}

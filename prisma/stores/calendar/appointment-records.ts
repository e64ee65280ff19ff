import type { AppointmentStatus } from '@clinic/shared/domain/calendar/appointment-status';
import type { Database } from '../../client';
import type { Prisma } from '../../generated/client';
import type { Sql } from '../../sql';
import type { Cursors, PageOf } from '../cursor';

interface Context {
  database: Database;
  cursors: Cursors;
}

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

/** The patient's booked appointment that begins next. */
export async function nextUpcoming(
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
export async function list(
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
export async function calendar(
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

/**
 * Marks appointments that were booked or arrived at and have ended as fulfilled, and leaves what was missed, `limit` at most; returns how many. Holds that were made a day ago are
 * removed on the way. `realNow` is the real time: a
 * clinic whose sandbox has a clock of its own goes by that.
 */
export async function fulfilPast({ database: { sql } }: Context, realNow: Date, limit: number): Promise<number> {
  await sql`
    delete from appointments
    where id in (
      select id from appointments where held_until is not null and created_at < ${realNow}::timestamptz - interval '1 day'
      order by created_at limit ${limit} for update skip locked)`;
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

/** What Prisma reads of an appointment for its record. */
export const listed = {
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

export function toRecord({
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

import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Prisma } from '../../generated/client';
import type { ShownVersion } from '@clinic/shared/contracts/calendar/fhir-appointment';
import type { AppointmentStatus } from '@clinic/shared/domain/calendar/appointment-status';
import { type AppointmentRecord, listed, toRecord } from './appointment-records';
import type { Cursors, PageOf } from '../cursor';
import { MAX_COUNTED } from '../total';

/** An appointment as a real EHR tells of it. */
export type EhrAppointment = AppointmentRecord & ShownVersion;

export interface EhrSearch {
  ids?: string[];
  patientId?: string;
  providerName?: string;
  identifier?: string;
  statuses?: AppointmentStatus[];
  /** Starting at this instant or later, and before `until`. */
  from?: string;
  until?: string;
  isNewestFirst?: boolean;
  limit: number;
  cursor?: string;
}

interface Context {
  database: Database;
  cursors: Cursors;
}

export const createEhrAppointmentStores = (database: Database, cursors: Cursors) =>
  bound({ database, cursors }, { find, versions, search });

async function find(
  { database: { prisma } }: Context,
  clinicId: string,
  appointmentId: string,
): Promise<EhrAppointment | null> {
  const row = await prisma.appointment.findFirst({
    where: { clinicId, id: appointmentId, heldUntil: null },
    select: shown,
  });
  return row && toEhrAppointment(row);
}

/** The newest version first, 500 at most; empty where there is no such appointment. */
async function versions(context: Context, clinicId: string, appointmentId: string): Promise<EhrAppointment[]> {
  const { sql } = context.database;
  const current = await find(context, clinicId, appointmentId);
  if (!current) return [];
  const earlier = await sql<Version>`
    select v.version, p.name as "providerName", p.display_name as "providerDisplayName", v.status, v.visit_type as "visitType",
      v.starts_at as "startsAt", v.ends_at as "endsAt", v.cancellation_reason as "cancellationReason",
      v.last_change ->> 'by' as "changedBy", v.updated_at as "updatedAt"
    from appointment_versions v join providers p on p.id = v.provider_id
    where v.clinic_id = ${clinicId} and v.appointment_id = ${appointmentId} and v.version < ${current.version}
    order by v.version desc limit 499`;
  return [
    current,
    ...earlier.map((version) => ({ ...current, ...version, status: version.status as AppointmentStatus })),
  ];
}

/**
 * In order of start. `total` counts all that match; null where they are more than anybody wants counted. Of who was merged into
 * another patient all is with that one, whom only an empty search asks for.
 */
async function search(context: Context, clinicId: string, asked: EhrSearch): Promise<Found> {
  const found = await searchExactly(context, clinicId, asked);
  if (asked.patientId === undefined || found.items.length > 0) return found;
  const { sql } = context.database;
  const [kept] = await sql<{ id: string | null }>`select kept_patient(${clinicId}, ${asked.patientId}) as id`;
  const patientId = kept?.id ?? asked.patientId;
  return patientId === asked.patientId ? found : searchExactly(context, clinicId, { ...asked, patientId });
}

type Found = PageOf<EhrAppointment> & { total: number | null };

async function searchExactly(
  { database: { prisma }, cursors }: Context,
  clinicId: string,
  { ids, patientId, providerName, identifier, statuses, from, until, ...page }: EhrSearch,
): Promise<Found> {
  const { isNewestFirst = false, limit, cursor } = page;
  const position = cursors.decode(cursor, clinicId, '_cursor');
  const where = {
    clinicId,
    patientId,
    heldUntil: null,
    identifier,
    id: ids && { in: ids },
    status: statuses && { in: statuses },
    provider: providerName === undefined ? undefined : { name: providerName },
    startsAt: { gte: from, lt: until },
  } satisfies Prisma.AppointmentWhereInput;
  const order = isNewestFirst ? 'desc' : 'asc';
  const beyond = isNewestFirst ? 'lt' : 'gt';
  const [rows, total] = await Promise.all([
    prisma.appointment.findMany({
      where: position
        ? {
            AND: [
              where,
              { startsAt: isNewestFirst ? { lte: position.at } : { gte: position.at } },
              {
                OR: [{ startsAt: { [beyond]: position.at } }, { startsAt: position.at, id: { [beyond]: position.id } }],
              },
            ],
          }
        : where,
      orderBy: [{ startsAt: order }, { id: order }],
      take: limit + 1,
      select: shown,
    }),
    prisma.appointment.count({ where, orderBy: [{ startsAt: order }, { id: order }], take: MAX_COUNTED + 1 }),
  ]);
  const records = rows.map(toEhrAppointment);
  return {
    ...cursors.page(clinicId, records, limit, ({ startsAt, id }) => ({ at: startsAt, id })),
    total: total > MAX_COUNTED ? null : total,
  };
}

interface Version extends Omit<EhrAppointment, 'id' | 'clinicId' | 'patientId' | 'identifier' | 'status'> {
  status: string;
}

const shown = {
  ...listed,
  version: true,
  updatedAt: true,
  identifier: true,
  lastChange: true,
} satisfies Prisma.AppointmentSelect;

function toEhrAppointment({
  version,
  updatedAt,
  identifier,
  lastChange,
  ...row
}: Prisma.AppointmentGetPayload<{ select: typeof shown }>): EhrAppointment {
  const { by } = (lastChange ?? {}) as { by?: string };
  return { ...toRecord(row), version, updatedAt, identifier, changedBy: by ?? null };
}

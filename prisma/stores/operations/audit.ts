import { newId } from '@clinic/shared/crypto';
import type { Database } from '../../client';
import type { AuditEntry, Prisma } from '../../generated/client';
import { createGroupCommit } from '../../group-commit';
import type { Sql } from '../../sql';
import { type Cursors, olderThan, type PageOf } from '../cursor';
import { boundedTotal, newestRows, type Total } from '../total';

/** Who does something, for the record of it: `account:…`, `api-key:…`. */
export interface Actor {
  actor: string;
  requestId?: string;
  /** The client's, where a request caused it. */
  address?: string;
}

/** What was done to what. `detail` holds ids and field names, never a secret and never patient data. */
export interface AuditedChange {
  clinicId: string;
  action: string;
  subject?: string;
  /** Ids of the patients whom it is about, where the subject is not one itself. */
  subjects?: readonly string[];
  detail?: Record<string, unknown>;
}

export type AuditRecord = Actor & AuditedChange;
export type AuditEntryRecord = AuditEntry;

/** What was seen of whom, or changed, as the route that was asked tells it. Ids only. */
export interface AuditedRequest extends Required<Actor> {
  clinicId: string;
  action: string;
  isRead: boolean;
  /** As `GET /patients/:patientId`. */
  route: string;
  /** What was changed: ids, codes and names of fields. */
  detail?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Ids of all whose data it was about, each once: of patients, or of the cases and runs that name them. */
  subjects: readonly string[];
}

export interface AuditFilter {
  /** Reads too; else changes and authentication alone. */
  hasReads?: boolean;
  action?: string;
  actor?: string;
  /** Of what was changed, or of a patient whose data was seen. */
  subject?: string;
  /** Instants: from the first on, and before the second. */
  from?: string;
  until?: string;
}

export interface AuditStores {
  write(record: AuditRecord): Promise<void>;
  /**
   * Resolves when it is stored for good, together with what is told at the same time; `auditChain.seal` makes its entry, within
   * a second or so.
   */
  writeRequest(request: AuditedRequest): Promise<void>;
  /** Newest first. */
  list(clinicId: string, filter: AuditFilter & { limit: number; cursor?: string }): Promise<PageOf<AuditEntryRecord>>;
  count(clinicId: string, filter: AuditFilter): Promise<Total>;
  /** What people and systems of the clinic did with patients, the newest first; those that are not sealed yet, too. */
  changesOf(clinicId: string, patientIds: string[], limit: number): Promise<AuditedPatientChange[]>;
}

export interface AuditedPatientChange {
  id: string;
  at: Date;
  actor: string;
  action: string;
  detail: unknown;
  /** When the visit is that was booked, moved, cancelled and so on, as that left it; null where it is none, or is gone. */
  startsAt: Date | null;
  providerDisplayName: string | null;
  /** When and with whom a visit was that was moved. */
  fromStartsAt: Date | null;
  fromProviderDisplayName: string | null;
}

/** More than any page shows. What shows more gets as many entries as it takes to name all. */
const MAX_NAMED = 1_000;
/** Longer than any of ours: what is asked for may be anything, and an index takes no more than some thousand. */
const MAX_ID = 200;

export function createAuditStores({ prisma, sql }: Database, cursors: Cursors): AuditStores {
  return {
    write: (record) => audit(sql, record, record),

    writeRequest: createGroupCommit({ commit: (requests: readonly AuditedRequest[]) => insertRequests(sql, requests) }),

    async list(clinicId, { limit, cursor, ...filter }) {
      const rows = await prisma.auditEntry.findMany({
        where: { AND: [whereOf(clinicId, filter), olderThan('at', cursors.decode(cursor, clinicId))] },
        orderBy: [{ at: 'desc' }, { id: 'desc' }],
        take: limit + 1,
      });
      return cursors.page(clinicId, rows, limit, ({ at, id }) => ({ at, id }));
    },

    count(clinicId, { hasReads, ...filter }) {
      const { newest, countUpTo } = newestRows(prisma.auditEntry, clinicId, 'at');
      return boundedTotal(filter, { newest, count: (asked) => countUpTo(whereOf(clinicId, { ...asked, hasReads })) });
    },

    // The audit holds no times of visits: they are those of the appointment, which goes when its patient is erased.
    changesOf: (clinicId, patientIds, limit) => sql<AuditedPatientChange>`
      with changes as (
        select id, at, actor, action, detail, request_id from (
          select id, clinic_id, at, actor, action, detail, request_id, is_read from audit_entries
          where clinic_id = ${clinicId} and (subject = any(${patientIds}) or subjects && ${patientIds}::text[])
          union all
          select id, clinic_id, at, actor, action, detail, request_id, is_read from audit_requests
          where subjects && ${patientIds}::text[]
        ) found
        where clinic_id = ${clinicId} and not is_read and actor ~ '^(account|api-key):'
        order by at desc, id desc limit ${limit}
      )
      select c.id, c.at, c.actor, c.action, c.detail, coalesce(v.starts_at, a.starts_at) as "startsAt",
        p.display_name as "providerDisplayName", b.starts_at as "fromStartsAt", bp.display_name as "fromProviderDisplayName"
      from changes c
      left join appointments a on a.clinic_id = ${clinicId} and a.id = c.detail ->> 'appointmentId' and a.held_until is null
      left join lateral (
        select version, starts_at, provider_id from appointment_versions
        where clinic_id = a.clinic_id and appointment_id = a.id and case c.action
          when 'appointment.book' then version = 1
          when 'appointment.reschedule' then last_change ->> 'request' = c.request_id end
        order by version limit 1) v on true
      left join appointment_versions b on c.action = 'appointment.reschedule' and b.clinic_id = a.clinic_id
        and b.appointment_id = a.id and b.version = v.version - 1
      left join providers p on p.id = coalesce(v.provider_id, a.provider_id)
      left join providers bp on bp.id = b.provider_id
      order by c.at desc, c.id desc`,
  };
}

const whereOf = (
  clinicId: string,
  { hasReads = false, action, actor, subject, from, until }: AuditFilter,
): Prisma.AuditEntryWhereInput => ({
  clinicId,
  action,
  actor,
  isRead: hasReads ? undefined : false,
  at: { gte: from, lt: until },
  ...(subject !== undefined && { OR: [{ subject }, { subjects: { has: subject } }] }),
});

/** One statement for all of them: one commit. Where its answer was lost they are noted twice, each time under an id of their own. */
async function insertRequests(sql: Sql, requests: readonly AuditedRequest[]): Promise<void[]> {
  const rows = requests.flatMap(({ subjects, ...request }) =>
    Array.from({ length: Math.max(1, Math.ceil(subjects.length / MAX_NAMED)) }, (_, part) => ({
      ...request,
      id: newId(),
      subjects: subjects.slice(part * MAX_NAMED, (part + 1) * MAX_NAMED).map((id) => id.slice(0, MAX_ID)),
    })),
  );
  await sql`
    insert into audit_requests (id, clinic_id, actor, action, detail, request_id, address, is_read, route, subjects)
    select id, "clinicId", actor, action, coalesce(detail, '{}'), "requestId", address, "isRead", route, subjects
    from json_to_recordset(${JSON.stringify(rows)}::json) as told(id text, "clinicId" text, actor text, action text,
      detail jsonb, "requestId" text, address text, "isRead" boolean, route text, subjects text[])`;
  return [];
}

/** Records a change in the transaction that makes it. A change without an actor, as of a seed, leaves no entry. */
export async function audit(
  tx: Sql,
  by: Actor | undefined,
  { clinicId, action, subject, subjects = [], detail }: AuditedChange,
): Promise<void> {
  if (!by) return;
  await tx`
    insert into audit_entries (id, clinic_id, actor, action, subject, subjects, detail, request_id, address)
    values (${newId()}, ${clinicId}, ${by.actor}, ${action}, ${subject ?? null}, ${[...subjects]}::text[],
      ${JSON.stringify(detail ?? {})}::jsonb, ${by.requestId ?? null}, ${by.address ?? null})`;
}

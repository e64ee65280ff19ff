import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';
import type { AuditEntry, Prisma } from '../generated/client';
import type { Sql } from '../sql';
import { type Cursors, olderThan, type PageOf } from './cursor';

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
  detail?: Record<string, unknown>;
}

export type AuditRecord = Actor & AuditedChange;
export type AuditEntryRecord = AuditEntry;

export interface AuditStores {
  write(record: AuditRecord): Promise<void>;
  list(
    clinicId: string,
    filter: {
      action?: string;
      actor?: string;
      subject?: string;
      /** Instants: from the first on, and before the second. */
      from?: string;
      until?: string;
      limit: number;
      cursor?: string;
    },
  ): Promise<PageOf<AuditEntryRecord>>;
}

export function createAuditStores({ prisma }: Database, cursors: Cursors): AuditStores {
  return {
    async write({ detail, ...record }) {
      await prisma.auditEntry.create({
        data: { id: newId(), ...record, detail: (detail ?? {}) as Prisma.InputJsonObject },
      });
    },

    async list(clinicId, { action, actor, subject, from, until, limit, cursor }) {
      const older = olderThan('at', cursors.decode(cursor, clinicId));
      const rows = await prisma.auditEntry.findMany({
        where: { clinicId, action, actor, subject, at: { gte: from, lt: until }, ...older },
        orderBy: [{ at: 'desc' }, { id: 'desc' }],
        take: limit + 1,
      });
      return cursors.page(clinicId, rows, limit, ({ at, id }) => ({ at, id }));
    },
  };
}

/** Records a change in the transaction that makes it. A change without an actor, as of a seed, leaves no entry. */
export async function audit(
  tx: Sql,
  by: Actor | undefined,
  { clinicId, action, subject, detail }: AuditedChange,
): Promise<void> {
  if (!by) return;
  await tx`
    insert into audit_entries (id, clinic_id, actor, action, subject, detail, request_id, address)
    values (${newId()}, ${clinicId}, ${by.actor}, ${action}, ${subject ?? null}, ${JSON.stringify(detail ?? {})}::jsonb,
      ${by.requestId ?? null}, ${by.address ?? null})`;
}

import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';
import type { Prisma } from '../generated/client';

/** Who did what to what. `detail` holds ids and field names, never a secret and never patient data. */
export interface AuditRecord {
  clinicId: string;
  actor: string;
  action: string;
  subject?: string;
  detail?: Record<string, unknown>;
  requestId?: string;
}

export interface AuditStores {
  write(record: AuditRecord): Promise<void>;
}

export function createAuditStores({ prisma }: Database): AuditStores {
  return {
    async write({ detail, ...record }) {
      await prisma.auditEntry.create({
        data: { id: newId(), ...record, detail: (detail ?? {}) as Prisma.InputJsonObject },
      });
    },
  };
}

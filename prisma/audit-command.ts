import type { KeyRing } from '@clinic/shared/config';
import { openDatabase } from './client';
import { type AuditFinding, type AuditHead, createAuditChainStores } from './stores/audit-chain';

export const auditUsage = `Usage:
  npm run audit -- verify [--head <clinic>:<position>:<hash>]…

Reads the audit of every clinic from its beginning, prints what was changed, removed or inserted, and exits with 1 where anything was.
--head: a head that was printed before; a chain that no longer holds it was cut off or made anew.`;

export interface AuditReport {
  checked: number;
  heads: AuditHead[];
  findings: (AuditFinding | { clinicId: string; position: number; entryId: null; fault: 'head_missing' })[];
}

/** Checks the chains, and that they still hold the heads that were kept. */
export async function runAuditCommand(
  [command, ...options]: string[],
  { databaseUrl, secretKeys }: { databaseUrl: string; secretKeys: KeyRing },
): Promise<AuditReport> {
  const kept = command === 'verify' ? headsIn(options) : null;
  if (!kept) throw new Error(auditUsage);
  const database = openDatabase(databaseUrl, { poolSize: 2, statementTimeoutMs: 600_000, silenceMs: 600_000 });
  try {
    const report = await createAuditChainStores(database, secretKeys).verify();
    const missing = [];
    for (const { clinicId, position, hash } of kept) {
      const [link] = await database.sql`
        select 1 from audit_links where clinic_id = ${clinicId} and position = ${position}::bigint and hash = ${hash}`;
      if (!link) missing.push({ clinicId, position, entryId: null, fault: 'head_missing' as const });
    }
    return { ...report, findings: [...report.findings, ...missing] };
  } finally {
    await database.close();
  }
}

/** Null for what is no head. */
function headsIn(options: string[]): AuditHead[] | null {
  const heads: AuditHead[] = [];
  for (let index = 0; index < options.length; index += 2) {
    const [, clinicId, position, hash] = /^([^:]+):(\d{1,15}):([\w-]+)$/.exec(options[index + 1] ?? '') ?? [];
    if (options[index] !== '--head' || !clinicId || !position || !hash) return null;
    heads.push({ clinicId, position: Number(position), hash });
  }
  return heads;
}

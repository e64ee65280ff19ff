import type { KeyRing } from '@clinic/shared/config';
import { openDatabase } from './client';
import { createStores } from './stores';
import type { AuditEntryRecord } from './stores/audit';
import { type AuditFinding, type AuditHead, createAuditChainStores } from './stores/audit-chain';

export const auditUsage = `Usage:
  npm run audit -- verify [--head <clinic>:<position>:<hash>]…
  npm run audit -- list [--clinic <id>] [--actor <actor>] [--action <action>] [--subject <id>] [--day <YYYY-MM-DD>] [--limit <n>]

verify: reads the audit of every clinic from its beginning, prints what was changed, removed or inserted, and exits with 1 where anything was.
--head: a head that was printed before; a chain that no longer holds it was cut off or made anew.
list: prints the newest entries, reads too, of one clinic or of all, as JSON lines; a hundred unless --limit says otherwise.
--subject: a patient, or what else was read or changed. --day: in UTC.`;

export interface AuditAccess {
  databaseUrl: string;
  secretKeys: KeyRing;
}

/** Prints what was asked for; returns the exit code: 1 where a chain does not hold. */
export async function auditCommand(args: string[], access: AuditAccess, print: (line: string) => void): Promise<0 | 1> {
  if (args[0] === 'list') {
    for (const entry of await listAudit(args.slice(1), access)) print(JSON.stringify(entry));
    return 0;
  }
  const report = await runAuditCommand(args, access);
  print(JSON.stringify(report, null, 2));
  return report.findings.length > 0 ? 1 : 0;
}

/** The newest entries of a clinic, or of all of them. Throws the usage for options that it does not know. */
export async function listAudit(args: string[], { databaseUrl, secretKeys }: AuditAccess): Promise<AuditEntryRecord[]> {
  const { clinic, day, limit: given = '100', ...filter } = optionsIn(args);
  const limit = Number(given);
  const dayStartsAt = day === undefined ? undefined : Date.parse(`${day}T00:00:00Z`);
  const isDay = dayStartsAt === undefined || !Number.isNaN(dayStartsAt);
  if (!isDay || !Number.isInteger(limit) || limit < 1 || limit > 100_000) throw new Error(auditUsage);
  const span = dayStartsAt === undefined ? {} : { from: isoOf(dayStartsAt), until: isoOf(dayStartsAt + DAY_MS) };
  const database = openDatabase(databaseUrl, { poolSize: 2, statementTimeoutMs: 600_000, silenceMs: 600_000 });
  try {
    const { audit } = createStores(database, secretKeys);
    const clinics =
      clinic === undefined ? await database.sql<{ id: string }>`select id from clinics` : [{ id: clinic }];
    const found = [];
    for (const { id } of clinics)
      found.push(...(await audit.list(id, { ...filter, ...span, hasReads: true, limit })).items);
    return found.toSorted((one, other) => other.at.getTime() - one.at.getTime()).slice(0, limit);
  } finally {
    await database.close();
  }
}

const DAY_MS = 24 * 3_600_000;
const isoOf = (ms: number) => new Date(ms).toISOString();
const optionNames = ['clinic', 'actor', 'action', 'subject', 'day', 'limit'] as const;

function optionsIn(args: string[]): Partial<Record<(typeof optionNames)[number], string>> {
  const options: Partial<Record<(typeof optionNames)[number], string>> = {};
  for (let index = 0; index < args.length; index += 2) {
    const name = optionNames.find((known) => args[index] === `--${known}`);
    const value = args[index + 1];
    if (!name || value === undefined) throw new Error(auditUsage);
    options[name] = value;
  }
  return options;
}

export interface AuditReport {
  checked: number;
  heads: AuditHead[];
  findings: (AuditFinding | { clinicId: string; position: number; entryId: null; fault: 'head_missing' })[];
}

/** Checks the chains, and that they still hold the heads that were kept. */
export async function runAuditCommand(
  [command, ...options]: string[],
  { databaseUrl, secretKeys }: AuditAccess,
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

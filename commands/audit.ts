import { Command, InvalidArgumentError } from 'commander';
import { type AuditHead, createAuditChainStores } from '@clinic/prisma/stores/operations/audit-chain';
import { type CommandLine, type CommandResult, type Records, wholeNumber } from './command-line';

/** All entries of all clinics are read: that takes its time. */
const patient = { poolSize: 2, statementTimeoutMs: 600_000, silenceMs: 600_000 };

const DAY_MS = 24 * 3_600_000;

interface ListOptions {
  clinic?: string;
  actor?: string;
  action?: string;
  subject?: string;
  /** When the day begins. */
  day?: number;
  limit: number;
}

export function auditCommands(line: CommandLine): Command {
  const audit = new Command('audit').description('reads and checks the audit of all clinics');
  audit
    .command('verify')
    .description(
      'prints what was changed, removed or inserted in the audit of any clinic; exits with 1 where anything was',
    )
    .option(
      '--head <clinic:position:hash>',
      'that was printed before: a chain that no longer holds it was cut off or replaced; may be repeated',
      (text: string, heads: AuditHead[]) => [...heads, headIn(text)],
      [],
    )
    .action(({ head }: { head: AuditHead[] }) =>
      line.withRecords(async (records) => line.show(await verify(records, head)), patient),
    );
  audit
    .command('list')
    .description('prints the newest entries of one clinic or of all, reads too, as JSON lines')
    .option('--clinic <id>')
    .option('--actor <actor>')
    .option('--action <action>')
    .option('--subject <id>', 'a patient, or what else was read or changed')
    .option('--day <YYYY-MM-DD>', 'in UTC', dayStart)
    .option('--limit <n>', 'how many', wholeNumber({ from: 1, to: 100_000 }), 100)
    .action((options: ListOptions) =>
      line.withRecords(async (records) => {
        for (const entry of await newest(records, options)) line.context.print(JSON.stringify(entry));
      }, patient),
    );
  return audit;
}

/** Checks the chains, and that they still hold the heads that were kept. */
async function verify({ database, config }: Records, kept: AuditHead[]): Promise<CommandResult> {
  const { findings, ...report } = await createAuditChainStores(database, config.SECRET_KEYS).verify();
  const missing = [];
  for (const { clinicId, position, hash } of kept) {
    const [link] = await database.sql`
      select 1 from audit_links where clinic_id = ${clinicId} and position = ${position}::bigint and hash = ${hash}`;
    if (!link) missing.push({ clinicId, position, entryId: null, fault: 'head_missing' as const });
  }
  const all = [...findings, ...missing];
  return { shown: { ...report, findings: all }, isFailed: all.length > 0 };
}

async function newest({ database, stores }: Records, { clinic, day, limit, ...filter }: ListOptions) {
  const span = day === undefined ? {} : { from: isoOf(day), until: isoOf(day + DAY_MS) };
  const clinics = clinic === undefined ? await database.sql<{ id: string }>`select id from clinics` : [{ id: clinic }];
  const found = [];
  for (const { id } of clinics) {
    found.push(...(await stores.audit.list(id, { ...filter, ...span, hasReads: true, limit })).items);
  }
  return found.toSorted((one, other) => other.at.getTime() - one.at.getTime()).slice(0, limit);
}

const isoOf = (ms: number) => new Date(ms).toISOString();

function dayStart(text: string): number {
  const at = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be a date, as 2026-11-22.');
  return at;
}

function headIn(text: string): AuditHead {
  const [, clinicId, position, hash] = /^([^:]+):(\d{1,15}):([\w-]+)$/.exec(text) ?? [];
  if (clinicId && position && hash) return { clinicId, position: Number(position), hash };
  throw new InvalidArgumentError('It must be a head as verify prints it, with colons between.');
}

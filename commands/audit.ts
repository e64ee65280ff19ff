import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { parseJson } from '@clinic/shared/domain/json';
import { type AuditHead, createAuditChainStores } from '@clinic/prisma/stores/operations/audit-chain';
import { isDate } from '@clinic/shared/domain/calendar/clinic-time';
import { type CommandLine, type CommandResult, type Records, wholeNumber } from './command-line';

/** All entries of all clinics are read: that takes its time. */
const patient = { poolSize: 2, statementTimeoutMs: 600_000, silenceMs: 600_000 };

const HEADS_AT_ONCE = 1_000;
const KeptHead = z.object({ clinicId: z.string(), position: z.int().min(0), hash: z.string() });
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
    .option(
      '--heads-file <path>',
      'lines that the receiver of AUDIT_HEADS_URL has, each with a head as JSON: the chains must hold all of them',
      headsIn,
      [],
    )
    .action(({ head, headsFile }: { head: AuditHead[]; headsFile: AuditHead[] }) =>
      line.withRecords(async (records) => line.show(await verify(records, [...head, ...headsFile])), patient),
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
  for (let at = 0; at < kept.length; at += HEADS_AT_ONCE) {
    const gone = await database.sql<{ clinicId: string; position: number }>`
      select coalesce(h."clinicId", '') as "clinicId", coalesce(h.position, 0)::float8 as position
      from json_to_recordset(${JSON.stringify(kept.slice(at, at + HEADS_AT_ONCE))}::json) as h("clinicId" text, position bigint, hash text)
      where not exists (
        select from audit_links l where l.clinic_id = h."clinicId" and l.position = h.position and l.hash = h.hash)`;
    missing.push(...gone.map((head) => ({ ...head, entryId: null, fault: 'head_missing' as const })));
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
  if (isDate(text)) return Date.parse(`${text}T00:00:00Z`);
  throw new InvalidArgumentError('It must be a date, as 2026-11-22.');
}

/** A line may have something before its JSON, as syslog writes it; one without JSON is passed over. */
function headsIn(path: string): AuditHead[] {
  const lines = textOf(path).split('\n');
  return lines.flatMap((text) => {
    const json = text.slice(text.indexOf('{'));
    if (!json.startsWith('{')) return [];
    const head = KeptHead.safeParse(parseJson(json));
    if (head.success) return [head.data];
    throw new InvalidArgumentError(`It has a line that is no head: ${json.slice(0, 80)}`);
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new InvalidArgumentError(`There is no file ${path} that can be read.`);
  }
}

function headIn(text: string): AuditHead {
  const [, clinicId, position, hash] = /^([^:]+):(\d{1,15}):([\w-]+)$/.exec(text) ?? [];
  if (clinicId && position && hash) return { clinicId, position: Number(position), hash };
  throw new InvalidArgumentError('It must be a head as verify prints it, with colons between.');
}

import { type Database, openDatabase } from '@clinic/prisma/client';
import { fill } from '../../support/fill';
import { load, type Measured, shown } from './load';
import type { BenchStack } from './stack';

const TIMES = 40;
const DEFAULT_CASES = 1_000_000;

/** Lists, searches and counts, with their filters, common, rare and found nowhere. */
const reads: [string, string][] = [
  ['overview', '/overview'],
  ['cases', '/cases'],
  ['cases, open', '/cases?open=true'],
  ['cases, by outcome', '/cases?recoveryStatus=RECOVERED'],
  ['cases, contradictory', '/cases?open=true&recoveryStatus=RECOVERED'],
  ['cases, of a patient', '/cases?patientId={patientId}'],
  ['cases, common name', '/cases?search=maria'],
  ['cases, two words', '/cases?search=garc%C3%ADa%20ana'],
  ['cases, rare name', '/cases?search=quillfeather'],
  ['cases, phone', '/cases?search=(303)%20000-4242'],
  ['cases, session', '/cases?search={sessionId}'],
  ['cases, found nowhere', '/cases?search=nobodyhasthisname'],
  ['cases, one letter', '/cases?search=m'],
  ['calls', '/calls'],
  ['calls, live', '/calls?live=true'],
  ['calls, of a case', '/calls?recoveryCaseId={recoveryCaseId}'],
  ['calls, of a workflow', '/calls?workflowId={workflowId}'],
  ['calls, common name', '/calls?search=maria'],
  ['calls, found nowhere', '/calls?search=nobodyhasthisname'],
  ['patients', '/patients'],
  ['patients, common name', '/patients?search=maria'],
  ['patients, two words', '/patients?search=smith%20james'],
  ['patients, rare name', '/patients?search=quillfeather'],
  ['patients, phone', '/patients?search=303-000-4242'],
  ['patients, found nowhere', '/patients?search=nobodyhasthisname'],
  ['decisions of a patient', '/patients/{patientId}/call-decisions'],
  ['a patient', '/patients/{patientId}'],
  ['a case', '/cases/{recoveryCaseId}'],
  ['workflows', '/workflows'],
  ['workflows, failed', '/workflows?status=failed'],
  ['workflows, of a rare type', '/workflows?workflowType=prescription-follow-up'],
  ['tasks', '/tasks'],
  ['tasks, open', '/tasks?state=OPEN'],
  ['tasks, of nobody', '/tasks?assigneeId=none'],
  ['tasks, by a rare reason', '/tasks?reason=crm_sync_failed'],
  ['tasks, of a case', '/tasks?recoveryCaseId={recoveryCaseId}'],
  ['deliveries', '/deliveries'],
  ['deliveries, dead', '/deliveries?state=DEAD'],
  ['deliveries, of a rare event', '/deliveries?event=workflow.completed'],
  ['deliveries, of a case', '/deliveries?subject={recoveryCaseId}'],
  ['audit', '/audit'],
  ['audit, by action', '/audit?action=nothing.done'],
  ['audit, by actor', '/audit?actor=account:3'],
  ['audit, of a subject', '/audit?subject={recoveryCaseId}'],
  ['appointments', '/appointments'],
  ['appointments, cancelled', '/appointments?status=cancelled'],
  ['opt-outs', '/integrations/opt-outs'],
  ['calling queue', '/calling-queue'],
];

/**
 * Every read at one client, empty and then with records of `READS_CASES` cases (1,000,000 unless set), nine tenths of them
 * in this clinic. The aim is at most twice the empty time, and 25 ms at p50.
 */
export async function readsOfMany(stack: BenchStack): Promise<void> {
  // It would start the runs that are filled in, which Temporal does not know.
  stack.holdWorker();
  try {
    await measureReads(stack);
  } finally {
    stack.resumeWorker();
  }
}

async function measureReads({ api, clinic, database, stores, get, post }: BenchStack): Promise<void> {
  const cases = Number(process.env.READS_CASES ?? DEFAULT_CASES);
  const signedIn = await post(`${api}/auth/sign-in/email`, { email: clinic.email, password: clinic.password });
  const session = { authorization: `Bearer ${(JSON.parse(signedIn) as { token: string }).token}` };
  const key = { authorization: `Bearer ${clinic.apiKey}` };
  const headersOf = (path: string) => (path.startsWith('/workflows') ? key : session);

  const measure = async (known: Record<string, string>) => {
    const measured = new Map<string, Measured>();
    for (const [name, path] of reads) {
      const url = `${api}${path.replaceAll(/\{(\w+)\}/g, (_, id: string) => known[id] ?? 'none')}`;
      const isDetail = path.endsWith('}') && !path.includes('?');
      if (known.patientId === undefined && (isDetail || path.includes('}/'))) continue;
      const work = () => get(url, headersOf(path));
      await load({ clients: 1, times: 10, work });
      measured.set(name, await load({ clients: 1, times: TIMES, work }));
    }
    return measured;
  };

  const empty = await measure({});
  const unhurried = openDatabase(database.url, { statementTimeoutMs: 3_600_000, silenceMs: 3_600_000 });
  const others = await Promise.all(
    Array.from({ length: 19 }, async (_, n) =>
      stores.clinics.create({
        name: `Small clinic ${n}`,
        timezone: 'UTC',
        isDemo: true,
        voiceProvider: 'simulator',
        policy: await stores.clinics.policy(clinic.clinicId),
      }),
    ),
  );
  const rows = await fill(unhurried, { clinicIds: [clinic.clinicId, ...others], cases });
  await unhurried.sql`vacuum`;
  const [size] = await unhurried.sql<{ perCase: number }>`
    select coalesce(pg_database_size(current_database()) / ${cases}::float8 / 1000, 0)::float8 as "perCase"`;
  const [known] = await unhurried.sql<{
    recoveryCaseId: string;
    workflowId: string;
    patientId: string;
    sessionId: string;
  }>`
    select id as "recoveryCaseId", workflow_id as "workflowId", patient_id as "patientId", session_id as "sessionId"
    from recovery_cases where clinic_id = ${clinic.clinicId} and status <> 'PENDING' order by created_at offset ${cases >> 1} limit 1`;
  await reportDisk(unhurried, cases);
  await unhurried.close();
  const filled = await measure({ ...known });

  console.log(
    `reads of one client with ${cases} cases (${rows} rows, ${size?.perCase.toFixed(1)} kB a case), ms at p50 / p95`,
  );
  for (const [name] of reads) {
    const [before, after] = [empty.get(name), filled.get(name)];
    const ratio = before && after ? `${(after.p50 / before.p50).toFixed(1)} x` : '';
    console.log(`  ${name.padEnd(32)} ${shown(before).padStart(14)} -> ${shown(after).padStart(14)}  ${ratio}`);
  }
}

/** Bytes of a case by table: its rows, and each of its indexes. */
async function reportDisk({ sql }: Database, cases: number): Promise<void> {
  const relations = await sql<{ table: string; name: string | null; perCase: number | null }>`
    select c.relname::text as table, null::text as name,
      (pg_relation_size(c.oid) + coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0)) / ${cases}::float8 as "perCase"
    from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    union all
    select t.relname::text, c.relname::text, pg_relation_size(c.oid) / ${cases}::float8
    from pg_class c join pg_index i on i.indexrelid = c.oid join pg_class t on t.oid = i.indrelid
    where t.relnamespace = 'public'::regnamespace`;
  const of = (table: string) => relations.filter((each) => each.table === table);
  const sum = (some: { perCase: number | null }[]) => some.reduce((total, { perCase }) => total + (perCase ?? 0), 0);
  const tables = [...new Set(relations.map(({ table }) => table))].toSorted((a, b) => sum(of(b)) - sum(of(a)));
  console.log('disk, bytes a case: rows + indexes');
  for (const table of tables.filter((each) => sum(of(each)) >= 1)) {
    const indexes = of(table).filter(({ name }) => name !== null);
    const rows = sum(of(table)) - sum(indexes);
    console.log(`  ${table.padEnd(28)} ${rows.toFixed(0).padStart(5)} + ${sum(indexes).toFixed(0).padStart(5)}`);
    for (const { name, perCase } of indexes.toSorted((a, b) => sum([b]) - sum([a])))
      console.log(`    ${(name ?? '').padEnd(60)} ${sum([{ perCase }]).toFixed(0).padStart(5)}`);
  }
}

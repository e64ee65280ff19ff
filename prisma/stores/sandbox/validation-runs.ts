import { newId } from '@clinic/shared/crypto';
import type { Exchange, Operation } from '@clinic/shared/domain/sandbox/exchange';
import type { Finding } from '@clinic/shared/domain/sandbox/readiness/judging';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Actor, audit } from '../operations/audit';
import { type Cursors, type PageOf } from '../cursor';

/** So many exchanges of one run are kept; what comes after them is not watched. */
export const MAX_EXCHANGES = 2_000;

export interface ValidationRunRecord {
  id: string;
  clinicId: string;
  label: string | null;
  startedBy: string;
  startedAt: Date;
  endsAt: Date;
  endedAt: Date | null;
  exchanges: number;
  /** By behaviour; null while it is under way. */
  findings: Record<string, RunFinding> | null;
}

/** With what was exchanged, so that it can be read when the exchange is no longer kept. */
export type RunFinding = Finding & { shownBy?: { at: string; operation: Operation; status: number | null } };

export type StartedRun = { kind: 'started'; run: ValidationRunRecord } | { kind: 'under_way'; runId: string };

export const createValidationRunStores = (database: Database, cursors: Cursors) =>
  bound(contextOf(database, cursors), { start, unended, find, list, observe, exchangesOf, runOfCredential, end });

function contextOf({ sql, transaction, prisma }: Database, cursors: Cursors) {
  const own = cursors.of('validation-runs');
  return { sql, transaction, prisma, own };
}

type Context = ReturnType<typeof contextOf>;

/** A clinic has one at a time. */
const start = (
  { transaction }: Context,
  { clinicId, label, now, endsAt, by }: { clinicId: string; label: string | null; now: Date; endsAt: Date; by: Actor },
): Promise<StartedRun> =>
  transaction(async (tx): Promise<StartedRun> => {
    const [run] = await tx<Omit<ValidationRunRecord, 'findings'>>`
      insert into validation_runs (id, clinic_id, label, started_by, started_at, ends_at)
      values (${newId()}, ${clinicId}, ${label}, ${by.actor}, ${now}, ${endsAt})
      on conflict (clinic_id) where ended_at is null do nothing
      returning id, clinic_id as "clinicId", label, started_by as "startedBy", started_at as "startedAt", ends_at as "endsAt",
        ended_at as "endedAt", exchanges`;
    if (run) {
      await audit(tx, by, { clinicId, action: 'validation-run.start', subject: run.id });
      return { kind: 'started', run: { ...run, findings: null } };
    }
    const [other] = await tx<{ id: string }>`
      select id from validation_runs where clinic_id = ${clinicId} and ended_at is null`;
    return { kind: 'under_way', runId: other?.id ?? '' };
  });

/** Those of all clinics that nobody has ended, also where their time is over. */
const unended = ({ sql }: Context): Promise<{ id: string; clinicId: string; startedAt: Date; endsAt: Date }[]> => sql<{
  id: string;
  clinicId: string;
  startedAt: Date;
  endsAt: Date;
}>`
    select id, clinic_id as "clinicId", started_at as "startedAt", ends_at as "endsAt" from validation_runs
    where ended_at is null`;

async function find({ prisma }: Context, clinicId: string, runId: string): Promise<ValidationRunRecord | null> {
  const found = await prisma.validationRun.findFirst({ where: { clinicId, id: runId } });
  return found && toRecord(found);
}

async function list(
  { own, prisma }: Context,
  clinicId: string,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<PageOf<ValidationRunRecord>> {
  const position = own.decode(cursor, clinicId);
  const rows = await prisma.validationRun.findMany({
    where: {
      clinicId,
      ...(position && {
        OR: [{ startedAt: { lt: position.at } }, { startedAt: position.at, id: { lt: position.id } }],
      }),
    },
    orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
  });
  return own.page(clinicId, rows.map(toRecord), limit, ({ startedAt: at, id }) => ({ at, id }));
}

/** Adds what was watched, in the order given; of too many, or of a run that has ended, none. */
async function observe(
  { sql }: Context,
  clinicId: string,
  runId: string,
  exchanges: Omit<Exchange, 'number'>[],
): Promise<void> {
  const rows = exchanges.map(
    ({ at, operation, durationMs, status, credential, key, request, retryAfterSeconds, refusal, facts }, place) => ({
      place,
      at,
      operation,
      durationMs: Math.round(durationMs),
      status,
      credential,
      patient: facts.patient ?? null,
      detail: { key, request, retryAfterSeconds, refusal, facts },
    }),
  );
  // The run's row is locked first, so that processes that watch it together keep to its bound.
  await sql`
    with run as (
      select clinic_id, id, least(${rows.length}::int, ${MAX_EXCHANGES}::int - exchanges) as room from validation_runs
      where clinic_id = ${clinicId} and id = ${runId} and ended_at is null for no key update
    ), counted as (
      update validation_runs v set exchanges = v.exchanges + run.room from run
      where v.clinic_id = run.clinic_id and v.id = run.id and run.room > 0
    )
    insert into observed_exchanges (clinic_id, run_id, at, operation, duration_ms, status, credential, patient_id, detail)
    select run.clinic_id, run.id, e.at, e.operation, e."durationMs", e.status, e.credential,
      (select p.id from patients p where p.clinic_id = run.clinic_id and p.id = e.patient), e.detail
    from run, json_to_recordset(${JSON.stringify(rows)}::json) as e(place int, at timestamptz, operation text, "durationMs" int, status int,
      credential text, patient text, detail jsonb)
    where e.place < run.room`;
}

/** All of a run, numbered in the order in which they began. */
async function exchangesOf({ sql }: Context, clinicId: string, runId: string): Promise<Exchange[]> {
  const rows = await sql<ObservedRow>`
    select at, operation, duration_ms as "durationMs", status, credential, detail from observed_exchanges
    where clinic_id = ${clinicId} and run_id = ${runId} order by at, position`;
  return rows.map(({ at, operation, detail, ...row }, index) => ({
    ...row,
    ...(detail as Pick<Exchange, 'key' | 'request' | 'retryAfterSeconds' | 'refusal' | 'facts'>),
    number: index + 1,
    at: at.toISOString(),
    operation: operation as Operation,
  }));
}

/** Whose run has seen this credential, of those under way. */
async function runOfCredential({ sql }: Context, credential: string): Promise<{ id: string; clinicId: string } | null> {
  const [found] = await sql<{ id: string; clinicId: string }>`
    select r.id, r.clinic_id as "clinicId" from validation_runs r
    where r.ended_at is null and exists (
      select 1 from observed_exchanges e
      where e.clinic_id = r.clinic_id and e.run_id = r.id and e.credential = ${credential})
    limit 1`;
  return found ?? null;
}

/** False where it had ended before. */
const end = (
  { transaction }: Context,
  {
    clinicId,
    runId,
    endedAt,
    findings,
  }: { clinicId: string; runId: string; endedAt: Date; findings: Record<string, RunFinding> },
  by?: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    const [ended] = await tx<{ id: string }>`
      update validation_runs set ended_at = ${endedAt}, findings = ${JSON.stringify(findings)}::jsonb
      where clinic_id = ${clinicId} and id = ${runId} and ended_at is null returning id`;
    if (ended) await audit(tx, by, { clinicId, action: 'validation-run.end', subject: runId });
    return ended !== undefined;
  });

interface ObservedRow {
  at: Date;
  operation: string;
  durationMs: number;
  status: number | null;
  credential: string | null;
  detail: unknown;
}

const toRecord = (row: Omit<ValidationRunRecord, 'findings'> & { findings: unknown }): ValidationRunRecord => ({
  ...row,
  findings: row.findings as ValidationRunRecord['findings'],
});

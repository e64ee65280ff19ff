import { newId } from '@clinic/shared/crypto';
import type { Exchange, Operation } from '@clinic/shared/domain/exchange';
import type { Finding } from '@clinic/shared/domain/readiness/judging';
import type { Database } from '../client';
import { type Actor, audit } from './audit';
import { type Cursors, type PageOf } from './cursor';

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

export interface ValidationRunStores {
  /** A clinic has one at a time. */
  start(run: { clinicId: string; label: string | null; now: Date; endsAt: Date; by: Actor }): Promise<StartedRun>;
  /** Those of all clinics that nobody has ended, also where their time is over. */
  unended(): Promise<{ id: string; clinicId: string; startedAt: Date; endsAt: Date }[]>;
  find(clinicId: string, runId: string): Promise<ValidationRunRecord | null>;
  list(clinicId: string, page: { limit: number; cursor?: string }): Promise<PageOf<ValidationRunRecord>>;
  /** Adds what was watched, in the order given; of too many, or of a run that has ended, none. */
  observe(clinicId: string, runId: string, exchanges: Omit<Exchange, 'number'>[]): Promise<void>;
  /** All of a run, numbered in the order in which they began. */
  exchangesOf(clinicId: string, runId: string): Promise<Exchange[]>;
  /** Whose run has seen this credential, of those under way. */
  runOfCredential(credential: string): Promise<{ id: string; clinicId: string } | null>;
  /** False where it had ended before. */
  end(
    ended: { clinicId: string; runId: string; endedAt: Date; findings: Record<string, RunFinding> },
    by?: Actor,
  ): Promise<boolean>;
}

export function createValidationRunStores(
  { sql, transaction, prisma }: Database,
  cursors: Cursors,
): ValidationRunStores {
  const own = cursors.of('validation-runs');

  return {
    start: ({ clinicId, label, now, endsAt, by }) =>
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
      }),

    unended: () =>
      sql<{ id: string; clinicId: string; startedAt: Date; endsAt: Date }>`
        select id, clinic_id as "clinicId", started_at as "startedAt", ends_at as "endsAt" from validation_runs
        where ended_at is null`,

    async find(clinicId, runId) {
      const found = await prisma.validationRun.findFirst({ where: { clinicId, id: runId } });
      return found && toRecord(found);
    },

    async list(clinicId, { limit, cursor }) {
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
    },

    async observe(clinicId, runId, exchanges) {
      const rows = exchanges.map(
        (
          { at, operation, durationMs, status, credential, key, request, retryAfterSeconds, refusal, facts },
          place,
        ) => ({
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
    },

    async exchangesOf(clinicId, runId) {
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
    },

    async runOfCredential(credential) {
      const [found] = await sql<{ id: string; clinicId: string }>`
        select r.id, r.clinic_id as "clinicId" from validation_runs r
        where r.ended_at is null and exists (
          select 1 from observed_exchanges e
          where e.clinic_id = r.clinic_id and e.run_id = r.id and e.credential = ${credential})
        limit 1`;
      return found ?? null;
    },

    end: ({ clinicId, runId, endedAt, findings }, by) =>
      transaction(async (tx) => {
        const [ended] = await tx<{ id: string }>`
          update validation_runs set ended_at = ${endedAt}, findings = ${JSON.stringify(findings)}::jsonb
          where clinic_id = ${clinicId} and id = ${runId} and ended_at is null returning id`;
        if (ended) await audit(tx, by, { clinicId, action: 'validation-run.end', subject: runId });
        return ended !== undefined;
      }),
  };
}

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

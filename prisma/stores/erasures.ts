import type { ErasureReason, ErasureState } from '@clinic/shared/domain/erasure';
import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';
import type { ErasedKeys } from '../erased-keys';
import type { Erasure, Prisma, PrismaClient } from '../generated/client';
import { tablesAboutPatients } from '../patient-data';
import type { Sql } from '../sql';
import { type Actor, audit } from './audit';
import { type Cursors, olderThan, type PageOf } from './cursor';

export type ErasureRecord = Omit<Erasure, 'reason' | 'state' | 'counts'> & {
  reason: ErasureReason;
  state: ErasureState;
  /** Rows that were deleted, by table. */
  counts: Record<string, number>;
};

/** What would happen if a patient were erased now. */
export interface ErasurePreview {
  /** Rows by table. */
  goes: Record<string, number>;
  openRuns: number;
  openCalls: number;
  isHeld: boolean;
}

/** A run that is ended before its patient is erased. */
export interface RunToEnd {
  clinicId: string;
  workflowId: string;
}

/** What an erasure waits for. */
export interface Standing {
  runs: RunToEnd[];
  /** Test calls without a phone, which nobody but us ends. */
  testCalls: string[];
  openCalls: number;
  /** Runs of which the clinic is still to be told. */
  owed: number;
  /** Since it was requested. */
  ageMs: number;
}

/** Ids of what was erased that Temporal knows workflows by. */
export interface ErasedIds {
  runs: string[];
  cases: string[];
  calls: string[];
  /** Further endpoints of the clinic, each of which has had a sender of its own. */
  endpoints: string[];
}

/** Where a page of stored replies begins. */
export interface ReplyPlace {
  route: string;
  key: string;
}

const REPLIES_AT_ONCE = 1_000;

export interface ErasureStores {
  /** `requested`: the one that is under way, where there is one. A hold refuses it. */
  request(
    input: { clinicId: string; patientId: string; reason: ErasureReason },
    by: Actor,
  ): Promise<{ kind: 'requested'; erasure: ErasureRecord } | { kind: 'held' } | { kind: 'unknown' }>;
  /** Null where the clinic has no such patient. */
  preview(clinicId: string, patientId: string): Promise<ErasurePreview | null>;
  find(clinicId: string, id: string): Promise<ErasureRecord | null>;
  /** The newest first. */
  list(
    clinicId: string,
    filter: { patientId?: string; limit: number; cursor?: string },
  ): Promise<PageOf<ErasureRecord>>;
  /** Those that have not come to their end, of all clinics, the oldest first. */
  unfinished(limit: number): Promise<ErasureRecord[]>;
  /** What keeps a patient from being erased: open runs, calls that go on, and what the clinic is still to be told. */
  standing(erasure: ErasureRecord): Promise<Standing>;
  /**
   * Deletes every row about the patient and leaves tombstones, in one transaction. `busy`: something has been opened meanwhile.
   * Safe to run twice.
   */
  erase(erasure: ErasureRecord): Promise<{ kind: 'erased' } | { kind: 'busy' }>;
  /**
   * Deletes the replies that were stored for repeated requests and name what was erased, a page of the clinic's at a time, beginning
   * after a place. Returns where the next page begins; null where there is none.
   */
  forgetReplies(erasure: ErasureRecord, after: ReplyPlace | null): Promise<ReplyPlace | null>;
  /** What was erased, by the ids that Temporal's workflows were started under. */
  erasedIds(erasure: ErasureRecord): Promise<ErasedIds>;
  markDone(erasure: ErasureRecord): Promise<void>;
  /** The voice platform still speaks of a call that was erased. */
  isErasedCall(platformCallId: string): Promise<boolean>;
}

type Transaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0];

const TIMEOUT_MS = 60_000;

export function createErasureStores(
  { sql, transaction, prisma }: Database,
  cursors: Cursors,
  erasedKeys: ErasedKeys,
): ErasureStores {
  return {
    request: ({ clinicId, patientId, reason }, by) =>
      transaction<{ kind: 'requested'; id: string } | { kind: 'held' } | { kind: 'unknown' }>(async (tx) => {
        // Before any other lock: no phone of the patient's rings once this is acknowledged.
        await tx`select stop_dialling(${clinicId})::text`;
        const [patient] = await tx`
          select id from patients where clinic_id = ${clinicId} and id = ${patientId} for update`;
        if (!patient) return { kind: 'unknown' };
        const [hold] = await tx`
          select patient_id from legal_holds where clinic_id = ${clinicId} and patient_id = ${patientId}`;
        if (hold) return { kind: 'held' };
        const [made] = await tx<{ id: string }>`
          insert into erasures (id, clinic_id, patient_id, reason, requested_by)
          values (${newId('erasure')}, ${clinicId}, ${patientId}, ${reason}, ${by.actor})
          on conflict (clinic_id, patient_id) where state <> 'DONE' do nothing returning id`;
        if (made) {
          const detail = { erasureId: made.id, reason };
          await audit(tx, by, { clinicId, action: 'patient.erase', subject: patientId, detail });
        }
        const erasure = made ?? (await openOf(tx, clinicId, patientId));
        return { kind: 'requested', id: erasure.id };
      }).then(async (result) => {
        if (result.kind !== 'requested') return result;
        return {
          kind: 'requested',
          erasure: toRecord(await prisma.erasure.findUniqueOrThrow({ where: { id: result.id } })),
        };
      }),

    async preview(clinicId, patientId) {
      const [standing] = await sql<{ openRuns: number; openCalls: number; isHeld: boolean }>`
        select (select count(*)::int from workflow_runs r
            where r.clinic_id = p.clinic_id and r.patient_id = p.id and r.status = 'started') as "openRuns",
          (select count(*)::int from calls k
            where k.clinic_id = p.clinic_id and k.patient_id = p.id and k.state <> 'ENDED') as "openCalls",
          exists (select 1 from legal_holds h where h.clinic_id = p.clinic_id and h.patient_id = p.id) as "isHeld"
        from patients p where p.clinic_id = ${clinicId} and p.id = ${patientId}`;
      if (!standing) return null;
      const goes: Record<string, number> = {};
      for (const { table, isAbout } of deletedTables) {
        const [row] = await prisma.$queryRawUnsafe<{ count: number }[]>(
          `select count(*)::int as count from ${table} t where ${isAbout}`,
          clinicId,
          patientId,
        );
        if (row && row.count > 0) goes[table] = row.count;
      }
      return { ...standing, goes };
    },

    async find(clinicId, id) {
      const erasure = await prisma.erasure.findFirst({ where: { clinicId, id } });
      return erasure && toRecord(erasure);
    },

    async list(clinicId, { patientId, limit, cursor }) {
      const rows = await prisma.erasure.findMany({
        where: { clinicId, patientId, ...olderThan('requestedAt', cursors.decode(cursor, clinicId)) },
        orderBy: [{ requestedAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
      });
      return cursors.page(clinicId, rows.map(toRecord), limit, ({ requestedAt, id }) => ({ at: requestedAt, id }));
    },

    async unfinished(limit) {
      // Looked for every second, and nearly always in vain: the generated client takes milliseconds for a query.
      const found = await sql<{ id: string }>`
        select id from erasures where state in ('REQUESTED', 'ERASED') order by requested_at limit ${limit}`;
      if (found.length === 0) return [];
      const where = { id: { in: found.map(({ id }) => id) } };
      return (await prisma.erasure.findMany({ where, orderBy: { requestedAt: 'asc' } })).map(toRecord);
    },

    async standing({ id, clinicId, patientId }) {
      const runs = await sql<RunToEnd>`
        select clinic_id as "clinicId", id as "workflowId" from workflow_runs
        where clinic_id = ${clinicId} and patient_id = ${patientId} and status = 'started' order by id`;
      const tests = await sql<{ id: string }>`
        select id from calls
        where clinic_id = ${clinicId} and patient_id = ${patientId} and is_test and direction = 'inbound' and state <> 'ENDED'`;
      const [rest] = await sql<{ openCalls: number; owed: number; ageMs: number }>`
        select (select count(*)::int from calls where clinic_id = ${clinicId} and patient_id = ${patientId}
            and state <> 'ENDED') as "openCalls",
          (select count(*)::int from workflow_runs r
            left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
            where r.clinic_id = ${clinicId} and r.patient_id = ${patientId} and (
              exists (select 1 from clinic_notices n where n.clinic_id = r.clinic_id and n.workflow_id = r.id)
              or exists (
                select 1 from outbound_events e join deliveries d on d.clinic_id = e.clinic_id and d.event_id = e.id
                where e.clinic_id = r.clinic_id and e.subject in (r.id, c.id) and d.state = 'PENDING'))) as owed,
          coalesce((select extract(epoch from now() - requested_at) * 1000 from erasures where id = ${id}), 0)::float8 as "ageMs"`;
      return { runs, testCalls: tests.map((call) => call.id), openCalls: 0, owed: 0, ageMs: 0, ...rest };
    },

    erase: (erasure) =>
      prisma.$transaction((tx) => eraseIn(tx, erasure, erasedKeys), { timeout: TIMEOUT_MS, maxWait: TIMEOUT_MS }),

    async forgetReplies({ id, clinicId }, after) {
      const { route = '', key = '' } = after ?? {};
      const page = await sql<ReplyPlace>`
        with page as materialized (
          select route, key, body from idempotency_records
          where clinic_id = ${clinicId} and (route, key) > (${route}, ${key})
          order by route, key limit ${REPLIES_AT_ONCE}
        ), forgotten as (
          delete from idempotency_records r using page
          where r.clinic_id = ${clinicId} and r.route = page.route and r.key = page.key and exists (
            select 1 from tombstones s
            where s.clinic_id = ${clinicId} and s.erasure_id = ${id} and s.kind in ('patient', 'run', 'case', 'call')
              and (position(s.key in page.route) > 0 or position(s.key in page.body) > 0))
        )
        select route, key from page order by route, key`;
      return page.length < REPLIES_AT_ONCE ? null : (page.at(-1) ?? null);
    },

    async erasedIds({ id, clinicId }) {
      const stones = await sql<{ kind: string; key: string }>`
        select kind, key from tombstones
        where clinic_id = ${clinicId} and erasure_id = ${id} and kind in ('run', 'case', 'call') order by kind, key`;
      const keysOf = (kind: string) => stones.filter((stone) => stone.kind === kind).map(({ key }) => key);
      // Those that were removed too: what was sent to them has left histories.
      const further = await sql<{
        id: string;
      }>`select id from further_endpoints where clinic_id = ${clinicId} order by id`;
      const endpoints = further.map((endpoint) => endpoint.id);
      return { runs: keysOf('run'), cases: keysOf('case'), calls: keysOf('call'), endpoints };
    },

    async markDone({ id, clinicId, patientId, requestedBy }) {
      await transaction(async (tx) => {
        const [done] = await tx`
          update erasures set state = 'DONE', done_at = now()
          where clinic_id = ${clinicId} and id = ${id} and state = 'ERASED' returning id`;
        if (!done) return;
        const detail = { erasureId: id };
        await audit(tx, { actor: requestedBy }, { clinicId, action: 'patient.erased', subject: patientId, detail });
      });
    },

    async isErasedCall(platformCallId) {
      const [found] = await sql`select key from tombstones where key = ${platformCallId} and kind = 'platform-call'`;
      return found !== undefined;
    },
  };
}

async function openOf(tx: Sql, clinicId: string, patientId: string): Promise<{ id: string }> {
  const [erasure] = await tx<{ id: string }>`
    select id from erasures where clinic_id = ${clinicId} and patient_id = ${patientId} and state <> 'DONE'`;
  if (!erasure) throw new Error('an erasure that conflicts must exist');
  return erasure;
}

const deletedTables = tablesAboutPatients.filter(({ erasure }) => erasure === 'deleted');

async function eraseIn(
  tx: Transaction,
  { id, clinicId, patientId }: ErasureRecord,
  erasedKeys: ErasedKeys,
): Promise<{ kind: 'erased' } | { kind: 'busy' }> {
  // One after the other in a clinic: the last of those who share a phone takes its opt-out along.
  await tx.$queryRaw`select pg_advisory_xact_lock(hashtextextended(${`erase:${clinicId}`}, 0))::text`;
  // One process at a time; and whoever writes a row about the patient waits for this, to find nobody.
  const [open] = await tx.$queryRaw<{ id: string }[]>`
    select id from erasures where clinic_id = ${clinicId} and id = ${id} and state = 'REQUESTED' for update`;
  if (!open) return { kind: 'erased' };
  await tx.$queryRaw`select id from patients where clinic_id = ${clinicId} and id = ${patientId} for update`;
  const [held] = await tx.$queryRaw<{ isBusy: boolean }[]>`
    select exists (select 1 from workflow_runs where clinic_id = ${clinicId} and patient_id = ${patientId} and status = 'started')
      or exists (select 1 from calls where clinic_id = ${clinicId} and patient_id = ${patientId} and state <> 'ENDED') as "isBusy"`;
  if (held?.isBusy) return { kind: 'busy' };
  await leaveTombstones(tx, { id, clinicId, patientId }, erasedKeys);
  const counts: Record<string, number> = {};
  for (const { table, isAbout } of deletedTables) {
    const count = await tx.$executeRawUnsafe(`delete from ${table} t where ${isAbout}`, clinicId, patientId);
    if (count > 0) counts[table] = count;
  }
  await tx.erasure.update({ where: { id }, data: { state: 'ERASED', erasedAt: new Date(), counts } });
  return { kind: 'erased' };
}

async function leaveTombstones(
  tx: Transaction,
  { id: erasureId, clinicId, patientId }: { id: string; clinicId: string; patientId: string },
  erasedKeys: ErasedKeys,
): Promise<void> {
  const newest = ([key = '']: string[]) => key;
  const runs = await tx.workflowRun.findMany({
    where: { clinicId, patientId },
    select: { id: true, workflowType: true, sessionId: true },
  });
  const cases = await tx.recoveryCase.findMany({ where: { clinicId, patientId }, select: { id: true } });
  const calls = await tx.call.findMany({ where: { clinicId, patientId }, select: { id: true, platformCallId: true } });
  const aboutOf = (table: string) => deletedTables.find((each) => each.table === table)?.isAbout ?? 'false';
  const events = await tx.$queryRawUnsafe<{ event: string; dedupeKey: string; workflowId: string | null }[]>(
    `select event, dedupe_key as "dedupeKey", workflow_id as "workflowId" from inbound_events t where ${aboutOf('inbound_events')}`,
    clinicId,
    patientId,
  );
  const optOuts = await tx.$queryRawUnsafe<{ phone: string; scope: string }[]>(
    `select phone, scope from opt_outs t where ${aboutOf('opt_outs')}`,
    clinicId,
    patientId,
  );
  const ids = (kind: string, keys: (string | null)[]) =>
    keys.flatMap((key) => (key === null ? [] : [{ clinicId, erasureId, kind, key }]));
  const stones: Prisma.TombstoneCreateManyInput[] = [
    ...ids('patient', [patientId]),
    ...ids(
      'run',
      runs.map(({ id }) => id),
    ),
    ...ids(
      'case',
      cases.map(({ id }) => id),
    ),
    ...ids(
      'call',
      calls.map(({ id }) => id),
    ),
    ...ids(
      'platform-call',
      calls.map(({ platformCallId }) => platformCallId),
    ),
    ...runs.map(({ id: workflowId, workflowType, sessionId }) => ({
      clinicId,
      erasureId,
      workflowId,
      kind: 'session',
      key: newest(erasedKeys.ofSession(clinicId, workflowType, sessionId)),
    })),
    ...events.map(({ event, dedupeKey, workflowId }) => ({
      clinicId,
      erasureId,
      workflowId,
      kind: 'event',
      key: newest(erasedKeys.ofEvent(clinicId, event, dedupeKey)),
    })),
    ...optOuts.map(({ phone, scope }) => ({
      clinicId,
      erasureId,
      scope,
      kind: 'opt-out',
      key: newest(erasedKeys.ofOptOut(clinicId, phone)),
    })),
  ];
  await tx.tombstone.createMany({ data: stones, skipDuplicates: true });
}

function toRecord({ reason, state, counts, ...erasure }: Erasure): ErasureRecord {
  return {
    ...erasure,
    reason: reason as ErasureReason,
    state: state as ErasureState,
    counts: counts as Record<string, number>,
  };
}

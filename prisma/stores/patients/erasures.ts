import type { ErasureReason, ErasureState } from '@clinic/shared/domain/patients/erasure';
import { newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { ErasedKeys } from './erased-keys';
import { deletedTables, erase, erasedIds, type ErasureRecord, forgetReplies } from './erased-rows';
import type { Erasure } from '../../generated/client';
import { findReplaced, mergedInto } from './patient-merges';
import type { Sql } from '../../sql';
import { type Actor, audit } from '../operations/audit';
import { type Cursors, olderThan, type PageOf } from '../cursor';

/** What would happen if a patient were erased now. */
export interface ErasurePreview {
  /** Rows by table. */
  goes: Record<string, number>;
  openRuns: number;
  openCalls: number;
  isHeld: boolean;
}

/** What an erasure waits for. */
export interface Standing {
  /** Ids of open runs, of many not all. */
  runs: string[];
  /** Test calls without a phone, which nobody but us ends. */
  testCalls: string[];
  openCalls: number;
  /** Runs of which the clinic is still to be told. */
  owed: number;
  /** Since it was requested. */
  ageMs: number;
}

/** A workflow may have 2,000 activities under way (Temporal's limit), and each run is cancelled by one. */
const MAX_RUNS_AT_ONCE = 500;

interface Context extends Database {
  cursors: Cursors;
  erasedKeys: ErasedKeys;
}

/** Erasures as they were requested and how far they are; `erased-rows.ts` deletes. */
export const createErasureStores = (database: Database, cursors: Cursors, erasedKeys: ErasedKeys) =>
  bound(
    { ...database, cursors, erasedKeys },
    { request, preview, find, list, standing, erase, forgetReplies, erasedIds, markDone, isErasedCall },
  );

/**
 * `requested`: the one that is under way, where there is one. A hold refuses it. Throws `conflict` for a patient who was merged into
 * another: with that one, both are erased.
 */
async function request(
  { transaction, prisma }: Context,
  { clinicId, patientId, reason }: { clinicId: string; patientId: string; reason: ErasureReason },
  by: Actor,
): Promise<{ kind: 'requested'; erasure: ErasureRecord } | { kind: 'held' } | { kind: 'unknown' }> {
  const id = newId('erasure');
  const result = await transaction(async (tx) => {
    // Before any other lock: no phone of the patient's rings once this is acknowledged.
    await tx`select stop_dialling(${clinicId})::text`;
    const [patient] = await tx<{ replacedBy: string | null }>`
      select replaced_by as "replacedBy" from patients where clinic_id = ${clinicId} and id = ${patientId} for update`;
    if (!patient) return 'unknown';
    if (patient.replacedBy !== null) throw mergedInto(patientId, patient.replacedBy);
    const [hold] = await tx`
      select patient_id from legal_holds where clinic_id = ${clinicId} and patient_id = ${patientId}`;
    if (hold) return 'held';
    const [made] = await tx<{ id: string }>`
      insert into erasures (id, clinic_id, patient_id, reason, requested_by)
      values (${id}, ${clinicId}, ${patientId}, ${reason}, ${by.actor})
      on conflict (clinic_id, patient_id) where state <> 'DONE' do nothing returning id`;
    const detail = { erasureId: id, reason };
    if (made) await audit(tx, by, { clinicId, action: 'patient.erase', subject: patientId, detail });
    return made ?? (await openOf(tx, clinicId, patientId));
  });
  if (typeof result === 'string') return { kind: result };
  return { kind: 'requested', erasure: toRecord(await prisma.erasure.findUniqueOrThrow({ where: { id: result.id } })) };
}

async function openOf(tx: Sql, clinicId: string, patientId: string): Promise<{ id: string }> {
  const [erasure] = await tx<{ id: string }>`
    select id from erasures where clinic_id = ${clinicId} and patient_id = ${patientId} and state <> 'DONE'`;
  if (!erasure) throw new Error('an erasure that conflicts must exist');
  return erasure;
}

/** Null where the clinic has no such patient. */
async function preview({ sql, prisma }: Context, clinicId: string, patientId: string): Promise<ErasurePreview | null> {
  const [now] = await sql<{ openRuns: number; openCalls: number; isHeld: boolean }>`
    select (select count(*)::int from workflow_runs r
        where r.clinic_id = p.clinic_id and r.patient_id = p.id and r.status = 'started') as "openRuns",
      (select count(*)::int from calls k
        where k.clinic_id = p.clinic_id and k.patient_id = p.id and k.state <> 'ENDED') as "openCalls",
      exists (select 1 from legal_holds h where h.clinic_id = p.clinic_id and h.patient_id = p.id) as "isHeld"
    from patients p where p.clinic_id = ${clinicId} and p.id = ${patientId}`;
  if (!now) return null;
  const goes: Record<string, number> = {};
  for (const person of [...(await findReplaced({ sql }, clinicId, patientId)), patientId]) {
    for (const { table, isAbout } of deletedTables) {
      const [row] = await prisma.$queryRawUnsafe<{ count: number }[]>(
        `select count(*)::int as count from ${table} t where ${isAbout}`,
        clinicId,
        person,
      );
      if (row && row.count > 0) goes[table] = (goes[table] ?? 0) + row.count;
    }
  }
  return { ...now, goes };
}

async function find({ prisma }: Context, clinicId: string, id: string): Promise<ErasureRecord | null> {
  const erasure = await prisma.erasure.findFirst({ where: { clinicId, id } });
  return erasure && toRecord(erasure);
}

/** The newest first. */
async function list(
  { prisma, cursors }: Context,
  clinicId: string,
  { patientId, limit, cursor }: { patientId?: string; limit: number; cursor?: string },
): Promise<PageOf<ErasureRecord>> {
  const rows = await prisma.erasure.findMany({
    where: { clinicId, patientId, ...olderThan('requestedAt', cursors.decode(cursor, clinicId)) },
    orderBy: [{ requestedAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
  });
  return cursors.page(clinicId, rows.map(toRecord), limit, ({ requestedAt, id }) => ({ at: requestedAt, id }));
}

/** What keeps a patient from being erased: open runs, calls that go on, and what the clinic is still to be told. */
async function standing({ sql }: Context, { id, clinicId, patientId }: ErasureRecord): Promise<Standing> {
  const open = await sql<{ id: string }>`
    select id from workflow_runs
    where clinic_id = ${clinicId} and patient_id = ${patientId} and status = 'started' order by id limit ${MAX_RUNS_AT_ONCE}`;
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
  const runs = open.map((run) => run.id);
  const testCalls = tests.map((call) => call.id);
  return { runs, testCalls, openCalls: 0, owed: 0, ageMs: 0, ...rest };
}

async function markDone(
  { transaction }: Context,
  { id, clinicId, patientId, requestedBy }: ErasureRecord,
): Promise<void> {
  await transaction(async (tx) => {
    const [done] = await tx`
      update erasures set state = 'DONE', done_at = now()
      where clinic_id = ${clinicId} and id = ${id} and state = 'ERASED' returning id`;
    if (!done) return;
    const detail = { erasureId: id };
    await audit(tx, { actor: requestedBy }, { clinicId, action: 'patient.erased', subject: patientId, detail });
  });
}

/** The voice platform still speaks of a call that was erased. */
async function isErasedCall({ sql }: Context, platformCallId: string): Promise<boolean> {
  const [found] = await sql`select key from tombstones where key = ${platformCallId} and kind = 'platform-call'`;
  return found !== undefined;
}

function toRecord({ reason, state, counts, ...erasure }: Erasure): ErasureRecord {
  return {
    ...erasure,
    reason: reason as ErasureReason,
    state: state as ErasureState,
    counts: counts as Record<string, number>,
  };
}

import type { ErasureReason, ErasureState } from '@clinic/shared/domain/patients/erasure';
import type { Database } from '../../client';
import type { ErasedKeys } from './erased-keys';
import type { Erasure, PrismaClient } from '../../generated/client';
import { tablesAboutPatients } from './patient-data';

export type ErasureRecord = Omit<Erasure, 'reason' | 'state' | 'counts'> & {
  reason: ErasureReason;
  state: ErasureState;
  /** Rows that were deleted, by table. */
  counts: Record<string, number>;
};

/** Ids of what was erased that Temporal knows workflows by. */
export interface ErasedIds {
  runs: string[];
  cases: string[];
  calls: string[];
  /** Receivers of the clinic, each of which has had a sender of its own. */
  receivers: string[];
}

/** Where a page of stored replies begins. */
export interface ReplyPlace {
  route: string;
  key: string;
}

const REPLIES_AT_ONCE = 1_000;
/** Each reply is searched for each id: a million searches take a second or two. */
const MAX_SEARCHES = 1_000_000;
/** What a reply may name. */
const namedKinds = ['patient', 'run', 'case', 'call'];

interface Context extends Database {
  erasedKeys: ErasedKeys;
}

type Transaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0];

const TIMEOUT_MS = 60_000;

/**
 * Deletes every row about the patient, and whoever was merged into them, and leaves tombstones, in one transaction. `busy`: something has been opened meanwhile.
 * `in_line`: another patient of the clinic is being erased. Safe to run twice.
 */
export const erase = (
  { prisma, erasedKeys }: Context,
  erasure: ErasureRecord,
): Promise<{ kind: 'erased' | 'busy' | 'in_line' }> =>
  prisma.$transaction((tx) => eraseIn(tx, erasure, erasedKeys), { timeout: TIMEOUT_MS, maxWait: TIMEOUT_MS });

export const deletedTables = tablesAboutPatients.filter(({ erasure }) => erasure === 'deleted');

const aboutOf = (table: string) => deletedTables.find((each) => each.table === table)?.isAbout ?? 'false';

/** Of what the patient's runs and events came by: anyone who sends one again meanwhile waits, and finds the tombstones. */
const lockSessions = `
  select lock_session($1, s.session)::text from (
    select session_id as session from workflow_runs where clinic_id = $1 and patient_id = $2
    union select dedupe_key from inbound_events t where ${aboutOf('inbound_events')}
  ) s order by lock_of_session(s.session)`;

async function eraseIn(
  tx: Transaction,
  { id, clinicId, patientId }: ErasureRecord,
  erasedKeys: ErasedKeys,
): Promise<{ kind: 'erased' | 'busy' | 'in_line' }> {
  // One after the other in a clinic: the last of those who share a phone takes its opt-out along. No connection waits for its turn.
  const [turn] = await tx.$queryRaw<{ isOurs: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`erase:${clinicId}`}, 0)) as "isOurs"`;
  if (!turn?.isOurs) return { kind: 'in_line' };
  const [open] = await tx.$queryRaw<{ id: string }[]>`
    select id from erasures where clinic_id = ${clinicId} and id = ${id} and state = 'REQUESTED'`;
  if (!open) return { kind: 'erased' };
  // Since it was requested, nobody can be merged into the patient. Who was is the same person, and goes first.
  const replaced = await tx.patient.findMany({ where: { clinicId, replacedBy: patientId }, orderBy: { id: 'asc' } });
  const people = [...replaced.map((each) => each.id), patientId];
  // Before the patient's row, as those who open something take them.
  for (const person of people) await tx.$queryRawUnsafe(lockSessions, clinicId, person);
  // Anyone who writes a row about the patient waits for this, to find nobody.
  await tx.$queryRaw`
    select id from patients where clinic_id = ${clinicId} and id = any (${people}) order by replaced_by is null, id for update`;
  const [held] = await tx.$queryRaw<{ isBusy: boolean }[]>`
    select exists (select 1 from workflow_runs where clinic_id = ${clinicId} and patient_id = ${patientId} and status = 'started')
      or exists (select 1 from calls where clinic_id = ${clinicId} and patient_id = ${patientId} and state <> 'ENDED') as "isBusy"`;
  if (held?.isBusy) return { kind: 'busy' };
  const counts: Record<string, number> = {};
  for (const person of people) {
    await leaveTombstones(tx, { id, clinicId, patientId: person }, erasedKeys);
    await emptyNotifications(tx, { clinicId, patientId: person });
    for (const { table, isAbout } of deletedTables) {
      const count = await tx.$executeRawUnsafe(`delete from ${table} t where ${isAbout}`, clinicId, person);
      if (count > 0) counts[table] = (counts[table] ?? 0) + count;
    }
  }
  await tx.erasure.update({ where: { id }, data: { state: 'ERASED', erasedAt: new Date(), counts } });
  return { kind: 'erased' };
}

/** What subscriptions were told keeps its number, and says nothing of anybody. */
async function emptyNotifications(
  tx: Transaction,
  { clinicId, patientId }: { clinicId: string; patientId: string },
): Promise<void> {
  await tx.$executeRaw`
    with emptied as (
      update outbound_events set data = '{}'
      where clinic_id = ${clinicId} and event = 'subscription.event' and data ->> 'patientId' = ${patientId} returning id
    )
    update delivery_attempts a set response = null
    from emptied e join deliveries d on d.clinic_id = ${clinicId} and d.event_id = e.id
    where a.clinic_id = ${clinicId} and a.delivery_id = d.id`;
}

interface Stone {
  kind: string;
  key: string;
  workflowId?: string | null;
  scope?: string;
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
  const ids = (kind: string, keys: (string | null)[]) => keys.flatMap((key) => (key === null ? [] : [{ kind, key }]));
  const stones: Stone[] = [
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
      workflowId,
      kind: 'session',
      key: newest(erasedKeys.ofSession(clinicId, workflowType, sessionId)),
    })),
    ...events.map(({ event, dedupeKey, workflowId }) => ({
      workflowId,
      kind: 'event',
      key: newest(erasedKeys.ofEvent(clinicId, event, dedupeKey)),
    })),
    ...optOuts.map(({ phone, scope }) => ({
      scope,
      kind: 'opt-out',
      key: newest(erasedKeys.ofOptOut(clinicId, phone)),
    })),
  ];
  // One statement, however many there are: PostgreSQL ends a transaction that is idle for long.
  await tx.$executeRaw`
    insert into tombstones (clinic_id, erasure_id, kind, key, workflow_id, scope)
    select ${clinicId}, ${erasureId}, s.kind, s.key, s."workflowId", s.scope
    from jsonb_to_recordset(${JSON.stringify(stones)}::jsonb) as s(kind text, key text, "workflowId" text, scope text)
    on conflict do nothing`;
}

/**
 * Deletes the replies that were stored for repeated requests and name what was erased, a page of the clinic's at a time, beginning
 * after a place. Returns where the next page begins; null where there is none.
 */
export async function forgetReplies(
  { sql }: Context,
  { id, clinicId }: ErasureRecord,
  after: ReplyPlace | null,
): Promise<ReplyPlace | null> {
  const { route = '', key = '' } = after ?? {};
  const [erased] = await sql<{ ids: number }>`
    select count(*)::int as ids from tombstones
    where clinic_id = ${clinicId} and erasure_id = ${id} and kind = any(${namedKinds})`;
  const limit = Math.max(1, Math.min(REPLIES_AT_ONCE, Math.floor(MAX_SEARCHES / (erased?.ids || 1))));
  const page = await sql<ReplyPlace>`
    with page as materialized (
      select route, key, body, besides::text as besides from idempotency_records
      where clinic_id = ${clinicId} and (route, key) > (${route}, ${key})
      order by route, key limit ${limit}
    ), forgotten as (
      delete from idempotency_records r using page
      where r.clinic_id = ${clinicId} and r.route = page.route and r.key = page.key and exists (
        select 1 from tombstones s
        where s.clinic_id = ${clinicId} and s.erasure_id = ${id} and s.kind = any(${namedKinds})
          and (position(s.key in page.route) > 0 or position(s.key in page.body) > 0 or position(s.key in page.besides) > 0))
    )
    select route, key from page order by route, key`;
  return page.length < limit ? null : (page.at(-1) ?? null);
}

/** What was erased, by the ids that Temporal's workflows were started under. */
export async function erasedIds({ sql }: Context, { id, clinicId }: ErasureRecord): Promise<ErasedIds> {
  const stones = await sql<{ kind: string; key: string }>`
    select kind, key from tombstones
    where clinic_id = ${clinicId} and erasure_id = ${id} and kind in ('run', 'case', 'call') order by kind, key`;
  const keysOf = (kind: string) => stones.filter((stone) => stone.kind === kind).map(({ key }) => key);
  // Those that were removed too: what was sent to them has left histories.
  const receivers = await sql<{
    id: string;
  }>`select id from receivers where clinic_id = ${clinicId} and kind = 'endpoint' order by id`;
  return {
    runs: keysOf('run'),
    cases: keysOf('case'),
    calls: keysOf('call'),
    receivers: receivers.map((receiver) => receiver.id),
  };
}

import { isDeepStrictEqual } from 'node:util';
import {
  stricterConsent,
  type TakeableField,
  takeableFields,
  UNDO_HOURS,
} from '@clinic/shared/domain/patients/patient-merge';
import { AppError } from '@clinic/shared/errors';
import { newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Condition, condition, type Sql } from '../../sql';
import { type Actor, audit } from '../operations/audit';
import { wakeRunsOf } from '../outreach/opt-outs';
import { movedTables } from './patient-data';

export interface MergeRecord extends Omit<MergeRow, 'fieldsBefore'> {
  /** What the kept patient has of the other one now. */
  taken: TakeableField[];
}

/** What a merge would do now. */
export interface MergePreview {
  /** Rows by table. */
  moves: Record<string, number>;
  openRuns: number;
}

interface Pair {
  clinicId: string;
  keptId: string;
  replacedId: string;
}

/**
 * Two patients who are one person: what is recorded about the one who is replaced moves to the one who is kept. What is written
 * about the replaced one later follows by itself (`follow_merge` in the migration).
 */
export const createPatientMergeStores = (database: Database) =>
  bound(database, { merge, preview, undo, inForce, findReplaced });

/** The same merge again returns the one that is in force. Throws `not_found` and `conflict`. */
const merge = (
  { transaction }: Database,
  { take, ...pair }: Pair & { take: readonly TakeableField[] },
  by: Actor,
): Promise<MergeRecord> =>
  transaction(async (tx) => {
    const { clinicId, keptId, replacedId } = pair;
    await lockPair(tx, pair);
    const { kept, replaced } = await readPair(tx, pair);
    if (replaced.replaced_by === keptId) return inForceOf(tx, pair);
    await refuseUnsafe(tx, pair, { kept, replaced });
    const id = newId('merge');
    const written = writtenBy(kept, replaced, take);
    const before = pick(kept, Object.keys(written));
    await write(tx, clinicId, keptId, written);
    await carryOptOuts(tx, pair, id);
    await tx`update patients set replaced_by = ${keptId}, updated_at = now() where clinic_id = ${clinicId} and id = ${replacedId}`;
    const [given] = await tx<{ moved: Record<string, string[]> | null }>`
      select give_rows(${clinicId}, ${replacedId}, ${keptId}, ${JSON.stringify(movedTables)}::jsonb) as moved`;
    const moved = given?.moved ?? {};
    await tx`
      insert into patient_merges (id, clinic_id, kept_id, replaced_id, merged_by, moved, fields_before)
      values (${id}, ${clinicId}, ${keptId}, ${replacedId}, ${by.actor}, ${JSON.stringify(moved)}::jsonb,
        ${JSON.stringify(before)}::jsonb)`;
    await wake(tx, clinicId, moved.workflow_runs ?? [], id);
    const detail = { mergeId: id, replacedId, taken: fieldsIn(before), moved: countsOf(moved) };
    await audit(tx, by, { clinicId, action: 'patient.merge', subject: keptId, detail });
    return inForceOf(tx, pair);
  });

/** Refuses what a merge refuses, and changes nothing. */
const preview = ({ transaction }: Database, pair: Pair): Promise<MergePreview> =>
  transaction(async (tx) => {
    const { clinicId, keptId, replacedId } = pair;
    const { kept, replaced } = await readPair(tx, pair);
    if (replaced.replaced_by !== keptId) await refuseUnsafe(tx, pair, { kept, replaced });
    const [counted] = await tx<{ moves: Record<string, number> | null }>`
      select count_rows(${clinicId}, ${replacedId}, ${JSON.stringify(movedTables)}::jsonb) as moves`;
    const [open] = await tx<{ count: number }>`
      select count(*)::int as count from workflow_runs
      where clinic_id = ${clinicId} and patient_id = ${replacedId} and status = 'started'`;
    return { moves: counted?.moves ?? {}, openRuns: open?.count ?? 0 };
  });

/**
 * Moves back what the merge moved and is still with the patient who was kept; what came since stays with that one, and so do
 * numbers that are not to be called. Null where the clinic has no such merge; throws `conflict` where it is too late.
 */
const undo = ({ transaction }: Database, clinicId: string, id: string, by: Actor): Promise<MergeRecord | null> =>
  transaction(async (tx) => {
    const [found] = await tx<{ keptId: string; replacedId: string }>`
      select kept_id as "keptId", replaced_id as "replacedId" from patient_merges
      where clinic_id = ${clinicId} and id = ${id}`;
    if (!found) return null;
    const pair = { clinicId, ...found };
    await lockPair(tx, pair);
    const { kept, replaced } = await readPair(tx, pair);
    const [now] = await tx<{
      moved: MergeRow['moved'];
      fieldsBefore: MergeRow['fieldsBefore'];
      undoneAt: Date | null;
      ageMs: number;
    }>`
      select moved, fields_before as "fieldsBefore", undone_at as "undoneAt",
        (extract(epoch from now() - merged_at) * 1000)::float8 as "ageMs"
      from patient_merges where clinic_id = ${clinicId} and id = ${id}`;
    if (!now) return null;
    if (now.undoneAt !== null) return find(tx, clinicId, id);
    if (now.ageMs > UNDO_HOURS * 3_600_000) {
      throw conflict(`A merge can be undone for ${UNDO_HOURS} hours, and this one is older`);
    }
    await refuseHeld(tx, pair);
    await refuseWhileOnThePhone(tx, pair);
    await tx`update patients set replaced_by = null, updated_at = now() where clinic_id = ${clinicId} and id = ${found.replacedId}`;
    await write(tx, clinicId, found.keptId, unchangedSince(now.fieldsBefore, kept, replaced));
    const ids = Object.fromEntries(Object.entries(now.moved).map(([table, of]) => [table, { ids: of }]));
    const [given] = await tx<{ moved: Record<string, string[]> | null }>`
      select give_rows(${clinicId}, ${found.keptId}, ${found.replacedId}, ${JSON.stringify(ids)}::jsonb) as moved`;
    const moved = given?.moved ?? {};
    // What the kept patient had before is of nobody else's concern any more.
    await tx`
      update patient_merges set undone_at = now(), undone_by = ${by.actor}, fields_before = '{}'
      where clinic_id = ${clinicId} and id = ${id}`;
    await wake(tx, clinicId, moved.workflow_runs ?? [], `${id}-undone`);
    const detail = { mergeId: id, replacedId: found.replacedId, moved: countsOf(moved) };
    await audit(tx, by, { clinicId, action: 'patient.merge.undo', subject: found.keptId, detail });
    return find(tx, clinicId, id);
  });

/** The merges by which this patient is kept, the newest first. */
const inForce = ({ sql }: Pick<Database, 'sql'>, clinicId: string, keptId: string): Promise<MergeRecord[]> =>
  mergesOf(sql, clinicId, condition`kept_id = ${keptId} and undone_at is null`);

/** Who is replaced by this patient. */
export async function findReplaced(
  { sql }: Pick<Database, 'sql'>,
  clinicId: string,
  keptId: string,
): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    select id from patients where clinic_id = ${clinicId} and replaced_by = ${keptId} order by id`;
  return rows.map(({ id }) => id);
}

/** The error of what must be done to the patient who is kept instead. */
export const mergedInto = (patientId: string, keptId: string): AppError =>
  conflict(`Patient ${patientId} was merged into patient ${keptId}: do it there`);

const conflict = (message: string) => new AppError('conflict', message);

/** A patient as a row of its table. */
type Row = Record<string, unknown> & { replaced_by: string | null };

interface MergeRow {
  id: string;
  clinicId: string;
  keptId: string;
  replacedId: string;
  mergedBy: string;
  mergedAt: Date;
  undoneBy: string | null;
  undoneAt: Date | null;
  /** Ids by the name of their table. */
  moved: Record<string, string[]>;
  fieldsBefore: Record<string, unknown>;
}

/**
 * First no phone rings, then the rows: who is replaced before who they are, as those take them who write about who is replaced
 * (`follow_merge`), and else in the order of their ids. Two merges, a merge and an erasure, or a booking take turns.
 */
async function lockPair(tx: Sql, { clinicId, keptId, replacedId }: Pair): Promise<void> {
  await tx`select stop_dialling(${clinicId})::text`;
  await tx`
    select id from patients where clinic_id = ${clinicId} and id in (${keptId}, ${replacedId})
    order by replaced_by is null, id for update`;
}

async function readPair(tx: Sql, { clinicId, keptId, replacedId }: Pair): Promise<{ kept: Row; replaced: Row }> {
  const rows = await tx<{ id: string; row: Row }>`
    select id, coalesce(to_jsonb(p), '{}'::jsonb) as row from patients p
    where clinic_id = ${clinicId} and id in (${keptId}, ${replacedId})`;
  const rowOf = (id: string) => {
    const found = rows.find((each) => each.id === id);
    if (!found) throw new AppError('not_found', `Patient ${id} not found`);
    return found.row;
  };
  return { kept: rowOf(keptId), replaced: rowOf(replacedId) };
}

async function refuseUnsafe(tx: Sql, pair: Pair, { kept, replaced }: { kept: Row; replaced: Row }): Promise<void> {
  const { clinicId, keptId, replacedId } = pair;
  if (kept.replaced_by !== null) throw mergedInto(keptId, kept.replaced_by);
  if (replaced.replaced_by !== null) throw mergedInto(replacedId, replaced.replaced_by);
  if ((await findReplaced({ sql: tx }, clinicId, replacedId)).length > 0) {
    throw conflict(`Another patient was merged into patient ${replacedId}: keep that one, or undo its merge first`);
  }
  await refuseHeld(tx, pair);
  await refuseWhileOnThePhone(tx, pair);
  const [wish] = await tx`
    select one.id from waitlist_entries one join waitlist_entries other
      on other.clinic_id = one.clinic_id and other.patient_id = ${keptId} and other.status in ('waiting', 'offered')
        and other.visit_type = one.visit_type and other.earliest_on = one.earliest_on and other.latest_on = one.latest_on
        and other.provider_id is not distinct from one.provider_id and other.from_time is not distinct from one.from_time
        and other.until_time is not distinct from one.until_time
    where one.clinic_id = ${clinicId} and one.patient_id = ${replacedId} and one.status in ('waiting', 'offered') limit 1`;
  if (wish) throw conflict('Both wait for the same visit: take one of them off the waitlist first');
}

async function refuseHeld(tx: Sql, { clinicId, keptId, replacedId }: Pair): Promise<void> {
  const [hold] = await tx<{ patientId: string }>`
    select patient_id as "patientId" from legal_holds
    where clinic_id = ${clinicId} and patient_id in (${keptId}, ${replacedId}) limit 1`;
  if (hold) throw conflict(`Patient ${hold.patientId} is under a legal hold: the records stay as they are`);
  const [erasure] = await tx<{ patientId: string }>`
    select patient_id as "patientId" from erasures
    where clinic_id = ${clinicId} and patient_id in (${keptId}, ${replacedId}) and state <> 'DONE' limit 1`;
  if (erasure) throw conflict(`Patient ${erasure.patientId} is being erased`);
}

/** What is said in a call is written about its patient: nobody else's record is put in its place meanwhile. */
async function refuseWhileOnThePhone(tx: Sql, { clinicId, keptId, replacedId }: Pair): Promise<void> {
  const [call] = await tx<{ patientId: string }>`
    select patient_id as "patientId" from calls
    where clinic_id = ${clinicId} and patient_id in (${keptId}, ${replacedId}) and state <> 'ENDED'
      and (not is_test or phone is not null) limit 1`;
  if (call) throw conflict(`A call with patient ${call.patientId} is going on: try again when it has ended`);
}

const columnsOf: Record<TakeableField, string[]> = {
  name: ['first_name', 'last_name'],
  dateOfBirth: ['birth_date'],
  phone: ['phone'],
  email: ['email'],
  address: ['address'],
  reasonForVisit: ['reason_for_visit'],
  preferredLocation: ['preferred_location'],
  medicareStatus: ['medicare_status'],
  healthPlanName: ['health_plan_name'],
  referralSource: ['referral_source'],
  insurance: ['insurance'],
  selfPay: ['self_pay'],
};

const fieldsIn = (columns: Record<string, unknown>): TakeableField[] =>
  takeableFields.filter((field) => columnsOf[field].some((column) => column in columns));

const pick = (row: Row, columns: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(columns.map((column) => [column, row[column]]));

/** How somebody asked to be called is kept, whichever record it stands on. */
const wishes = ['preferred_call_hours', 'preferred_language'];

/** What the kept patient gets of the replaced one: what was chosen, wishes, the stricter consent, and that the clinic knows them. */
function writtenBy(kept: Row, replaced: Row, take: readonly TakeableField[]): Record<string, unknown> {
  const { consent, commsConsent } = stricterConsent(consentOf(kept), consentOf(replaced));
  const chosen = take.filter((field) => columnsOf[field].some((column) => replaced[column]));
  return {
    ...pick(
      replaced,
      chosen.flatMap((field) => columnsOf[field]),
    ),
    ...pick(
      replaced,
      wishes.filter((column) => kept[column] === null && replaced[column] !== null),
    ),
    ...(consent !== undefined && { consent }),
    ...(commsConsent !== undefined && { comms_consent: commsConsent }),
    ...(kept.is_placeholder === true && replaced.is_placeholder === false && { is_placeholder: false }),
    ...(kept.patient_type !== 'EXISTING' && replaced.patient_type === 'EXISTING' && { patient_type: 'EXISTING' }),
  };
}

const consentOf = ({ consent, comms_consent: commsConsent }: Row) => ({
  consent: consent as { isGiven: boolean } | null,
  commsConsent: commsConsent as boolean | null,
});

/** What is still as the merge wrote it goes back to what it was; who is replaced has kept what was taken. */
const unchangedSince = (before: Record<string, unknown>, kept: Row, replaced: Row): Record<string, unknown> =>
  Object.fromEntries(Object.entries(before).filter(([column]) => isDeepStrictEqual(kept[column], replaced[column])));

async function write(tx: Sql, clinicId: string, patientId: string, values: Record<string, unknown>): Promise<void> {
  if (Object.keys(values).length === 0) return;
  await tx`
    update patients p set first_name = n.first_name, last_name = n.last_name, birth_date = n.birth_date, phone = n.phone,
      email = n.email, address = n.address, reason_for_visit = n.reason_for_visit, preferred_location = n.preferred_location,
      medicare_status = n.medicare_status, health_plan_name = n.health_plan_name, referral_source = n.referral_source,
      insurance = n.insurance, self_pay = n.self_pay, consent = n.consent, comms_consent = n.comms_consent,
      is_placeholder = n.is_placeholder, patient_type = n.patient_type, preferred_call_hours = n.preferred_call_hours,
      preferred_language = n.preferred_language, updated_at = now()
    from patients old cross join lateral jsonb_populate_record(old, ${JSON.stringify(values)}::jsonb) n
    where old.clinic_id = ${clinicId} and old.id = ${patientId} and p.clinic_id = old.clinic_id and p.id = old.id`;
}

/** Who asked at one of their numbers not to be called is not called at the other either: runs that wait to call it decide again. */
async function carryOptOuts(tx: Sql, { clinicId, keptId, replacedId }: Pair, cause: string): Promise<void> {
  const carried = await tx<{ phone: string }>`
    with numbers as (
      select distinct phone from patients
      where clinic_id = ${clinicId} and id in (${keptId}, ${replacedId}) and phone is not null
    ), carried as (
      insert into opt_outs (id, clinic_id, phone, scope, source, added_by, created_at)
      select distinct on (n.phone) gen_random_uuid()::text, o.clinic_id, n.phone, o.scope, 'corrected_number', o.added_by, o.created_at
      from opt_outs o cross join numbers n
      where o.clinic_id = ${clinicId} and o.phone in (select phone from numbers) and o.phone <> n.phone
      order by n.phone, o.scope = 'all' desc
      on conflict (clinic_id, phone) do update set scope = 'all' where opt_outs.scope <> 'all' and excluded.scope = 'all'
      returning id, scope, phone
    ), recorded as (
      insert into audit_entries (id, clinic_id, actor, action, subject, subjects, detail)
      select gen_random_uuid()::text, ${clinicId}, 'system', 'opt-out.add', id, array[${keptId}::text],
        jsonb_build_object('source', 'corrected_number', 'scope', scope) from carried
    )
    select phone from carried`;
  if (carried.length === 0) return;
  await wakeRunsOf(tx, { clinicId, phones: carried.map(({ phone }) => phone), cause });
}

/** Open runs decide again: their patient may have another phone now, or want no calls. */
async function wake(tx: Sql, clinicId: string, runs: readonly string[], cause: string): Promise<void> {
  await tx`
    insert into workflow_messages (id, clinic_id, workflow_id, signal, payload)
    select ${`${cause}-`}::text || id, clinic_id, id, 'rulesChanged', '{}'::jsonb from workflow_runs
    where clinic_id = ${clinicId} and id = any (${runs}::text[]) and status = 'started'
    on conflict (id) do nothing`;
}

async function inForceOf(tx: Sql, { clinicId, keptId, replacedId }: Pair): Promise<MergeRecord> {
  const found = (await inForce({ sql: tx }, clinicId, keptId)).find((each) => each.replacedId === replacedId);
  if (!found) throw new Error('who is replaced is so by a merge');
  return found;
}

const find = async (tx: Sql, clinicId: string, id: string): Promise<MergeRecord | null> =>
  (await mergesOf(tx, clinicId, condition`id = ${id}`))[0] ?? null;

async function mergesOf(sql: Sql, clinicId: string, which: Condition): Promise<MergeRecord[]> {
  const rows = await sql<MergeRow>`
    select id, clinic_id as "clinicId", kept_id as "keptId", replaced_id as "replacedId", merged_by as "mergedBy",
      merged_at as "mergedAt", undone_by as "undoneBy", undone_at as "undoneAt", moved, fields_before as "fieldsBefore"
    from patient_merges where clinic_id = ${clinicId} and ${which}
    order by merged_at desc, id limit 50`;
  return rows.map(toRecord);
}

const toRecord = ({ fieldsBefore, ...row }: MergeRow): MergeRecord => ({ ...row, taken: fieldsIn(fieldsBefore) });

const countsOf = (moved: Record<string, string[]>): Record<string, number> =>
  Object.fromEntries(Object.entries(moved).map(([table, ids]) => [table, ids.length]));

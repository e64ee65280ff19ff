import { type SandboxClock, sandboxTime } from '@clinic/shared/domain/sandbox/sandbox-clock';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import type { Agendas } from '../calendar/agendas';
import { lockTurns } from '../calendar/waitlist-offers';
import { type Actor, audit } from '../operations/audit';
import { seedSandbox } from './sandbox';
import { lockSandbox, saveClock } from './sandbox-clocks';

/** A snapshot without what is in it: how many there are of each. */
export interface SnapshotRecord {
  name: string;
  patients: number;
  appointments: number;
  documents: number;
  takenAt: Date;
}

/** Nobody needs to know more exactly what a sandbox holds, and a clinic may have many records. */
const MAX_COUNTED = 500;

/** What the sandbox made and holds now, each counted up to `MAX_COUNTED`. */
export interface SandboxCounts {
  patients: number;
  booked: number;
  documents: number;
}

export const MAX_SNAPSHOTS = 20;
/** Of a snapshot's notes, and how many rows it may hold: more is no sandbox that anybody wants back within a moment. */
const MAX_BYTES = 20 * 1024 * 1024;
const MAX_ROWS = 50_000;
/** Bookings of others may come in between while the times of a snapshot are put back. */
const TRIES = 5;

interface Contents {
  patients: object[];
  appointments: object[];
  documents: object[];
  clock: SandboxClock | null;
}

interface Context {
  database: Database;
  agendas: Agendas;
}

export const createSandboxDataStores = (database: Database, agendas: Agendas) =>
  bound({ database, agendas }, { counts, reset, snapshots, take, restore, drop });

async function counts({ database: { sql } }: Context, clinicId: string): Promise<SandboxCounts> {
  const [found] = await sql<SandboxCounts>`
    select (select count(*)::int from (
        select from patients where clinic_id = ${clinicId} and in_sandbox and identifier is not null limit ${MAX_COUNTED}) p) as patients,
      (select count(*)::int from (
        select from appointments where clinic_id = ${clinicId} and in_sandbox and status = 'booked' limit ${MAX_COUNTED}) a) as booked,
      (select count(*)::int from (
        select from documents where clinic_id = ${clinicId} and in_sandbox limit ${MAX_COUNTED}) d) as documents`;
  return found ?? { patients: 0, booked: 0, documents: 0 };
}

const forget = ({ agendas }: Context, clinicId: string) =>
  agendas.forget({ table: 'sandbox_clocks', clinicId, id: '*' });

/**
 * Makes the sandbox hold the fixture patients and their appointments, seen from its clock, and nothing else, and ends all chosen
 * failures. What was made while it was off stays, and fixture patients keep their ids. A patient of a workflow, a call, a task or a consent stays as they are; what
 * belongs to a patient under a legal hold is left alone.
 */
async function reset(
  context: Context,
  { clinicId, realNow }: { clinicId: string; realNow: Date },
  by?: Actor,
): Promise<SandboxCounts> {
  const { transaction } = context.database;
  await transaction(async (tx) => {
    const { zone, clock } = await lockSandbox(tx, clinicId);
    const detail = await clear(tx, clinicId);
    await seedSandbox(tx, { clinicId, zone, now: sandboxTime(clock, realNow) });
    await tx`delete from sandbox_failures where clinic_id = ${clinicId}`;
    await audit(tx, by, { clinicId, action: 'sandbox.reset', detail });
  });
  forget(context, clinicId);
  return counts(context, clinicId);
}

/** By name. */
const snapshots = ({ database: { sql } }: Context, clinicId: string): Promise<SnapshotRecord[]> => sql<SnapshotRecord>`
  select name, cardinality(patient_ids) as patients, appointments, documents, taken_at as "takenAt"
  from sandbox_snapshots where clinic_id = ${clinicId} order by name`;

/** Keeps people, appointments, notes and the clock under a name, in place of what was kept under it before. */
const take = (
  { database: { transaction } }: Context,
  { clinicId, name, realNow }: { clinicId: string; name: string; realNow: Date },
  by?: Actor,
): Promise<{ kind: 'taken'; snapshot: SnapshotRecord } | { kind: 'too_many' } | { kind: 'too_large' }> =>
  transaction(async (tx) => {
    const { clock } = await lockSandbox(tx, clinicId);
    const [others] = await tx<{ count: number }>`
      select count(*)::int as count from sandbox_snapshots where clinic_id = ${clinicId} and name <> ${name}`;
    if ((others?.count ?? 0) >= MAX_SNAPSHOTS) return { kind: 'too_many' };
    const [size] = await tx<{ rows: number; bytes: number }>`
      select (select count(*)::int from patients where clinic_id = ${clinicId} and identifier is not null)
          + (select count(*)::int from appointments where clinic_id = ${clinicId}) + count(*)::int as rows,
        coalesce(sum(octet_length(content::text)), 0)::int as bytes
      from documents where clinic_id = ${clinicId} and call_id is null`;
    if (!size || size.rows > MAX_ROWS || size.bytes > MAX_BYTES) return { kind: 'too_large' };
    const shown = sandboxTime(clock, realNow).toISOString();
    const kept = clock && { shows: shown, runsSince: clock.runsSince === null ? null : realNow.toISOString() };
    const contents = { ...(await read(tx, clinicId)), clock: kept };
    const ids = contents.patients.map(({ id }) => id);
    const [snapshot] = await tx<SnapshotRecord>`
      insert into sandbox_snapshots (clinic_id, name, contents, patient_ids, appointments, documents, taken_at)
      values (${clinicId}, ${name}, ${JSON.stringify(contents)}::jsonb, ${ids}::text[], ${contents.appointments.length}::int,
        ${contents.documents.length}::int, ${realNow})
      on conflict (clinic_id, name) do update set contents = excluded.contents, patient_ids = excluded.patient_ids,
        appointments = excluded.appointments, documents = excluded.documents, taken_at = excluded.taken_at
      returning name, cardinality(patient_ids) as patients, appointments, documents, taken_at as "takenAt"`;
    if (!snapshot) throw new Error('an insert or update returns its row');
    await audit(tx, by, { clinicId, action: 'sandbox.snapshot', subject: name });
    return { kind: 'taken', snapshot };
  });

/** Makes the sandbox hold what the snapshot holds and nothing else, with the exceptions of `reset`; null where there is no such snapshot. */
async function restore(
  context: Context,
  { clinicId, name, realNow }: { clinicId: string; name: string; realNow: Date },
  by?: Actor,
): Promise<SandboxCounts | null> {
  const { transaction } = context.database;
  const isFound = await transaction(async (tx) => {
    await lockSandbox(tx, clinicId);
    const [found] = await tx<{ contents: Contents }>`
      select contents from sandbox_snapshots where clinic_id = ${clinicId} and name = ${name}`;
    if (!found) return false;
    const { clock } = found.contents;
    const detail = await clear(tx, clinicId);
    await putBack(tx, clinicId, found.contents);
    await saveClock(tx, clinicId, clock && { ...clock, runsSince: clock.runsSince && realNow.toISOString() });
    await audit(tx, by, { clinicId, action: 'sandbox.restore', subject: name, detail });
    return true;
  });
  forget(context, clinicId);
  return isFound ? counts(context, clinicId) : null;
}

/** False where there is no such snapshot. */
const drop = ({ database: { transaction } }: Context, clinicId: string, name: string, by?: Actor): Promise<boolean> =>
  transaction(async (tx) => {
    const [gone] = await tx`
      delete from sandbox_snapshots where clinic_id = ${clinicId} and name = ${name} returning name`;
    if (gone) await audit(tx, by, { clinicId, action: 'sandbox.snapshot.delete', subject: name });
    return gone !== undefined;
  });

/** Everything of a snapshot but the clock. People are read first and kept from being erased until the snapshot is stored. */
async function read(
  tx: Sql,
  clinicId: string,
): Promise<{ patients: { id: string }[]; appointments: object[]; documents: object[] }> {
  const patients = await tx<Record<'id' | 'first_name' | 'last_name', string> & Record<PatientColumn, string | null>>`
    select id, identifier, first_name, last_name, birth_date, phone, email, address
    from patients where clinic_id = ${clinicId} and replaced_by is null and (identifier is not null
      or exists (select from appointments a where a.clinic_id = patients.clinic_id and a.patient_id = patients.id)
      or exists (select from documents d where d.clinic_id = patients.clinic_id and d.patient_id = patients.id and d.call_id is null))
    order by id for key share`;
  const ids = patients.map(({ id }) => id);
  const appointments = await tx<{ row: object }>`
    select json_build_object('id', id, 'patient_id', patient_id, 'provider_id', provider_id, 'status', status,
      'visit_type', visit_type, 'starts_at', starts_at, 'ends_at', ends_at, 'external_id', external_id,
      'cancelled_at', cancelled_at, 'created_at', created_at) as row
    from appointments where clinic_id = ${clinicId} and patient_id = any (${ids}::text[]) and held_until is null`;
  const documents = await tx<{ row: object }>`
    select json_build_object('id', id, 'patient_id', patient_id, 'content', content, 'external_id', external_id,
      'escalate', escalate_to_clinical_team, 'records', request_external_records, 'created_at', created_at) as row
    from documents where clinic_id = ${clinicId} and patient_id = any (${ids}::text[]) and call_id is null`;
  return { patients, appointments: appointments.map(({ row }) => row), documents: documents.map(({ row }) => row) };
}

type PatientColumn = 'identifier' | 'birth_date' | 'phone' | 'email' | 'address';

/** So many ids of each kind an entry of the audit names; it counts them all. */
const MAX_NAMED = 1_000;

/**
 * Deletes the appointments, notes and patients that were made while the sandbox was on, with the answers kept for repeated requests
 * about them. A patient whom anything else refers to is none of the sandbox alone: they stay. Rows are locked first, so that nothing
 * begins to refer to them meanwhile. Returns what went, for the audit.
 */
async function clear(tx: Sql, clinicId: string): Promise<Record<string, number | string[]>> {
  await lockTurns(tx, clinicId);
  // What was offered stays, so that the run which calls about it learns that it is over; who stays on the list waits on.
  await tx`
    with withdrawn as (
      update waitlist_offers set status = 'withdrawn', closed_at = now() where clinic_id = ${clinicId} and status = 'open'
      returning entry_id)
    update waitlist_entries e set status = 'waiting' from withdrawn w
    where e.clinic_id = ${clinicId} and e.id = w.entry_id and e.status = 'offered'`;
  await tx`
    update waitlist_entries e set status = 'removed', ended_at = now()
    where clinic_id = ${clinicId} and status in ('waiting', 'offered')
      and exists (select from patients p where p.clinic_id = e.clinic_id and p.id = e.patient_id and p.in_sandbox)`;
  await tx`
    delete from waitlist_entries e where clinic_id = ${clinicId}
      and exists (select from patients p where p.clinic_id = e.clinic_id and p.id = e.patient_id and p.in_sandbox)
      and not exists (select from waitlist_offers o where o.clinic_id = e.clinic_id and o.entry_id = e.id)
      and not exists (select from legal_holds h where h.clinic_id = e.clinic_id and h.patient_id = e.patient_id)`;
  await tx`delete from freed_times where clinic_id = ${clinicId}`;
  // The same request again does anew what it asks. Its first answer names what goes here.
  await tx`
    delete from idempotency_records where clinic_id = ${clinicId} and status is not null
      and route ~ '/(Appointment|DocumentReference|appointments|waitlist)(/|$)|/patients/[^/]+/notes$'`;
  const appointments = await tx<{ id: string }>`
    delete from appointments a where clinic_id = ${clinicId} and in_sandbox
      and not exists (select from legal_holds h where h.clinic_id = a.clinic_id and h.patient_id = a.patient_id)
    returning id`;
  const documents = await tx<{ id: string }>`
    delete from documents d where clinic_id = ${clinicId} and in_sandbox and call_id is null
      and not exists (select from legal_holds h where h.clinic_id = d.clinic_id and h.patient_id = d.patient_id)
    returning id`;
  await tx`
    select id from patients where clinic_id = ${clinicId} and in_sandbox and identifier is not null
    order by replaced_by is null, id for update`;
  // Who replaces somebody goes after them.
  const patients = [...(await clearPatients(tx, clinicId)), ...(await clearPatients(tx, clinicId))];
  return {
    patients: patients.length,
    appointments: appointments.length,
    documents: documents.length,
    patientIds: named(patients),
    appointmentIds: named(appointments),
    documentIds: named(documents),
  };
}

const clearPatients = (tx: Sql, clinicId: string) =>
  tx<{ id: string }>`
    delete from patients p
    where clinic_id = ${clinicId} and in_sandbox and identifier is not null and consent is null
      and not exists (select from workflow_runs r where r.clinic_id = p.clinic_id and r.patient_id = p.id)
      and not exists (select from recovery_cases r where r.clinic_id = p.clinic_id and r.patient_id = p.id)
      and not exists (select from calls r where r.clinic_id = p.clinic_id and r.patient_id = p.id)
      and not exists (select from staff_tasks r where r.clinic_id = p.clinic_id and r.patient_id = p.id)
      and not exists (select from identity_matches r where r.clinic_id = p.clinic_id and r.patient_id = p.id)
      and not exists (select from verification_attempts r where r.clinic_id = p.clinic_id and r.patient_id = p.id)
      and not exists (select from record_proposals r where r.clinic_id = p.clinic_id and r.patient_id = p.id)
      and not exists (select from legal_holds r where r.clinic_id = p.clinic_id and r.patient_id in (p.id, p.replaced_by))
      and not exists (select from waitlist_entries r where r.clinic_id = p.clinic_id and r.patient_id = p.id)
      and not exists (select from appointments r where r.clinic_id = p.clinic_id and r.patient_id = p.id)
      and not exists (select from documents r where r.clinic_id = p.clinic_id and r.patient_id = p.id)
      and not exists (select from patients r where r.clinic_id = p.clinic_id and r.replaced_by = p.id)
    returning id`;

const named = (rows: { id: string }[]): string[] => rows.slice(0, MAX_NAMED).map(({ id }) => id);

/** Puts back what was cleared; who was left stays as they are. Appointments of who is gone for good are left out. */
async function putBack(
  tx: Sql,
  clinicId: string,
  { patients, appointments, documents }: Omit<Contents, 'clock'>,
): Promise<void> {
  await tx`
    insert into patients (id, clinic_id, identifier, first_name, last_name, birth_date, phone, email, address, patient_type)
    select id, ${clinicId}, identifier, first_name, last_name, birth_date, phone, email, address, 'EXISTING'
    from json_to_recordset(${JSON.stringify(patients)}::json) as kept(id text, identifier text, first_name text, last_name text,
      birth_date text, phone text, email text, address text)
    where identifier is not null
    on conflict do nothing`;
  for (let tries = 1; ; tries += 1) {
    const [put] = await tx<{ wanted: number; inserted: number }>`
      with kept as (
        select k.* from json_to_recordset(${JSON.stringify(appointments)}::json) as k(id text, patient_id text, provider_id text,
          status text, visit_type text, starts_at timestamptz, ends_at timestamptz, external_id text, cancelled_at timestamptz,
          created_at timestamptz)
        join patients p on p.clinic_id = ${clinicId} and p.id = k.patient_id
        where not exists (select from legal_holds h where h.clinic_id = ${clinicId} and h.patient_id = k.patient_id)),
      inserted as (
        insert into appointments (id, clinic_id, patient_id, provider_id, status, visit_type, starts_at, ends_at, external_id,
          cancelled_at, created_at)
        select id, ${clinicId}, patient_id, provider_id, status, visit_type, starts_at, ends_at, external_id, cancelled_at, created_at
        from kept on conflict do nothing returning id)
      select (select count(*)::int from kept) as wanted, (select count(*)::int from inserted) as inserted`;
    if (!put || put.wanted === put.inserted || tries === TRIES) break;
    // Somebody booked one of the times just now: the snapshot is what was asked for.
    await tx`
      delete from appointments a where clinic_id = ${clinicId} and in_sandbox
        and not exists (select from legal_holds h where h.clinic_id = a.clinic_id and h.patient_id = a.patient_id)`;
  }
  await tx`
    insert into documents (id, clinic_id, patient_id, content, external_id, escalate_to_clinical_team, request_external_records, created_at)
    select k.id, ${clinicId}, k.patient_id, k.content, k.external_id, k.escalate, k.records, k.created_at
    from json_to_recordset(${JSON.stringify(documents)}::json) as k(id text, patient_id text, content jsonb, external_id text,
      escalate boolean, records boolean, created_at timestamptz)
    join patients p on p.clinic_id = ${clinicId} and p.id = k.patient_id
    on conflict do nothing`;
}

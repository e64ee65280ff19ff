import { newId } from '@clinic/shared/crypto';
import { aLife } from '../../../support/a-life';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

/** A patient whom the sandbox made, and nobody else knows. */
async function aSandboxPatient(clinicId: string): Promise<string> {
  const id = newId();
  await records.database.sql`
    insert into patients (id, clinic_id, identifier, first_name, last_name, patient_type)
    values (${id}, ${clinicId}, ${`MRN-${id}`}, 'Pat', 'Sandboxed', 'EXISTING')`;
  await records.database.sql`update patients set in_sandbox = true where id = ${id}`;
  return id;
}

/** The same row of the table, about somebody else. */
async function copyRow(table: string, ofPatient: string, patientId: string): Promise<void> {
  const { prisma, sql } = records.database;
  const unique = await sql<{ name: string }>`
    select distinct a.attname::text as name from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
    where (i.indisunique or i.indisexclusion) and i.indrelid = ${table}::regclass and a.atttypid = 'text'::regtype
      and a.attname not in ('clinic_id', 'patient_id')`;
  const changed = { ...Object.fromEntries(unique.map(({ name }) => [name, newId()])), patient_id: patientId };
  await prisma.$transaction([
    // What the row refers to beside the patient is not there.
    prisma.$executeRawUnsafe(`set local session_replication_role = replica`),
    prisma.$executeRawUnsafe(
      `insert into ${table} select (jsonb_populate_record(t, '${JSON.stringify(changed)}'::jsonb)).* from ${table} t
       where patient_id = '${ofPatient}' limit 1`,
    ),
  ]);
}

test('a reset takes patients of the sandbox, and leaves whoever is in any other table', async () => {
  const { stores, database, clinicId } = records;
  const { patientId: known } = await aLife(records);
  const referring = await database.sql<{ table: string }>`
    select distinct c.conrelid::regclass::text as "table" from pg_constraint c
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey) and a.attname = 'patient_id'
    where c.contype = 'f' and c.confrelid = 'patients'::regclass order by 1`;
  const nobody = await aSandboxPatient(clinicId);
  const left = new Map<string, string>();
  for (const { table } of referring) {
    const patientId = await aSandboxPatient(clinicId);
    await copyRow(table, known, patientId);
    left.set(table, patientId);
  }

  await stores.sandboxData.reset({ clinicId, realNow: new Date() });

  const there = new Set((await database.sql<{ id: string }>`select id from patients`).map(({ id }) => id));
  expect(there.has(nobody)).toBe(false);
  // A place on the waitlist that nothing was offered for, and a count of tries, say nothing about anybody else.
  const gone = [...left].filter(([, patientId]) => !there.has(patientId)).map(([table]) => table);
  expect(gone).toEqual(['caller_tries', 'waitlist_entries']);
  expect([...left.keys()]).toEqual(expect.arrayContaining(['appointments', 'calls', 'documents', 'workflow_runs']));
});

import { newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { callerBy } from '../voice/callers';

export const createPatientStores = (database: Database) =>
  bound(database, { findOrCreateByPhone, exists: patientExists, createPlaceholder, createTestPatient });

/** The only patient with this phone; a new placeholder where nobody has it, or several share it. */
const findOrCreateByPhone = ({ transaction }: Database, clinicId: string, phone: string): Promise<string> =>
  transaction(async (tx) => (await callerBy(tx, clinicId, phone)).patientId);

export async function patientExists({ sql }: Database, clinicId: string, patientId: string): Promise<boolean> {
  const [found] = await sql`select 1 from patients where clinic_id = ${clinicId} and id = ${patientId}`;
  return found !== undefined;
}

async function createPlaceholder({ sql }: Database, clinicId: string): Promise<string> {
  const id = newId();
  await sql`insert into patients (id, clinic_id, is_placeholder) values (${id}, ${clinicId}, true)`;
  return id;
}

/** The patient here who stands for the EHR's test patient: hidden, as nobody is that. */
async function createTestPatient(
  { sql }: Database,
  clinicId: string,
  { externalId, firstName, lastName, birthDate }: TestPatient,
): Promise<string> {
  const id = newId();
  await sql`
    insert into patients (id, clinic_id, is_placeholder, external_id, first_name, last_name, birth_date)
    values (${id}, ${clinicId}, true, ${externalId}, ${firstName}, ${lastName}, ${birthDate})`;
  return id;
}

interface TestPatient {
  externalId: string;
  firstName: string;
  lastName: string;
  birthDate: string | null;
}

import type { PatientExport } from '@clinic/shared/domain/patients/patient-bundle';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Prisma } from '../../generated/client';
import { tablesAboutPatients } from './patient-data';
import { type Actor, audit } from '../operations/audit';

export const createPatientExportStores = (database: Database) => bound(database, { of });

/**
 * Every row that is about a patient, of one moment, by table and column; null where the clinic has no such patient. That it
 * was read stands in the audit before anybody has it.
 */
async function of(
  { prisma, sql }: Database,
  clinicId: string,
  patientId: string,
  by: Actor,
): Promise<PatientExport | null> {
  const records = await prisma.$transaction((tx) => recordsOf(tx, clinicId, patientId), {
    isolationLevel: 'RepeatableRead',
    timeout: TIMEOUT_MS,
    maxWait: TIMEOUT_MS,
  });
  if (!records) return null;
  await audit(sql, by, { clinicId, action: 'patient.export', subject: patientId, detail: countsOf(records) });
  return { clinicId, patientId, exportedAt: new Date().toISOString(), records };
}

async function recordsOf(
  tx: Prisma.TransactionClient,
  clinicId: string,
  patientId: string,
): Promise<PatientExport['records'] | null> {
  const patient = await tx.patient.findFirst({ where: { clinicId, id: patientId }, select: { id: true } });
  if (!patient) return null;
  // Who was merged into the patient is the same person.
  const replaced = await tx.patient.findMany({ where: { clinicId, replacedBy: patientId }, select: { id: true } });
  const records: PatientExport['records'] = {};
  for (const { table, isAbout, internal = [] } of tablesAboutPatients) {
    const found = new Map<string, Record<string, unknown>>();
    for (const { id } of [patient, ...replaced]) {
      const rows = await tx.$queryRawUnsafe<{ row: Record<string, unknown> }[]>(
        `select to_jsonb(t) - $3::text[] as row from ${table} t where ${isAbout}`,
        clinicId,
        id,
        internal,
      );
      for (const { row } of rows) found.set(JSON.stringify(row), row);
    }
    if (found.size > 0) records[table] = [...found.values()];
  }
  return records;
}

/** Less than a request may take. */
const TIMEOUT_MS = 20_000;

const countsOf = (records: PatientExport['records']): Record<string, number> =>
  Object.fromEntries(Object.entries(records).map(([table, rows]) => [table, rows.length]));

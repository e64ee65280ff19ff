import type { PatientExport } from '@clinic/shared/domain/patient-bundle';
import type { Database } from '../client';
import { newId } from '@clinic/shared/crypto';
import { tablesAboutPatients } from '../patient-data';
import { type Actor } from './audit';

export interface PatientExportStores {
  /**
   * Every row that is about a patient, of one moment, by table and column; null where the clinic has no such patient. That it
   * was read stands in the audit before anybody has it.
   */
  of(clinicId: string, patientId: string, by: Actor): Promise<PatientExport | null>;
}

export function createPatientExportStores({ prisma }: Database): PatientExportStores {
  return {
    of: (clinicId, patientId, by) =>
      prisma.$transaction(
        async (tx) => {
          const patient = await tx.patient.findFirst({ where: { clinicId, id: patientId }, select: { id: true } });
          if (!patient) return null;
          const records: PatientExport['records'] = {};
          for (const { table, isAbout, internal = [] } of tablesAboutPatients) {
            const rows = await tx.$queryRawUnsafe<{ row: Record<string, unknown> }[]>(
              `select to_jsonb(t) - $3::text[] as row from ${table} t where ${isAbout}`,
              clinicId,
              patientId,
              internal,
            );
            if (rows.length > 0) records[table] = rows.map(({ row }) => row);
          }
          const { actor, requestId, address } = by;
          await tx.auditEntry.create({
            data: {
              id: newId(),
              clinicId,
              actor,
              requestId,
              address,
              action: 'patient.export',
              subject: patientId,
              detail: countsOf(records),
            },
          });
          return { clinicId, patientId, exportedAt: new Date().toISOString(), records };
        },
        { isolationLevel: 'RepeatableRead', timeout: TIMEOUT_MS, maxWait: TIMEOUT_MS },
      ),
  };
}

/** Less than a request may take. */
const TIMEOUT_MS = 20_000;

const countsOf = (records: PatientExport['records']): Record<string, number> =>
  Object.fromEntries(Object.entries(records).map(([table, rows]) => [table, rows.length]));

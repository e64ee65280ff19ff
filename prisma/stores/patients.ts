import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';
import { callerBy } from './callers';

export interface PatientStores {
  /** The only patient with this phone; a new placeholder where nobody has it, or several share it. */
  findOrCreateByPhone(clinicId: string, phone: string): Promise<string>;
  exists(clinicId: string, patientId: string): Promise<boolean>;
  createPlaceholder(clinicId: string): Promise<string>;
}

export function createPatientStores({ sql, transaction }: Database): PatientStores {
  return {
    findOrCreateByPhone: (clinicId, phone) =>
      transaction(async (tx) => (await callerBy(tx, clinicId, phone)).patientId),

    async exists(clinicId, patientId) {
      const [found] = await sql`select 1 from patients where clinic_id = ${clinicId} and id = ${patientId}`;
      return found !== undefined;
    },

    async createPlaceholder(clinicId) {
      const id = newId();
      await sql`insert into patients (id, clinic_id, is_placeholder) values (${id}, ${clinicId}, true)`;
      return id;
    },
  };
}

import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';

export interface PatientStores {
  /** A patient by phone, or a new placeholder that is hidden until its registration is complete. */
  findOrCreateByPhone(clinicId: string, phone: string): Promise<string>;
  exists(clinicId: string, patientId: string): Promise<boolean>;
  createPlaceholder(clinicId: string): Promise<string>;
}

export function createPatientStores({ sql, transaction }: Database): PatientStores {
  return {
    findOrCreateByPhone: (clinicId, phone) =>
      transaction(async (tx) => {
        await tx`select pg_advisory_xact_lock(hashtextextended(${`patients:${clinicId}:${phone}`}, 0))`;
        const [known] = await tx<{ id: string }>`
          select id from patients where clinic_id = ${clinicId} and phone = ${phone} order by is_placeholder, created_at limit 1`;
        if (known) return known.id;
        const id = newId();
        await tx`insert into patients (id, clinic_id, phone, is_placeholder) values (${id}, ${clinicId}, ${phone}, true)`;
        return id;
      }),

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

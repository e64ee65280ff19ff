import { AppError } from '@clinic/shared/errors';
import type { Database } from '../client';
import { type Actor, audit } from './audit';

export interface LegalHoldRecord {
  patientId: string;
  reason: string;
  /** account:…, operator */
  placedBy: string;
  placedAt: Date;
}

export interface LegalHoldStores {
  /** Null where none is on the patient. */
  find(clinicId: string, patientId: string): Promise<LegalHoldRecord | null>;
  /**
   * Keeps the records of a patient from being erased; one that is there gets the new reason. False where the clinic has no such
   * patient. Throws `conflict` once an erasure was requested.
   */
  place(hold: { clinicId: string; patientId: string; reason: string }, by: Actor): Promise<boolean>;
  /** False where there was none. */
  lift(clinicId: string, patientId: string, by: Actor): Promise<boolean>;
}

export function createLegalHoldStores({ sql, transaction }: Database): LegalHoldStores {
  return {
    async find(clinicId, patientId) {
      const [hold] = await sql<LegalHoldRecord>`
        select patient_id as "patientId", reason, placed_by as "placedBy", placed_at as "placedAt"
        from legal_holds where clinic_id = ${clinicId} and patient_id = ${patientId}`;
      return hold ?? null;
    },

    place: ({ clinicId, patientId, reason }, by) =>
      transaction(async (tx) => {
        // Hold and erasure take turns by the row of the patient: whichever is first stands.
        const [patient] = await tx`
          select id from patients where clinic_id = ${clinicId} and id = ${patientId} for update`;
        if (!patient) return false;
        const [erasure] = await tx`
          select id from erasures where clinic_id = ${clinicId} and patient_id = ${patientId} and state <> 'DONE'`;
        if (erasure) throw new AppError('conflict', `Patient ${patientId} is being erased: a hold comes too late`);
        await tx`
          insert into legal_holds (clinic_id, patient_id, reason, placed_by)
          values (${clinicId}, ${patientId}, ${reason}, ${by.actor})
          on conflict (clinic_id, patient_id) do update
            set reason = excluded.reason, placed_by = excluded.placed_by, placed_at = now()`;
        await audit(tx, by, { clinicId, action: 'legal-hold.place', subject: patientId });
        return true;
      }),

    lift: (clinicId, patientId, by) =>
      transaction(async (tx) => {
        const [lifted] = await tx`
          delete from legal_holds where clinic_id = ${clinicId} and patient_id = ${patientId} returning patient_id`;
        if (!lifted) return false;
        // What the hold kept may be old enough to go.
        await tx`update retention set purged_until = null where clinic_id = ${clinicId}`;
        await audit(tx, by, { clinicId, action: 'legal-hold.lift', subject: patientId });
        return true;
      }),
  };
}

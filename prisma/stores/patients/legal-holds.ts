import { AppError } from '@clinic/shared/errors';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Actor, audit } from '../operations/audit';
import { mergedInto } from './patient-merges';

export interface LegalHoldRecord {
  patientId: string;
  reason: string;
  /** account:…, operator */
  placedBy: string;
  placedAt: Date;
}

export const createLegalHoldStores = (database: Database) => bound(database, { find, place, lift });

/** Null where none is on the patient. */
async function find({ sql }: Database, clinicId: string, patientId: string): Promise<LegalHoldRecord | null> {
  const [hold] = await sql<LegalHoldRecord>`
    select patient_id as "patientId", reason, placed_by as "placedBy", placed_at as "placedAt"
    from legal_holds where clinic_id = ${clinicId} and patient_id = ${patientId}`;
  return hold ?? null;
}

/**
 * Keeps the records of a patient from being erased; one that is there gets the new reason. False where the clinic has no such
 * patient. Throws `conflict` once an erasure was requested.
 */
const place = (
  { transaction }: Database,
  { clinicId, patientId, reason }: { clinicId: string; patientId: string; reason: string },
  by: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    // Hold and erasure take turns by the row of the patient: whichever is first stands.
    const [patient] = await tx<{ replacedBy: string | null }>`
      select replaced_by as "replacedBy" from patients where clinic_id = ${clinicId} and id = ${patientId} for update`;
    if (!patient) return false;
    if (patient.replacedBy !== null) throw mergedInto(patientId, patient.replacedBy);
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
  });

/** False where there was none. */
const lift = ({ transaction }: Database, clinicId: string, patientId: string, by: Actor): Promise<boolean> =>
  transaction(async (tx) => {
    const [lifted] = await tx`
      delete from legal_holds where clinic_id = ${clinicId} and patient_id = ${patientId} returning patient_id`;
    if (!lifted) return false;
    // What the hold kept may be old enough to go.
    await tx`update retention set held_back_at = null where clinic_id = ${clinicId}`;
    await audit(tx, by, { clinicId, action: 'legal-hold.lift', subject: patientId });
    return true;
  });

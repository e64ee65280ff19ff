import { newId } from '@clinic/shared/crypto';
import type { Sql } from '../../sql';

export interface Caller {
  patientId: string;
  /** It is a patient whom the clinic knows, and only the number says so. */
  isKnown: boolean;
  /** Whom it may be, where several patients share the phone. Nobody is chosen: the caller is somebody new. */
  candidates: string[];
}

/**
 * Who calls from a phone (of who was merged into another patient, that one): the only one of the clinic's patients who has it, else the only placeholder that an earlier call
 * or form has left, else a new placeholder.
 */
export async function callerBy(tx: Sql, clinicId: string, phone: string | null): Promise<Caller> {
  if (phone === null) return { patientId: await aPlaceholder(tx, clinicId, phone), isKnown: false, candidates: [] };
  await tx`select pg_advisory_xact_lock(hashtextextended(${`patients:${clinicId}:${phone}`}, 0))`;
  const found = await tx<{ id: string; isPlaceholder: boolean }>`
    select distinct on (p.created_at, p.id) p.id, p.is_placeholder as "isPlaceholder"
    from patients found join patients p on p.clinic_id = found.clinic_id and p.id = coalesce(found.replaced_by, found.id)
    where found.clinic_id = ${clinicId} and found.phone = ${phone} order by p.created_at, p.id limit 50`;
  const known = found.filter(({ isPlaceholder }) => !isPlaceholder);
  const [only, ...others] = known.length > 0 ? known : found;
  if (only && others.length === 0) return { patientId: only.id, isKnown: !only.isPlaceholder, candidates: [] };
  const candidates = only ? [only, ...others].map(({ id }) => id) : [];
  return { patientId: await aPlaceholder(tx, clinicId, phone), isKnown: false, candidates };
}

async function aPlaceholder(tx: Sql, clinicId: string, phone: string | null): Promise<string> {
  const id = newId();
  await tx`insert into patients (id, clinic_id, phone, is_placeholder) values (${id}, ${clinicId}, ${phone}, true)`;
  return id;
}

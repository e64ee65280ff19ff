import { type CallerTry, isTooMany } from '@clinic/shared/domain/voice/caller-trust';
import { bound } from '../../bound';
import type { Database } from '../../client';

interface TryOfCall {
  /** That of the tool call: one that is run again counts once. */
  id: string;
  kind: CallerTry;
  clinicId: string;
  callId: string;
  patientId: string;
  /** The number that rang or called; null for none. */
  phone: string | null;
}

export const createCallerTryStores = (database: Database) => bound(database, { take, giveBack });

/** Counts something that a caller who may be anybody tries. False, and nothing is counted, where it is one too many. */
const take = (
  { transaction }: Database,
  { id, kind, clinicId, callId, patientId, phone }: TryOfCall,
): Promise<boolean> =>
  transaction(async (tx) => {
    // One at a time of a clinic: many at once would all be let through before any is counted.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`caller-tries:${clinicId}`}, 0))`;
    await tx`delete from caller_tries where clinic_id = ${clinicId} and at < now() - interval '1 day'`;
    const [made] = await tx<{ isKnown: boolean; inCall: number; ofPatient: number; ofNumber: number }>`
      select coalesce(bool_or(t.id = ${id}), false) as "isKnown",
        (count(*) filter (where t.call_id = ${callId}))::int as "inCall",
        (count(*) filter (where t.patient_id = ${patientId}))::int as "ofPatient",
        (count(*) filter (where k.phone = ${phone} and t.at > now() - interval '1 hour'))::int as "ofNumber"
      from caller_tries t join calls k on k.clinic_id = t.clinic_id and k.id = t.call_id
      where t.clinic_id = ${clinicId} and t.kind = ${kind}`;
    if (!made || made.isKnown) return true;
    if (isTooMany(kind, made)) return false;
    await tx`
      insert into caller_tries (id, clinic_id, patient_id, call_id, kind)
      values (${id}, ${clinicId}, ${patientId}, ${callId}, ${kind})`;
    return true;
  });

/** Nothing came of it: it counts no longer. */
async function giveBack({ sql }: Database, clinicId: string, id: string): Promise<void> {
  await sql`delete from caller_tries where clinic_id = ${clinicId} and id = ${id}`;
}

import { sha256Hex } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';

/** A time of a practitioner at a clinic's EHR. Instants. */
export interface EhrTime {
  /** As `Practitioner/12`. */
  actor: string;
  startsAt: string;
  endsAt: string;
}

/** The times that bookings of this service take at clinics' EHRs, over all processes. */
export const createEhrTimeStores = (database: Database) => bound(database, { take, giveBack });

/**
 * Keeps a time for two minutes for who is about to book it, in place of the one that they had before: until the booking is done,
 * and is seen by all who ask the EHR for it. False where another has some of it.
 */
const take = (
  { transaction }: Database,
  clinicId: string,
  { holder, actor, startsAt, endsAt }: EhrTime & { holder: string },
): Promise<boolean> =>
  transaction(async (tx) => {
    // One at a time for each practitioner: two that cross would wait for each other.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`ehr-times:${clinicId}:${actor}`}, 0))`;
    await tx`
      delete from ehr_times
      where clinic_id = ${clinicId} and (holder = ${hashed(holder)} or (actor = ${actor} and expires_at <= clock_timestamp()))`;
    const [taken] = await tx`
      insert into ehr_times (clinic_id, holder, actor, starts_at, ends_at, expires_at)
      values (${clinicId}, ${hashed(holder)}, ${actor}, ${startsAt}, ${endsAt}, clock_timestamp() + interval '2 minutes')
      on conflict do nothing returning actor`;
    return taken !== undefined;
  });

/** The holder books nothing in the time after all, or has called it off. */
async function giveBack({ sql }: Database, clinicId: string, holder: string): Promise<void> {
  await sql`delete from ehr_times where clinic_id = ${clinicId} and holder = ${hashed(holder)}`;
}

/** A call or an appointment of ours, which nobody needs to know from here. */
const hashed = (holder: string): string => sha256Hex(holder);

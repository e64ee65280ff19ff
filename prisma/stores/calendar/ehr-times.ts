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

interface VisitHeld extends EhrTime {
  /** By what the visit is known while it is booked. */
  holder: string;
  /** The visit that it replaces, whose time is free for it. */
  inPlaceOf?: string | undefined;
}

/**
 * Keeps a time for two minutes for a visit that is about to be booked there or moved there, in place of the one that it had before:
 * until it is done, and is seen by all who ask the EHR for it. False where another visit has some of it: then it keeps what it had.
 */
const take = (
  { transaction }: Database,
  clinicId: string,
  { holder, inPlaceOf = holder, actor, startsAt, endsAt }: VisitHeld,
): Promise<boolean> =>
  transaction(async (tx) => {
    // One at a time for each practitioner: two that cross would wait for each other.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`ehr-times:${clinicId}:${actor}`}, 0))`;
    const own = [hashed(holder), hashed(inPlaceOf)];
    const others = await tx`
      select 1 from ehr_times
      where clinic_id = ${clinicId} and actor = ${actor} and holder <> all (${own}::text[]) and expires_at > clock_timestamp()
        and tstzrange(starts_at, ends_at) && tstzrange(${startsAt}::timestamptz, ${endsAt}::timestamptz)`;
    if (others.length > 0) return false;
    await tx`
      delete from ehr_times
      where clinic_id = ${clinicId} and (holder = any (${own}::text[]) or (actor = ${actor} and expires_at <= clock_timestamp()))`;
    const [taken] = await tx`
      insert into ehr_times (clinic_id, holder, actor, starts_at, ends_at, expires_at)
      values (${clinicId}, ${hashed(holder)}, ${actor}, ${startsAt}, ${endsAt}, clock_timestamp() + interval '2 minutes')
      on conflict do nothing returning actor`;
    return taken !== undefined;
  });

/** The visit is not booked in the time after all, or is called off. */
async function giveBack({ sql }: Database, clinicId: string, holder: string): Promise<void> {
  await sql`delete from ehr_times where clinic_id = ${clinicId} and holder = ${hashed(holder)}`;
}

/** A visit, which nobody needs to know from here. */
const hashed = (holder: string): string => sha256Hex(holder);

import { bound } from '../../bound';
import type { Database } from '../../client';

/** What one process at a time does for all of them. */
export type DutyName = 'relay' | 'reconcile' | 'fulfil' | 'mail';

/** A duty that is held. `token` grows with each holder: what is written with an older one is refused. */
export interface HeldDuty {
  name: DutyName;
  token: number;
}

/** Leases of duties, by the clock of the database. */
export const createDutyStores = (database: Database) =>
  bound(database, { take, prolong, release, doneUntil, noteDone, list });

export type DutyStores = ReturnType<typeof createDutyStores>;

/** Takes a duty that nobody holds. Null while another holds it. */
async function take({ sql }: Database, name: DutyName, holder: string, leaseMs: number): Promise<HeldDuty | null> {
  const [held] = await sql<{ token: number }>`
    update duties set holder = ${holder}, token = token + 1,
      expires_at = now() + make_interval(secs => ${leaseMs / 1000})
    where name = ${name} and expires_at <= now() returning token`;
  return held ? { name, token: held.token } : null;
}

/** Prolongs the lease, and notes the last pass that came to its end. False once it is over: another may hold the duty. */
async function prolong(
  { sql }: Database,
  { name, token }: HeldDuty,
  leaseMs: number,
  passedMsAgo: number | null = null,
): Promise<boolean> {
  const held = await sql<{ name: string }>`
    update duties set expires_at = now() + make_interval(secs => ${leaseMs / 1000}),
      passed_at = coalesce(now() - make_interval(secs => ${passedMsAgo === null ? null : passedMsAgo / 1000}), passed_at)
    where name = ${name} and token = ${token} and expires_at > now() returning name`;
  return held.length > 0;
}

/** Others need not wait for the end of the lease. */
async function release({ sql }: Database, { name, token }: HeldDuty): Promise<void> {
  // Rounded up to a millisecond that is still to come, it would be held a moment longer.
  await sql`
    update duties set holder = null, expires_at = date_trunc('milliseconds', now())
    where name = ${name} and token = ${token}`;
}

/** Up to when the duty is done; null where it never was. */
async function doneUntil({ sql }: Database, name: DutyName): Promise<Date | null> {
  const [duty] = await sql<{ doneUntil: Date | null }>`
    select done_until as "doneUntil" from duties where name = ${name}`;
  return duty?.doneUntil ?? null;
}

/** False, and nothing is noted, once the lease is over. */
async function noteDone({ sql }: Database, { name, token }: HeldDuty, until: Date): Promise<boolean> {
  const held = await sql<{ name: string }>`
    update duties set done_until = ${until}
    where name = ${name} and token = ${token} and expires_at > now() returning name`;
  return held.length > 0;
}

export interface DutyState {
  name: string;
  /** Whether a process has it now. */
  isHeld: boolean;
  /** When a pass last came to its end; null where none did. */
  passedAt: Date | null;
}

const list = ({ sql }: Database): Promise<DutyState[]> => sql<DutyState>`
  select name, expires_at > now() as "isHeld", passed_at as "passedAt" from duties order by name`;

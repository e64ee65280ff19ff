import type { Database } from '../client';

/** What one process at a time does for all of them. */
export type DutyName = 'relay' | 'reconcile' | 'erase' | 'bulk' | 'mail';

/** A duty that is held. `token` grows with each holder: what is written with an older one is refused. */
export interface HeldDuty {
  name: DutyName;
  token: number;
}

/** Leases of duties, by the clock of the database. */
export interface DutyStores {
  /** Takes a duty that nobody holds. Null while another holds it. */
  take(name: DutyName, holder: string, leaseMs: number): Promise<HeldDuty | null>;
  /** Prolongs the lease. False once it is over: another may hold the duty. */
  prolong(held: HeldDuty, leaseMs: number): Promise<boolean>;
  /** Others need not wait for the end of the lease. */
  release(held: HeldDuty): Promise<void>;
  /** Up to when the duty is done; null where it never was. */
  doneUntil(name: DutyName): Promise<Date | null>;
  /** False, and nothing is noted, once the lease is over. */
  noteDone(held: HeldDuty, until: Date): Promise<boolean>;
}

export function createDutyStores({ sql }: Database): DutyStores {
  return {
    async take(name, holder, leaseMs) {
      const [held] = await sql<{ token: number }>`
        update duties set holder = ${holder}, token = token + 1,
          expires_at = now() + make_interval(secs => ${leaseMs / 1000})
        where name = ${name} and expires_at <= now() returning token`;
      return held ? { name, token: held.token } : null;
    },

    async prolong({ name, token }, leaseMs) {
      const held = await sql<{ name: string }>`
        update duties set expires_at = now() + make_interval(secs => ${leaseMs / 1000})
        where name = ${name} and token = ${token} and expires_at > now() returning name`;
      return held.length > 0;
    },

    async release({ name, token }) {
      // Rounded up to a millisecond that is still to come, it would be held a moment longer.
      await sql`
        update duties set holder = null, expires_at = date_trunc('milliseconds', now())
        where name = ${name} and token = ${token}`;
    },

    async doneUntil(name) {
      const [duty] = await sql<{ doneUntil: Date | null }>`
        select done_until as "doneUntil" from duties where name = ${name}`;
      return duty?.doneUntil ?? null;
    },

    async noteDone({ name, token }, until) {
      const held = await sql<{ name: string }>`
        update duties set done_until = ${until}
        where name = ${name} and token = ${token} and expires_at > now() returning name`;
      return held.length > 0;
    },
  };
}

import { createHash } from 'node:crypto';
import type { Database } from '../client';

/** Sign-ins are counted by the minute. */
const WINDOW_SECONDS = 60;

export interface SignInCountStores {
  /** Counts a sign-in, over all processes. Returns the how-manieth it is in its minute, and how long that goes on, in ms. */
  count(email: string, address: string): Promise<{ signIns: number; waitMs: number }>;
  /** Forgets minutes that are over. */
  deleteOld(): Promise<void>;
}

export function createSignInCountStores({ sql }: Database): SignInCountStores {
  return {
    async count(email, address) {
      const key = createHash('sha256')
        .update(JSON.stringify([email.toLowerCase(), address]))
        .digest('base64url');
      const [counted] = await sql<{ signIns: number; waitMs: number }>`
        insert into sign_in_counts as c (key, sign_ins, began_at) values (${key}, 1, now())
        on conflict (key) do update set
          sign_ins = case when c.began_at > now() - make_interval(secs => ${WINDOW_SECONDS}) then c.sign_ins + 1 else 1 end,
          began_at = case when c.began_at > now() - make_interval(secs => ${WINDOW_SECONDS}) then c.began_at else now() end
        returning sign_ins as "signIns",
          least(${WINDOW_SECONDS}, extract(epoch from began_at + make_interval(secs => ${WINDOW_SECONDS}) - now()))::float8 * 1000 as "waitMs"`;
      if (!counted) throw new Error('a sign-in must be counted');
      return counted;
    },

    async deleteOld() {
      await sql`delete from sign_in_counts where began_at < now() - make_interval(secs => ${2 * WINDOW_SECONDS})`;
    },
  };
}

import { createHash } from 'node:crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';

/** Sign-ins are counted by the minute. */
const WINDOW_SECONDS = 60;

export const createSignInCountStores = (database: Database) => bound(database, { count, deleteOld });

export type SignInCountStores = ReturnType<typeof createSignInCountStores>;

/** Counts a sign-in, over all processes. Returns the how-manieth it is in its minute, and how long that goes on, in ms. */
async function count({ sql }: Database, email: string, address: string): Promise<{ signIns: number; waitMs: number }> {
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
}

/** Forgets minutes that are over. */
async function deleteOld({ sql }: Database): Promise<void> {
  await sql`delete from sign_in_counts where began_at < now() - make_interval(secs => ${2 * WINDOW_SECONDS})`;
}

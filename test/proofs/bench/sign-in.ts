import { compare, load, report } from './load';
import type { BenchStack } from './stack';

const TIMES = 60;

/** A sign-in with a password, beside one that looks it up, compares the hash and adds a session. Most of both is the hash. */
export async function signIn({ api, baseline, clinic: { email, password }, post }: BenchStack): Promise<void> {
  for (const clients of [1, 4]) {
    const repeated = (url: string) => () => load({ clients, times: TIMES, work: () => post(url, { email, password }) });
    const compared = await compare({
      ours: repeated(`${api}/auth/sign-in/email`),
      baseline: repeated(`${baseline}/sign-in`),
    });
    report(`a sign-in with a password, ${clients} at once`, compared, 'no lower than before');
  }
}

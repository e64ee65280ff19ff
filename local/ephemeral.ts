import { parseArgs } from 'node:util';
import { openDatabase } from '@clinic/prisma/client';
import { seedDemo } from '@clinic/accounts/seed';
import { createStores } from '@clinic/prisma/stores';
import { parseInstant } from '@clinic/shared/domain/calendar/clinic-time';
import { clockYears } from '@clinic/shared/domain/sandbox/sandbox-clock';
import { sha256Hex } from '@clinic/shared/crypto';
import { type DevClinic, type Seed, writeSeed } from './dev-file';
import { keepSeededSecrets } from './secrets';
import { freePort } from './ports';
import type { seedOnce } from './seed';
import { seededRandom } from './seeded-random';
import { startStack } from './stack';
import type { Start } from './start';
import { stopRequest } from './stop-request';

const usage = `Usage: npm start -- --ephemeral [--seed N] [--clock INSTANT]
  --seed    a whole number: with the same one, ids, passwords, keys and secrets are the same; 0 unless given
  --clock   what the sandboxes' clocks stand at, as 2026-03-07T12:00-07:00; the real time unless given`;

/** Standard output is for the one line of JSON. */
const say = (line: string): void => console.error(line);

/**
 * `npm start -- --ephemeral`: the whole service on free ports, with its data in a temporary folder, until Ctrl-C or SIGTERM. Prints
 * one line of JSON when it is ready; leaves nothing behind.
 */
export async function main(args: string[], { buildDashboard }: Start): Promise<void> {
  const { seed, clock } = read(args);
  const request = stopRequest(say);
  const startedAt = Date.now();
  try {
    await takeEnvironment(seed);
    const stack = await startStack({
      say,
      signal: request.signal,
      isThrowaway: true,
      seed: (about) => seedSandboxes(about, { seed, clock }),
      async build() {
        await buildDashboard(say).catch((error: Error) => say(error.message));
      },
    });
    const clinics = await Promise.all(
      stack.dev.clinics.map(async (clinic) => ({ ...clinic, token: await signIn(stack.dev.baseUrl, clinic) })),
    );
    const seconds = (Date.now() - startedAt) / 1_000;
    console.log(JSON.stringify({ ...stack.dev, clinics, seed, clock, readyAfterSeconds: seconds }));
    await request.made;
    await stack.stop();
  } catch (error) {
    if (!request.signal.aborted) throw error;
  } finally {
    request.close();
  }
}

function read(args: string[]): { seed: number; clock: string | null } {
  try {
    const { values } = parseArgs({
      args,
      options: { ephemeral: { type: 'boolean' }, seed: { type: 'string' }, clock: { type: 'string' } },
    });
    const seed = Number(values.seed ?? '0');
    if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`--seed is not a whole number: ${values.seed}`);
    const clock = values.clock === undefined ? null : parseInstant(values.clock);
    const year = Number(clock?.slice(0, 4) ?? clockYears.first);
    if (values.clock !== undefined && (clock === null || year < clockYears.first || year > clockYears.last)) {
      throw new Error(
        `--clock is not an instant of the years ${clockYears.first} to ${clockYears.last}: ${values.clock}`,
      );
    }
    return { seed, clock };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${usage}`, { cause: error });
  }
}

/** Ports that are free, secrets that come from the seed, and nothing of what the environment says of another stack. */
async function takeEnvironment(seed: number): Promise<void> {
  for (const name of [
    'DATABASE_URL',
    'DATABASE_OWNER_URL',
    'AUDIT_DATABASE_URL',
    'TEMPORAL_ADDRESS',
    'TEMPORAL_NAMESPACE',
    'TEMPORAL_UI_URL',
  ])
    delete process.env[name];
  keepSeededSecrets(seed);
  for (const name of ['PORT', 'DATABASE_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT'])
    process.env[name] = String(await freePort());
}

/** The demo clinics with their sandboxes on, at the clock that was asked for. */
async function seedSandboxes(
  { databaseUrl, config }: Parameters<typeof seedOnce>[0],
  { seed, clock }: { seed: number; clock: string | null },
): Promise<Seed> {
  const database = openDatabase(databaseUrl, { poolSize: 2 });
  try {
    const random = seededRandom(String(seed));
    const made = await random.during(() =>
      seedDemo({ database, secretKeys: config.SECRET_KEYS, authSecret: config.AUTH_SECRET }),
    );
    const stores = createStores(database, config.SECRET_KEYS);
    const realNow = new Date();
    for (const { clinicId } of made.clinics) {
      await database.sql`update clinics set id_salt = ${sha256Hex(`${seed} ${clinicId}`)} where id = ${clinicId}`;
      if (clock) await stores.sandboxClocks.set({ clinicId, realNow, to: () => ({ shows: clock, runsSince: null }) });
      await stores.sandbox.setEnabled({ clinicId, isEnabled: true, now: clock ? new Date(clock) : realNow });
    }
    writeSeed(made);
    return made;
  } finally {
    await database.close();
  }
}

/** A token of the clinic's administrator. */
async function signIn(baseUrl: string, { email, password }: DevClinic): Promise<string> {
  const response = await fetch(`${baseUrl}/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const { token } = (await response.json()) as { token: string };
  return token;
}

import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { makeLocalFolder, postgresFolder, secretsFile } from './paths';
import { readJson, writePrivateJson } from './private-file';

const Secrets = z.object({
  databasePassword: z.string(),
  VOICE_WEBHOOK_SECRET: z.string(),
  AUTH_SECRET: z.string(),
  PAYLOAD_KEYS: z.string(),
  SECRET_KEYS: z.string(),
});

/** What a deployment would be given from outside. */
export type Secrets = z.infer<typeof Secrets>;

/** The secrets of this checkout's local stack, made once. */
export function localSecrets(): Secrets {
  const kept = readJson(secretsFile, Secrets);
  if (kept) return kept;
  if (existsSync(postgresFolder)) {
    throw new Error(`${secretsFile} is gone, and without it the data cannot be read. Start afresh: npm run reset`);
  }
  const made = secretsFrom(() => randomBytes(32));
  writePrivateJson(secretsFile, made);
  return made;
}

/** Secrets of 32 bytes each, by what they are for; what is written is kept for the rest of the stack's life. */
function secretsFrom(bytesFor: (purpose: string) => Buffer): Secrets {
  const word = (purpose: string) => bytesFor(purpose).subarray(0, 24).toString('base64url');
  /** A key ring of one key, as shared/config.ts reads it. */
  const key = (purpose: string) => `local1:${bytesFor(purpose).toString('base64')}`;
  return {
    databasePassword: word('database'),
    VOICE_WEBHOOK_SECRET: `voice_${word('voice')}`,
    AUTH_SECRET: word('auth'),
    PAYLOAD_KEYS: key('payload'),
    SECRET_KEYS: key('secret'),
  };
}

/** Secrets that come from a seed, for a stack that is thrown away; what the environment says of them is not looked at. */
export function keepSeededSecrets(seed: number): void {
  const made = secretsFrom((purpose) => createHash('sha256').update(`${seed} ${purpose}`).digest());
  for (const name of Object.keys(made)) delete process.env[name];
  makeLocalFolder();
  writePrivateJson(secretsFile, made);
}

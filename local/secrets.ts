import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { postgresFolder, secretsFile } from './paths';
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
  const made = {
    databasePassword: word(),
    VOICE_WEBHOOK_SECRET: `voice_${word()}`,
    AUTH_SECRET: word(),
    PAYLOAD_KEYS: key(),
    SECRET_KEYS: key(),
  };
  writePrivateJson(secretsFile, made);
  return made;
}

const word = (): string => randomBytes(24).toString('base64url');

/** A key ring of one key, as shared/config.ts reads it. */
const key = (): string => `local1:${randomBytes(32).toString('base64')}`;

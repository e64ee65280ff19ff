import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The checkout. */
export const root = dirname(__dirname);

/** Everything that the local stack keeps; `npm run reset` removes it. LOCAL_FOLDER lets a second stack stand beside the first. */
export const localFolder = resolve(root, process.env.LOCAL_FOLDER || '.local');

export const inLocal = (name: string): string => join(localFolder, name);

export const devFile = inLocal('dev.json');
export const seedFile = inLocal('seed.json');
export const secretsFile = inLocal('secrets.json');
export const runningFile = inLocal('running.json');
export const postgresFolder = inLocal('postgres');
export const temporalFile = inLocal('temporal.db');
export const logFile = (name: string): string => inLocal(join('logs', `${name}.log`));

export function makeLocalFolder(): void {
  mkdirSync(localFolder, { recursive: true });
}

import { Command, InvalidArgumentError } from 'commander';
import type { MadeApiKey } from '@clinic/prisma/stores/accounts/keys';
import { type Scope, scopes } from '@clinic/shared/domain/accounts/rights';
import { type CommandLine, type CommandResult, operator, type Records, wholeNumber } from './command-line';

const MAX_OVERLAP_HOURS = 30 * 24;

interface OfClinic {
  clinic: string;
}

/** Manages the API keys of a clinic as its administrators do. */
export function keyCommands(line: CommandLine): Command {
  const key = new Command('key').description('manages the API keys of a clinic');
  key
    .command('list')
    .description('what each may be used for, until when, and when it was last used')
    .requiredOption('--clinic <id>')
    .action(line.onClinic(list));
  key
    .command('add')
    .description('prints a new key, once')
    .requiredOption('--clinic <id>')
    .requiredOption('--name <name>', 'what will use it')
    .requiredOption('--scopes <scopes>', `what it may be used for, with commas: ${scopes.join(', ')}`, scopeList)
    .option('--days <n>', 'how long it lasts; until it is revoked otherwise', wholeNumber({ from: 1, to: 3_650 }))
    .action(line.onClinic(add));
  key
    .command('rotate')
    .description('prints a new key for the same, once; the old one is taken for a while')
    .requiredOption('--clinic <id>')
    .requiredOption('--key <id>', 'of the old one')
    .option('--old-key-hours <n>', '0 ends it at once', wholeNumber({ from: 0, to: MAX_OVERLAP_HOURS }), 24)
    .option('--days <n>', 'how long the new one lasts', wholeNumber({ from: 1, to: 3_650 }))
    .action(line.onRecords(rotate));
  key
    .command('revoke')
    .description('ends a key at once')
    .requiredOption('--clinic <id>')
    .requiredOption('--key <id>')
    .action(line.onRecords(revoke));
  return key;
}

/** As `workflows,patients.read`. */
export function scopeList(given: string): Scope[] {
  const names = given.split(',').map((name) => name.trim());
  const known = scopes.filter((scope) => names.includes(scope));
  if (known.length === 0 || names.some((name) => !scopes.some((scope) => scope === name))) {
    throw new InvalidArgumentError(`Scopes are ${scopes.join(', ')}.`);
  }
  return known;
}

async function list({ stores }: Records, { clinic }: OfClinic): Promise<CommandResult> {
  return { shown: { keys: await stores.keys.listApiKeys(clinic) } };
}

async function add(
  { stores }: Records,
  { clinic: clinicId, name, scopes: chosen, days }: OfClinic & { name: string; scopes: Scope[]; days?: number },
): Promise<CommandResult> {
  if (name.trim() === '') throw new Error('--name must not be empty.');
  const about = { clinicId, name: name.trim(), scopes: chosen, expiresAt: endIn(days), by: operator };
  return shownKey(await stores.keys.createApiKey(about));
}

async function rotate(
  { stores }: Records,
  { clinic: clinicId, key: id, oldKeyHours, days }: OfClinic & { key: string; oldKeyHours: number; days?: number },
): Promise<CommandResult> {
  const oldUntil = new Date(Date.now() + oldKeyHours * 3_600_000);
  const made = await stores.keys.rotateApiKey({ clinicId, id, oldUntil, expiresAt: endIn(days) }, operator);
  if (!made) throw new Error(`Clinic ${clinicId} has no live key ${id}.`);
  return shownKey(made);
}

async function revoke(
  { stores }: Records,
  { clinic: clinicId, key: id }: OfClinic & { key: string },
): Promise<CommandResult> {
  if (!(await stores.keys.revokeApiKey(clinicId, id, operator))) {
    throw new Error(`Clinic ${clinicId} has no key ${id}.`);
  }
  return { shown: { clinicId, key: id, done: 'revoke' } };
}

const endIn = (days: number | undefined): Date | null =>
  days === undefined ? null : new Date(Date.now() + days * 86_400_000);

const shownKey = (made: MadeApiKey & { oldExpiresAt?: Date }): CommandResult => ({ shown: { ...made } });

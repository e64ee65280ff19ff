import { isIP } from 'node:net';
import { newId, sha256Hex } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
export type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { endSessionsOfPassword, factorsOf, lockAccount, tellOfFactors } from './account-factors';
import { bound } from '@clinic/prisma/bound';
import type { Database } from '@clinic/prisma/client';
import type { Sql } from '@clinic/prisma/sql';
import { sqlState } from '@clinic/prisma/sql';
import { type Actor, audit } from '@clinic/prisma/stores/operations/audit';

export interface PasskeyRecord {
  id: string;
  name: string;
  isSynced: boolean;
  createdAt: Date;
  usedAt: Date | null;
}

interface Whose {
  accountId: string;
  clinicId: string | null;
}

/** A passkey that is known, and yet does not open its account. */
export class PasskeyRefused extends AppError {
  constructor(readonly accountId: string) {
    super('unauthorized', REFUSAL);
  }
}

const REFUSAL = 'This passkey opens nothing here';
const SERVICE = 'Clinic workflows';
const LIFE_MINUTES = 5;
const MAX_PASSKEYS = 20;
/** EdDSA, ES256 and RS256 (COSE), which every authenticator knows one of. */
const supportedAlgorithmIDs = [-8, -7, -257];

interface Context {
  database: Database;
  /** The one address at which the dashboard is reached: passkeys belong to its host. */
  publicUrl: string;
}

/**
 * Passkeys (WebAuthn): key pairs that a person's device keeps and uses once it knows the person by a finger, a face or a PIN. One of
 * them is both factors at once: what one has, and what one knows or is.
 */
export const createPasskeys = (context: Context) =>
  bound(context, { list, begin, register, rename, remove, challenge, takeChallenge, verify });

/** The oldest first. */
const list = ({ database: { sql } }: Context, accountId: string) => sql<PasskeyRecord>`
  select id, name, is_synced as "isSynced", created_at as "createdAt", used_at as "usedAt"
  from passkeys where user_id = ${accountId} order by created_at, id`;

/** What a browser needs to make one, within five minutes. Throws `conflict` where there are too many, or can be none. */
async function begin(
  { database: { sql }, publicUrl }: Context,
  { accountId, email, name }: { accountId: string; email: string; name: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const rpID = hostOfPasskeys(publicUrl);
  const known = await sql<{ id: string; transports: string[] }>`
    select credential_id as id, transports from passkeys where user_id = ${accountId}`;
  if (known.length >= MAX_PASSKEYS) throw tooMany();
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: SERVICE,
    rpID,
    userID: new Uint8Array(Buffer.from(accountId)),
    userName: email,
    userDisplayName: name,
    attestationType: 'none',
    supportedAlgorithmIDs,
    timeout: LIFE_MINUTES * 60_000,
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports })),
    // One that is found without an e-mail, and asks for a finger or a PIN: it stands for both factors.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await keepChallenge(sql, options.challenge, accountId);
  return options;
}

/**
 * Keeps what the browser has made. Throws `bad_request` where it does not fit what was begun, `conflict` where it is known already.
 * The first factor of an account ends its other sessions.
 */
async function register(
  context: Context,
  { response, ...whose }: Whose & { sessionId: string; name: string; response: RegistrationResponseJSON },
  by: Actor,
): Promise<PasskeyRecord> {
  const { sql, transaction } = context.database;
  const { origin } = new URL(context.publicUrl);
  const { challenge: told, origin: from } = clientDataOf(response.response.clientDataJSON);
  if (!(await useChallenge(sql, told, whose.accountId)) || told === null) {
    throw new AppError('bad_request', 'This took too long, or was begun elsewhere; please begin again');
  }
  if (from !== origin) {
    throw new AppError('bad_request', `Passkeys are made at ${origin} only: open the dashboard there`);
  }
  const made = await verified(context, response, told);
  return transaction((tx) => add(tx, made, whose, by)).catch((error: unknown) => {
    if (sqlState(error) === '23505') throw new AppError('conflict', 'This passkey is known already');
    throw error;
  });
}

/** What the browser has made. Throws `bad_request` where it does not fit what was begun. */
async function verified({ publicUrl }: Context, response: RegistrationResponseJSON, expectedChallenge: string) {
  const { verifyRegistrationResponse } = await webauthn();
  const made = await verifyRegistrationResponse({
    response,
    expectedChallenge,
    expectedOrigin: new URL(publicUrl).origin,
    expectedRPID: hostOfPasskeys(publicUrl),
    requireUserVerification: true,
    supportedAlgorithmIDs,
  }).catch(() => null);
  if (!made?.verified) throw new AppError('bad_request', 'What the browser has sent is no passkey for this');
  return made.registrationInfo;
}

async function add(
  tx: Sql,
  { credential, credentialDeviceType }: Awaited<ReturnType<typeof verified>>,
  { accountId, clinicId, sessionId, name }: Whose & { sessionId: string; name: string },
  by: Actor,
): Promise<PasskeyRecord> {
  await lockAccount(tx, accountId);
  const before = await factorsOf(tx, accountId);
  const [counted] = await tx<{ count: number }>`
    select count(*)::int4 as count from passkeys where user_id = ${accountId}`;
  if ((counted?.count ?? 0) >= MAX_PASSKEYS) throw tooMany();
  const [made] = await tx<PasskeyRecord>`
    insert into passkeys (id, user_id, name, credential_id, public_key, counter, transports, is_synced)
    values (${newId()}, ${accountId}, ${name}, ${credential.id}, ${Buffer.from(credential.publicKey).toString('base64url')},
      ${credential.counter}, ${credential.transports ?? []}::text[], ${credentialDeviceType === 'multiDevice'})
    returning id, name, is_synced as "isSynced", created_at as "createdAt", used_at as "usedAt"`;
  if (!made) throw new Error('a passkey must be stored');
  await endSessionsOfPassword(tx, { accountId, sessionId, before });
  await tellOfFactors(tx, accountId);
  if (clinicId !== null) {
    await audit(tx, by, { clinicId, action: 'passkey.add', subject: accountId, detail: { passkeyId: made.id } });
  }
  return made;
}

/** False when the account has no such passkey. */
const rename = (
  { database: { transaction } }: Context,
  { accountId, clinicId, passkeyId, name }: Whose & { passkeyId: string; name: string },
  by: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    const [renamed] = await tx`
      update passkeys set name = ${name} where id = ${passkeyId} and user_id = ${accountId} returning id`;
    if (renamed && clinicId !== null) {
      await audit(tx, by, { clinicId, action: 'passkey.rename', subject: accountId, detail: { passkeyId } });
    }
    return renamed !== undefined;
  });

/** False when the account has no such passkey. */
const remove = (
  { database: { transaction } }: Context,
  { accountId, clinicId, passkeyId }: Whose & { passkeyId: string },
  by: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const [removed] = await tx`
      delete from passkeys where id = ${passkeyId} and user_id = ${accountId} returning id`;
    if (!removed) return false;
    await tellOfFactors(tx, accountId);
    if (clinicId !== null) {
      await audit(tx, by, { clinicId, action: 'passkey.remove', subject: accountId, detail: { passkeyId } });
    }
    return true;
  });

/** What a browser needs to sign in, within five minutes. It tells of no account. Throws `conflict` where there can be no passkeys. */
async function challenge({ database: { sql }, publicUrl }: Context): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const rpID = hostOfPasskeys(publicUrl);
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID,
    userVerification: 'required',
    timeout: LIFE_MINUTES * 60_000,
  });
  await keepChallenge(sql, options.challenge, null);
  return options;
}

/** Uses up the challenge of a response, whatever the response is worth. Throws `unauthorized` where it is none, was used, or is too old. */
async function takeChallenge({ database: { sql } }: Context, response: AuthenticationResponseJSON): Promise<string> {
  const { challenge: told } = clientDataOf(response.response.clientDataJSON);
  if (told === null || !(await useChallenge(sql, told, null))) throw new AppError('unauthorized', REFUSAL);
  return told;
}

/**
 * Whose passkey has signed the challenge. Throws `unauthorized` where none has, where it may be a copy, or where the account is not
 * open; `PasskeyRefused` once the passkey is known. Holds a lock on the account until the transaction ends.
 */
async function verify(
  { publicUrl }: Context,
  tx: Sql,
  response: AuthenticationResponseJSON,
  expectedChallenge: string,
): Promise<{ accountId: string }> {
  const [known] = await tx<{
    id: string;
    accountId: string;
    publicKey: string;
    counter: string;
    transports: string[];
    isOpen: boolean;
  }>`
    select p.id, u.id as "accountId", p.public_key as "publicKey", p.counter::text as counter, p.transports,
      u.disabled_at is null and coalesce(u.ends_at > now(), true) as "isOpen"
    from passkeys p join users u on u.id = p.user_id
    where p.credential_id = ${response.id} for share of u`;
  if (!known) throw new AppError('unauthorized', REFUSAL);
  const { id, accountId, publicKey, counter, transports, isOpen } = known;
  const { userHandle } = response.response;
  const isTheirs = userHandle === undefined || Buffer.from(userHandle, 'base64url').toString() === accountId;
  if (!isOpen || !isTheirs) throw new PasskeyRefused(accountId);
  const { verifyAuthenticationResponse } = await webauthn();
  const checked = await verifyAuthenticationResponse({
    response,
    expectedChallenge,
    expectedOrigin: new URL(publicUrl).origin,
    expectedRPID: hostOfPasskeys(publicUrl),
    requireUserVerification: true,
    credential: {
      id: response.id,
      publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
      counter: Number(counter),
      transports,
    },
  }).catch(() => null);
  if (!checked?.verified) throw new PasskeyRefused(accountId);
  const { newCounter } = checked.authenticationInfo;
  // The library compares with what was read; another sign-in may have been first.
  const [used] = await tx`
    update passkeys set counter = ${newCounter}, used_at = now()
    where id = ${id} and (counter < ${newCounter} or counter = 0 and ${newCounter} = 0) returning id`;
  if (!used) throw new PasskeyRefused(accountId);
  return { accountId };
}

/** Browsers make passkeys for names only. */
function hostOfPasskeys(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) === 0) return hostname;
  throw new AppError('conflict', 'Passkeys need an address with a name; this service is reached by a number');
}

async function keepChallenge(sql: Sql, told: string, userId: string | null): Promise<void> {
  await sql`
    delete from passkey_challenges where hash in (
      select hash from passkey_challenges where expires_at <= now() limit 100 for update skip locked)`;
  await sql`
    insert into passkey_challenges (hash, user_id, expires_at)
    values (${sha256Hex(told)}, ${userId}, now() + make_interval(mins => ${LIFE_MINUTES}))`;
}

async function useChallenge(sql: Sql, told: string | null, userId: string | null): Promise<boolean> {
  if (told === null) return false;
  const [used] = await sql`
    delete from passkey_challenges
    where hash = ${sha256Hex(told)} and user_id is not distinct from ${userId} and expires_at > now() returning hash`;
  return used !== undefined;
}

/** It is large, and few processes ever need it. */
const webauthn = () => import('@simplewebauthn/server');

const tooMany = () => new AppError('conflict', `An account has at most ${MAX_PASSKEYS} passkeys; remove one first`);

/** What the browser says that was signed, and where; nothing of it is believed before the signature is checked. */
function clientDataOf(encoded: string): { challenge: string | null; origin: string | null } {
  try {
    const data = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as Record<string, unknown> | null;
    const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
    return { challenge: textOf(data?.challenge), origin: textOf(data?.origin) };
  } catch {
    return { challenge: null, origin: null };
  }
}

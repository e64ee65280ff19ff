import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import type { KeyAlgorithm } from './contracts/events/approved-api';
import { newId } from './crypto';

/** How long an assertion holds. SMART allows five minutes; a minute is left for clocks that differ. */
const ASSERTION_SECONDS = 240;

/** A key pair by which the service proves itself for a clinic, as JSON Web Keys. */
export interface ClientKey {
  kid: string;
  algorithm: KeyAlgorithm;
  publicJwk: Record<string, string>;
  /** A secret: it is stored sealed, and leaves the process in no form. */
  privateJwk: Record<string, string>;
}

/** A new key pair: RSA of 3072 bits for RS384, P-384 for ES384. */
export async function newClientKey(algorithm: KeyAlgorithm, kid = newId()): Promise<ClientKey> {
  const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength: 3072 });
  const [publicJwk, privateJwk] = await Promise.all([exportJWK(pair.publicKey), exportJWK(pair.privateKey)]);
  const named = { kid, alg: algorithm, use: 'sig' };
  return {
    kid,
    algorithm,
    publicJwk: { ...textsOf(publicJwk), ...named },
    privateJwk: { ...textsOf(privateJwk), ...named },
  };
}

/** A client assertion as SMART Backend Services asks for it: issuer and subject are the client, and no two are alike. */
export async function signAssertion(
  { kid, algorithm, privateJwk }: ClientKey,
  { clientId, audience, now = Date.now() }: { clientId: string; audience: string; now?: number },
): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(audience)
    .setExpirationTime(Math.floor(now / 1000) + ASSERTION_SECONDS)
    .setJti(randomUUID())
    .sign(await importJWK(privateJwk, algorithm));
}

/** What a key pair exports are texts alone. */
function textsOf(jwk: JWK): Record<string, string> {
  return Object.fromEntries(
    Object.entries(jwk).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

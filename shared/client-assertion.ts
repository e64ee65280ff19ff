import { decodeJwt, decodeProtectedHeader, errors, importJWK, type JWK, jwtVerify } from 'jose';

/** SMART takes no assertion that lasts longer. */
const MAX_SECONDS = 300;
/** What SMART App Launch 2 asks every server to take. */
export const assertionAlgorithms = ['RS384', 'ES384'];

/** A client that is known by its public keys. */
export interface AssertingClient {
  id: string;
  jwks: { keys: Record<string, unknown>[] };
}

/**
 * Reads a client assertion (RFC 7523, SMART Backend Services): whose it is, or `why` it is none, in words for developers. Whether it was
 * used before is for the caller to see, by `jti`.
 */
export async function readAssertion<Client extends AssertingClient>(
  assertion: string,
  { audience, clientOf }: { audience: string; clientOf: (clientId: string) => Promise<Client | null> },
): Promise<{ client: Client; jti: string; endsAt: Date } | { why: string }> {
  try {
    const { alg = 'none', kid } = decodeProtectedHeader(assertion);
    const { iss } = decodeJwt(assertion);
    if (!assertionAlgorithms.includes(alg)) return { why: `alg must be ${assertionAlgorithms.join(' or ')}` };
    const client = typeof iss === 'string' && iss.length <= 200 ? await clientOf(iss) : null;
    if (!client) return { why: 'iss is not the id of a client that is registered here' };
    const key = client.jwks.keys.find((each) => each.kid === kid);
    if (!key) return { why: 'kid is not in the key set that the client registered' };
    const { payload } = await jwtVerify(assertion, await importJWK(key as JWK, alg), {
      algorithms: assertionAlgorithms,
      issuer: client.id,
      subject: client.id,
      audience,
      requiredClaims: ['exp', 'jti'],
    });
    const { exp = 0, jti } = payload;
    if (exp > Date.now() / 1_000 + MAX_SECONDS) return { why: 'exp lies more than five minutes ahead' };
    if (typeof jti !== 'string' || jti === '' || jti.length > 500)
      return { why: 'jti must be a text of 1 to 500 characters' };
    return { client, jti, endsAt: new Date(exp * 1_000) };
  } catch (error) {
    return { why: wordsFor(error, audience) };
  }
}

function wordsFor(error: unknown, audience: string): string {
  if (error instanceof errors.JWTExpired) return 'exp has passed';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === 'aud'
      ? `aud must be the address of the token endpoint, ${audience}`
      : `${error.claim} is missing, or not as it must be`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature is not of the key that kid names';
  if (error instanceof errors.JOSEError || error instanceof TypeError) return 'client_assertion is not a signed JWT';
  throw error;
}

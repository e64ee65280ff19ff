import type { SingleSignOnCheck } from '@clinic/shared/contracts/accounts/single-sign-on';
import { type Fields, isFields, parseJson } from '@clinic/shared/domain/json';
import { OutboundError, type OutboundErrorCode } from '../http/safe-http';

type Finding = SingleSignOnCheck['findings'][number];

/** Reads an address of the identity provider's. Throws `OutboundError`. */
export type Read = (url: string) => Promise<{ status: number; body: string }>;

const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

/** Reads the discovery document of an issuer and its keys, and says in plain words what will not work. */
export async function checkIssuer(
  read: Read,
  { issuer, roleClaim, allowsHttp }: { issuer: string; roleClaim: string | null; allowsHttp: boolean },
): Promise<SingleSignOnCheck> {
  const findings = await findingsOf(read, { issuer, roleClaim, allowsHttp });
  return { passed: findings.every(({ isProblem }) => !isProblem), findings };
}

async function findingsOf(
  read: Read,
  { issuer, roleClaim, allowsHttp }: { issuer: string; roleClaim: string | null; allowsHttp: boolean },
): Promise<Finding[]> {
  if (!allowsHttp && !issuer.startsWith('https:')) return [problem('issuer', 'The issuer must be an https address.')];
  const address = discoveryAddressOf(issuer);
  const answer = await readable(read, address);
  if ('fault' in answer) return [problem('issuer', `${address} cannot be read: ${answer.fault}`)];
  const found = parseJson(answer.body);
  if (answer.status !== 200 || !isFields(found)) {
    return [
      problem(
        'issuer',
        `There is no discovery document at ${address} (status ${answer.status}). Is the issuer what your identity provider calls it?`,
      ),
    ];
  }
  return [...said(found, { issuer, roleClaim }), ...(await keys(read, found))];
}

/** What the document itself says. */
function said(found: Fields, { issuer, roleClaim }: { issuer: string; roleClaim: string | null }): Finding[] {
  const lists = (name: string, value: string): boolean | null => {
    const list = found[name];
    return Array.isArray(list) ? list.includes(value) : null;
  };
  const algorithms = found['id_token_signing_alg_values_supported'];
  return [
    ...(isSameIssuer(String(found['issuer']), issuer)
      ? []
      : [
          problem('issuer', `The identity provider calls itself ${String(found['issuer'])}: enter that as the issuer.`),
        ]),
    ...NEEDED.filter((name) => typeof found[name] !== 'string').map((name) =>
      problem('issuer', `The discovery document names no ${name}.`),
    ),
    ...(lists('response_types_supported', 'code') === false
      ? [problem('issuer', 'The identity provider does not offer the authorization code flow (response type code).')]
      : []),
    ...(Array.isArray(algorithms) && !algorithms.some(isAsymmetric)
      ? [problem('issuer', 'The identity provider signs id tokens by no algorithm with a public key.')]
      : []),
    ...(lists('code_challenge_methods_supported', 'S256') === false
      ? [note('issuer', 'The identity provider does not say that it checks PKCE with S256.')]
      : []),
    ...(lists('scopes_supported', 'email') === false
      ? [note('issuer', 'The identity provider does not offer the scope email: people without an address are refused.')]
      : []),
    ...(roleClaim !== null && lists('claims_supported', roleClaim.split('.')[0] ?? '') === false
      ? [note('roleClaim', `The identity provider does not name ${roleClaim} among its claims.`)]
      : []),
    ...(found['backchannel_logout_supported'] === true
      ? []
      : [
          note(
            'issuer',
            'Signing out at the identity provider ends no session here: it offers no back-channel logout.',
          ),
        ]),
  ];
}

async function keys(read: Read, found: Fields): Promise<Finding[]> {
  const address = found['jwks_uri'];
  if (typeof address !== 'string') return [];
  const answer = await readable(read, address);
  if ('fault' in answer) return [problem('issuer', `Its keys at ${address} cannot be read: ${answer.fault}`)];
  const set = parseJson(answer.body);
  const list = isFields(set) ? set['keys'] : null;
  return Array.isArray(list) && list.length > 0 ? [] : [problem('issuer', `There are no keys at ${address}.`)];
}

async function readable(read: Read, url: string): Promise<{ status: number; body: string } | { fault: string }> {
  try {
    return await read(url);
  } catch (error) {
    if (error instanceof OutboundError) return { fault: faults[error.code] };
    throw error;
  }
}

const discoveryAddressOf = (issuer: string): string => `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;

/** Some write a slash at its end, some do not. */
export const isSameIssuer = (one: string, other: string): boolean =>
  one.replace(/\/+$/, '') === other.replace(/\/+$/, '');

/** Signatures that the client secret, which others may know, cannot make. */
export const isAsymmetric = (algorithm: unknown): algorithm is string =>
  typeof algorithm === 'string' && /^(?:RS|PS|ES)\d{3}$|^EdDSA$|^Ed25519$/.test(algorithm);

export const faults: Record<OutboundErrorCode, string> = {
  bad_url: 'the address is no https address.',
  bad_request: 'the address cannot be asked.',
  private_target: 'it is a private address, which this service does not reach unless the operator lists it.',
  timeout: 'it takes too long to answer.',
  too_large: 'it answers more than a discovery document holds.',
  tls: 'its certificate is not trusted.',
  network: 'nothing answers there.',
  circuit_open: 'it has failed several times; try again in half a minute.',
  not_sent: 'it took too long.',
  unauthorized: 'it refuses our credentials.',
};

const problem = (path: string, message: string): Finding => ({ path, message, isProblem: true });
const note = (path: string, message: string): Finding => ({ path, message, isProblem: false });

import { checkIssuer, faults, isAsymmetric, isSameIssuer } from '@clinic/gateways/sign-on/check';
import { OutboundError, type OutboundErrorCode } from '@clinic/gateways/http/safe-http';

const ISSUER = 'https://idp.example';
const KEYS = `${ISSUER}/keys`;
const good = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: KEYS,
  backchannel_logout_supported: true,
};
type Answer = { status?: number; body: unknown } | OutboundErrorCode;

/** What an identity provider is found to lack: `!` is a problem; and what was read of it. */
async function check(
  document: Answer,
  {
    keys = { body: { keys: [{ kid: '1' }] } },
    ...more
  }: { keys?: Answer; issuer?: string; roleClaim?: string | null; allowsHttp?: boolean } = {},
) {
  const asked: string[] = [];
  const { passed, findings } = await checkIssuer(
    async (url) => {
      asked.push(url);
      const answer = url === KEYS ? keys : document;
      if (typeof answer === 'string') throw new OutboundError(answer, 'x');
      const { status = 200, body } = answer;
      return { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
    },
    { issuer: ISSUER, roleClaim: null, allowsHttp: false, ...more },
  );
  expect(passed).toBe(findings.every(({ isProblem }) => !isProblem));
  return { asked, found: findings.map(({ path, message, isProblem }) => `${path}${isProblem ? '!' : ''} ${message}`) };
}

test('a provider that has everything has no finding', async () => {
  const all = {
    ...good,
    response_types_supported: ['code'],
    id_token_signing_alg_values_supported: ['HS256', 'RS256'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['email'],
    claims_supported: ['realm_access'],
  };

  expect(await check({ body: all }, { roleClaim: 'realm_access.roles' })).toEqual({
    asked: [`${ISSUER}/.well-known/openid-configuration`, KEYS],
    found: [],
  });
});

test.each<[string, object, string[]]>([
  ['says nothing of what it may', {}, []],
  [
    'is called otherwise',
    { issuer: 'https://other.example' },
    ['issuer! The identity provider calls itself https://other.example'],
  ],
  ['is called so with a slash', { issuer: `${ISSUER}/` }, []],
  [
    'has no address to sign in',
    { authorization_endpoint: undefined },
    ['issuer! The discovery document names no authorization_endpoint.'],
  ],
  ['has no address of tokens', { token_endpoint: 7 }, ['issuer! The discovery document names no token_endpoint.']],
  ['has no address of keys', { jwks_uri: undefined }, ['issuer! The discovery document names no jwks_uri.']],
  [
    'has no code flow',
    { response_types_supported: ['token'] },
    ['issuer! The identity provider does not offer the authorization code flow'],
  ],
  [
    'signs by its secret alone',
    { id_token_signing_alg_values_supported: ['HS256'] },
    ['issuer! The identity provider signs id tokens by no algorithm'],
  ],
  [
    'has no PKCE',
    { code_challenge_methods_supported: ['plain'] },
    ['issuer The identity provider does not say that it checks PKCE'],
  ],
  [
    'has no scope email',
    { scopes_supported: ['openid'] },
    ['issuer The identity provider does not offer the scope email'],
  ],
  [
    'lacks the claim',
    { claims_supported: ['sub', 'roles'] },
    ['roleClaim The identity provider does not name realm_access.roles'],
  ],
  [
    'has lists that are none',
    { response_types_supported: 'x', id_token_signing_alg_values_supported: 'x', scopes_supported: 'x' },
    [],
  ],
  [
    'ends no session',
    { backchannel_logout_supported: false },
    ['issuer Signing out at the identity provider ends no session here'],
  ],
])('a provider that %s', async (_what, changed, expected) => {
  const { found } = await check({ body: { ...good, ...changed } }, { roleClaim: 'realm_access.roles' });

  expect(found).toEqual(expected.map((each) => expect.stringContaining(each)));
});

test('no claim is looked for where roles come from none', async () => {
  expect((await check({ body: { ...good, claims_supported: [] } })).found).toEqual([]);
});

test.each<[string, Answer, string]>([
  ['a status that is no success', { status: 404, body: good }, '(status 404)'],
  [
    'a page',
    { body: '<html>' },
    'There is no discovery document at https://idp.example/.well-known/openid-configuration',
  ],
  ['a list', { body: [good] }, 'There is no discovery document'],
  ['nothing', { body: 'null' }, 'There is no discovery document'],
])('a discovery document that is %s is the one problem', async (_what, document, words) => {
  const { found, asked } = await check(document);

  expect(found).toEqual([expect.stringContaining(words)]);
  expect(found[0]).toMatch(/^issuer! /);
  expect(asked).toHaveLength(1);
});

test.each(Object.keys(faults) as OutboundErrorCode[])('%s is told in words', async (code) => {
  const document = await check(code);
  const keys = await check({ body: good }, { keys: code });

  expect(document.found).toEqual([
    `issuer! https://idp.example/.well-known/openid-configuration cannot be read: ${faults[code]}`,
  ]);
  expect(keys.found).toEqual([`issuer! Its keys at ${KEYS} cannot be read: ${faults[code]}`]);
});

test.each<[string, Answer]>([
  ['no keys', { body: { keys: [] } }],
  ['no list of keys', { body: { keys: 'x' } }],
  ['no set', { body: [] }],
  ['a page', { body: '<html>' }],
])('a provider with %s', async (_what, keys) => {
  expect((await check({ body: good }, { keys })).found).toEqual([`issuer! There are no keys at ${KEYS}.`]);
});

test('plain http is refused unless it is allowed', async () => {
  const issuer = 'http://idp.example//';
  const body = { ...good, issuer };

  expect(await check({ body }, { issuer })).toEqual({
    asked: [],
    found: ['issuer! The issuer must be an https address.'],
  });
  expect(await check({ body }, { issuer, allowsHttp: true })).toEqual({
    asked: ['http://idp.example/.well-known/openid-configuration', KEYS],
    found: [],
  });
});

test('a fault of our own is not told as one of the provider', async () => {
  const read = () => Promise.reject(new TypeError('ours'));

  await expect(checkIssuer(read, { issuer: ISSUER, roleClaim: null, allowsHttp: false })).rejects.toThrow('ours');
});

test.each([
  ['RS256', true],
  ['PS512', true],
  ['ES384', true],
  ['EdDSA', true],
  ['Ed25519', true],
  ['HS256', false],
  ['none', false],
  [7, false],
])('%s is an algorithm with a public key: %s', (algorithm, expected) => {
  expect(isAsymmetric(algorithm)).toBe(expected);
});

test.each([
  ['https://a', 'https://a/', true],
  ['https://a//', 'https://a', true],
  ['https://a', 'https://b', false],
])('%s and %s are one issuer: %s', (one, other, expected) => {
  expect(isSameIssuer(one, other)).toBe(expected);
});

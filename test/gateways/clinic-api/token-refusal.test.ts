import { type AskedForToken, tokenRefusal } from '@clinic/gateways/clinic-api/token-refusal';

const NOW = Date.parse('2035-03-05T10:00:00Z');
const secret: AskedForToken = { method: 'oauth2-client-credentials', clientAuthentication: 'client_secret_basic' };
const assertion: AskedForToken = {
  method: 'smart-backend',
  clientAuthentication: 'private_key_jwt',
  algorithm: 'ES384',
  jwksUrl: 'https://us.example/jwks',
};
const refusal = (
  { status = 400, body = {}, date }: { status?: number; body?: unknown; date?: string },
  asked = secret,
) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return tokenRefusal('ehr.example', { status, headers: date === undefined ? {} : { date }, body: text }, asked, NOW);
};
const inHeader = /the server wants the secret in the header\.$/;
const inBody = /the server wants the secret in the body\.$/;

test.each<[string, AskedForToken, RegExp]>([
  ['invalid_client', secret, inBody],
  ['invalid_grant', secret, inBody],
  ['invalid_client', { ...secret, clientAuthentication: 'client_secret_post' }, inHeader],
  [
    'invalid_client',
    assertion,
    /Likely: the client id is another one there; the key set at https:\/\/us\.example\/jwks is not registered.*; the server does not take ES384; it expects another audience than the token URL\.$/,
  ],
  ['invalid_grant', assertion, /Likely: the client id is another one there/],
  ['invalid_scope', { ...secret, scope: 'system/*.rs' }, /A scope is not granted to this client there/],
  ['invalid_scope', secret, /The server wants scopes to be named/],
  ['unauthorized_client', secret, /not allowed the grant client_credentials/],
  ['unsupported_grant_type', secret, /does not know the grant/],
  ['invalid_request', secret, /misses something/],
  ['temporarily_unavailable', secret, /its own fault: try again later/],
  ['server_error', secret, /its own fault: try again later/],
  ['odd_error', secret, /It does not say why\.$/],
])('%s is told with what is likely', (error, asked, words) => {
  const { code, sentence } = refusal({ body: { error } }, asked);

  expect(code).toBe(error);
  expect(sentence).toMatch(words);
  expect(sentence).toMatch(new RegExp(`^ehr\\.example gave no token: http 400 ${error}\\. `));
});

test.each([
  [200, 'The answer holds no access_token: the token URL may be that of a page for people.'],
  [299, 'The answer holds no access_token: the token URL may be that of a page for people.'],
  [199, 'It does not say why.'],
  [300, 'It redirects, which is not followed: enter the address that it redirects to.'],
  [399, 'It redirects, which is not followed: enter the address that it redirects to.'],
  [400, 'It does not say why.'],
  [401, 'It refuses the client without saying why.'],
  [403, 'It refuses the client without saying why.'],
  [404, 'There is no token endpoint at this address.'],
  [405, 'There is no token endpoint at this address.'],
  [429, 'It was asked too often: try again later.'],
  [499, 'It does not say why.'],
  [500, 'The server is in trouble: try again later.'],
  [503, 'The server is in trouble: try again later.'],
])('an answer of %d without a word', (status, words) => {
  for (const body of ['<html>', {}, { error: 'Not a code' }, { error: 7 }])
    expect(refusal({ status, body })).toEqual({
      code: `http_${status}`,
      sentence: `ehr.example gave no token: http ${status}. ${words}`,
    });
});

test('what the server says is quoted on one line, as far as it is printable and not too long', () => {
  const said = (error_description: unknown) => refusal({ body: { error: 'odd_error', error_description } }).sentence;

  expect(said('  No such\n client é ')).toContain('odd_error (“No such client”). It');
  expect(said('x'.repeat(201))).toContain(`(“${'x'.repeat(200)}”)`);
  expect(said(7)).toContain('odd_error. It');
});

test.each([
  ['Mon, 05 Mar 2035 10:01:00 GMT', null],
  ['Mon, 05 Mar 2035 09:59:00 GMT', null],
  ['Mon, 05 Mar 2035 10:01:01 GMT', 61],
  ['Mon, 05 Mar 2035 09:58:59 GMT', 61],
  ['today', null],
  [undefined, null],
])('a server whose clock says %s', (date, seconds) => {
  const { sentence } = refusal({ body: { error: 'invalid_client' }, date }, assertion);

  if (seconds === null) expect(sentence).toContain('. Likely: ');
  else expect(sentence).toMatch(new RegExp(`Its clock and ours differ by ${seconds} seconds, .* Else likely: `));
});

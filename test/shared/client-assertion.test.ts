import { inflateSync } from 'node:zlib';
import { readAssertion } from '@clinic/shared/client-assertion';
import { type ClientKey, newClientKey, signAssertion } from '@clinic/shared/client-key';
import { currencyOf, moneyOfClinic } from '@clinic/shared/currency';
import { createGrowingDelays } from '@clinic/shared/growing-delays';
import { mayReadMetrics } from '@clinic/shared/metrics-token';
import { networkOf } from '@clinic/shared/network';
import { pngOf } from '@clinic/shared/png';
import { Remembered } from '@clinic/shared/remembered';
import { importJWK, SignJWT } from 'jose';

const audience = 'https://clinic.example/token';
let key: ClientKey;
let another: ClientKey;

beforeAll(async () => {
  [key, another] = await Promise.all([newClientKey('ES384'), newClientKey('ES384')]);
});

const read = (assertion: string, keys = [another.publicJwk, key.publicJwk]) =>
  readAssertion(assertion, {
    audience,
    clientOf: (id) => Promise.resolve(id === 'c1' ? { id, jwks: { keys } } : null),
  });
const seconds = () => Math.floor(Date.now() / 1_000);
async function signed(claims: object = {}, header: object = {}): Promise<string> {
  return new SignJWT({ iss: 'c1', sub: 'c1', aud: audience, exp: seconds() + 200, jti: 'one', ...claims })
    .setProtectedHeader({ alg: 'ES384', kid: key.kid, ...header })
    .sign(await importJWK(key.privateJwk, 'ES384'));
}

test('an assertion that the client signed is its own', async () => {
  expect(await read(await signAssertion(key, { clientId: 'c1', audience }))).toMatchObject({
    client: { id: 'c1' },
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(await read(await signed({ exp: 4_000_000_000, jti: 'x' }))).toEqual({
    why: 'exp lies more than five minutes ahead',
  });
  const exp = seconds() + 290;
  expect(await read(await signed({ exp }))).toMatchObject({ jti: 'one', endsAt: new Date(exp * 1_000) });
});

test('an assertion may last five minutes, and not a second longer', async () => {
  const now = 4_000_000_000;
  jest.spyOn(Date, 'now').mockReturnValue(now * 1_000);

  const answers = [await read(await signed({ exp: now + 300 })), await read(await signed({ exp: now + 301 }))];
  jest.restoreAllMocks();

  expect(answers).toEqual([
    { client: expect.objectContaining({ id: 'c1' }), jti: 'one', endsAt: new Date((now + 300) * 1_000) },
    { why: 'exp lies more than five minutes ahead' },
  ]);
});

test.each<[string, object, object, string]>([
  ['an issuer that is nobody', { iss: 'c2' }, {}, 'iss is not the id of a client that is registered here'],
  ['no issuer', { iss: undefined }, {}, 'iss is not the id of a client that is registered here'],
  ['a key that is unknown', {}, { kid: 'k2' }, 'kid is not in the key set that the client registered'],
  ['another subject', { sub: 'c2' }, {}, 'sub is missing, or not as it must be'],
  [
    'another audience',
    { aud: 'https://other.example' },
    {},
    `aud must be the address of the token endpoint, ${audience}`,
  ],
  ['an end that has passed', { exp: 1 }, {}, 'exp has passed'],
  ['no end', { exp: undefined }, {}, 'exp is missing, or not as it must be'],
  ['no id', { jti: undefined }, {}, 'jti is missing, or not as it must be'],
  ['an empty id', { jti: '' }, {}, 'jti must be a text of 1 to 500 characters'],
  ['a long id', { jti: 'x'.repeat(501) }, {}, 'jti must be a text of 1 to 500 characters'],
  ['a number for an id', { jti: 7 }, {}, 'jti must be a text of 1 to 500 characters'],
  ['a beginning that is yet to come', { nbf: 4_000_000_000 }, {}, 'nbf is missing, or not as it must be'],
  ['no subject', { sub: undefined }, {}, 'sub is missing, or not as it must be'],
  ['no key', {}, { kid: undefined }, 'kid is not in the key set that the client registered'],
])('an assertion with %s is refused with its reason', async (_what, claims, header, why) => {
  expect(await read(await signed(claims, header))).toEqual({ why });
});

test('an assertion of another key, another algorithm or none is refused', async () => {
  const mine = { ...another.publicJwk, kid: key.kid };
  const none = ['{"alg":"none"}', '{"iss":"c1"}', ''].map((part) => Buffer.from(part).toString('base64url')).join('.');

  expect(await read(await signed(), [mine])).toEqual({ why: 'the signature is not of the key that kid names' });
  expect(await read(none)).toEqual({ why: 'alg must be RS384 or ES384' });
  expect(await read('nothing')).toEqual({ why: 'client_assertion is not a signed JWT' });
});

test('each failure beyond the free ones doubles the wait, up to a quarter of an hour', () => {
  let now = 0;
  const delays = createGrowingDelays({ free: 2, clock: () => now });
  const waits = Array.from({ length: 14 }, () => {
    delays.failed('a');
    return delays.waitMs('a');
  });

  expect(waits.map((ms) => ms / 1_000)).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  expect(delays.waitMs('b')).toBe(0);
  now = 899_999;
  expect(delays.waitMs('a')).toBe(1);
  now = 3_599_999;
  delays.began('a');
  expect(delays.waitMs('a')).toBe(5_000);
  delays.ended('a');
  expect(delays.waitMs('a')).toBe(0);
  now = 3_600_000;
  delays.began('a');
  expect(delays.waitMs('a')).toBe(0);
  delays.failed('a');
  expect(delays.waitMs('a')).toBe(0);
});

test('a try under way holds others back only beyond the free failures, and success forgets them all', () => {
  const delays = createGrowingDelays({ free: 2, clock: () => 0 });

  delays.failed('a');
  delays.began('a');
  expect(delays.waitMs('a')).toBe(0);
  delays.failed('a');
  delays.began('a');
  expect(delays.waitMs('a')).toBe(5_000);
  delays.failed('a');
  expect(delays.waitMs('a')).toBe(2_000);
  delays.succeeded('a');
  expect(delays.waitMs('a')).toBe(0);
});

test('what is fetched is fetched once, until it is forgotten; a failure is not kept', async () => {
  const remembered = new Remembered<number>(60_000);
  let fetched = 0;
  const fetch = () => Promise.resolve((fetched += 1));

  expect(
    await Promise.all([remembered.get('a', fetch), remembered.get('a', fetch), remembered.get('b', fetch)]),
  ).toEqual([1, 1, 2]);
  remembered.forget('a');
  expect([await remembered.get('a', fetch), await remembered.get('b', fetch)]).toEqual([3, 2]);
  remembered.clear();
  expect(await remembered.get('b', fetch)).toBe(4);
  await expect(remembered.get('c', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(await remembered.get('c', fetch)).toBe(5);
});

test('a picture shows its rectangles on white, the later ones above, cut off at its edges', () => {
  const red = [255, 0, 0] as const;
  const blue = [0, 0, 255] as const;
  const png = pngOf({ width: 3, height: 2 }, [
    { x: -1, y: 0, width: 2, height: 9, colour: red },
    { x: 0, y: 1, width: 2, height: 1, colour: blue },
  ]);
  const at = png.indexOf('IDAT');
  const pixels = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
  const white = [255, 255, 255];

  expect([...pixels]).toEqual([0, ...red, ...white, ...white, 0, ...blue, ...blue, ...white]);
  expect(png.subarray(0, 29).toString('hex')).toBe('89504e470d0a1a0a0000000d4948445200000003000000020802000000');
  expect(png.subarray(-12).toString('hex')).toBe('0000000049454e44ae426082');
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['unknown', 'unknown'],
])('%s is of the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('a clinic counts in what it chose, else in that of its country', () => {
  expect(['US', 'GB', 'DE', 'XX'].map(currencyOf)).toEqual(['USD', 'GBP', 'EUR', 'USD']);
  expect(moneyOfClinic({ currency: null, usdRate: 0.9, country: 'DE' })).toEqual({ currency: 'EUR', usdRate: 0.9 });
  expect(moneyOfClinic({ currency: 'USD', usdRate: 0.9, country: 'DE' })).toEqual({ currency: 'USD', usdRate: 1 });
  expect(moneyOfClinic({ currency: 'GBP', usdRate: null, country: 'US' })).toEqual({ currency: 'GBP', usdRate: null });
});

test.each([
  ['Bearer right', 'right', false, true],
  ['Bearer wrong', 'right', true, false],
  ['right', 'right', true, false],
  [undefined, 'right', true, false],
  [undefined, undefined, true, true],
  [undefined, undefined, false, false],
])(
  'metrics are read with %s, where the token is %s and the stack local, %s: %s',
  (given, METRICS_TOKEN, LOCAL_STACK, may) => {
    expect(mayReadMetrics(given, { METRICS_TOKEN, LOCAL_STACK })).toBe(may);
  },
);

import { newSigningSecret, sign } from '@clinic/shared/signing';
import { Webhook } from 'standardwebhooks';

const now = () => Math.floor(Date.now() / 1000);
const headersOf = (id: string, timestamp: number, signature: string) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});

test('the published vector of Standard Webhooks', () => {
  const signature = sign({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  });

  expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('a new secret is whsec_ and the base64 of 32 bytes, never the same', () => {
  const secret = newSigningSecret();

  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newSigningSecret()).not.toBe(secret);
});

test('a receiver that uses the library accepts the signature', () => {
  const secret = newSigningSecret();
  const body = JSON.stringify({ event: 'recovery_case.outcome', name: 'Zoë 🩺' });
  const timestamp = now();
  const signature = sign({ id: 'evt-1', timestamp, body, secrets: [secret] });

  expect(new Webhook(secret).verify(body, headersOf('evt-1', timestamp, signature))).toEqual(JSON.parse(body));
});

test('while a secret rotates, receivers with the old and with the new one both accept', () => {
  const [newer, older] = [newSigningSecret(), newSigningSecret()];
  const timestamp = now();
  const headers = headersOf('evt-1', timestamp, sign({ id: 'evt-1', timestamp, body: '{}', secrets: [newer, older] }));

  expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  expect(new Webhook(newer).verify('{}', headers)).toEqual({});
  expect(new Webhook(older).verify('{}', headers)).toEqual({});
});

test.each([
  ['body', { body: '{"a":2}' }],
  ['id', { id: 'evt-2' }],
  ['time', { timestamp: now() - 1 }],
  ['secret', { secret: newSigningSecret() }],
])('another %s is refused', (_part, changed) => {
  const secret = newSigningSecret();
  const sent = { id: 'evt-1', timestamp: now(), body: '{"a":1}', secret, ...changed };
  const signature = sign({ id: 'evt-1', timestamp: now(), body: '{"a":1}', secrets: [secret] });

  expect(() => new Webhook(sent.secret).verify(sent.body, headersOf(sent.id, sent.timestamp, signature))).toThrow(
    'No matching signature found',
  );
});

test.each([
  [[], 'at least one secret'],
  [['whsec_'], 'is base64'],
])('%j is no set of secrets', (secrets, message) => {
  expect(() => sign({ id: 'evt-1', timestamp: 1, body: '{}', secrets })).toThrow(message);
});

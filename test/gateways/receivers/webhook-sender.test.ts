import { createSafeHttp, type SafeHttp } from '@clinic/gateways/http/safe-http';
import { createWebhookSender, type WebhookMessage } from '@clinic/gateways/receivers/webhook-sender';
import { newSigningSecret } from '@clinic/shared/signing';
import { Webhook } from 'standardwebhooks';
import { json, startHttpReceiver, type HttpReceiver } from '../../support/outside/http-receiver';

const [secret, oldSecret] = [newSigningSecret(), newSigningSecret()];
let receiver: HttpReceiver;
let http: SafeHttp;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  http = createSafeHttp({ allowPrivateTargets: true });
});
afterAll(() => Promise.all([http.close(), receiver.close()]));
beforeEach(() => {
  receiver.received.length = 0;
});

const send = (changed: Partial<WebhookMessage> = {}) =>
  createWebhookSender({ http }).send({
    url: `${receiver.url}/hook`,
    eventId: 'evt-1',
    body: '{"event":"recovery_case.outcome"}',
    secrets: [secret],
    at: new Date(),
    ...changed,
  });

test('an event is posted as JSON and both live secrets verify it', async () => {
  receiver.answer(json(204, undefined));

  const result = await send({ secrets: [secret, oldSecret] });

  expect(result).toEqual({ kind: 'delivered', status: 204, durationMs: expect.any(Number) });
  const [request] = receiver.received;
  expect(request).toMatchObject({ method: 'POST', path: '/hook', body: '{"event":"recovery_case.outcome"}' });
  expect(request!.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'clinic-workflows/1',
    'webhook-id': 'evt-1',
  });
  const headers = Object.fromEntries(Object.entries(request!.headers).map(([name, value]) => [name, String(value)]));
  for (const live of [secret, oldSecret]) {
    expect(new Webhook(live).verify(request!.body, headers)).toBeTruthy();
  }
});

test('a retry keeps the id and signs its own time', async () => {
  receiver.answer(json(200, {}));
  await send({ at: new Date('2026-03-01T09:00:00Z') });
  await send({ at: new Date('2026-03-01T09:00:05Z') });

  const [first, second] = receiver.received.map(({ headers }) => headers);
  expect(first!['webhook-id']).toBe(second!['webhook-id']);
  expect(first!['webhook-timestamp']).toBe('1772355600');
  expect(second!['webhook-timestamp']).toBe('1772355605');
  expect(first!['webhook-signature']).not.toBe(second!['webhook-signature']);
});

test.each([301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 503])('%i is a failed attempt', async (status) => {
  receiver.answer((_request, response) => response.writeHead(status, { location: `${receiver.url}/other` }).end());

  expect(await send()).toEqual({
    kind: 'failed',
    status,
    error: `http_${status}`,
    durationMs: expect.any(Number),
    retryAfterMs: null,
  });
  expect(receiver.received).toHaveLength(1);
});

test.each([
  ['seconds', () => '120', 120_000],
  ['a date', () => new Date(Date.now() + 60_000).toUTCString(), 60_000],
  ['a date that has passed', () => new Date(Date.now() - 60_000).toUTCString(), 0],
])('what a receiver asks for in Retry-After as %s is told', async (_form, header, expected) => {
  receiver.answer((_request, response) => response.writeHead(503, { 'retry-after': header() }).end());

  const result = await send();

  const { retryAfterMs } = result as { retryAfterMs: number };
  expect(result.kind).toBe('failed');
  expect(retryAfterMs).toBeLessThanOrEqual(expected);
  expect(retryAfterMs).toBeGreaterThan(expected - 5_000);
});

test.each(['soon', ''])('a Retry-After that says nothing (%p) counts as none', async (header) => {
  receiver.answer((_request, response) => response.writeHead(429, { 'retry-after': header }).end());

  expect(await send()).toMatchObject({ kind: 'failed', status: 429, retryAfterMs: null });
});

test('the start of the answer to a failed attempt is kept, without NUL', async () => {
  receiver.answer((_request, response) => response.writeHead(500).end(`bad\u0000 field${'x'.repeat(10_000)}`));

  expect(await send()).toMatchObject({
    kind: 'failed',
    responseSnippet: expect.stringMatching(/^bad fieldx{490,502}$/),
  });
});

test('no answer in time is a failed attempt', async () => {
  receiver.answer(() => undefined);

  expect(await send({ timeoutMs: 50 })).toMatchObject({ kind: 'failed', status: null, error: 'timeout' });
});

test('a reset connection is a failed attempt', async () => {
  receiver.answer((_request, response) => response.socket?.resetAndDestroy());

  expect(await send()).toMatchObject({ kind: 'failed', status: null, error: 'network' });
});

test('a 200 whose body never ends is delivered', async () => {
  receiver.answer((_request, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 10);
    response.on('close', () => clearInterval(drip));
  });

  expect(await send({ timeoutMs: 500 })).toMatchObject({ kind: 'delivered', status: 200 });
});

test('a private target is a failed attempt', async () => {
  const guarded = createSafeHttp({ allowPrivateTargets: false });

  const result = await createWebhookSender({ http: guarded }).send({
    url: receiver.url,
    eventId: 'evt-1',
    body: '{}',
    secrets: [secret],
    at: new Date(),
  });

  expect(result).toMatchObject({ kind: 'failed', status: null, error: 'private_target' });
  expect(receiver.received).toHaveLength(0);
});

test('a cancelled delivery throws the reason of the cancellation', async () => {
  receiver.answer(() => undefined);
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('cancelled')), 20);

  await expect(send({ signal: controller.signal })).rejects.toThrow('cancelled');
});

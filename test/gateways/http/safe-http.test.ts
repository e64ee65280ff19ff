import { createServer as createTcpServer } from 'node:net';
import { isPublicAddress } from '@clinic/gateways/http/addresses';
import { createSafeFetch } from '@clinic/gateways/http/safe-fetch';
import { createSafeHttp, OutboundError, type Lookup, type SafeHttp } from '@clinic/gateways/http/safe-http';
import { eventually } from '../../support/eventually';
import { json, listen, startHttpReceiver, type HttpReceiver } from '../../support/outside/http-receiver';
import { startTlsReceiver, type TlsReceiver } from '../../support/outside/tls-receiver';

type Address = { address: string; family: number };

/** A resolver that gives the next of these answers each time it is asked, and its last one from then on. */
const resolver =
  (...answers: Address[][]): Lookup =>
  (_hostname, _options, callback) =>
    callback(null, answers.length > 1 ? answers.shift()! : answers[0]!);
const v4 = (address: string): Address => ({ address, family: 4 });

let receiver: HttpReceiver;
let open: SafeHttp;
let guarded: SafeHttp;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  open = createSafeHttp({ allowPrivateTargets: true });
  guarded = createSafeHttp({ allowPrivateTargets: false });
});
afterAll(() => Promise.all([open.close(), guarded.close(), receiver.close()]));
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer(json(200, { ok: true }));
});

test('plain http is refused where everything must be https, before anything is sent', async () => {
  const strict = createSafeHttp({ allowPrivateTargets: true, isHttpsOnly: true });

  const call = strict.request({ method: 'GET', url: `http://127.0.0.1:${receiver.port}/` });

  await expect(call).rejects.toMatchObject({ code: 'bad_url', message: 'the address is not https' });
  expect(receiver.received).toHaveLength(0);
  await strict.close();
});

test('requests that hang, however many, hold up none of another clinic at the same origin', async () => {
  const client = createSafeHttp({ allowPrivateTargets: true });
  const held: (() => void)[] = [];
  receiver.answer((request, response) => {
    if (request.path === '/quick') response.writeHead(204).end();
    else held.push(() => response.writeHead(204).end());
  });
  const ask = (path: string) => client.request({ method: 'POST', url: receiver.url + path, timeoutMs: 10_000 });
  const slow = Array.from({ length: 200 }, () => ask('/slow'));
  await eventually(() => held.length > 60);

  const quick = await Promise.race([ask('/quick'), ...slow]);
  await eventually(() => held.length === 200);
  for (const end of held) end();

  expect(quick.status).toBe(204);
  expect((await Promise.all(slow)).every(({ status }) => status === 204)).toBe(true);
  await client.close();
});

test.each([204, 205, 304])('to who uses it as fetch an answer of %i has no body', async (status) => {
  receiver.answer((_request, response) => void response.writeHead(status).end());

  const answer = await createSafeFetch(open, {})(receiver.url);

  expect([answer.status, answer.body]).toEqual([status, null]);
});

describe('a target on a private network', () => {
  test.each([
    '127.0.0.1',
    '[::ffff:127.0.0.1]',
    '[::1]',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '0.0.0.0',
    'localhost',
    '169.254.169.254',
    '[fd00:ec2::254]',
    '10.0.0.1',
    '100.64.0.1',
    '[64:ff9b::7f00:1]',
  ])('%s is refused before anything is sent', async (host) => {
    const call = guarded.request({ method: 'GET', url: `http://${host}:${receiver.port}/` });

    await expect(call).rejects.toMatchObject({ name: 'OutboundError', code: 'private_target' });
    expect(receiver.received).toHaveLength(0);
  });

  test('is refused when one of several addresses of a name is private', async () => {
    const http = createSafeHttp({
      allowPrivateTargets: false,
      lookup: resolver([v4('93.184.216.34'), v4('127.0.0.1')]),
    });

    const call = http.request({ method: 'GET', url: `http://clinic.example:${receiver.port}/` });

    await expect(call).rejects.toMatchObject({
      code: 'private_target',
      message: 'clinic.example is not a public address',
    });
  });

  test('is refused when the name was public a moment ago (rebinding between two calls)', async () => {
    const lookup = resolver([v4('192.0.2.1')], [v4('127.0.0.1')]);
    const http = createSafeHttp({ allowPrivateTargets: false, lookup });
    const url = `http://clinic.example:${receiver.port}/`;

    await expect(http.request({ method: 'GET', url })).rejects.toMatchObject({ code: 'private_target' });
    await expect(http.request({ method: 'GET', url })).rejects.toMatchObject({ code: 'private_target' });
    expect(receiver.received).toHaveLength(0);
  });

  test('is refused when the checked address is not the one that was reached (rebinding within one call)', async () => {
    const own = await startHttpReceiver();
    let asked = 0;
    const shifting = {
      family: 4,
      get address() {
        asked += 1;
        return asked === 1 ? '93.184.216.34' : '127.0.0.1';
      },
    };
    const http = createSafeHttp({ allowPrivateTargets: false, lookup: resolver([shifting]) });

    const call = http.request({ method: 'GET', url: `http://clinic.example:${own.port}/` });

    await expect(call).rejects.toMatchObject({ code: 'private_target' });
    expect(asked).toBeGreaterThan(1);
    expect(own.received).toHaveLength(0);
    expect(await eventually(async () => (await own.connections()) === 0)).toBe(true);
    await Promise.all([http.close(), own.close()]);
  });

  test.each<[string, Address[]]>([
    ['a private address', [v4('127.0.0.1')]],
    ['a private address after a public one', [v4('93.184.216.34'), v4('127.0.0.1')]],
    ['no address', []],
  ])('is not even connected to by a name of %s', async (_what, addresses) => {
    const own = await startHttpReceiver();
    const connected = jest.fn();
    own.answer(connected);
    const http = createSafeHttp({ allowPrivateTargets: false, lookup: resolver(addresses) });

    const call = http.request({ method: 'GET', url: `http://clinic.example:${own.port}/` });

    await expect(call).rejects.toMatchObject({
      code: 'private_target',
      message: 'clinic.example is not a public address',
    });
    expect(await own.connections()).toBe(0);
    expect(connected).not.toHaveBeenCalled();
    await Promise.all([http.close(), own.close()]);
  });

  test('is logged by host alone', async () => {
    const warn = jest.fn();
    const http = createSafeHttp({ allowPrivateTargets: false, log: { warn } });

    await http.request({ method: 'GET', url: 'http://169.254.169.254/latest/meta-data' }).catch(() => undefined);

    expect(warn).toHaveBeenCalledWith({ host: '169.254.169.254' }, 'call to a private address refused');
  });

  test('is reached where private targets are allowed', async () => {
    const { status, body, headers } = await open.request({ method: 'GET', url: `${receiver.url}/path?q=1` });

    expect({ status, body }).toEqual({ status: 200, body: '{"ok":true}' });
    expect(headers['content-type']).toBe('application/json');
    expect(receiver.received[0]).toMatchObject({ method: 'GET', path: '/path?q=1' });
  });
});

test.each(['8.8.8.8', '2606:4700::1111'])('%s is a public address', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  '',
  'clinic.example',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  'fe80::1',
  '2002:7f00:1::',
  '::10.0.0.1',
  '::7f00:1',
  '::a9fe:a9fe',
  '100::1',
  '4000::1',
  '192.0.0.1',
  // Where the large providers keep what their machines may know: AWS and most others, AWS and Google over IPv6, Azure, Alibaba, Oracle.
  '169.254.169.254',
  'fd00:ec2::254',
  'fd20:ce::254',
  '168.63.129.16',
  '::ffff:168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
])('%j is none', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  ['http://user:password@clinic.example/', 'the address holds credentials'],
  ['http://user@clinic.example/', 'the address holds credentials'],
  ['ftp://clinic.example/', 'the address is neither http nor https'],
  ['file:///etc/passwd', 'the address is neither http nor https'],
  ['clinic.example', 'the address is not a URL'],
  ['', 'the address is not a URL'],
])('%j is no address to call', async (url, message) => {
  await expect(open.request({ method: 'GET', url })).rejects.toMatchObject({ code: 'bad_url', message });
});

test('a redirect is an answer and is not followed', async () => {
  receiver.answer((_request, response) => response.writeHead(302, { location: '/elsewhere' }).end());

  const { status, headers } = await open.request({ method: 'POST', url: receiver.url, body: '{}' });

  expect(status).toBe(302);
  expect(headers['location']).toBe('/elsewhere');
  expect(receiver.received).toHaveLength(1);
});

describe('bounds', () => {
  test('no answer in time is a timeout', async () => {
    receiver.answer(() => undefined);

    const call = open.request({ method: 'GET', url: receiver.url, timeoutMs: 50 });

    await expect(call).rejects.toMatchObject({ code: 'timeout', message: expect.stringContaining('within 50 ms') });
  });

  test('an answer that drips does not outlive the deadline', async () => {
    receiver.answer((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(drip));
    });
    const startedAt = Date.now();

    await expect(open.request({ method: 'GET', url: receiver.url, timeoutMs: 100 })).rejects.toMatchObject({
      code: 'timeout',
    });

    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });

  test('an answer of 100 MB is not read to its end', async () => {
    let written = 0;
    receiver.answer((_request, response) => {
      const block = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        while (written < 100_000_000 && !response.destroyed) {
          written += block.length;
          if (!response.write(block)) return;
        }
        response.end();
      };
      response.on('drain', more);
      more();
    });

    await expect(open.request({ method: 'GET', url: receiver.url })).rejects.toMatchObject({ code: 'too_large' });

    expect(written).toBeLessThan(10_000_000);
  });

  test('an answer of exactly the limit is fine, one byte more is not', async () => {
    receiver.answer((_request, response) => response.end('x'.repeat(100)));

    expect((await open.request({ method: 'GET', url: receiver.url, maxBytes: 100 })).body).toHaveLength(100);
    await expect(open.request({ method: 'GET', url: receiver.url, maxBytes: 99 })).rejects.toMatchObject({
      code: 'too_large',
    });
  });

  test.each([
    [64 * 1024, true],
    [64 * 1024 + 1, false],
  ])('an answer of %d bytes, where nobody says how many, is fine: %s', async (bytes, isFine) => {
    receiver.answer((_request, response) => response.end('x'.repeat(bytes)));

    const call = open.request({ method: 'GET', url: receiver.url });

    if (isFine) expect((await call).body).toHaveLength(bytes);
    else await expect(call).rejects.toMatchObject({ code: 'too_large' });
  });

  test('where the status is the answer, a body too long is cut', async () => {
    receiver.answer((_request, response) => response.end('x'.repeat(1_000_000)));

    const { status, body } = await open.request({
      method: 'GET',
      url: receiver.url,
      maxBytes: 10,
      acceptPartialBody: true,
    });

    expect({ status, body }).toEqual({ status: 200, body: 'xxxxxxxxxx' });
  });

  test("the caller's abort ends the call with the caller's reason", async () => {
    receiver.answer(() => undefined);
    const controller = new AbortController();
    const call = open.request({ method: 'GET', url: receiver.url, signal: controller.signal });
    setTimeout(() => controller.abort(new Error('cancelled')), 20);

    await expect(call).rejects.toThrow('cancelled');
    await expect(open.request({ method: 'GET', url: receiver.url, signal: controller.signal })).rejects.toThrow(
      'cancelled',
    );
  });
});

describe('faults', () => {
  test('a connection reset is a network fault that names neither path nor body', async () => {
    receiver.answer((_request, response) => response.socket?.resetAndDestroy());

    const error = await open
      .request({ method: 'POST', url: `${receiver.url}/secret-path?token=abc`, body: 'MARKER' })
      .catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(OutboundError);
    expect(error).toMatchObject({ code: 'network', reason: 'ECONNRESET' });
    expect(String(error)).not.toMatch(/secret-path|token|MARKER/);
  });

  test('nobody listening is a network fault', async () => {
    const gone = await startHttpReceiver();
    await gone.close();

    await expect(open.request({ method: 'GET', url: gone.url })).rejects.toMatchObject({
      code: 'network',
      reason: 'ECONNREFUSED',
    });
  });

  test.each([
    ['ENOTFOUND', undefined],
    ['EAI_AGAIN', undefined],
    ['ENOTFOUND', []],
  ])('a name that cannot be looked up, for %s with %j, is a network fault', async (code, addresses) => {
    const http = createSafeHttp({
      allowPrivateTargets: false,
      // Node gives no addresses beside an error.
      lookup: (_hostname, _options, callback) =>
        callback(Object.assign(new Error('not found'), { code }), addresses as Address[]),
    });

    await expect(http.request({ method: 'GET', url: 'http://clinic.example/' })).rejects.toMatchObject({
      code: 'network',
      reason: code,
      message: `the call to clinic.example failed: ${code}`,
    });
    await http.close();
  });

  test('an answer that is not HTTP is a network fault', async () => {
    const server = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    const port = await listen(server);

    await expect(open.request({ method: 'GET', url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject({
      code: 'network',
    });

    server.close();
  });

  test('a header value with a line break is never sent', async () => {
    const call = open.request({ method: 'GET', url: receiver.url, headers: { 'x-note': 'a\r\nx-admin: 1' } });

    await expect(call).rejects.toMatchObject({ code: 'bad_request' });
    expect(receiver.received).toHaveLength(0);
  });
});

describe('TLS', () => {
  const lookup = resolver([v4('127.0.0.1')]);
  let server: TlsReceiver;
  let http: SafeHttp;
  let untrusting: SafeHttp;

  beforeAll(async () => {
    server = await startTlsReceiver('clinic.example');
    http = createSafeHttp({ allowPrivateTargets: true, lookup, ca: [server.certificate] });
    untrusting = createSafeHttp({ allowPrivateTargets: true, lookup });
  });
  afterAll(() => Promise.all([http.close(), untrusting.close(), server.close()]));

  test('the name is sent, whatever address was dialled', async () => {
    const { body } = await http.request({ method: 'GET', url: `https://clinic.example:${server.port}/` });

    expect(body).toBe('{"ok":true}');
    expect(server.serverNames).toEqual(['clinic.example']);
  });

  test('a certificate for another name is refused', async () => {
    const call = http.request({ method: 'GET', url: `https://other.example:${server.port}/` });

    await expect(call).rejects.toMatchObject({ code: 'tls', reason: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  test('a certificate nobody vouches for is refused', async () => {
    const call = untrusting.request({ method: 'GET', url: `https://clinic.example:${server.port}/` });

    await expect(call).rejects.toMatchObject({ code: 'tls' });
  });

  test('a server that speaks plain HTTP on that port is a tls fault', async () => {
    const call = http.request({ method: 'GET', url: `https://clinic.example:${receiver.port}/` });

    await expect(call).rejects.toMatchObject({ code: 'tls' });
  });
});

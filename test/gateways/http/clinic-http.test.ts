import { getEventListeners } from 'node:events';
import { createClinicHttp, type ClinicCall, type OutboundAudit, retryAfterMs } from '@clinic/gateways/http/clinic-http';
import { createSafeHttp, type SafeHttp } from '@clinic/gateways/http/safe-http';
import { privateTargetAt, reachableAt } from '@clinic/gateways/http/addresses';
import { startTlsReceiver } from '../../support/outside/tls-receiver';
import { type Answer, json, startHttpReceiver, type HttpReceiver } from '../../support/outside/http-receiver';

let http: SafeHttp;
let receiver: HttpReceiver;
let audit: OutboundAudit[];
let waits: number[];

beforeEach(async () => {
  http = createSafeHttp({ allowPrivateTargets: true });
  receiver = await startHttpReceiver(json(200, { ok: true }));
  audit = [];
  waits = [];
});
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all([http.close(), receiver.close()]);
});

const client = () =>
  createClinicHttp({
    http,
    audit: (row) => void audit.push(row),
    random: () => 0.5,
    adjustWait: (ms) => {
      waits.push(ms);
      return 0;
    },
  });
const aCall = (changed: Partial<ClinicCall> = {}): ClinicCall => ({
  clinicId: 'clinic-1',
  system: 'clinic_api',
  action: 'form.progress',
  method: 'GET',
  baseUrl: receiver.url,
  url: `${receiver.url}/forms/MARKER`,
  pathTemplate: '/forms/{sessionId}',
  timeoutMs: 5_000,
  ...changed,
});
/** Gives these answers in turn, and the last one from then on. */
const inTurn = (...answers: Answer[]) => {
  receiver.answer((request, response) => (answers.length > 1 ? answers.shift()! : answers[0]!)(request, response));
};
const reset: Answer = (_request, response) => response.socket?.resetAndDestroy();

describe('retries', () => {
  test.each(['GET', 'HEAD', 'PUT', 'DELETE'] as const)(
    '%s is sent again after a 503, waiting longer each time',
    async (method) => {
      inTurn(json(503, {}), json(503, {}), json(200, { ok: true }));

      expect(await client().call(aCall({ method }))).toMatchObject({ status: 200 });

      expect(receiver.received).toHaveLength(3);
      expect(waits).toEqual([200, 400]);
    },
  );

  test.each(['POST', 'PATCH'] as const)('%s is sent once, whatever happens', async (method) => {
    inTurn(json(503, {}), json(200, {}));
    expect(await client().call(aCall({ method, body: '{}' }))).toMatchObject({ status: 503 });

    inTurn(reset, json(200, {}));
    await expect(client().call(aCall({ method, body: '{}' }))).rejects.toMatchObject({ code: 'network' });

    expect(receiver.received).toHaveLength(2);
  });

  test('a POST that may be sent twice is', async () => {
    inTurn(reset, json(200, {}));

    expect(await client().call(aCall({ method: 'POST', isIdempotent: true }))).toMatchObject({ status: 200 });
  });

  test('after the third failure the last answer is given', async () => {
    inTurn(json(500, {}), json(502, {}), json(503, {}));

    expect(await client().call(aCall())).toMatchObject({ status: 503 });
    expect(receiver.received).toHaveLength(3);
  });

  test('a 404 is an answer and is not asked for again', async () => {
    inTurn(json(404, {}));

    expect(await client().call(aCall())).toMatchObject({ status: 404 });
    expect(receiver.received).toHaveLength(1);
  });

  test('Retry-After is waited for', async () => {
    inTurn(json(429, {}, { 'retry-after': '2' }), json(200, {}));

    expect(await client().call(aCall())).toMatchObject({ status: 200 });
    expect(waits).toEqual([2_200]);
  });

  test('a Retry-After longer than five seconds is left to the caller', async () => {
    inTurn(json(429, {}, { 'retry-after': '3600' }), json(200, {}));

    expect(await client().call(aCall())).toMatchObject({ status: 429 });
    expect(receiver.received).toHaveLength(1);
  });

  test.each<[number, string | undefined, number[]]>([
    [428, '1', []],
    [429, undefined, [200]],
    [429, '0', [200]],
    [429, '5', [5_200]],
    [429, '6', []],
    [430, '1', []],
    [499, undefined, []],
    [500, undefined, [200]],
    [501, undefined, []],
    [503, '5', [5_200]],
    [503, '6', []],
    [503, 'soon', [200]],
  ])('%d that asks to wait %s seconds is asked again after %j', async (status, seconds, expected) => {
    inTurn(json(status, {}, seconds === undefined ? {} : { 'retry-after': seconds }), json(200, {}));

    expect((await client().call(aCall())).status).toBe(expected.length > 0 ? 200 : status);
    expect([waits, receiver.received.length]).toEqual([expected, expected.length + 1]);
  });

  test('calls with one signal are answered, and leave nothing behind at it', async () => {
    const { signal } = new AbortController();
    const clinic = client();

    expect(await clinic.call(aCall({ signal }))).toMatchObject({ status: 200 });
    receiver.answer(reset);
    await expect(clinic.call(aCall({ signal }))).rejects.toMatchObject({ code: 'network' });

    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(audit.map(({ outcome, attempts }) => [outcome, attempts])).toEqual([
      ['ok', 1],
      ['network', 3],
    ]);
  });

  test('a caller who has given up before sends nothing', async () => {
    const call = client().call(aCall({ signal: AbortSignal.abort(new Error('given up')) }));

    await expect(call).rejects.toThrow('given up');
    expect(receiver.received).toEqual([]);
    expect(audit).toMatchObject([{ outcome: 'cancelled', status: null }]);
  });

  test('a caller who gives up while it waits is let go', async () => {
    inTurn(json(503, {}));
    const impatient = createClinicHttp({ http, audit: (row) => void audit.push(row), adjustWait: () => 30_000 });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);

    await expect(impatient.call(aCall({ signal: controller.signal }))).rejects.toMatchObject({ name: 'AbortError' });
    expect(audit).toMatchObject([{ outcome: 'cancelled', attempts: 1, durationMs: expect.any(Number) }]);
    expect(audit[0]!.durationMs).toBeLessThan(10_000);

    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(receiver.received).toHaveLength(1);
    expect(audit).toHaveLength(1);
  });
});

test.each([
  [{}, null],
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after': 'Sun, 01 Mar 2026 09:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Sun, 01 Mar 2026 08:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, null],
])('%j asks to wait %s ms', (headers, ms) => {
  expect(retryAfterMs(headers, Date.parse('2026-03-01T09:00:00Z'))).toBe(ms);
});

describe('the circuit breaker', () => {
  test('opens after five failures in a row, and closes when the other side is well again', async () => {
    const clinic = client();
    const now = jest.spyOn(Date, 'now').mockReturnValue(1_000_000);
    receiver.answer(json(500, {}));
    for (let n = 0; n < 5; n += 1) await clinic.call(aCall({ method: 'POST' }));

    await expect(clinic.call(aCall({ method: 'POST' }))).rejects.toMatchObject({ code: 'circuit_open' });
    expect(receiver.received).toHaveLength(5);

    receiver.answer(json(200, {}));
    await expect(clinic.call(aCall())).rejects.toMatchObject({ code: 'circuit_open' });
    now.mockReturnValue(1_000_000 + 31_000);
    expect(await clinic.call(aCall())).toMatchObject({ status: 200 });
    expect(await clinic.call(aCall())).toMatchObject({ status: 200 });
  });

  test('opens again at once when the trial fails', async () => {
    const clinic = client();
    const now = jest.spyOn(Date, 'now').mockReturnValue(1_000_000);
    receiver.answer(json(500, {}));
    for (let n = 0; n < 5; n += 1) await clinic.call(aCall({ method: 'POST' }));

    now.mockReturnValue(1_000_000 + 31_000);
    expect(await clinic.call(aCall({ method: 'POST' }))).toMatchObject({ status: 500 });

    await expect(clinic.call(aCall({ method: 'POST' }))).rejects.toMatchObject({ code: 'circuit_open' });
  });

  test('one clinic’s failures leave another’s calls to the same address alone', async () => {
    const clinic = client();
    receiver.answer(json(500, {}));
    for (let n = 0; n < 6; n += 1) await clinic.call(aCall({ method: 'POST' })).catch(() => undefined);
    receiver.answer(json(200, {}));

    expect(await clinic.call(aCall({ clinicId: 'another-clinic' }))).toMatchObject({ status: 200 });
  });

  test('one base URL’s failures leave another’s calls alone', async () => {
    const clinic = client();
    receiver.answer(json(500, {}));
    for (let n = 0; n < 6; n += 1) await clinic.call(aCall({ method: 'POST' })).catch(() => undefined);
    receiver.answer(json(200, {}));

    expect(await clinic.call(aCall({ baseUrl: `${receiver.url}/other` }))).toMatchObject({ status: 200 });
  });

  test.each<[string, Partial<ClinicCall>, boolean, string, boolean]>([
    ['no connection', { url: 'http://127.0.0.1:1/' }, true, 'network', true],
    ['no answer in time', { timeoutMs: 20 }, true, 'timeout', true],
    ['no TLS', { url: 'https' }, true, 'tls', true],
    ['an answer that is too long', { maxBytes: 3 }, true, 'too_large', false],
    ['an address that is none', { url: 'elsewhere' }, true, 'bad_url', false],
    ['a header that cannot be sent', { headers: { a: 'line\nbreak' } }, true, 'bad_request', false],
    ['a private address', {}, false, 'private_target', false],
  ])(
    '%s %j where private targets are allowed: %s is %s, and opens it: %s',
    async (_what, changed, allows, code, opens) => {
      receiver.answer((request, response) => {
        if (changed.timeoutMs === undefined || request.path === '/well') json(200, { ok: true })(request, response);
      });
      const guarded = createSafeHttp({ allowPrivateTargets: allows });
      const well = createSafeHttp({ allowPrivateTargets: true });
      let current = guarded;
      const clinic = createClinicHttp({
        http: { request: (asked) => current.request(asked), close: async () => undefined },
        audit: () => undefined,
        adjustWait: () => 0,
      });
      const call = aCall({ method: 'POST', ...changed });
      if (changed.url === 'https') call.url = receiver.url.replace('http:', 'https:');
      for (let n = 0; n < 5; n += 1) await expect(clinic.call(call)).rejects.toMatchObject({ code });

      current = well;
      const next = clinic.call(aCall({ url: `${receiver.url}/well` }));

      if (opens) await expect(next).rejects.toMatchObject({ code: 'circuit_open' });
      else await expect(next).resolves.toMatchObject({ status: 200 });
      await Promise.all([guarded.close(), well.close()]);
    },
  );

  test.each([
    [499, false],
    [500, true],
    [501, false],
    [599, true],
  ])('five answers of %d open it: %s', async (status, opens) => {
    const clinic = client();
    receiver.answer(json(status, {}));
    for (let n = 0; n < 5; n += 1) await clinic.call(aCall({ method: 'POST' }));

    const next = clinic.call(aCall({ method: 'POST' }));

    if (opens) await expect(next).rejects.toMatchObject({ code: 'circuit_open' });
    else await expect(next).resolves.toMatchObject({ status });
  });

  test('faults that are ours, between those of the other side, leave it as open as it was', async () => {
    const clinic = client();
    receiver.answer(json(500, {}));
    for (let n = 0; n < 4; n += 1) await clinic.call(aCall({ method: 'POST' }));
    await expect(clinic.call(aCall({ url: 'elsewhere' }))).rejects.toMatchObject({ code: 'bad_url' });
    receiver.answer(json(200, {}));

    expect(await clinic.call(aCall())).toMatchObject({ status: 200 });
  });

  test('answers that refuse are not failures', async () => {
    const clinic = client();
    receiver.answer(json(422, {}));
    for (let n = 0; n < 10; n += 1) await clinic.call(aCall());

    expect(receiver.received).toHaveLength(10);
  });
});

describe('the audit', () => {
  test('one row for each call, with the template in place of the path', async () => {
    inTurn(json(503, {}), json(200, {}));
    await client().call(aCall({ headers: { authorization: 'Bearer MARKER' } }));

    expect(audit).toEqual([
      {
        clinicId: 'clinic-1',
        system: 'clinic_api',
        action: 'form.progress',
        method: 'GET',
        host: `127.0.0.1:${receiver.port}`,
        pathTemplate: '/forms/{sessionId}',
        status: 200,
        attempts: 2,
        durationMs: expect.any(Number),
        outcome: 'ok',
      },
    ]);
  });

  test.each([
    [json(404, {}), { status: 404, outcome: 'refused' }],
    [json(500, {}), { status: 500, outcome: 'failed' }],
    [reset, { status: null, outcome: 'network' }],
    [() => undefined, { status: null, outcome: 'timeout' }],
  ])('%# says how it ended', async (answer, row) => {
    receiver.answer(answer);
    await client()
      .call(aCall({ method: 'POST', ...(row.outcome === 'timeout' && { timeoutMs: 200 }) }))
      .catch(() => undefined);

    expect(audit).toMatchObject([row]);
  });

  test('a call to a private address is written down as refused by us', async () => {
    const guarded = createSafeHttp({ allowPrivateTargets: false });
    const clinic = createClinicHttp({ http: guarded, audit: (row) => void audit.push(row) });

    await expect(clinic.call(aCall())).rejects.toMatchObject({ code: 'private_target' });

    expect(audit).toMatchObject([{ status: null, outcome: 'private_target', attempts: 1 }]);
  });

  test('a row that cannot be written is logged, and the answer still given', async () => {
    const error = jest.fn();
    const clinic = createClinicHttp({ http, audit: () => Promise.reject(new Error('no database')), log: { error } });

    expect(await clinic.call(aCall())).toMatchObject({ status: 200 });
    expect(error).toHaveBeenCalledWith(expect.objectContaining({ action: 'form.progress' }), 'audit row lost');
  });
});

describe('a private address that the operator lists for a clinic', () => {
  test('is reached by that clinic alone, at that port, vouched for by the listed authority; the row of the call says so', async () => {
    const ehr = await startTlsReceiver('127.0.0.1');
    const other = await startTlsReceiver('127.0.0.1');
    const guarded = createSafeHttp({ allowPrivateTargets: false, isHttpsOnly: true });
    const target = { clinic: 'clinic-1', host: `127.0.0.1:${ehr.port}`, ca: ehr.certificate };
    const wrongly = { clinic: 'clinic-3', host: target.host, ca: other.certificate };
    const clinic = createClinicHttp({
      http: guarded,
      audit: (row) => void audit.push(row),
      privateTargets: [target, wrongly],
    });
    const ask = async (clinicId: string, url: string) => {
      const call = clinic.call(aCall({ clinicId, baseUrl: url, url: `${url}/Patient`, timeoutMs: 5_000 }));
      return call.then(
        ({ status }) => status,
        ({ code }: { code: string }) => code,
      );
    };

    const listed = `https://${target.host}`;
    const outcomes = [
      await ask('clinic-1', listed),
      await ask('clinic-2', listed),
      await ask('clinic-3', listed),
      await ask('clinic-1', `https://127.0.0.1:${other.port}`),
      await ask('clinic-1', `http://${target.host}`),
    ];

    expect(outcomes).toEqual([200, 'private_target', 'tls', 'private_target', 'bad_url']);
    expect(audit.map(({ clinicId, outcome, isPrivate }) => [clinicId, outcome, isPrivate])).toEqual([
      ['clinic-1', 'ok', true],
      ['clinic-2', 'private_target', undefined],
      ['clinic-3', 'tls', true],
      ['clinic-1', 'private_target', undefined],
      ['clinic-1', 'bad_url', true],
    ]);
    await Promise.all([guarded.close(), ehr.close(), other.close()]);
  });

  test.each([
    ['10.0.0.5', '10.0.0.5', true],
    ['10.0.0.5:8443', '::ffff:10.0.0.5', true],
    ['[fd12::5]', 'fd12:0::5', true],
    ['10.0.0.5', '10.0.0.6', false],
    ['[fd12::5]:8443', 'fd12::6', false],
    ['ehr.clinic.example', '10.0.0.6', true],
    ['ehr.clinic.example', '172.16.0.1', true],
    ['ehr.clinic.example', '172.32.0.1', true],
    ['ehr.clinic.example', '192.168.1.1', true],
    ['ehr.clinic.example', 'fd12::5', true],
    ['ehr.clinic.example', '100.64.0.1', true],
    ['ehr.clinic.example', '8.8.8.8', true],
    ['ehr.clinic.example', '2606:4700::1111', true],
    ['ehr.clinic.example', '::1', false],
    ['ehr.clinic.example', 'fe80::1', false],
    ['ehr.clinic.example', '169.254.1.1', false],
    ['ehr.clinic.example', '0.0.0.0', false],
    ['ehr.clinic.example', '224.0.0.1', false],
    ['ehr.clinic.example', '168.63.129.16', false],
    ['ehr.clinic.example', '', false],
    ['ehr.clinic.example', 'ehr.clinic.example', false],
    ['10.0.0.5', '', false],
    ['ehr.clinic.example', '127.0.0.1', false],
    ['ehr.clinic.example', '169.254.169.254', false],
    ['ehr.clinic.example', 'fd00:ec2::254', false],
    ['ehr.clinic.example', '100.100.100.200', false],
    ['169.254.169.254', '169.254.169.254', false],
  ])('listed as %s is connected to at %s: %s', (host, address, isReached) => {
    expect(reachableAt({ clinic: 'clinic-1', host })(address)).toBe(isReached);
  });

  const targets = [
    { clinic: 'clinic-1', host: '10.0.0.5:8443' },
    { clinic: 'clinic-2', host: '10.0.0.6' },
    { clinic: 'clinic-1', host: 'ehr.clinic.example' },
  ];
  test.each<[string, string, number | null]>([
    ['clinic-1', 'https://10.0.0.5:8443/fhir?x=1', 0],
    ['clinic-2', 'https://10.0.0.5:8443/fhir', null],
    ['clinic-1', 'https://10.0.0.5/fhir', null],
    ['clinic-1', 'https://10.0.0.5:8444/fhir', null],
    ['clinic-2', 'https://10.0.0.6:443/fhir', 1],
    ['clinic-1', 'https://10.0.0.6/fhir', null],
    ['clinic-1', 'https://EHR.clinic.example/fhir', 2],
    ['clinic-1', 'https://my.ehr.clinic.example/fhir', null],
    ['clinic-1', 'ehr.clinic.example', null],
    ['clinic-1', '', null],
  ])('is known to %s by %s as number %j', (clinicId, url, index) => {
    expect(privateTargetAt(targets, { clinicId, url })).toBe(index === null ? undefined : targets[index]);
    expect(privateTargetAt([], { clinicId, url })).toBeUndefined();
  });
});

import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { readApiConfig } from '@clinic/shared/config';
import { type App, startApp } from '../support/app';
import { eventually } from '../support/eventually';
import { aCompletedForm, anAbandonedForm, anEnvelope, aSession, aStart } from '../support/builders';
import type { Answer } from '../support/clinic-client';

let app: App;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
}, 240_000);

afterAll(() => app.stop());

const secretFor = (path: 'forms-abandoned' | 'forms-completed') => ({
  'x-automation-secret': app.clinic.inboundSecrets[path],
});
const formsUrl = () => `/automation/webhook/${app.clinic.clinicId}/forms-abandoned`;
const postForm = (body: unknown, headers: Record<string, string> = {}) =>
  app.request('POST', formsUrl(), { body, headers: { ...secretFor('forms-abandoned'), ...headers } });

/** The one error shape of the service, and nothing that tells of its inside. */
function expectError(answer: Answer, status: number, error: string): void {
  expect(answer.status).toBe(status);
  expect(answer.body).toEqual({
    statusCode: status,
    message: expect.stringMatching(/^.{5,300}$/),
    error,
    code: expect.stringMatching(/^[a-z_]+$/),
    ...(answer.body?.details && { details: expect.any(Array) }),
  });
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{8,}$/);
  expect(answer.text).not.toMatch(/at .*\.(ts|js):|prisma|postgres|select |stack/i);
}

describe('a refusal names the field', () => {
  const notAllowed = 'holds a character that is not allowed';

  test('whose text holds a NUL, in a body, a query or a path', async () => {
    const bearer = await app.admin();
    const inBody = await postForm(anAbandonedForm({ data: { form_name: 'a\u0000b' } }));
    const inName = await postForm({ ...anAbandonedForm(), 'a\u0000b': 1 });
    const inQuery = await app.request('GET', '/deliveries?subject=%00', { bearer });
    const inPath = await app.request('GET', '/deliveries/%00', { bearer });

    expect([inBody, inName, inQuery, inPath].map(({ body }) => body.details)).toEqual([
      [{ path: 'data.form_name', message: notAllowed }],
      [{ path: '', message: `has a field whose name ${notAllowed}` }],
      [{ path: 'subject', message: notAllowed }],
      [{ path: 'deliveryId', message: notAllowed }],
    ]);
  });

  test('of a cursor that is not ours', async () => {
    const bearer = await app.admin();
    const list = await app.request('GET', '/deliveries?cursor=AAAA.AAAA', { bearer });

    expect(list.body).toMatchObject({ statusCode: 400, details: [{ path: 'cursor' }] });
  });

  test('that should hold the tool calls', async () => {
    const path = '/abandonment-recovery-tools/send_resume_link';
    const answers = [await app.asVoice(path, {}), await app.asVoice(path, { message: { type: 'tool-calls' } })];

    for (const answer of answers) expectError(answer, 400, 'Bad Request');
    expect(answers.map(({ body }) => body.details)).toEqual([
      [{ path: 'message', message: 'must be an object' }],
      [{ path: 'message.toolCalls', message: 'must be a list of tool calls, each with an id' }],
    ]);
  });
});

test.each(['/workflows?limit=1000000000000', '/availability?limit=1000000000000'])(
  'a number far beyond the largest is read as the largest: %s',
  async (path) => {
    expect((await app.request('GET', path, { bearer: app.clinic.apiKey })).status).toBe(200);
  },
);

describe('the one error shape', () => {
  test('an unknown route is 404, inside and outside of /api', async () => {
    const outside = await fetch(`${app.baseUrl.replace(/\/api$/, '')}/nothing`);

    expectError(await app.request('GET', '/nothing'), 404, 'Not Found');
    expect([outside.status, await outside.json()]).toMatchObject([404, { error: 'Not Found' }]);
  });

  test.each([
    ['DELETE', '/workflows', 'GET'],
    ['GET', '/workflows/start', 'POST'],
    ['PUT', '/emr-tools/verify_patient', 'POST'],
    ['GET', '/automation/webhook/c/forms-abandoned', 'POST'],
    ['GET', '/voice/test-calls', 'POST'],
    ['PATCH', '/auth/sign-in/email', 'POST'],
  ])('%s %s is 405 with the methods there are, before any credential is asked for', async (method, path, allowed) => {
    const answer = await app.request(method, path);

    expectError(answer, 405, 'Method Not Allowed');
    expect(answer.headers.get('allow')?.split(', ')).toContain(allowed);
  });

  test.each(['/healthz', '/readyz', '/metrics'])('a method that %s does not have is 405 too', async (path) => {
    const answer = await fetch(new URL(path, app.baseUrl), { method: 'POST' });

    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await answer.json()).toMatchObject({ statusCode: 405, error: 'Method Not Allowed' });
  });

  test('no credential is 401 before the body is looked at', async () => {
    const answers = await Promise.all([
      app.request('POST', formsUrl(), { body: '{', headers: { 'content-type': 'text/plain' } }),
      app.request('POST', '/workflows/start', { body: 'x'.repeat(300_000) }),
      app.request('POST', '/abandonment-recovery-tools/x', { body: '[' }),
    ]);

    for (const answer of answers) expectError(answer, 401, 'Unauthorized');
  });

  test('a body that is no JSON is 400, a wrong type 415, one too large 413', async () => {
    expectError(await postForm('{"data":'), 400, 'Bad Request');
    expectError(await postForm(''), 400, 'Bad Request');
    expectError(await postForm('<form/>', { 'content-type': 'application/xml' }), 415, 'Unsupported Media Type');
    expectError(
      await postForm('{}', { 'content-type': 'application/json; charset=klingon' }),
      415,
      'Unsupported Media Type',
    );
    expectError(await postForm('{}', { 'content-encoding': 'br2' }), 415, 'Unsupported Media Type');
    expectError(await postForm({ ...anAbandonedForm(), padding: 'x'.repeat(256 * 1024) }), 413, 'Payload Too Large');
  });

  test('a missing field is named, with every detail', async () => {
    const { data, ...form } = anAbandonedForm();

    const answer = await postForm({
      ...form,
      tenant_id: undefined,
      data: { ...data, form_id: undefined, total_pages: 'seven' },
    });

    expectError(answer, 400, 'Bad Request');
    expect(answer.body.details.map(({ path }: { path: string }) => path)).toEqual([
      'tenant_id',
      'data.form_id',
      'data.total_pages',
    ]);
  });

  test('the request id of the caller is kept where it looks like one, and nothing that could name somebody', async () => {
    const ids = [
      '0e6f1a52-0c9b-4d5e-9a53-8a8c2c8d1f10',
      '4bf92f3577b34da6a3ce929d0e0e4736',
      '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      '1-5759e988-bd862e3fe1be46a994272793',
    ];
    const others = ['a b', '14155550199', '+14155550199', 'ann.lee-1980-03-05', 'Xanthippe_Zwolle', 'MRN-0012345'];
    const answered = async (id: string) => {
      const { headers } = await app.request('GET', '/nothing', { headers: { 'x-request-id': id } });
      return headers.get('x-request-id');
    };

    expect(await Promise.all(ids.map(answered))).toEqual(ids);
    for (const id of others) expect(await answered(id)).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  });

  test('the wrong password, the unknown account and the missing one look alike', async () => {
    const signIn = (body: unknown) => app.request('POST', '/auth/sign-in/email', { body });

    const wrong = await signIn({ email: app.clinic.email, password: 'wrong' });
    const unknown = await signIn({ email: 'nobody@example.com', password: 'wrong' });

    expectError(wrong, 401, 'Unauthorized');
    expect(unknown.body).toEqual(wrong.body);
    expectError(await signIn({ email: app.clinic.email }), 400, 'Bad Request');
  });
});

describe('forms-abandoned', () => {
  test.each([
    'tenant_id',
    'data',
    'data.session_id',
    'data.form_id',
    'data.form_name',
    'data.last_page_reached',
    'data.total_pages',
    'data.completion_percentage',
    'data.last_activity_at',
    'data.draft_age_hours',
    'data.abandoned_at',
  ])('without %s is 400', async (path) => {
    const form: Record<string, unknown> = anAbandonedForm();
    const [outer = '', inner] = path.split('.');
    if (inner) delete (form[outer] as Record<string, unknown>)[inner];
    else delete form[outer];

    const answer = await postForm(form);

    expectError(answer, 400, 'Bad Request');
    expect(answer.body.details).toContainEqual({ path, message: 'is required' });
  });

  test('needs no more than the contract requires, and takes what it does not know', async () => {
    const { data } = anAbandonedForm();
    const { abandoned_at_checkout: _checkout, resume_url: _url, partial_form_data: _person, ...required } = data;

    const bare = await postForm({ tenant_id: 'tenant-1', data: required });
    const more = await postForm({ ...anAbandonedForm({ data: { colour: 'red' } }), extra: { deep: [1, 2] } });

    expect([bare.status, more.status]).toEqual([200, 200]);
  });

  test('an event that contradicts the path is 400', async () => {
    expectError(await postForm({ ...anAbandonedForm(), event: 'forms.completed' }), 400, 'Bad Request');
  });

  test('an unknown clinic, another clinic and another URL’s secret get the same 401', async () => {
    const ask = (path: string, secret: string) =>
      app.request('POST', path, { body: anAbandonedForm(), headers: { 'x-automation-secret': secret } });
    const secret = app.clinic.inboundSecrets['forms-abandoned'];

    const answers = await Promise.all([
      ask(formsUrl(), 'wrong'),
      ask('/automation/webhook/clinic_nobody/forms-abandoned', secret),
      ask(`/automation/webhook/${app.otherClinic.clinicId}/forms-abandoned`, secret),
      ask(formsUrl(), app.clinic.inboundSecrets['forms-completed']),
    ]);

    for (const answer of answers) expect([answer.status, answer.text]).toEqual([401, answers[0]?.text]);
  });

  test('forms-completed needs the session and nothing else', async () => {
    const post = (body: unknown) =>
      app.request('POST', `/automation/webhook/${app.clinic.clinicId}/forms-completed`, {
        body,
        headers: secretFor('forms-completed'),
      });

    expect((await post({ data: { session_id: aSession() } })).status).toBe(200);
    expectError(await post({ data: {} }), 400, 'Bad Request');
    expectError(await post({ event: 'forms.abandoned', data: { session_id: 's' } }), 400, 'Bad Request');
  });
});

describe('what commonly becomes a 500 is a 4xx', () => {
  const wrongValues: [string, unknown][] = [
    ['NUL', 'a\u0000b'],
    ['a lone surrogate', 'a\ud800b'],
    ['an integer beyond int8', 2 ** 70],
    ['an integer beyond int4', 2 ** 40],
    ['a negative number', -1],
    ['a fraction', 1.5],
    ['a number as text', '12'],
    ['a list', ['x']],
    ['an object', { x: 1 }],
    ['null', null],
    ['a text of 300 KB', 'x'.repeat(300_000)],
  ];

  test.each(wrongValues)('%s in any field of a form', async (_what, value) => {
    for (const field of [
      'session_id',
      'form_id',
      'last_page_reached',
      'abandoned_at',
      'resume_url',
      'partial_form_data',
    ]) {
      const answer = await postForm(anAbandonedForm({ data: { [field]: value } }));

      const isFine = answer.status === 200 && isAllowed(field, value);
      if (!isFine) expect([field, answer.status >= 400 && answer.status < 500]).toEqual([field, true]);
    }
  });

  test.each(wrongValues)('%s in any field of a start', async (_what, value) => {
    const start = aStart(app.clinic);
    const bodies = [
      { ...start, workflowType: value },
      { ...start, clinicId: value },
      { ...start, patient: { ...start.patient, phone: value } },
      { ...start, patient: value },
      { ...start, context: { sessionId: value } },
      { ...start, context: { ...start.context, resumeUrl: value } },
    ];

    for (const body of bodies) {
      const { status } = await app.start(body);

      if (!(status === 200 && value === '12')) expect([400, 403, 413]).toContain(status);
    }
  });

  test.each([
    'yesterday',
    '0000-00-00T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2026-02-30T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-11-20T24:00:01Z',
    '2026-11-20T10:00:00+99:99',
    '+275760-09-13T00:00:01Z',
    '1e309',
    '',
  ])('the timestamp %j', async (abandoned_at) => {
    expectError(await postForm(anAbandonedForm({ data: { abandoned_at } })), 400, 'Bad Request');
  });

  test.each(['9999-12-31T23:59:59Z', '2026-11-20T10:00:00+0530', '2026-11-20T24:00:00Z', '2026-11-20'])(
    'while the timestamp %j is one',
    async (abandoned_at) => {
      expect((await postForm(anAbandonedForm({ data: { abandoned_at } }))).status).toBe(200);
    },
  );

  test.each([
    ['1e309', '{"data":{"completion_percentage":1e309}}'],
    ['a nesting of 10,000', `{"data":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['a nesting of 100,000', '['.repeat(100_000)],
    ['an own __proto__', '{"__proto__":{"admin":true},"data":{"__proto__":1,"constructor":{"prototype":1}}}'],
    ['single quotes', "{'data':1}"],
    ['two documents', '{}{}'],
    ['a bare number', '7'],
    ['a bare text', '"x"'],
    ['null', 'null'],
    ['a list', '[]'],
  ])('the body %s', async (_what, body) => {
    const answers = [
      await postForm(body),
      await app.request('POST', '/workflows/start', { body, bearer: app.clinic.apiKey }),
      await app.asVoice('/voice/events', body),
      await app.asVoice('/abandonment-recovery-tools/send_resume_link', body),
      await app.request('POST', '/voice/test-calls', { body, bearer: await app.admin() }),
      await app.request('POST', '/auth/sign-in/email', { body }),
    ];

    for (const answer of answers) expectError(answer, 400, 'Bad Request');
  });

  test.each([
    ['NUL', 'a\u0000b'],
    ['a lone surrogate', 'a\ud800b'],
    ['a nesting of 500', JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`)],
    ['a huge number', 2 ** 900],
  ])('%s in the arguments of a tool, answered to the agent or refused', async (_what, value) => {
    const answer = await app.asVoice(
      '/abandonment-recovery-tools/record_abandonment_barrier',
      anEnvelope(app.clinic.testCallId, [{ arguments: { primaryBarrier: value } }]),
    );

    if (answer.status === 200) expect(JSON.parse(answer.body.results[0].result).success).toBe(false);
    else expectError(answer, 400, 'Bad Request');
  });

  test.each([
    '/workflows/%E0%A4%A',
    '/workflows/%00',
    '/workflows/%ud800',
    `/workflows/${'x'.repeat(8_000)}`,
    '/workflows/..%2f..%2fetc%2fpasswd',
    '/workflows/constructor',
    '/workflows?limit=-1',
    '/workflows?limit=1000000000',
    '/workflows?limit=1e309',
    '/workflows?limit=%00',
    '/workflows?cursor=%00',
    '/workflows?cursor=AAAA.AAAA',
    '/workflows?status[]=started',
    '/workflows?status=a&status=b',
    '/workflows?__proto__=1&constructor=2',
    '/workflows?%E0%A4%A=1',
    '/deliveries?limit=-1',
    '/deliveries?subject=%00',
    '/deliveries/%00',
    '/deliveries/not-a-uuid',
  ])('GET %s', async (path) => {
    const answers = await Promise.all([
      app.request('GET', path, { bearer: app.clinic.apiKey }),
      app.request('GET', path, { bearer: await app.admin() }),
    ]);

    for (const { status } of answers) expect(status === 200 || (status >= 400 && status < 500)).toBe(true);
  });

  test('a gzip bomb is 413 and costs nothing', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, 0x20));
    const response = await fetch(`${app.baseUrl}${formsUrl()}`, {
      method: 'POST',
      headers: { ...secretFor('forms-abandoned'), 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: bomb,
    });

    expect([response.status, await response.json()]).toMatchObject([413, { error: 'Payload Too Large' }]);
  });

  test('a body cut half way, in chunks or by its length, and a length that lies', async () => {
    const head = `POST /api${formsUrl()} HTTP/1.1\r\nhost: x\r\nx-automation-secret: ${app.clinic.inboundSecrets['forms-abandoned']}\r\ncontent-type: application/json\r\n`;

    const [chunked, short, both] = await Promise.all([
      raw(`${head}transfer-encoding: chunked\r\n\r\n5\r\n{"dat\r\n`),
      raw(`${head}content-length: 500\r\n\r\n{"data"`),
      raw(`${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    ]);

    for (const answer of [chunked, short, both]) expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"statusCode":400/);
    expect((await app.abandon()).status).toBe(200);
  });

  test('headers of a megabyte are 431, and what is no HTTP is 400, in the one shape', async () => {
    const [large, nonsense] = await Promise.all([
      raw(`GET /api/workflows HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(1_000_000)}\r\n\r\n`),
      raw('hello\r\n\r\n'),
    ]);

    expect(large).toMatch(/^HTTP\/1\.1 431 /);
    expect(large).toContain('"statusCode":431');
    expect(nonsense).toMatch(/^HTTP\/1\.1 400 /);
    expect(nonsense).toContain('"statusCode":400');
  });

  test('and after all of it the service is well', async () => {
    const root = app.baseUrl.replace(/\/api$/, '');

    expect((await fetch(`${root}/healthz`)).status).toBe(200);
    expect((await fetch(`${root}/readyz`)).status).toBe(200);
    expect((await app.inbound('forms-completed', aCompletedForm(aSession()))).status).toBe(200);
  });
});

describe('outside the local stack', () => {
  const isUnset = { RATE_LIMIT_PER_SECOND: '', RATE_LIMIT_BURST: '', SIGN_INS_PER_MINUTE: '' };
  let limited: App;

  beforeAll(async () => {
    // A slow machine does not send more than the hundred a second that are allowed by default.
    const few = { RATE_LIMIT_PER_SECOND: '4', RATE_LIMIT_BURST: '8' };
    limited = await startApp({ hasWorker: false, env: { ...isUnset, ...few, LOCAL_STACK: '0' } });
  }, 240_000);
  afterAll(() => limited.stop());

  test('a hundred requests a second with a burst of two hundred are allowed, and ten sign-ins a minute', () => {
    expect(readApiConfig({ ...limited.env, ...isUnset })).toMatchObject({
      RATE_LIMIT_PER_SECOND: 100,
      RATE_LIMIT_BURST: 200,
      SIGN_INS_PER_MINUTE: 10,
    });
  });

  test('a flood from one key gets 429 with Retry-After; another key, and the tools, are not concerned', async () => {
    const { clinic, otherClinic } = limited;
    const flood = await Promise.all(
      Array.from({ length: 200 }, () => limited.request('GET', '/workflows?limit=1', { bearer: clinic.apiKey })),
    );
    const refused = flood.filter(({ status }) => status === 429);
    const other = await limited.request('GET', '/workflows', { bearer: otherClinic.apiKey });
    const tools = await Promise.all(
      Array.from({ length: 100 }, () => limited.asVoice('/voice/events', { message: { type: 'hang' } })),
    );

    expect(refused.length).toBeGreaterThan(0);
    expect(flood.length - refused.length).toBeGreaterThanOrEqual(12);
    expectError(refused[0] as Answer, 429, 'Too Many Requests');
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(other.status).toBe(200);
    expect(new Set(tools.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('a flood with the voice secret of one clinic gets 429, and with that of another none', async () => {
    const [one, other] = await Promise.all(
      [limited.clinic, limited.otherClinic].map(({ clinicId }) => limited.stores.keys.rotateVoice(clinicId)),
    );
    const report = (secret = '') =>
      limited.request('POST', '/voice/events', {
        body: { message: { type: 'hang' } },
        headers: { 'x-voice-secret': secret },
      });
    const flood = await Promise.all(Array.from({ length: 100 }, () => report(one)));

    expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([200, 429]));
    expect((await report(other)).status).toBe(200);
  });

  test('a flood at one inbound URL is stopped there, and at no other', async () => {
    const flood = await Promise.all(
      Array.from({ length: 100 }, () => limited.inbound('forms-completed', aCompletedForm('flooded'))),
    );
    const elsewhere = await limited.abandon({ phone: null });

    expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([200, 429]));
    expect(elsewhere.status).toBe(200);
  });

  test('the eleventh sign-in of a minute is 429, for that account only', async () => {
    const signIn = (email: string) =>
      limited.request('POST', '/auth/sign-in/email', { body: { email, password: 'wrong' } });

    const tries = [];
    for (let index = 0; index < 11; index += 1) tries.push((await signIn(limited.clinic.email)).status);

    expect(tries).toEqual([...Array(10).fill(401), 429]);
    expect((await signIn(limited.otherClinic.email)).status).toBe(401);
    const refused = await eventually(async () => {
      const { items } = await limited.stores.audit.list(limited.clinic.clinicId, {
        action: 'sign-in.refused',
        limit: 20,
      });
      return items.length === 10 && items;
    });
    expect(refused[0]).toMatchObject({ actor: expect.stringMatching(/^account:/), address: '127.0.0.1' });
  });

  test('who comes and goes is in the audit of the clinic', async () => {
    const { email, password } = limited.otherClinic;
    const { body } = await limited.request('POST', '/auth/sign-in/email', { body: { email, password } });
    await limited.request('POST', '/auth/sign-out', { bearer: body.token });

    const { items } = await limited.stores.audit.list(limited.otherClinic.clinicId, {
      subject: body.user.id,
      limit: 2,
    });

    expect(items.map(({ action, address }) => [action, address])).toEqual([
      ['sign-out', '127.0.0.1'],
      ['sign-in', '127.0.0.1'],
    ]);
  });

  test('sixty sign-ins at once have some wait and the others refused at once, so that hashing keeps no thread from the rest', async () => {
    const signIn = (_: unknown, index: number) => {
      const body = { email: `spray-${index}@example.com`, password: 'wrong horse' };
      return limited.request('POST', '/auth/sign-in/email', { body });
    };

    const answers = await Promise.all(Array.from({ length: 60 }, signIn));

    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(30);
    const busy = answers.find(({ status }) => status === 429);
    expect(Number(busy?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('nobody reads payloads here; on the local stack Temporal’s page does', async () => {
    const decode = async ({ baseUrl }: App) => {
      const init = { method: 'POST', body: '{"payloads":[]}', headers: { 'content-type': 'application/json' } };
      return (await fetch(`${baseUrl.replace(/\/api$/, '')}/codec/decode`, init)).status;
    };

    expect([await decode(limited), await decode(app)]).toEqual([404, 200]);
  });

  test('the metrics ask for a token', async () => {
    const response = await fetch(`${limited.baseUrl.replace(/\/api$/, '')}/metrics`);

    expect(response.status).toBe(401);
  });
});

/** What a field takes although it looks odd. */
function isAllowed(field: string, value: unknown): boolean {
  if (value === null) return ['resume_url', 'partial_form_data'].includes(field);
  if (value === '12') return ['session_id', 'form_id'].includes(field);
  return field === 'partial_form_data' && typeof value === 'object' && !Array.isArray(value);
}

/** Sends bytes as they are and ends the connection; answers whatever came back. */
function raw(text: string): Promise<string> {
  return new Promise((resolve) => {
    const { port } = new URL(app.baseUrl);
    let answer = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.end(text));
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', () => undefined);
  });
}

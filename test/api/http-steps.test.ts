import { once } from 'node:events';
import { get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { bearerIn } from '@clinic/api/http/bearer';
import { inTime } from '@clinic/api/http/deadline';
import { handleErrors } from '@clinic/api/http/errors';
import { factsOf } from '@clinic/api/http/facts';
import { assertParsable } from '@clinic/api/http/json-bounds';
import { countedPage, mapPage } from '@clinic/api/http/list-route';
import { createPatientAudit, type ServedRequest } from '@clinic/api/http/patient-audit';
import { seesAlarms } from '@clinic/api/http/sees-alarms';
import { answerUnreadable } from '@clinic/api/http/unreadable';
import type { Reply, SessionCaller } from '@clinic/api/http/route';
import { requestLog } from '@clinic/api/http/request-log';
import { sendReply } from '@clinic/api/http/send-reply';
import { createMetrics } from '@clinic/api/metrics';
import { AppError } from '@clinic/shared/errors';
import type { Logger } from '@clinic/shared/log';
import express, { type Response } from 'express';
import { eventually } from '../support/eventually';

describe('the bytes of a body before they are parsed', () => {
  const check = (json: string) => () => assertParsable(Buffer.from(json));
  const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const objects = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

  test.each([
    ['lists', lists],
    ['objects', objects],
  ])('sixty-four levels of %s are read, one more is not, and those that were closed count no more', (_name, nested) => {
    expect(check(nested(64))).not.toThrow();
    expect(check(nested(65))).toThrow(expect.objectContaining({ code: 'bad_request' }));
    expect(check(`[${[nested(63), nested(63), nested(63)].join()}]`)).not.toThrow();
  });

  test.each([
    ['lists', '[]'],
    ['objects', '{}'],
  ])('%s that were closed make no room for deeper ones', (_name, closed) => {
    const siblings = Array.from({ length: 10 }, () => closed);

    for (const nested of [lists, objects]) {
      expect(check(`[${[...siblings, nested(63), ...siblings].join()}]`)).not.toThrow();
      expect(check(`[${[...siblings, nested(64)].join()}]`)).toThrow('nested');
    }
  });

  test('half a million values are read, and one more is not, be it a list, an object or a plain one', () => {
    const tooMany = expect.objectContaining({ code: 'payload_too_large' });
    const commas = (count: number) => `[${','.repeat(count - 1)}]`;

    expect(check(commas(500_000))).not.toThrow();
    expect(check(commas(500_001))).toThrow(tooMany);
    expect(check(`[${'[]'.repeat(500_000)}]`)).toThrow(tooMany);
    expect(check(`[${'{}'.repeat(500_000)}]`)).toThrow(tooMany);
  });

  test('what stands in a text is no bracket, and a text ends at its quote', () => {
    const brackets = '['.repeat(65);

    for (const text of [`"${brackets}"`, `"\\"${brackets}"`, `"\\\\\\"${brackets}"`, `"${brackets}`])
      expect(check(text)).not.toThrow();
    for (const text of [`""${brackets}`, `"\\\\"${brackets}`, `"a"${brackets}`]) expect(check(text)).toThrow('nested');
    expect(check(`"${','.repeat(600_000)}"`)).not.toThrow();
  });
});

describe('work that is waited for so long', () => {
  test('is answered in time, refused when it is late, and fails as it fails', async () => {
    await expect(inTime(delay(1, 'done'), 1_000)).resolves.toBe('done');
    await expect(inTime('at once', 0)).resolves.toBe('at once');
    await expect(inTime(new Promise(() => undefined), 1)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(inTime(Promise.reject(new Error('broken')), 1_000)).rejects.toThrow('broken');
    await expect(inTime(new Promise(() => undefined), 1, () => new AppError('body_too_slow', 'late'))).rejects.toThrow(
      'late',
    );
  });

  test('leaves no timer behind', async () => {
    jest.useFakeTimers();
    await inTime(Promise.resolve(1), 60_000);
    const timers = jest.getTimerCount();
    jest.useRealTimers();

    expect(timers).toBe(0);
  });
});

describe('what is not HTTP', () => {
  const answerTo = async (code: string | undefined) => {
    const socket = new PassThrough();
    answerUnreadable(Object.assign(new Error('unreadable'), { code }), socket);
    let text = '';
    for await (const piece of socket) text += String(piece);
    return text;
  };

  test.each([
    ['HPE_HEADER_OVERFLOW', 431, 'Request Header Fields Too Large', 'The request headers are too large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'Request Timeout', 'The request took too long to arrive'],
    ['HPE_INVALID_METHOD', 400, 'Bad Request', 'The request is not valid HTTP'],
    [undefined, 400, 'Bad Request', 'The request is not valid HTTP'],
  ])('as %s is refused in the one error shape', async (code, statusCode, error, message) => {
    const [head = '', body = ''] = (await answerTo(code)).split('\r\n\r\n');

    expect(head.split('\r\n')).toEqual([
      `HTTP/1.1 ${statusCode} ${error}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
      expect.stringMatching(/^x-request-id: [\w-]{8,}$/),
      'connection: close',
    ]);
    expect(JSON.parse(body)).toEqual({ statusCode, message, error });
  });

  test('gets no answer where nobody is there to read it', () => {
    const [reset, closed] = [new PassThrough(), new PassThrough()];
    closed.end();

    answerUnreadable(Object.assign(new Error('gone'), { code: 'ECONNRESET' }), reset);
    answerUnreadable(new Error('unreadable'), closed);

    expect([reset.destroyed, reset.read(), closed.destroyed, closed.read()]).toEqual([true, null, true, null]);
  });
});

test.each([
  ['Bearer abcdefgh', 'abcdefgh'],
  ['bearer   abcdefgh  ', 'abcdefgh'],
  ['Bearer abcdefg', null],
  [`Bearer ${'a'.repeat(512)}`, 'a'.repeat(512)],
  [`Bearer ${'a'.repeat(513)}`, null],
  ['Basic abcdefgh', null],
  ['Bearer abcdefgh ijk', null],
  ['', null],
  [undefined, null],
])('the token of "%s"', (header, token) => expect(bearerIn(header)).toBe(token));

test('facts are an object and nothing else', () => {
  expect([factsOf({ a: 1 }), ...[null, [], 'a', 7, undefined].map(factsOf)]).toEqual([
    { a: 1 },
    null,
    null,
    null,
    null,
    null,
  ]);
});

test.each([
  ['admin', false, true],
  ['admin', true, false],
  ['staff', false, false],
] as const)('alarms of an account with the role %s, in emergency access: %p', (role, isEmergency, sees) => {
  expect(seesAlarms({ role, isEmergency } as SessionCaller)).toBe(sees);
});

test('a page says how many there are in all where that was asked for the first one', async () => {
  const page = { items: [1, 2], nextCursor: 'next' };
  const records = { list: async () => page, count: async () => ({ count: 7, isExact: true }) as never };
  const asked = (total?: boolean, cursor?: string) =>
    countedPage(records, { clinicId: 'clinic', filter: {}, page: { cursor }, total });
  const totals = [await asked(true), await asked(false), await asked(), await asked(true, 'next')];

  expect(totals).toEqual([
    { ...page, total: { count: 7, isExact: true } },
    ...[1, 2, 3].map(() => ({ ...page, total: null })),
  ]);
  expect(mapPage(page, (each) => `${each}`)).toEqual({ items: ['1', '2'], nextCursor: 'next' });
});

describe('the note of what a request shows of patients', () => {
  const session = { kind: 'session', sessionId: 'one', accountId: 'ann', clinicId: 'clinic', address: '192.0.2.1' };
  const key = { kind: 'api-key', keyId: 'key', clinicId: 'clinic', address: '192.0.2.1' };
  const read = { action: 'patient.list' };
  const served = (about: { caller?: object; patientData?: unknown; query?: object; url?: string } = {}) =>
    ({
      route: { method: 'get', path: '/patients', patientData: 'patientData' in about ? about.patientData : read },
      caller: about.caller ?? session,
      request: { id: 'request', method: 'GET', originalUrl: about.url ?? '/api/patients' },
      query: about.query ?? {},
    }) as unknown as ServedRequest;
  const aNote = () => {
    const notes: { action: string; subjects: string[] }[] = [];
    const writeRequest = async (note: (typeof notes)[number]) => void notes.push(note);
    return { notes, note: createPatientAudit({ stores: { audit: { writeRequest } as never } }) };
  };

  test('names who has seen whom, each once, by which route', async () => {
    const { notes, note } = aNote();

    await note(served(), { subjects: ['ben', null, 'cat', 'ben'] });

    expect(notes).toEqual([
      {
        actor: 'account:ann',
        requestId: 'request',
        address: '192.0.2.1',
        clinicId: 'clinic',
        action: 'patient.list',
        isRead: true,
        route: 'GET /patients',
        subjects: ['ben', 'cat'],
        detail: undefined,
      },
    ]);
  });

  test.each([
    [{ search: 'Lee' }, 'patient.list', 'patient.search'],
    [{ search: '' }, 'patient.list', 'patient.search'],
    [{ search: ['Lee'] }, 'patient.list', 'patient.list'],
    [{ search: 'Lee' }, 'patient.list.all', 'patient.list.all'],
    [undefined, 'patient.list', 'patient.list'],
  ])('of the query %j for %s is %s', async (query, action, noted) => {
    const { notes, note } = aNote();

    await note({ ...served({ patientData: { action } }), query }, {});

    expect(notes.map((each) => each.action)).toEqual([noted]);
  });

  test.each([
    ['a route that shows nobody', served({ patientData: 'none' }), {}],
    ['a route that says nothing', served({ patientData: undefined }), {}],
    ['a refusal', served(), { status: 400 }],
    ['a failure', served(), { status: 503 }],
  ])('is none of %s', async (_name, request, reply) => {
    const { notes, note } = aNote();

    await note(request, reply);

    expect(notes).toEqual([]);
  });

  test.each([{ ...session, clinicId: null }, { kind: 'nobody' }, { kind: 'voice', clinicId: 'clinic' }])(
    'a route that shows patients to %j is broken',
    async (caller) => {
      await expect(aNote().note(served({ caller }), {})).rejects.toThrow('without a clinic');
    },
  );

  test('is made once of what a session is shown again, and each time of whatever else', async () => {
    const { notes, note } = aNote();
    const another = { ...session, sessionId: 'other' };
    const shown = async (about: Parameters<typeof served>[0], subjects = ['ben']) => note(served(about), { subjects });

    await shown({});
    await shown({});
    expect(notes).toHaveLength(1);
    await shown({ url: '/api/patients?page=2' });
    await shown({}, ['cat']);
    await shown({ caller: another });
    expect(notes).toHaveLength(4);
    await shown({ caller: key });
    await shown({ caller: key });
    const change = { patientData: { action: 'patient.change', isChange: true } };
    await shown(change);
    await shown(change);
    expect(notes).toHaveLength(8);
  });
});

describe('a reply', () => {
  let server: Server;
  let send: (response: Response) => Promise<void>;
  let outcome: Promise<unknown>;
  beforeAll(async () => {
    const app = express().disable('x-powered-by');
    app.use((_request, response) => {
      outcome = send(response).catch((error: unknown) => error);
    });
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const asked = async (how: typeof send, init: RequestInit = {}) => {
    send = how;
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, init);
    const [text, { date: _date, 'keep-alive': _keptFor, ...headers }] = [
      await answer.text(),
      Object.fromEntries<string>(answer.headers),
    ];
    return { status: answer.status, text, headers, thrown: await outcome };
  };
  const answered = async (reply: Reply, init?: RequestInit) => asked((response) => sendReply(response, reply), init);
  async function* pieces() {
    yield 'one ';
    yield 'two';
  }
  const json = 'application/json; charset=utf-8';
  const kept = { connection: 'keep-alive' };
  const streamed = { connection: 'close', 'content-type': 'text/plain; charset=utf-8' };

  test.each<[what: string, reply: Reply, status: number, text: string, headers: Record<string, string>]>([
    ['with nothing', {}, 200, '', { ...kept, 'content-length': '0' }],
    ['with a status alone', { status: 204 }, 204, '', kept],
    ['of an object', { body: { a: 'é' } }, 200, '{"a":"é"}', { 'content-type': json, 'content-length': '10', ...kept }],
    ['of null', { body: null }, 200, 'null', { 'content-type': json, 'content-length': '4', ...kept }],
    ['of a text', { body: '{"a": 1}' }, 200, '{"a": 1}', { 'content-type': json, 'content-length': '8', ...kept }],
    [
      'of another type and with headers',
      { status: 201, body: 'a,b', type: 'text/csv', headers: { location: '/a', 'x-more': 'b' } },
      201,
      'a,b',
      { 'content-type': 'text/csv', 'content-length': '3', location: '/a', 'x-more': 'b', ...kept },
    ],
    [
      'that refuses',
      { status: 409, body: {}, refusal: 'slot_taken' },
      409,
      '{}',
      { 'content-type': json, 'content-length': '2', 'x-refusal-reason': 'slot_taken', ...kept },
    ],
    ['in pieces', { stream: pieces() }, 200, 'one two', { ...streamed, 'transfer-encoding': 'chunked' }],
    [
      'in pieces of a type',
      { stream: pieces(), type: 'text/event-stream', headers: { 'cache-control': 'no-store' } },
      200,
      'one two',
      {
        ...streamed,
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'transfer-encoding': 'chunked',
      },
    ],
  ])('%s is sent as it is', async (_what, reply, status, text, headers) => {
    expect(await answered(reply)).toEqual({ status, text, headers, thrown: undefined });
  });

  test('in pieces is none to who asks for its head', async () => {
    let isRead = false;
    async function* unread() {
      isRead = true;
      yield 'one';
    }

    const { text, headers, thrown } = await answered({ stream: unread() }, { method: 'HEAD' });

    expect([text, headers['content-type'], thrown, isRead]).toEqual([
      '',
      'text/plain; charset=utf-8',
      undefined,
      false,
    ]);
  });

  test.each<[what: string, reply: Reply]>([
    ['a body', { status: 500, body: { late: true } }],
    ['nothing', { status: 204 }],
    ['pieces', { stream: pieces() }],
    ['headers', { headers: { 'x-late': '1' }, refusal: 'slot_taken' }],
  ])('of %s is no second one where another was sent', async (_what, late) => {
    const { status, text, headers, thrown } = await asked(async (response) => {
      response.status(408).type('text/plain');
      response.flushHeaders();
      await sendReply(response, late).finally(() => response.end('first'));
    });

    expect([status, text, headers['x-late'], headers['x-refusal-reason'], thrown]).toEqual([
      408,
      'first',
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('is none where its client is gone', async () => {
    const gone = asked(async (response) => {
      response.destroy();
      await sendReply(response, { status: 201, body: { late: true } });
      expect([response.statusCode, response.getHeaders()]).toEqual([200, {}]);
    });

    await expect(gone).rejects.toThrow('fetch failed');
    expect(await outcome).toBeUndefined();
  });

  test('in pieces that fail on the way is not whole to its client, and a failure that is logged', async () => {
    const broken = new Error('broken');
    async function* breaking() {
      yield 'one ';
      await delay(1);
      throw broken;
    }
    const logged: unknown[] = [];
    const log = () => ({ error: (...said: unknown[]) => logged.push(said) });

    send = async (response) => {
      await sendReply(response, { stream: breaking() }).catch((error: unknown) => {
        handleErrors(error, Object.assign(response.req, { log }), response, () => undefined);
        throw error;
      });
    };

    // Node's `fetch` takes what has come over a connection that is closed for all of it.
    const [answer] = (await once(get({ port: (server.address() as AddressInfo).port }), 'response')) as [
      IncomingMessage,
    ];
    await expect(textOf(answer)).rejects.toThrow('aborted');
    expect([answer.complete, await outcome]).toEqual([false, broken]);
    expect(logged).toEqual([
      [{ name: 'Error', code: undefined, stack: expect.any(String) as unknown, status: 500 }, 'request failed'],
    ]);
  });

  test('in pieces whose client goes away ends, and is no failure', async () => {
    let isEnded = false;
    async function* endless(response: Response) {
      try {
        for (;;) {
          yield 'more ';
          response.destroy();
          await delay(1);
        }
      } finally {
        isEnded = true;
      }
    }

    await asked((response) => sendReply(response, { stream: endless(response) })).catch(() => undefined);

    expect(await outcome).toBeUndefined();
    await eventually(() => isEnded);
  });
});

describe('what is told of a request', () => {
  interface Line {
    level: string;
    text: string;
    fields: Record<string, unknown> & { durationMs: number };
  }
  let server: Server;
  let answer: (response: Response) => void;
  let heard: string[];
  let lines: Line[];
  let metrics: ReturnType<typeof createMetrics>;
  beforeAll(async () => {
    const write = (level: string) => (fields: Line['fields'], text: string) => void lines.push({ level, fields, text });
    const log = {
      isLevelEnabled: (level: string) => heard.includes(level),
      info: write('info'),
      error: write('error'),
    };
    const app = express().use((request, response, next) =>
      requestLog(log as unknown as Logger, metrics.requests)(request, response, next),
    );
    app.use((_request, response) => answer(response));
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());
  beforeEach(() => {
    heard = ['info', 'error'];
    lines = [];
    metrics = createMetrics();
  });

  const ask = async (how: typeof answer, headers: Record<string, string> = {}) => {
    const closed = new Promise<void>((resolve) => {
      answer = (response) => {
        response.on('close', () => resolve());
        how(response);
      };
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ann/lee?phone=1`;
    const answered = await fetch(url, { headers }).catch(() => null);
    await closed;
    return answered?.headers.get('x-request-id') ?? null;
  };
  const measured = async () => {
    const { values } = await metrics.requests.get();
    return values
      .filter(({ metricName }) => metricName?.endsWith('_count'))
      .map(({ labels: { route, status }, value }) => [route, status, value]);
  };
  const route = 'GET /patients/:patientId';
  const chosenFailure = 'slow_answer';
  const ended = (status: number) => (response: Response) => void response.status(status).end();
  test.each<[what: string, locals: object, how: typeof answer, level: string, status: number]>([
    ['of a route', { route }, ended(200), 'info', 200],
    ['of no route', {}, ended(404), 'info', 404],
    ['that is refused', { route }, ended(409), 'info', 409],
    ['that fails', { route }, ended(500), 'error', 500],
    ['that has to wait', { route }, ended(503), 'error', 503],
    ['that nobody waits for', { route }, (response) => void response.status(500).destroy(), 'info', 499],
    ['that fails as it was asked to', { route, wanted: { chosenFailure } }, ended(500), 'info', 500],
  ])('%s: its route, its status and how long it took, and nothing of its address', async (...row) => {
    const [, locals, how, level, status] = row;
    const requestId = await ask((response) => {
      Object.assign(response.locals, locals);
      how(response);
    });

    const shown = { route: 'unmatched', ...locals };
    expect(lines).toEqual([
      {
        level,
        text: 'request',
        fields: {
          requestId: requestId ?? expect.any(String),
          route: shown.route,
          status,
          durationMs: expect.any(Number) as unknown,
          ...('wanted' in locals && { chosenFailure }),
        },
      },
    ]);
    expect(lines[0]?.fields.durationMs).toBe(Math.round((lines[0]?.fields.durationMs ?? 0) * 10) / 10);
    // What was asked for is no fault of ours.
    expect(await measured()).toEqual('wanted' in locals ? [] : [[shown.route, String(status), 1]]);
  });

  test.each([
    [
      ['info', 'error'],
      ['info', 'error'],
    ],
    [['error'], ['error']],
    [[], []],
  ])('the log that hears %j is told %j; each is measured', async (levels, told) => {
    heard = levels;

    await ask(ended(200));
    await ask(ended(500));

    expect(lines.map(({ level }) => level)).toEqual(told);
    expect(await measured()).toEqual([
      ['unmatched', '200', 1],
      ['unmatched', '500', 1],
    ]);
  });

  test('how long it took is told in milliseconds, and measured in seconds', async () => {
    await ask((response) => void setTimeout(() => response.end(), 60));

    const { values } = await metrics.requests.get();
    const seconds = values.find(({ metricName }) => metricName?.endsWith('_sum'))?.value ?? 0;
    expect(seconds).toBeGreaterThan(0.05);
    expect(Math.abs((lines[0]?.fields.durationMs ?? 0) - seconds * 1_000)).toBeLessThan(0.051);
  });
});

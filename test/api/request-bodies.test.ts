import { connect, type Socket } from 'node:net';
import { assertParsable } from '@clinic/api/http/json-bounds';
import { readApiConfig } from '@clinic/shared/config';
import { type App, startApp } from '../support/app';
import { anAbandonedForm, aSession } from '../support/builders';
import { eventually } from '../support/eventually';

let app: App;

beforeAll(async () => {
  app = await startApp({ hasWorker: false, env: { BODY_TIMEOUT_MS: '4000', TRUST_PROXY: '1' } });
}, 240_000);

afterAll(() => app.stop());

/** A request whose body never comes to its end, and what it was answered. */
interface SlowRequest {
  socket: Socket;
  answer: () => string;
}

function sendSlowly(path: string, headers: string[] = []): Promise<SlowRequest> {
  const { hostname, port, pathname } = new URL(app.baseUrl + path);
  let answer = '';
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      const head = [`POST ${pathname} HTTP/1.1`, `host: ${hostname}`, 'content-type: application/json', ...headers];
      socket.write(`${[...head, 'content-length: 1000'].join('\r\n')}\r\n\r\n{"email":`, () =>
        resolve({ socket, answer: () => answer }),
      );
    });
    socket.on('error', reject);
    socket.on('data', (data) => (answer += String(data)));
  });
}

const statusOf = ({ answer }: SlowRequest) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer())?.[1] ?? 0);

describe('bodies that are sent slowly', () => {
  const slowly: [string, () => Parameters<typeof sendSlowly>][] = [
    ['without a credential', () => ['/auth/sign-in/email']],
    ['with one API key', () => ['/workflows/start', [`authorization: Bearer ${app.clinic.apiKey}`]]],
  ];

  test.each(slowly)('210 %s keep nobody else out, and end', async (_name, request) => {
    const bearer = await app.admin();
    const slow = await Promise.all(Array.from({ length: 210 }, () => sendSlowly(...request())));
    await eventually(async () => slow.some((each) => statusOf(each) === 429));

    const others = await Promise.all([
      app.request('GET', '/tasks', { bearer }),
      app.inbound('forms-abandoned', anAbandonedForm({ sessionId: aSession() })),
      app.asVoice('/emr-tools/check_availability', { message: { toolCalls: [{ id: 'one', function: {} }] } }),
    ]);
    await eventually(async () => slow.every(({ socket }) => socket.closed));
    const signIn = await app.request('POST', '/auth/sign-in/email', { body: app.otherClinic.staff });

    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(signIn.status).toBe(200);
    expect(new Set(slow.map(statusOf))).toEqual(new Set([408, 429]));
  });

  test('from six addresses, more than all requests under way may be, take no place among these', async () => {
    const bearer = await app.admin();
    const slow: SlowRequest[] = [];
    for (const at of [1, 2, 3, 4, 5, 6]) {
      const send = () => sendSlowly('/auth/sign-in/email', [`x-forwarded-for: 192.0.2.${at}`]);
      slow.push(...(await Promise.all(Array.from({ length: 90 }, send))));
    }

    const isServed = async () => (await app.request('GET', '/tasks', { bearer })).status === 200;
    await eventually(isServed, { within: 2_000 });
    const answered = slow.filter((each) => statusOf(each) !== 0);
    await eventually(async () => slow.every(({ socket }) => socket.closed));

    expect(answered).toEqual([]);
    expect(new Set(slow.map(statusOf))).toEqual(new Set([408]));
  });
});

test('a body has ten seconds unless told otherwise', () => {
  expect(readApiConfig({ ...app.env, BODY_TIMEOUT_MS: undefined }).BODY_TIMEOUT_MS).toBe(10_000);
});

describe('a body of the voice platform', () => {
  const path = '/voice/events';
  const message = (about: object) => ({ message: { call: { id: 'none' }, ...about } });

  test('that is nested eight million times is refused before it is parsed', async () => {
    const nested = '['.repeat(4_000_000) + ']'.repeat(4_000_000);
    const body = `{"message":{"type":"end-of-call-report","artifact":${nested}}}`;

    const refused = await app.asVoice(path, body);

    expect([refused.status, refused.body.message]).toEqual([400, 'The request body is nested too deeply']);
  });

  test('is large where it reports a call that ended, and small otherwise', async () => {
    const long = 'word '.repeat(80_000);

    const status = await app.asVoice(path, message({ type: 'status-update', status: 'in-progress', artifact: long }));
    const report = await app.asVoice(path, message({ type: 'end-of-call-report', artifact: { transcript: long } }));

    expect([status.status, report.status]).toEqual([413, 200]);
  });

  test('in an encoding whose bytes say something else is refused', async () => {
    const refused = await app.asVoice(path, '{}', { 'content-type': 'application/json; charset=utf-16' });

    expect(refused.status).toBe(415);
  });
});

describe('before JSON is parsed', () => {
  const check = (json: string) => () => assertParsable(Buffer.from(json));

  test('sixty-four levels are read, and one more is not; those in texts are none', () => {
    const levels = (count: number) => '[{"a":'.repeat(count / 2) + '1' + '}]'.repeat(count / 2);

    expect(check(levels(64))).not.toThrow();
    expect(check(levels(66))).toThrow('nested too deeply');
    expect(check(JSON.stringify(['\\"', `\\${'['.repeat(100)}"`, '{'.repeat(100)]))).not.toThrow();
    expect(check(`"${'\\\\'.repeat(3)}"${'['.repeat(100)}`)).toThrow('nested too deeply');
  });

  test('half a million values are read, and a million are not', () => {
    const values = (count: number) => `[${'1,'.repeat(count)}1]`;

    expect(check(values(400_000))).not.toThrow();
    expect(check(values(1_000_000))).toThrow('too many values');
  });
});

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { handleErrors, sendError } from '@clinic/api/http/errors';
import { TooManyRequests } from '@clinic/api/http/limits';
import { AppError, type ErrorCode, errorCodes, InsufficientScope, SandboxOff } from '@clinic/shared/errors';

let server: Server;
let thrown: unknown;
let locals: { isFhir?: boolean; sendsOutcomes?: boolean } = {};
let logged: unknown[] = [];

beforeAll(async () => {
  const app = express();
  app.use((request, response, next) => {
    request.log = () => ({ error: (about: unknown) => logged.push(about) }) as never;
    Object.assign(response.locals, locals);
    next();
  });
  app.get('/thrown', () => {
    throw thrown;
  });
  app.get('/sent', (_request, response) => {
    response.set('retry-after', '60');
    sendError(response, 'unavailable', 'We are away');
  });
  app.use(handleErrors);
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());
beforeEach(() => {
  [locals, logged] = [{}, []];
});

async function get(path: string) {
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

/** What an error becomes. */
function replyTo(error: unknown, about: typeof locals = {}) {
  thrown = error;
  locals = about;
  return get('/thrown');
}

/** Of each code: the status, the reason that FHIR routes give in a header, and the issue type of an OperationOutcome. */
const codes: Record<ErrorCode, [status: number, reason: string | null, issue: string]> = {
  bad_request: [400, 'invalid_request', 'invalid'],
  unauthorized: [401, 'unauthenticated', 'login'],
  forbidden: [403, 'not_allowed', 'forbidden'],
  insufficient_scope: [403, 'insufficient_scope', 'forbidden'],
  not_found: [404, null, 'not-found'],
  unknown_patient: [404, 'unknown_patient', 'not-found'],
  unknown_practitioner: [404, 'unknown_practitioner', 'not-found'],
  unknown_appointment: [404, 'unknown_appointment', 'not-found'],
  unknown_subscription: [404, 'unknown_subscription', 'not-found'],
  method_not_allowed: [405, null, 'not-supported'],
  not_acceptable: [406, 'format_not_offered', 'invalid'],
  conflict: [409, null, 'conflict'],
  slot_taken: [409, 'slot_taken', 'conflict'],
  slot_held: [409, 'slot_held', 'conflict'],
  waitlist_full: [409, null, 'conflict'],
  slot_unavailable: [409, 'slot_unavailable', 'conflict'],
  in_the_past: [400, 'in_the_past', 'business-rule'],
  appointment_cancelled: [409, 'appointment_cancelled', 'conflict'],
  appointment_fulfilled: [409, 'appointment_fulfilled', 'conflict'],
  idempotency_key_reused: [422, 'key_reused', 'invalid'],
  payload_too_large: [413, 'body_too_large', 'too-long'],
  unsupported_media_type: [415, 'body_type', 'invalid'],
  body_too_slow: [408, null, 'transient'],
  too_many_requests: [429, 'too_many_requests', 'throttled'],
  unavailable: [503, null, 'transient'],
  internal_error: [500, null, 'exception'],
};

test.each(errorCodes)('%s has its status, its reason and its issue type', async (code) => {
  const error = new AppError(code, 'Something is so', [{ path: 'field', message: 'is so' }]);
  const [status, reason, issue] = codes[code];
  const details = [{ path: 'field', message: 'is so' }];

  const usual = await replyTo(error);
  const fhir = await replyTo(error, { isFhir: true });
  const outcome = await replyTo(error, { isFhir: true, sendsOutcomes: true });

  const shape = { statusCode: status, message: 'Something is so', error: expect.any(String), details };
  expect([usual.status, usual.body]).toEqual([status, { ...shape, code }]);
  expect(usual.headers.get('x-refusal-reason')).toBeNull();
  expect([fhir.status, fhir.body]).toEqual([status, shape]);
  expect(fhir.headers.get('x-refusal-reason')).toBe(reason);
  expect(fhir.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect([outcome.status, outcome.headers.get('x-refusal-reason')]).toEqual([status, reason]);
  expect(outcome.headers.get('content-type')).toMatch(/^application\/fhir\+json/);
  expect(outcome.body.issue).toMatchObject([{ code: issue, diagnostics: 'Something is so', expression: ['field'] }]);
  expect(usual.headers.get('retry-after')).toBe(status === 429 ? '1' : status === 503 ? '5' : null);
  expect(logged).toHaveLength(status >= 500 ? 3 : 0);
});

test('a caller hears for how long to wait where that is known', async () => {
  const [slower, away] = [await replyTo(new TooManyRequests(17)), await get('/sent')];

  expect([slower.status, slower.headers.get('retry-after')]).toEqual([429, '17']);
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '60']);
});

test('who may not use the sandbox because it is off is told another reason than who may not use it at all', async () => {
  const refused = await replyTo(new SandboxOff(), { isFhir: true });

  expect([refused.status, refused.headers.get('x-refusal-reason')]).toEqual([403, 'sandbox_off']);
});

test('a token that is good for something else is told which scope it needs, as an OperationOutcome', async () => {
  const refused = await replyTo(new InsufficientScope('system/Slot.s'), { isFhir: true });

  expect(refused.status).toBe(403);
  expect(refused.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="system/Slot.s"');
  expect(refused.body.resourceType).toBe('OperationOutcome');
});

test.each([
  ['a body that is too large', { status: 413 }, 413, 'payload_too_large'],
  ['a charset that is not read', { status: 415 }, 415, 'unsupported_media_type'],
  ['a body that is no JSON', { status: 400, type: 'entity.parse.failed' }, 400, 'bad_request'],
  ['a body that was cut off', { status: 400, type: 'request.aborted' }, 400, 'bad_request'],
  ['whatever else a reader refuses', { status: 499 }, 499, 'bad_request'],
  ['a path that cannot be decoded', new URIError('%'), 400, 'bad_request'],
  ['an error with a status of no refusal', { status: 399 }, 500, 'internal_error'],
  ['an error with a status of a server', { status: 500 }, 500, 'internal_error'],
  ['an error with a status that is no number', { status: '404' }, 500, 'internal_error'],
  ['an error that nobody expects', new Error('select secret from somewhere'), 500, 'internal_error'],
  ['a database that is away', Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }), 503, 'unavailable'],
])('%s', async (_name, error, status, code) => {
  const reply = await replyTo(error);

  expect([reply.status, reply.body]).toEqual([
    status,
    { statusCode: status, message: expect.not.stringContaining('secret'), error: expect.any(String), code },
  ]);
  expect(logged).toHaveLength(status >= 500 ? 1 : 0);
});

test('bodies that cannot be read are told apart in words', async () => {
  const said = async (error: unknown) => (await replyTo(error)).body.message;

  expect(await said({ status: 400, type: 'entity.parse.failed' })).toBe('The request body is not valid JSON');
  expect(await said(new URIError('%'))).toBe('The path holds an invalid percent-encoding');
  expect(await said({ status: 400, type: 'request.aborted' })).toBe('The request could not be read');
});

import type { Request } from 'express';
import { createIdempotentReplies, type IdempotentReplies } from '@clinic/api/http/idempotency';
import type { Caller } from '@clinic/api/http/route';
import { AppError } from '@clinic/shared/errors';
import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../support/records';

let records: Records;
let replies: IdempotentReplies;
beforeAll(async () => {
  records = await openRecords();
  replies = createIdempotentReplies(records);
});
afterAll(() => records.close());

const aRequest = (body: unknown = { a: 1 }) => ({ method: 'POST', path: '/tasks', body }) as Request;
const of = (key: string, body?: unknown) => {
  const caller: Caller = {
    kind: 'api-key',
    keyId: newId(),
    clinicId: records.clinicId,
    scopes: [],
    address: '192.0.2.1',
  };
  return { key, caller, request: aRequest(body) };
};

test('a request that failed can be tried again at once, under the same key', async () => {
  const key = newId();
  await expect(replies.once(of(key), () => Promise.reject(new Error('the database is down')))).rejects.toThrow('down');

  const startedAt = Date.now();
  const again = await replies.once(of(key), async () => ({ status: 201, body: { id: '1' } }));

  expect(again).toMatchObject({ status: 201, body: '{"id":"1"}' });
  expect(Date.now() - startedAt).toBeLessThan(5_000);
});

test('a request that succeeded is not run again', async () => {
  const key = newId();
  let runs = 0;
  const work = async () => ({ status: 201, body: { runs: (runs += 1) } });

  const [first, second] = [await replies.once(of(key), work), await replies.once(of(key), work)];

  expect(runs).toBe(1);
  expect(second).toEqual({ status: 201, body: '{"runs":1}', type: first.type });
});

test('a second request that comes while the first is at work waits for its response', async () => {
  const key = newId();
  let finish: (reply: { body: unknown }) => void = () => undefined;
  const first = replies.once(of(key), () => new Promise((resolve) => (finish = resolve)));
  const second = replies.once(of(key), () => Promise.reject(new Error('it was run twice')));
  await new Promise((resolve) => setTimeout(resolve, 100));

  finish({ body: 'done' });

  expect((await first).body).toBe('done');
  expect((await second).body).toBe('done');
});

test('another body under the same key is refused, and the first is not disturbed', async () => {
  const key = newId();
  await replies.once(of(key), async () => ({ body: 'first' }));

  const reused = replies.once(of(key, { a: 2 }), async () => ({ body: 'second' }));

  await expect(reused).rejects.toThrow(AppError);
  await expect(reused).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  expect((await replies.once(of(key), async () => ({ body: 'third' }))).body).toBe('first');
});

test('a key is 1 to 200 visible ASCII characters; none is none', () => {
  const keyOf = (key?: string | string[]) => replies.keyOf({ headers: { 'idempotency-key': key } } as never);

  expect([keyOf(), keyOf('!'), keyOf('~'.repeat(200))]).toEqual([null, '!', '~'.repeat(200)]);
  for (const key of ['', 'a b', 'é', 'k'.repeat(201), ['a', 'b']])
    expect(() => keyOf(key)).toThrow(expect.objectContaining({ code: 'bad_request' }));
});

import type { Database } from '@clinic/prisma/client';
import type { Stores } from '@clinic/prisma/stores';
import { aClinic, freshStores } from '../../support/stores';

let database: Database;
let stores: Stores;
let clinicId: string;

beforeAll(async () => {
  ({ database, stores } = await freshStores());
  clinicId = await aClinic(stores, 'Harbor');
});

afterAll(() => database.close());

let lastKey = 0;
const aRequest = () => ({ clinicId, route: 'POST /tasks', key: `key-${(lastKey += 1)}`, requestHash: 'hash' });
const reply = { status: 201, body: '{"id":"1"}', contentType: 'application/json' };
const age = (key: string, seconds: number) =>
  database.sql`update idempotency_records set created_at = now() - make_interval(secs => ${seconds}) where key = ${key}`;

test('a request is claimed once while it runs, also by two at once', async () => {
  const request = aRequest();

  const claims = await Promise.all([1, 2, 3].map(() => stores.idempotency.claim(request)));

  expect(claims.map(({ kind }) => kind).toSorted()).toEqual(['claimed', 'running', 'running']);
});

test('a request that was answered gets the same answer again', async () => {
  const request = aRequest();
  await stores.idempotency.claim(request);

  await stores.idempotency.answer({ ...request, ...reply });

  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'answered', ...reply });
});

test('the same key with another request is a mismatch, whether the first was answered or not', async () => {
  const request = aRequest();
  await stores.idempotency.claim(request);
  const other = { ...request, requestHash: 'another' };

  expect(await stores.idempotency.claim(other)).toEqual({ kind: 'mismatch' });
  await stores.idempotency.answer({ ...request, ...reply });
  expect(await stores.idempotency.claim(other)).toEqual({ kind: 'mismatch' });
});

test('the same key of another clinic or route is another request', async () => {
  const request = aRequest();
  const other = await aClinic(stores, 'Meadow');
  await stores.idempotency.claim(request);

  expect(await stores.idempotency.claim({ ...request, clinicId: other })).toEqual({ kind: 'claimed' });
  expect(await stores.idempotency.claim({ ...request, route: 'POST /patients' })).toEqual({ kind: 'claimed' });
});

test('a claim whose process died is free after 30 s, for the same request only', async () => {
  const request = aRequest();
  await stores.idempotency.claim(request);

  await age(request.key, 29);
  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'running' });
  await age(request.key, 31);
  expect(await stores.idempotency.claim({ ...request, requestHash: 'another' })).toEqual({ kind: 'mismatch' });
  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'claimed' });
  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'running' });
});

test('an answer is kept however old it is', async () => {
  const request = aRequest();
  await stores.idempotency.claim(request);
  await stores.idempotency.answer({ ...request, ...reply });
  await age(request.key, 3_600);

  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'answered', ...reply });
});

test('a request that failed can be made again at once, but an answer is never given up', async () => {
  const request = aRequest();
  await stores.idempotency.claim(request);

  await stores.idempotency.release(request);
  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'claimed' });
  await stores.idempotency.answer({ ...request, ...reply });
  await stores.idempotency.release(request);

  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'answered', ...reply });
});

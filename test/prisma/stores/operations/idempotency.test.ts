import type { Database } from '@clinic/prisma/client';
import { createStores, type Stores } from '@clinic/prisma/stores';
import { aClinic, freshStores, secretKeys } from '../../../support/stores';

let database: Database;
let stores: Stores;
let clinicId: string;
let otherClinicId: string;

beforeAll(async () => {
  ({ database, stores } = await freshStores());
  clinicId = await aClinic(stores, 'Harbor');
  otherClinicId = await aClinic(stores, 'Meadow');
});

afterAll(() => database.close());

let lastKey = 0;
const aRequest = () => ({ clinicId, route: 'POST /tasks', key: `key-${(lastKey += 1)}`, requestHash: 'hash' });
const reply = {
  status: 409,
  body: '{"id":"1"}',
  contentType: 'application/json',
  refusal: 'slot_taken',
  besides: { headers: { etag: 'W/"1"' }, subjects: ['patient'], detail: { appointmentId: '1' } },
};
/** Claims a request that nobody else runs; what is written for it later names its claim. */
const claimed = async (request: ReturnType<typeof aRequest>) => {
  const claim = await stores.idempotency.claim(request);
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  return { ...request, token: claim.token };
};
const age = (key: string, seconds: number) =>
  database.sql`update idempotency_records set created_at = now() - make_interval(secs => ${seconds}) where key = ${key}`;

test('a request is claimed once while it runs, also by several at once', async () => {
  const request = aRequest();

  const claims = await Promise.all([1, 2, 3].map(() => stores.idempotency.claim(request)));

  expect(claims.map(({ kind }) => kind).toSorted()).toEqual(['claimed', 'running', 'running']);
});

test('a request that was answered gets the same answer again, however old it is', async () => {
  const request = aRequest();
  const own = await claimed(request);

  await stores.idempotency.answer({ ...own, ...reply });
  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'answered', ...reply });
  await age(request.key, 86_400);

  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'answered', ...reply });
});

test('the same key with another request is a mismatch, whether the first runs, is old or was answered', async () => {
  const request = aRequest();
  const other = { ...request, requestHash: 'another' };
  const own = await claimed(request);

  expect(await stores.idempotency.claim(other)).toEqual({ kind: 'mismatch' });
  await age(request.key, 60);
  expect(await stores.idempotency.claim(other)).toEqual({ kind: 'mismatch' });
  await stores.idempotency.answer({ ...own, ...reply });
  expect(await stores.idempotency.claim(other)).toEqual({ kind: 'mismatch' });
});

test('the same key of another clinic or route is another request, and gives up none but its own', async () => {
  const request = aRequest();
  const { token } = await claimed(request);
  const [ofOther, ofRoute] = [
    { ...request, clinicId: otherClinicId },
    { ...request, route: 'POST /patients' },
  ];
  await stores.idempotency.release({ ...ofOther, token });
  await stores.idempotency.release({ ...ofRoute, token });

  expect(await stores.idempotency.claim(ofOther)).toMatchObject({ kind: 'claimed' });
  expect(await stores.idempotency.claim(ofRoute)).toMatchObject({ kind: 'claimed' });
  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'running' });
});

test('the answer to one clinic or route is not that to another', async () => {
  const request = aRequest();
  const [ofOther, ofRoute] = [
    { ...request, clinicId: otherClinicId },
    { ...request, route: 'POST /patients' },
  ];
  const own = await claimed(request);
  for (const one of [ofOther, ofRoute]) await stores.idempotency.claim(one);

  await stores.idempotency.answer({ ...own, ...reply });

  expect(await stores.idempotency.claim(ofOther)).toEqual({ kind: 'running' });
  expect(await stores.idempotency.claim(ofRoute)).toEqual({ kind: 'running' });
});

test('a claim whose process died is free after 30 s, for the same request only', async () => {
  const request = aRequest();
  await stores.idempotency.claim(request);

  await age(request.key, 29);
  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'running' });
  await age(request.key, 31);
  expect(await stores.idempotency.claim({ ...request, requestHash: 'another' })).toEqual({ kind: 'mismatch' });
  expect(await stores.idempotency.claim(request)).toMatchObject({ kind: 'claimed' });
  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'running' });
});

test('a request that failed can be made again at once, but an answer is never given up', async () => {
  const request = aRequest();

  await stores.idempotency.release(await claimed(request));
  const own = await claimed(request);
  await stores.idempotency.answer({ ...own, ...reply });
  await stores.idempotency.release(own);

  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'answered', ...reply });
});

test('who was frozen until another took over writes neither over its claim nor over its answer', async () => {
  const request = aRequest();
  const frozen = await claimed(request);
  await age(request.key, 31);
  const other = await claimed(request);

  await stores.idempotency.release(frozen);
  await stores.idempotency.answer({ ...frozen, ...reply, status: 500 });
  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'running' });
  await stores.idempotency.answer({ ...other, ...reply });
  await stores.idempotency.answer({ ...frozen, ...reply, status: 500 });

  expect(await stores.idempotency.claim(request)).toEqual({ kind: 'answered', ...reply });
});

const otherKey = { id: 'other', key: Buffer.alloc(32, 8) };
const withRing = (ring: typeof secretKeys) => createStores(database, ring).idempotency;

test('of what was asked a keyed hash is kept, which no body gives without the keys', async () => {
  const request = aRequest();
  await stores.idempotency.claim(request);

  const [kept] = await database.sql<{ hash: string }>`
    select request_hash as hash from idempotency_records where clinic_id = ${clinicId} and key = ${request.key}`;

  expect(kept?.hash).toMatch(/^test:[\da-f]{64}$/);
  expect(await withRing([otherKey]).claim(request)).toEqual({ kind: 'mismatch' });
  expect(withRing([otherKey]).idUnder(request)).not.toBe(stores.idempotency.idUnder(request));
});

test.each([
  ['added', () => [...secretKeys], () => [otherKey, ...secretKeys]],
  ['dropped', () => [otherKey, ...secretKeys], () => [otherKey]],
])('while a key is %s, a request is known to processes before and after', async (_, before, after) => {
  const [one, other] = [withRing(before()), withRing(after())];
  for (const [first, second] of [
    [one, other],
    [other, one],
  ] as const) {
    const [request, left] = [aRequest(), aRequest()];
    const claim = await first.claim(request);
    if (claim.kind === 'claimed') await first.answer({ ...request, token: claim.token, ...reply });
    await first.claim(left);
    await age(left.key, 31);

    expect(await second.claim(request)).toEqual({ kind: 'answered', ...reply });
    expect(await second.claim(left)).toMatchObject({ kind: 'claimed' });
  }
});

test('what a request makes has the same id and secret after a key was added', () => {
  const request = aRequest();
  const [before, after] = [stores.idempotency, withRing([otherKey, ...secretKeys])];

  expect(after.idUnder(request)).toBe(before.idUnder(request));
  expect(after.secretUnder(request)).toEqual(before.secretUnder(request));
  expect(withRing([otherKey]).secretUnder(request)).not.toEqual(before.secretUnder(request));
});

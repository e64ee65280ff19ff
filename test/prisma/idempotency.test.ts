import { randomUUID } from 'node:crypto';
import { openRecords, type Records } from '../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const aKey = (about: object = {}) => ({
  clinicId: records.clinicId,
  route: 'POST /api/workflows/start',
  key: randomUUID(),
  requestHash: 'hash',
  ...about,
});
const claim = (key: ReturnType<typeof aKey>) => records.stores.idempotency.claim(key);
const answer = (key: ReturnType<typeof aKey>) =>
  records.stores.idempotency.answer({ ...key, status: 200, body: '{"ok":true}', contentType: 'application/json' });
const age = (key: string, seconds: number) =>
  records.database.prisma.idempotencyRecord.updateMany({
    where: { key },
    data: { createdAt: new Date(Date.now() - seconds * 1_000) },
  });

test('of two requests under one key one is run', async () => {
  const key = aKey();

  const kinds = (await Promise.all([claim(key), claim(key)])).map(({ kind }) => kind);

  expect(kinds.toSorted()).toEqual(['claimed', 'running']);
});

test('a key is free again thirty seconds after its process has died, not before', async () => {
  const key = aKey();
  await claim(key);

  await age(key.key, 25);
  const early = await claim(key);
  await age(key.key, 35);
  const [late, afterwards] = [await claim(key), await claim(key)];

  expect([early.kind, late.kind, afterwards.kind]).toEqual(['running', 'claimed', 'running']);
});

test('the first answer is given again, however old', async () => {
  const key = aKey();
  await claim(key);
  await answer(key);
  await age(key.key, 86_400);

  expect(await claim(key)).toEqual({
    kind: 'answered',
    status: 200,
    body: '{"ok":true}',
    contentType: 'application/json',
  });
});

test('another request under the same key is a mismatch, running, old or answered', async () => {
  const key = aKey();
  const another = { ...key, requestHash: 'another' };
  await claim(key);
  const whileRunning = await claim(another);
  await age(key.key, 60);
  const whenOld = await claim(another);
  await answer(key);

  expect([whileRunning.kind, whenOld.kind, (await claim(another)).kind]).toEqual(['mismatch', 'mismatch', 'mismatch']);
});

test('a claim that is given up is free; an answer cannot be given up', async () => {
  const [failed, answered] = [aKey(), aKey()];
  await claim(failed);
  await records.stores.idempotency.release(failed);
  await claim(answered);
  await answer(answered);
  await records.stores.idempotency.release(answered);

  expect((await claim(failed)).kind).toBe('claimed');
  expect((await claim(answered)).kind).toBe('answered');
});

test('the same key of another clinic or another route is another key', async () => {
  const key = aKey();
  await claim(key);
  await records.stores.idempotency.release({ ...key, clinicId: records.otherClinicId });

  expect((await claim({ ...key, clinicId: records.otherClinicId })).kind).toBe('claimed');
  expect((await claim({ ...key, route: 'POST /api/another' })).kind).toBe('claimed');
  expect((await claim(key)).kind).toBe('running');
});

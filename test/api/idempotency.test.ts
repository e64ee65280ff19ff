import type { Request } from 'express';
import { createIdempotentReplies, type IdempotentReplies } from '@clinic/api/http/idempotency';
import { answerer } from '@clinic/api/http/answer';
import type { Exchange } from '@clinic/api/http/exchange';
import { createPatientAudit, type NotePatientData } from '@clinic/api/http/patient-audit';
import type { AskedRequest } from '@clinic/api/http/read-request';
import type { Caller, Route } from '@clinic/api/http/route';
import { whileHeld } from '@clinic/prisma/while-held';
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
  expect(second).toEqual({ status: 201, body: '{"runs":1}', type: first.type, isRepeated: true });
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

test('one whose answer is no longer kept is refused as such, and not run again', async () => {
  const key = newId();
  await replies.once(of(key), async () => ({ body: 'first' }));
  await records.database.prisma.idempotencyRecord.updateMany({ where: { key }, data: { body: null } });

  const again = replies.once(of(key), () => Promise.reject(new Error('it was run twice')));

  await expect(again).rejects.toMatchObject({
    code: 'idempotency_key_reused',
    message: 'This Idempotency-Key was used before, so long ago that its answer is no longer kept',
  });
});

test('a second request waits ten seconds for the first, and is then told to come again', async () => {
  const key = newId();
  const never = () => Promise.reject(new Error('it was run twice'));

  const first = replies.once(of(key), async () => {
    const twin = replies.once(of(key), never);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 10_001);
    await expect(twin).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The first request with this key is still running',
    });
    clock.mockRestore();
    return { body: 'done' };
  });

  expect((await first).body).toBe('done');
});

test('a key is 1 to 200 visible ASCII characters; none is none', () => {
  const keyOf = (key?: string | string[]) => replies.keyOf({ headers: { 'idempotency-key': key } } as never);

  expect([keyOf(), keyOf('!'), keyOf('~'.repeat(200))]).toEqual([null, '!', '~'.repeat(200)]);
  for (const key of ['', 'a b', 'é', 'k'.repeat(201), ['a', 'b']])
    expect(() => keyOf(key)).toThrow(expect.objectContaining({ code: 'bad_request' }));
});

test.each([412, 428])('a refusal of a header, %d, is not kept: the next header may be right', async (status) => {
  const key = newId();
  const reply = { status, body: { why: 'refused' }, headers: { etag: 'W/"2"' } };
  const refused = await replies.once(of(key), async () => reply);
  const again = await replies.once(of(key), async () => ({ body: 'done' }));

  expect(refused).toEqual(reply);
  expect(again.body).toBe('done');
});

test.each([400, 404, 409, 422])('any other refusal, as %d, is kept', async (status) => {
  const key = newId();
  await replies.once(of(key), async () => ({ status, body: 'refused' }));
  const again = await replies.once(of(key), async () => ({ body: 'done' }));

  expect([again.status, again.body]).toEqual([status, 'refused']);
});

test('a reply is kept with its type and the reason of its refusal, and nothing as null', async () => {
  const [refusal, silence, text] = [newId(), newId(), newId()];
  const type = 'application/fhir+json; charset=utf-8';
  const conflict = { status: 409, body: { a: 1 }, type, refusal: 'slot_taken' as const };
  await replies.once(of(refusal), async () => conflict);
  await replies.once(of(silence), async () => ({ status: 204 }));
  await replies.once(of(text), async () => ({ body: 'as it is', type: 'text/plain' }));
  const never = () => Promise.reject(new Error('it was run twice'));

  expect(await replies.once(of(refusal), never)).toEqual({ ...conflict, body: '{"a":1}', isRepeated: true });
  expect(await replies.once(of(silence), never)).toEqual({
    status: 204,
    body: 'null',
    type: 'application/json; charset=utf-8',
    refusal: undefined,
    isRepeated: true,
  });
  expect(await replies.once(of(text), never)).toMatchObject({ status: 200, body: 'as it is', type: 'text/plain' });
});

test('what belongs to a reply is kept with it: its headers, whose data it holds, and what was changed', async () => {
  const key = newId();
  const made = {
    status: 201,
    body: { id: '1' },
    headers: { location: 'https://clinic.example/api/Appointment/1', etag: 'W/"1"' },
    subjects: ['patient', null],
    detail: { appointmentId: '1' },
  };
  await replies.once(of(key), async () => made);

  const again = await replies.once(of(key), () => Promise.reject(new Error('it was run twice')));

  expect(again).toMatchObject({ ...made, body: '{"id":"1"}', isRepeated: true });
});

test('a change whose process dies before it is noted is noted as a change when it is repeated, and later as read', async () => {
  const { key, caller, request } = { ...of(newId()), caller: { ...of('').caller, keyId: newId() } as Caller };
  const patientData = { action: 'patient.create', isChange: true as const };
  const handle = async () => ({ body: { id: '1' }, subjects: ['patient'] });
  const route = { method: 'post', path: '/patients', patientData, handle } as unknown as Route;
  const exchange = { request } as Exchange;
  const asked = { key, caller, query: {} } as unknown as AskedRequest;
  const answeredBy = async (notePatientData: NotePatientData) =>
    answerer(route, { idempotency: replies, notePatientData, routeDeps: {} as never })(exchange, asked);
  const audit = createPatientAudit(records);
  const noted = async () => {
    const { keyId } = caller as { keyId: string };
    return records.database.sql<{ isRead: boolean }>`
      select is_read as "isRead" from audit_requests where actor = ${`api-key:${keyId}`} order by position`;
  };
  let died: () => void = () => undefined;
  const death = new Promise<void>((resolve) => (died = resolve));

  void answeredBy(() => {
    died();
    return new Promise(() => undefined);
  });
  await death;
  await records.database.sql`
    update idempotency_records set created_at = created_at - interval '1 minute' where key = ${key}`;
  await answeredBy(audit);
  await answeredBy(audit);

  expect(await noted()).toEqual([{ isRead: false }, { isRead: true }]);
});

test.each<[string, (write: () => Promise<unknown>, wake: Promise<unknown>) => Promise<unknown>]>([
  ['before it begins to write', async (write, wake) => wake.then(write)],
  [
    'before it commits',
    async (_write, wake) =>
      records.database.transaction(async (tx) => {
        await tx`update patients set last_name = 'Frozen' where clinic_id = ${records.clinicId}`;
        await wake;
      }),
  ],
])('who is frozen %s until another has done the same writes nothing any more', async (_when, frozen) => {
  const { optOuts } = records.stores;
  const { clinicId } = records;
  const [key, phone, by] = [newId(), '+15005550177', { actor: 'account:admin' }];
  const patientId = await records.aPatient({ phone });
  const add = () => optOuts.add(clinicId, phone, by, { scope: 'all' });
  let begun: () => void = () => undefined;
  let wake: () => void = () => undefined;
  const begins = new Promise<void>((resolve) => (begun = resolve));
  const wakes = new Promise<void>((resolve) => (wake = resolve));

  const first = replies.once(of(key), async () => {
    begun();
    await frozen(add, wakes);
    return { body: 'first' };
  });
  await begins;
  await records.database.sql`
    update idempotency_records set created_at = created_at - interval '31 seconds' where key = ${key}`;
  await replies.once(of(key), async () => ({ body: (await add()) && 'second' }));
  await optOuts.lift({ clinicId, patientId, reason: 'patient_asked' }, by);
  const later = Date.now() + 31_000;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => later);
  wake();
  const ended = await first.catch(({ code }: AppError) => code);
  clock.mockRestore();

  expect(ended).toBe('unavailable');
  expect((await optOuts.list(clinicId, { limit: 5, phone })).items).toEqual([]);
  expect((await records.stores.patientRecords.find(clinicId, patientId))?.lastName).toBe('Lee');
  expect((await replies.once(of(key), () => Promise.reject(new Error('it was run again')))).body).toBe('second');
});

test('what a request has begun and nobody waits for goes on after its answer, however long that takes', async () => {
  const { optOuts } = records.stores;
  const { clinicId } = records;
  let wake: () => void = () => undefined;
  const wakes = new Promise<void>((resolve) => (wake = resolve));
  let begun: Promise<unknown> = Promise.resolve();

  await replies.once(of(newId()), async () => {
    begun = wakes.then(() => optOuts.add(clinicId, '+15005550178', { actor: 'account:admin' }, { scope: 'all' }));
    return { body: 'answered' };
  });
  const later = Date.now() + 31_000;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => later);
  wake();
  const ended = await begun.catch(({ code }: AppError) => code);
  clock.mockRestore();

  expect(ended).toMatchObject({ phone: '+15005550178' });
});

test('a patient is not made either once another may have taken the request over', async () => {
  const id = newId();
  const fields = { firstName: 'Ann', lastName: 'Late', phone: '+15005550179' };
  const make = () => records.stores.patientRecords.create(records.clinicId, id, fields);

  await expect(whileHeld(Date.now() - 1, make)).rejects.toMatchObject({ code: 'unavailable' });

  expect(await records.stores.patientRecords.find(records.clinicId, id)).toBeNull();
});

test('of a caller without a clinic each request is run', async () => {
  const about = { ...of(newId()), caller: { kind: 'nobody' } as Caller };
  let runs = 0;
  const work = async () => ({ body: (runs += 1) });

  await replies.once(about, work);
  await replies.once(about, work);

  expect(runs).toBe(2);
  expect(replies.idUnder(about)).not.toBe(replies.idUnder(about));
  expect(replies.secretUnder(about)).toBeNull();
});

test('the id and secret of what is made are the same for the same request of a clinic, and others for any other', () => {
  const about = of('key');
  const otherClinic = { ...about.caller, clinicId: records.otherClinicId } as Caller;
  const otherPath = { ...about.request, path: '/other' } as Request;
  const otherMethod = { ...about.request, method: 'PUT' } as Request;
  const requests = [
    about,
    { ...about, key: 'other' },
    { ...about, caller: otherClinic },
    { ...about, request: aRequest({ a: 2 }) },
    { ...about, request: otherPath },
    { ...about, request: otherMethod },
  ];
  const ids = requests.map((each) => replies.idUnder(each));
  const secrets = requests.map((each) => replies.secretUnder(each)?.bytes.toString('hex') ?? '');

  expect(replies.idUnder(of('key'))).toBe(ids[0]);
  expect(replies.secretUnder(of('key'))).toEqual({ id: ids[0], bytes: Buffer.from(secrets[0] ?? '', 'hex') });
  expect(new Set(ids).size).toBe(6);
  expect(new Set(secrets).size).toBe(6);
  for (const [index, secret] of secrets.entries()) {
    expect(secret).toMatch(/^[\da-f]{64}$/);
    expect(secret).not.toContain(ids[index]?.slice(0, 8));
  }
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/);
});

import type { Database } from '@clinic/prisma/client';
import type { Stores } from '@clinic/prisma/stores';
import { newId, sha256Hex } from '@clinic/shared/crypto';
import { aClinic, freshStores } from '../../../support/stores';

let database: Database;
let stores: Stores;
let clinicId: string;
let otherClinicId: string;

beforeAll(async () => {
  ({ database, stores } = await freshStores());
});

beforeEach(async () => {
  clinicId = await aClinic(stores, 'Harbor');
  otherClinicId = await aClinic(stores, 'Meadow');
});

afterAll(() => database.close());

const hoursLeft = (expiresAt: Date | null | undefined) => ((expiresAt?.getTime() ?? 0) - Date.now()) / 3_600_000;
const endTheDay = () => database.sql`
  update secrets set expires_at = now() - interval '1 second' where clinic_id = ${clinicId} and expires_at is not null`;

describe('an API key', () => {
  test('is found by its text, which is stored nowhere', async () => {
    const { id, key, prefix } = await stores.keys.createApiKey({ clinicId, name: 'reports', scopes: ['results'] });

    expect(await stores.keys.apiKey(key)).toEqual({ id, clinicId, scopes: ['results'], expiresAt: null });
    expect(await stores.keys.apiKey(`${key}x`)).toBeNull();
    expect(key.startsWith(prefix)).toBe(true);
    const stored = await database.prisma.apiKey.findUniqueOrThrow({ where: { id } });
    expect(stored.hash).toBe(sha256Hex(key));
    const [row] = await database.sql<{ row: unknown }>`select to_jsonb(k) as row from api_keys k where id = ${id}`;
    expect(JSON.stringify(row)).toContain(id);
    expect(JSON.stringify(row)).not.toContain(key);
  });

  test('opens nothing once it is revoked, and a second revocation finds nothing', async () => {
    const { id, key } = await stores.keys.createApiKey({ clinicId, name: 'reports', scopes: ['results'] });
    const { id: kept } = await stores.keys.createApiKey({ clinicId, name: 'kept', scopes: ['results'] });

    expect(await stores.keys.revokeApiKey(clinicId, id)).toBe(true);

    expect(await stores.keys.apiKey(key)).toBeNull();
    expect(await stores.keys.revokeApiKey(clinicId, id)).toBe(false);
    expect((await stores.keys.listApiKeys(clinicId)).map((one) => one.id)).toEqual([kept]);
  });

  test('is not revoked by another clinic', async () => {
    const { id, key } = await stores.keys.createApiKey({ clinicId, name: 'reports', scopes: ['results'] });

    expect(await stores.keys.revokeApiKey(otherClinicId, id)).toBe(false);

    expect(await stores.keys.apiKey(key)).toEqual({ id, clinicId, scopes: ['results'], expiresAt: null });
  });

  test('shows when it was last used', async () => {
    const { id } = await stores.keys.createApiKey({ clinicId, name: 'reports', scopes: ['results'] });
    expect(await stores.keys.listApiKeys(clinicId)).toMatchObject([{ id, lastUsedAt: null }]);

    await stores.keys.touchApiKey(id);

    expect(await stores.keys.listApiKeys(clinicId)).toMatchObject([{ id, lastUsedAt: expect.any(Date) as Date }]);
  });
});

test('what happens to a key or a secret is told to every process, which may remember it', async () => {
  const { keys } = stores;
  const told = async (work: () => Promise<unknown>): Promise<(string | null)[][]> => {
    await database.sql`delete from changes where clinic_id in (${clinicId}, ${otherClinicId})`;
    await work();
    const changes = await database.sql<{ table: string | null; id: string | null }>`
      select table_name as table, record_id as id from changes where clinic_id = ${clinicId} and table_name in ('secrets', 'api_keys')
      order by 1, 2`;
    return changes.map(({ table, id }) => [table, id]);
  };
  const secretIds = async () => (await database.prisma.secret.findMany({ where: { clinicId } })).map(({ id }) => id);
  const { id: keyId } = await keys.createApiKey({ clinicId, name: 'reports', scopes: ['results'] });

  const made = await told(() => keys.rotateInbound(clinicId, 'forms-abandoned'));
  const [first = ''] = await secretIds();
  const used = await told(() => keys.touchSecret(first));
  const rotated = await told(() => keys.rotateInbound(clinicId, 'forms-abandoned'));
  const second = (await secretIds()).find((id) => id !== first) ?? '';
  const deleted = await told(() => database.prisma.secret.delete({ where: { id: first } }));

  expect([made, used]).toEqual([[['secrets', first]], [['secrets', first]]]);
  expect(rotated).toEqual([first, second].toSorted().map((id) => ['secrets', id]));
  expect(deleted).toEqual([['secrets', first]]);
  expect(await told(() => keys.touchApiKey(keyId))).toEqual([['api_keys', keyId]]);
  expect(await told(() => keys.revokeApiKey(clinicId, keyId))).toEqual([['api_keys', keyId]]);
});

describe('rotating the secret of an inbound URL', () => {
  const rotate = async (times: number) => {
    const secrets: string[] = [];
    for (let time = 0; time < times; time += 1) {
      secrets.unshift(await stores.keys.rotateInbound(clinicId, 'forms-abandoned'));
    }
    return secrets;
  };
  const liveDigests = async (owner = clinicId, name = 'forms-abandoned') =>
    (await stores.keys.inboundDigests(owner, name)).map(({ hash }) => hash);

  const later = (minutes: number) => database.sql`
    update secrets set created_at = created_at - make_interval(mins => ${minutes}) where clinic_id = ${clinicId}`;

  test('leaves the one before alive, and none that is older', async () => {
    await rotate(2);
    await later(6);
    const [previous = ''] = await rotate(1);
    await later(6);
    const [newest = ''] = await rotate(1);

    expect(await liveDigests()).toEqual([sha256Hex(newest), sha256Hex(previous)]);
  });

  test.each([
    ['soon, as where its answer was lost, leaves the one that is in use alive', 4, false, 'first'],
    ['soon after the one before was used leaves that alive', 4, true, 'second'],
    ['later leaves the one before alive', 6, false, 'second'],
  ])('again %s', async (_when, minutes, isUsed, left) => {
    const [first = ''] = await rotate(1);
    await later(60);
    const [second = ''] = await rotate(1);
    await later(minutes);
    const [newest] = await stores.keys.inboundDigests(clinicId, 'forms-abandoned');
    if (isUsed) await stores.keys.touchSecret(newest?.id ?? '');

    const [third = ''] = await rotate(1);

    expect(await liveDigests()).toEqual([third, left === 'first' ? first : second].map(sha256Hex));
    expect(await stores.keys.listInbound(clinicId)).toHaveLength(2);
  });

  test('by a request that is repeated is done once, until what it made is gone', async () => {
    const made = { id: 'request-1', bytes: Buffer.alloc(32, 1), wasMade: false };
    const ask = (wasMade: boolean) =>
      stores.keys.rotateInbound(clinicId, 'forms-abandoned', { actor: 'account:ann' }, { ...made, wasMade });
    const [before = ''] = await rotate(1);
    await later(60);

    const [first, again] = [await ask(false), await ask(true)];

    expect(again).toBe(first);
    expect(await liveDigests()).toEqual([first, before].map(sha256Hex));
    await later(60);
    await rotate(2);
    await later(60);
    await rotate(1);
    await expect(ask(true)).rejects.toThrow(/is gone/);
  });

  test('lets the one before live for a day', async () => {
    await rotate(2);

    const [newest, previous] = await stores.keys.listInbound(clinicId);
    expect(newest?.expiresAt).toBeNull();
    expect(hoursLeft(previous?.expiresAt)).toBeGreaterThan(23.9);
    expect(hoursLeft(previous?.expiresAt)).toBeLessThanOrEqual(24);
  });

  test('many times at once leaves two, of which one runs out', async () => {
    await Promise.all([1, 2, 3, 4].map(() => rotate(1)));

    expect(await liveDigests()).toHaveLength(2);
    const stored = await database.prisma.secret.findMany({ where: { clinicId, name: 'forms-abandoned' } });
    expect(stored).toHaveLength(2);
    expect(stored.filter(({ expiresAt }) => expiresAt === null)).toHaveLength(1);
  });

  test('concerns one URL of one clinic', async () => {
    const [secret = ''] = await rotate(1);
    expect(await liveDigests(otherClinicId)).toEqual([]);
    expect(await liveDigests(clinicId, 'forms-completed')).toEqual([]);

    await stores.keys.rotateInbound(clinicId, 'forms-completed');
    await stores.keys.rotateInbound(otherClinicId, 'forms-abandoned');

    expect(await liveDigests()).toEqual([sha256Hex(secret)]);
  });

  test('one that has run out opens nothing and is not listed', async () => {
    const [newest = ''] = await rotate(2);
    await endTheDay();

    expect(await liveDigests()).toEqual([sha256Hex(newest)]);
    expect(await stores.keys.listInbound(clinicId)).toHaveLength(1);
    expect(await stores.keys.retirePreviousInbound(clinicId, 'forms-abandoned')).toBe(false);
  });

  test('the one before can be retired at once, only once, and only by its clinic; the current one cannot', async () => {
    const [newest = ''] = await rotate(2);

    expect(await stores.keys.retirePreviousInbound(otherClinicId, 'forms-abandoned')).toBe(false);
    expect(await liveDigests()).toHaveLength(2);
    expect(await stores.keys.retirePreviousInbound(clinicId, 'forms-abandoned')).toBe(true);

    expect(await stores.keys.retirePreviousInbound(clinicId, 'forms-abandoned')).toBe(false);
    expect(await liveDigests()).toEqual([sha256Hex(newest)]);
  });

  test.each(['signing', 'voice'])('retires no %s secret that has the name of the URL', async (kind) => {
    const of = { clinicId, kind, name: 'forms-abandoned' };
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { id } = await database.prisma.secret.create({
      data: { id: newId(), ...of, ciphertext: 'sealed', expiresAt },
    });

    const before = await stores.keys.retirePreviousInbound(clinicId, 'forms-abandoned');
    await rotate(2);
    const retired = await stores.keys.retirePreviousInbound(clinicId, 'forms-abandoned');

    expect([before, retired]).toEqual([false, true]);
    expect(await database.prisma.secret.findMany({ where: of })).toMatchObject([{ id, expiresAt }]);
  });

  test.each<[string, object, boolean]>([
    ['of the URL', {}, true],
    ['of it that runs out', { expiresAt: new Date(Date.now() + 3_600_000) }, true],
    ['of it that has run out', { expiresAt: new Date(Date.now() - 1) }, false],
    ['of it without a digest', { hash: null, ciphertext: 'sealed' }, false],
    ['of another URL', { name: 'forms-completed' }, false],
    ['that signs under its name', { kind: 'signing' }, false],
    ['of a voice platform under its name', { kind: 'voice' }, false],
  ])('one secret %s opens it: %#', async (_what, about, opens) => {
    const hash = sha256Hex(newId());
    await database.prisma.secret.create({
      data: { id: newId(), clinicId, kind: 'inbound', name: 'forms-abandoned', hash, ...about },
    });

    expect(await liveDigests()).toEqual(opens ? [hash] : []);
    expect(await liveDigests(otherClinicId)).toEqual([]);
  });

  test('shows which of the two was used', async () => {
    await rotate(2);
    const [, previous] = await stores.keys.inboundDigests(clinicId, 'forms-abandoned');

    await stores.keys.touchSecret(previous?.id ?? '');

    const listed = await stores.keys.listInbound(clinicId);
    expect(listed.map(({ lastUsedAt }) => lastUsedAt !== null)).toEqual([false, true]);
  });
});

describe('signing secrets', () => {
  test('are two while one takes over from the other for a day, newest first', async () => {
    const first = await stores.keys.rotateSigning(clinicId);
    const second = await stores.keys.rotateSigning(clinicId);

    expect(await stores.keys.signingSecrets(clinicId)).toEqual([second, first]);
    expect(await stores.keys.listSigning(clinicId)).toHaveLength(2);

    await endTheDay();

    expect(await stores.keys.signingSecrets(clinicId)).toEqual([second]);
    expect(await stores.keys.listSigning(clinicId)).toHaveLength(1);
  });

  test('are stored encrypted', async () => {
    const secret = await stores.keys.rotateSigning(clinicId);

    const [row] = await database.prisma.secret.findMany({ where: { clinicId, kind: 'signing' } });
    expect(row?.ciphertext).not.toBeNull();
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  test('cannot be read for another clinic, even where the row is copied', async () => {
    await stores.keys.rotateSigning(clinicId);
    await database.sql`
      insert into secrets (id, clinic_id, kind, name, ciphertext)
      select 'copied-' || s.id, r.clinic_id, s.kind, r.id, s.ciphertext
      from secrets s, receivers r where s.clinic_id = ${clinicId} and r.clinic_id = ${otherClinicId}`;

    await expect(stores.keys.signingSecrets(otherClinicId)).rejects.toThrow('unable to authenticate');
  });

  test('cannot be read for another clinic where the row is moved under another name', async () => {
    await stores.keys.rotateSigning(clinicId);
    await database.prisma.secret.updateMany({
      where: { clinicId, kind: 'signing' },
      data: { clinicId: otherClinicId, name: (await stores.clinics.outboundEndpoint(otherClinicId)).id ?? '' },
    });

    await expect(stores.keys.signingSecrets(otherClinicId)).rejects.toThrow('unable to authenticate');
  });
});

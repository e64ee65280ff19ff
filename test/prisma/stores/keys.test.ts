import type { Database } from '@clinic/prisma/client';
import type { Stores } from '@clinic/prisma/stores';
import { sha256Hex } from '@clinic/shared/crypto';
import { aClinic, freshStores } from '../../support/stores';

let database: Database;
let stores: Stores;
let clinicId: string;

beforeAll(async () => {
  ({ database, stores } = await freshStores());
});

beforeEach(async () => {
  clinicId = await aClinic(stores, 'Harbor');
});

afterAll(() => database.close());

describe('an API key', () => {
  test('is found by its text, which is stored nowhere', async () => {
    const { id, key, prefix } = await stores.keys.createApiKey({ clinicId, name: 'reports' });

    expect(await stores.keys.clinicOfApiKey(key)).toEqual({ id, clinicId });
    expect(key.startsWith(prefix)).toBe(true);
    const stored = await database.sql<{ row: unknown }>`select to_jsonb(k) as row from api_keys k where id = ${id}`;
    expect(JSON.stringify(stored)).not.toContain(key);
  });

  test('opens nothing once it is revoked, and a second revocation finds nothing', async () => {
    const { id, key } = await stores.keys.createApiKey({ clinicId, name: 'reports' });

    expect(await stores.keys.revokeApiKey(clinicId, id)).toBe(true);

    expect(await stores.keys.clinicOfApiKey(key)).toBeNull();
    expect(await stores.keys.revokeApiKey(clinicId, id)).toBe(false);
    expect(await stores.keys.listApiKeys(clinicId)).toEqual([]);
  });

  test('shows when it was last used', async () => {
    const { id } = await stores.keys.createApiKey({ clinicId, name: 'reports' });
    expect(await stores.keys.listApiKeys(clinicId)).toMatchObject([{ id, lastUsedAt: null }]);

    await stores.keys.touchApiKey(id);

    expect(await stores.keys.listApiKeys(clinicId)).toMatchObject([{ id, lastUsedAt: expect.any(Date) as Date }]);
  });
});

describe('rotating the secret of an inbound URL', () => {
  const rotate = async (times: number) => {
    const secrets: string[] = [];
    for (let time = 0; time < times; time += 1) {
      secrets.unshift(await stores.keys.rotateInbound(clinicId, 'forms-abandoned'));
    }
    return secrets;
  };
  const liveDigests = async () =>
    (await stores.keys.inboundDigests(clinicId, 'forms-abandoned')).map(({ hash }) => hash);

  test('leaves the one before alive, and none that is older', async () => {
    const [newest = '', previous = ''] = await rotate(3);

    expect(await liveDigests()).toEqual([sha256Hex(newest), sha256Hex(previous)]);
  });

  test('lets the one before live for a day', async () => {
    await rotate(2);

    const [newest, previous] = await stores.keys.listInbound(clinicId);
    expect(newest?.expiresAt).toBeNull();
    expect((previous?.expiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    expect((previous?.expiresAt?.getTime() ?? 0) - Date.now()).toBeLessThan(24.1 * 3_600_000);
  });

  test('many times at once leaves two', async () => {
    await Promise.all([1, 2, 3, 4].map(() => rotate(1)));

    expect(await liveDigests()).toHaveLength(2);
  });

  test('concerns one URL of one clinic', async () => {
    const [secret = ''] = await rotate(1);
    const other = await aClinic(stores, 'Meadow');

    await stores.keys.rotateInbound(clinicId, 'forms-completed');
    await stores.keys.rotateInbound(other, 'forms-abandoned');

    expect(await liveDigests()).toEqual([sha256Hex(secret)]);
  });

  test('one that has run out opens nothing and is not listed', async () => {
    const [newest = ''] = await rotate(2);
    await database.sql`
      update secrets set expires_at = now() - interval '1 second' where clinic_id = ${clinicId} and expires_at is not null`;

    expect(await liveDigests()).toEqual([sha256Hex(newest)]);
    expect(await stores.keys.listInbound(clinicId)).toHaveLength(1);
    expect(await stores.keys.retirePreviousInbound(clinicId, 'forms-abandoned')).toBe(false);
  });

  test('the one before can be retired at once, and only once', async () => {
    const [newest = ''] = await rotate(2);

    expect(await stores.keys.retirePreviousInbound(clinicId, 'forms-abandoned')).toBe(true);

    expect(await liveDigests()).toEqual([sha256Hex(newest)]);
    expect(await stores.keys.retirePreviousInbound(clinicId, 'forms-abandoned')).toBe(false);
  });

  test('shows which of the two was used', async () => {
    await rotate(2);
    const [, previous] = await stores.keys.inboundDigests(clinicId, 'forms-abandoned');

    await stores.keys.touchInbound(previous?.id ?? '');

    const listed = await stores.keys.listInbound(clinicId);
    expect(listed.map(({ lastUsedAt }) => lastUsedAt !== null)).toEqual([false, true]);
  });
});

describe('signing secrets', () => {
  test('are two while one takes over from the other, newest first', async () => {
    const first = await stores.keys.rotateSigning(clinicId);
    const second = await stores.keys.rotateSigning(clinicId);

    expect(await stores.keys.signingSecrets(clinicId)).toEqual([second, first]);
    expect(await stores.keys.listSigning(clinicId)).toHaveLength(2);
  });

  test('cannot be read for another clinic, even where the row is copied', async () => {
    await stores.keys.rotateSigning(clinicId);
    const other = await aClinic(stores, 'Meadow');
    await database.sql`
      insert into secrets (id, clinic_id, kind, ciphertext)
      select 'copied-' || id, ${other}, kind, ciphertext from secrets where clinic_id = ${clinicId}`;

    await expect(stores.keys.signingSecrets(other)).rejects.toThrow('unable to authenticate');
  });
});

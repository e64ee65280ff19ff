import type { Database } from '@clinic/prisma/client';
import { newId } from '@clinic/shared/crypto';
import { awaitedDatabase, awaitedStores } from '../support/awaited';
import { freshDatabase } from '../support/database';
import { aClinic, freshStores } from '../support/stores';

let database: Database;
beforeAll(async () => {
  database = awaitedDatabase(await freshDatabase());
});
afterAll(() => database.close());

const kept = async () => (await database.sql`select from opt_outs`).length;

test('a transaction of the tests is refused where a statement is not awaited, and stores nothing', async () => {
  const first = database.transaction(async (tx) => {
    void tx`select pg_sleep(0)`;
    await tx`delete from opt_outs`;
  });
  const last = database.transaction(async (tx) => {
    await tx`delete from opt_outs`;
    void tx`select pg_sleep(0)`;
  });
  const none = database.transaction(async (tx) => tx<{ n: number }>`select 1 as n`);

  await expect(first).rejects.toThrow('was not awaited');
  await expect(last).rejects.toThrow('was not awaited');
  expect([await none, await kept()]).toEqual([[{ n: 1 }], 0]);
});

test('a call of a store of the tests is refused where it is answered before its statements are', async () => {
  const { database: plain, stores } = await freshStores();
  const clinicId = await aClinic(stores, 'Harbor');
  const late = awaitedStores({
    ...stores,
    optOuts: {
      ...stores.optOuts,
      remove: async () => {
        void database.sql`select pg_sleep(0.1)`;
        return true;
      },
    },
  });

  await expect(late.optOuts.remove(clinicId, { id: newId() })).rejects.toThrow('optOuts.remove was answered before');
  await expect(late.optOuts.list(clinicId, { limit: 1 })).resolves.toMatchObject({ items: [] });
  await plain.close();
});

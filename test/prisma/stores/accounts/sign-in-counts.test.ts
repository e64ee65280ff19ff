import type { Database } from '@clinic/prisma/client';
import { createSignInCountStores, type SignInCountStores } from '@clinic/prisma/stores/accounts/sign-in-counts';
import { freshDatabase } from '../../../support/database';

let database: Database;
let counts: SignInCountStores;

beforeAll(async () => {
  database = await freshDatabase();
  counts = createSignInCountStores(database);
});
beforeEach(() => database.sql`delete from sign_in_counts`);
afterAll(() => database.close());

const signIns = async (email: string, address: string) => (await counts.count(email, address)).signIns;
const rows = async () => (await database.sql<{ key: string }>`select key from sign_in_counts`).length;
const begunBefore = (seconds: number) =>
  database.sql`update sign_in_counts set began_at = now() - make_interval(secs => ${seconds})`;

test('sign-ins are counted by account and address, however the e-mail is written', async () => {
  expect(await signIns('ann@clinic.example', '203.0.113.7')).toBe(1);
  expect(await signIns('ANN@clinic.example', '203.0.113.7')).toBe(2);
  expect(await signIns('ben@clinic.example', '203.0.113.7')).toBe(1);
  expect(await signIns('ann@clinic.example', '203.0.113.8')).toBe(1);
  expect(await rows()).toBe(3);
});

test.each([
  [59, 2, 1],
  [61, 1, 60],
])('after %i seconds a sign-in is number %i, and the minute goes on for %i seconds', async (passed, number, left) => {
  await signIns('ann@clinic.example', '203.0.113.7');
  await begunBefore(passed);

  const counted = await counts.count('ann@clinic.example', '203.0.113.7');

  expect(counted.signIns).toBe(number);
  expect(counted.waitMs).toBeGreaterThan((left - 1) * 1_000);
  // PostgreSQL counts microseconds from an instant of whole milliseconds.
  expect(counted.waitMs).toBeLessThanOrEqual(left * 1_000 + 1);
});

test.each([
  [119, 1],
  [121, 0],
])('a count that began %i seconds ago is one of %i that are kept', async (passed, kept) => {
  await signIns('ann@clinic.example', '203.0.113.7');
  await begunBefore(passed);

  await counts.deleteOld();

  expect(await rows()).toBe(kept);
});

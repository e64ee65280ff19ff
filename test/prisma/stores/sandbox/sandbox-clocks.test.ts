import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const shows = '2035-01-08T12:00:00.000Z';
const realNow = new Date('2026-11-27T12:00:00Z');

test.each([
  ['stands still', { shows, runsSince: null }, 'sandbox.clock.set', { shows, isFrozen: true }],
  ['runs', { shows, runsSince: realNow.toISOString() }, 'sandbox.clock.set', { shows, isFrozen: false }],
  ['is the real time', null, 'sandbox.clock.clear', {}],
] as const)('the audit says that a clock %s', async (_how, clock, action, detail) => {
  const { clinicId, database, stores } = records;

  const set = await stores.sandboxClocks.set({ clinicId, realNow, to: () => clock }, { actor: 'account:a' });

  expect(set).toEqual(clock);
  await stores.auditChain.seal(100);
  const entries = await database.prisma.auditEntry.findMany({ where: { clinicId }, orderBy: { at: 'desc' }, take: 1 });
  expect(entries).toMatchObject([{ action, detail }]);
});

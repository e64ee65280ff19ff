import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const shows = '2035-01-08T12:00:00.000Z';
const realNow = new Date('2026-11-27T12:00:00Z');
const minutesBefore = (minutes: number) => new Date(Date.parse(shows) - minutes * 60_000);

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

test.each<[what: string, about: object, isFulfilled: boolean]>([
  ['that ends as the clock shows', {}, true],
  ['of somebody who has arrived', { status: 'arrived' }, true],
  ['that ends later', { startsAt: minutesBefore(29), endsAt: minutesBefore(-1) }, false],
  ['that was cancelled', { status: 'cancelled' }, false],
  ['that the sandbox did not make', { inSandbox: false }, false],
  ['of another clinic', { isElsewhere: true }, false],
])('a visit %s is fulfilled by a clock that is set, or is not', async (_what, { ...about }, isFulfilled) => {
  const { database, stores } = records;
  const { isElsewhere = false, inSandbox = true, ...rest } = about as { isElsewhere?: boolean; inSandbox?: boolean };
  const [clinicId, otherClinicId] = [await records.aClinic(), await records.aClinic()];
  const owner = isElsewhere ? otherClinicId : clinicId;
  const { id: providerId } = await database.prisma.provider.findFirstOrThrow({ where: { clinicId: owner } });
  const [patientId, id] = [newId(), newId()];
  await database.prisma.patient.create({ data: { id: patientId, clinicId: owner } });
  const times = { startsAt: minutesBefore(30), endsAt: minutesBefore(0) };
  const visit = { patientId, providerId, visitType: 'New Patient', status: 'booked', ...times };
  await database.prisma.appointment.create({ data: { id, clinicId: owner, ...visit, ...rest } });
  await database.prisma.appointment.update({ where: { id }, data: { inSandbox } });
  const { status: before } = await database.prisma.appointment.findUniqueOrThrow({ where: { id } });

  await stores.sandboxClocks.set({ clinicId, realNow, to: () => ({ shows, runsSince: null }) });

  const { status } = await database.prisma.appointment.findUniqueOrThrow({ where: { id } });
  expect(status).toBe(isFulfilled ? 'fulfilled' : before);
});

import { newId } from '@clinic/shared/crypto';
import { openRecords, type OpenedRun, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const minutes = (count: number) => new Date(Date.now() + count * 60_000);

test('lines are used by calls of patients that go on and by those who have one, and waited for by those who may still call', async () => {
  const { clinicId, database, stores } = records;
  const patientId = await records.aPatient();
  const call = (about: { state: string; isTest?: boolean }) => ({
    id: newId(),
    clinicId,
    patientId,
    direction: 'inbound',
    ...about,
  });
  await database.prisma.call.createMany({
    data: [
      call({ state: 'RINGING' }),
      call({ state: 'IN_PROGRESS' }),
      call({ state: 'IN_PROGRESS', isTest: true }),
      call({ state: 'ENDED' }),
    ],
  });
  const ticket = async (about: object, run?: OpenedRun) => {
    const { workflowId } = run ?? (await records.aRun());
    return { clinicId, workflowId, phone: '+13035550142', priority: 1, dueAt: minutes(-3), ...about };
  };
  await database.prisma.lineTicket.createMany({
    data: [
      await ticket({}),
      await ticket({ notAfter: minutes(5) }),
      await ticket({ notAfter: minutes(-1), dueAt: minutes(-60) }),
      await ticket({ grantedAt: minutes(-1), dueAt: minutes(-90) }),
    ],
  });

  const { linesUsed, linesWaiting, dueCallSeconds } = await stores.backlog.read();

  expect({ linesUsed, linesWaiting }).toEqual({ linesUsed: 3, linesWaiting: 2 });
  expect(Math.round(dueCallSeconds / 60)).toBe(3);
});

import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

test('each run in a list has its own place in line, as long as it stands there', async () => {
  const { clinicId, database, stores } = records;
  const [waiting, granted, late, none] = [
    await records.aRun(),
    await records.aRun(),
    await records.aRun(),
    await records.aRun(),
  ];
  const minutes = (count: number) => new Date(Date.now() + count * 60_000);
  const createdAt = minutes(-5);
  const ticket = ({ workflowId }: { workflowId: string }, about: object = {}) => ({
    clinicId,
    workflowId,
    phone: '+13035550142',
    priority: 1,
    dueAt: createdAt,
    createdAt,
    ...about,
  });
  await database.prisma.lineTicket.createMany({
    data: [
      ticket(waiting, { notAfter: minutes(5) }),
      ticket(granted, { grantedAt: createdAt }),
      ticket(late, { notAfter: minutes(-1) }),
    ],
  });

  const { items } = await stores.runRecords.list(clinicId, { limit: 10 });

  const queuedAt = ({ workflowId }: { workflowId: string }) => items.find(({ id }) => id === workflowId)?.queuedAt;
  expect([waiting, granted, late, none].map(queuedAt)).toEqual([createdAt, null, null, null]);
});

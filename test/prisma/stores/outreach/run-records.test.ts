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

test('runs are listed page by page with the one that began last first, and of one instant by their ids', async () => {
  const clinicId = await records.aClinic();
  const { prisma } = records.database;
  const opened = [await records.aRun({ clinicId }), await records.aRun({ clinicId }), await records.aRun({ clinicId })];
  const [first = '', second = '', third = ''] = opened.map(({ workflowId }) => workflowId).toSorted();
  const begin = (id: string, day: string) =>
    prisma.workflowRun.update({ where: { id }, data: { startedAt: new Date(`2026-01-${day}T00:00:00Z`) } });
  await begin(first, '02');
  await begin(second, '01');
  await begin(third, '01');

  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await records.stores.runRecords.list(clinicId, { limit: 1, cursor });
    listed.push(...items.map(({ id }) => id));
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);

  expect(listed).toEqual([first, third, second]);
  const { items } = await records.stores.runRecords.list(clinicId, { limit: 10 });
  expect(items.map(({ id }) => id)).toEqual(listed);
});

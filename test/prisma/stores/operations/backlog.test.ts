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

interface Pause {
  of?: 'another' | null;
  workflowType?: string;
  endsAt?: Date;
  resumedAt?: Date;
}

test.each<[what: string, about: Pause, isHeldBack: boolean]>([
  ['of its clinic', {}, true],
  ['of its clinic and its type', { workflowType: 'care-gap-follow-up' }, true],
  ['of its clinic and another type', { workflowType: 'payment-recovery' }, false],
  ['of another clinic', { of: 'another' }, false],
  ['of every clinic', { of: null }, true],
  ['that ends later', { endsAt: minutes(1) }, true],
  ['that is over', { endsAt: minutes(-1) }, false],
  ['that was ended', { resumedAt: minutes(-1) }, false],
])('a call that is due waits for a line, or for the end of a pause %s', async (_what, { of, ...about }, isHeldBack) => {
  const { clinicId, otherClinicId, database, stores } = records;
  await database.prisma.lineTicket.deleteMany();
  await database.prisma.outreachPause.deleteMany();
  const paused = of === undefined ? clinicId : of && otherClinicId;
  const { workflowId } = await records.aRun();
  const ticket = { clinicId, workflowId, phone: '+13035550142', priority: 1, dueAt: minutes(-10) };
  await database.prisma.lineTicket.create({ data: ticket });
  await database.prisma.outreachPause.create({
    data: {
      id: newId(),
      clinicId: paused,
      reason: 'a test',
      pausedBy: 'operator',
      pausedAt: minutes(-30),
      ...about,
    },
  });

  const { dueCallSeconds, linesWaiting } = await stores.backlog.read();

  expect([Math.round(dueCallSeconds / 60), linesWaiting]).toEqual([isHeldBack ? 0 : 10, 1]);
});

test('what waits is as old as its oldest, and is not what has gone out, is over or comes later', async () => {
  const { clinicId, database, stores } = records;
  const { prisma } = database;
  await Promise.all([
    prisma.outboundEvent.deleteMany(),
    prisma.staffTask.deleteMany(),
    prisma.workflowMessage.deleteMany(),
  ]);
  await prisma.workflowRun.updateMany({ data: { dispatchedAt: new Date() } });
  const nothing = await stores.backlog.read();

  const started = await Promise.all(Array.from({ length: 4 }, () => records.aRun()));
  const ids = started.map(({ workflowId }) => workflowId);
  const change = (index: number, data: Parameters<typeof prisma.workflowRun.update>[0]['data']) =>
    prisma.workflowRun.update({ where: { id: ids[index] ?? '' }, data });
  await change(0, { startedAt: minutes(-2) });
  await change(1, { startedAt: minutes(-3) });
  await change(2, { startedAt: minutes(-50), dispatchedAt: new Date() });
  await change(3, { startedAt: minutes(-50), status: 'completed' });
  const message = (createdAt: Date, sentAt: Date | null = null) => ({
    id: newId(),
    clinicId,
    workflowId: ids[0] ?? '',
    signal: 'rulesChanged',
    payload: {},
    createdAt,
    sentAt,
  });
  await prisma.workflowMessage.deleteMany();
  await prisma.workflowMessage.createMany({
    data: [message(minutes(-4)), message(minutes(-5)), message(minutes(-50), new Date())],
  });
  const task = (createdAt: Date, state: string) => ({
    id: newId(),
    clinicId,
    reason: 'bad_number',
    cause: newId(),
    createdAt,
    state,
  });
  await prisma.staffTask.createMany({
    data: [task(minutes(-6), 'OPEN'), task(minutes(-7), 'OPEN'), task(minutes(-50), 'RESOLVED')],
  });
  await prisma.outboundEvent.deleteMany();
  const states: [state: string, nextAttemptAt: Date | null][] = [
    ['PENDING', minutes(-8)],
    ['PENDING', minutes(-9)],
    ['PENDING', minutes(10)],
    ['DEAD', minutes(-50)],
    ['DELIVERED', minutes(-50)],
  ];
  for (const [state, nextAttemptAt] of states) {
    const about = { event: 'recovery_case.created', subject: newId(), data: {} };
    const { id } = await prisma.outboundEvent.create({ data: { id: newId(), clinicId, ...about } });
    await prisma.delivery.updateMany({ where: { eventId: id }, data: { state, nextAttemptAt } });
  }

  const { linesUsed: _used, linesWaiting: _waiting, dueCallSeconds: _due, ...found } = await stores.backlog.read();

  expect(nothing).toMatchObject({
    undispatchedRunSeconds: 0,
    unsentMessageSeconds: 0,
    deliveriesDue: 0,
    dueDeliverySeconds: 0,
    deadDeliveries: 0,
    openTaskSeconds: 0,
  });
  const inMinutes = (seconds: number) => Math.floor(seconds / 60);
  expect({
    ...found,
    undispatchedRunSeconds: inMinutes(found.undispatchedRunSeconds),
    unsentMessageSeconds: inMinutes(found.unsentMessageSeconds),
    dueDeliverySeconds: inMinutes(found.dueDeliverySeconds),
    openTaskSeconds: inMinutes(found.openTaskSeconds),
  }).toEqual({
    undispatchedRunSeconds: 3,
    unsentMessageSeconds: 5,
    deliveriesDue: 2,
    dueDeliverySeconds: 9,
    deadDeliveries: 1,
    openTaskSeconds: 7,
  });
});

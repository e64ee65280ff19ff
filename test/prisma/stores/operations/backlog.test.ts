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

import { newId } from '@clinic/shared/crypto';
import { openRecords, type OpenedRun, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const prisma = () => records.database.prisma;
const ago = (minutes: number, seconds = 0) => new Date(Date.now() - minutes * 60_000 - seconds * 1_000);

async function aCall({ clinicId, patientId, workflowId, workflowType, phone }: OpenedRun, about: object = {}) {
  const callId = newId();
  const usual = { direction: 'outbound', requestedAt: new Date(), platformCallId: callId, state: 'IN_PROGRESS' };
  await prisma().call.create({
    data: { id: callId, clinicId, patientId, workflowId, workflowType, phone, ...usual, ...about },
  });
  return callId;
}

const theCall = (id: string) => prisma().call.findUniqueOrThrow({ where: { id } });
const endedAt = (completedAt: Date) => ({ status: 'completed', outcome: 'INFORMED', completedAt });
const undialled = { requestedAt: null, platformCallId: null, state: 'QUEUED' };
/** Of the clinic's own people: no run makes it. */
const trial = { isTest: true, workflowId: null };
type Rows = { call?: object; run?: object; ticket?: object };

describe('a call that no workflow ends any more', () => {
  test.each<[what: string, rows: () => Rows, isLeft: boolean]>([
    ['whose run goes on', () => ({}), false],
    ['whose run has been over for more than a minute', () => ({ run: endedAt(ago(1, 20)) }), true],
    ['whose run has been over for less than a minute', () => ({ run: endedAt(ago(0, 40)) }), false],
    ['that is over like its run', () => ({ run: endedAt(ago(9)), call: { state: 'ENDED' } }), false],
    ['that is a test', () => ({ run: endedAt(ago(9)), call: { isTest: true, direction: 'inbound' } }), false],
    ['that is a trial of two minutes ago', () => ({ call: { ...trial, createdAt: ago(2, 20) } }), true],
    ['that is a trial of less', () => ({ call: { ...trial, createdAt: ago(1, 40) } }), false],
    ['that is a trial looked at later', () => ({ call: { ...trial, createdAt: ago(9), nextLookAt: ago(-1) } }), false],
    ['that is a trial and over', () => ({ call: { ...trial, createdAt: ago(9), state: 'ENDED' } }), false],
    ['that is looked at later', () => ({ run: endedAt(ago(9)), call: { nextLookAt: ago(-1) } }), false],
    ['that is looked at again', () => ({ run: endedAt(ago(9)), call: { nextLookAt: ago(1) } }), true],
    ['that nobody dialled in ten minutes', () => ({ call: { ...undialled, createdAt: ago(10, 20) } }), true],
    ['that nobody dialled in less', () => ({ call: { ...undialled, createdAt: ago(9, 40) } }), false],
    ['that was dialled long ago', () => ({ call: { createdAt: ago(20) } }), false],
    ['that came in long ago', () => ({ call: { ...undialled, direction: 'inbound', createdAt: ago(20) } }), false],
    ['whose run is in line for another', () => ({ ticket: {} }), true],
    ['whose run is in line for a while', () => ({ ticket: { notAfter: ago(-1) } }), true],
    ['whose run was in line', () => ({ ticket: { notAfter: ago(1) } }), false],
    ['whose run is in line, and that no platform has', () => ({ ticket: {}, call: { platformCallId: null } }), false],
  ])('is one %s, or is not', async (_what, rows, isLeft) => {
    const { call, run: ofRun, ticket } = rows();
    const [run, other] = [await records.aRun(), await records.aRun()];
    const { clinicId, workflowId, phone } = run;
    const callId = await aCall(run, call);
    const ofOther = await aCall(other);
    if (ofRun) await prisma().workflowRun.update({ where: { id: workflowId }, data: ofRun });
    const place = { clinicId, workflowId, phone, priority: 2, dueAt: new Date(), ...ticket };
    if (ticket) await prisma().lineTicket.create({ data: place });

    const left = (await records.stores.calls.left(1_000)).map((found) => found.callId);

    expect([left.includes(callId), left.includes(ofOther)]).toEqual([isLeft, false]);
  });

  test('is looked for where its clinic calls, by what its platform knows it by', async () => {
    const clinics = [await records.aClinic(), await records.aClinic()];
    const lefts: string[] = [];
    for (const [index, clinicId] of clinics.entries()) {
      const run = await records.aRun({ clinicId });
      const { workflowId } = run;
      await prisma().clinic.update({ where: { id: clinicId }, data: { voiceProvider: index ? 'vapi' : 'simulator' } });
      await prisma().workflowRun.update({ where: { id: workflowId }, data: endedAt(ago(9)) });
      lefts.push(await aCall(run, { requestedAt: ago(12), requestedAccount: `account-${index}` }));
    }

    const found = await records.stores.calls.left(1_000);

    const about = found.filter(({ clinicId }) => clinics.includes(clinicId));
    expect(about.toSorted((one, other) => lefts.indexOf(one.callId) - lefts.indexOf(other.callId))).toMatchObject(
      clinics.map((clinicId, index) => ({
        callId: lefts[index],
        clinicId,
        platformCallId: lefts[index],
        voiceProvider: index ? 'vapi' : 'simulator',
        requestedAccount: `account-${index}`,
      })),
    );
    expect(Math.min(...about.map(({ requestedMsAgo }) => requestedMsAgo ?? 0))).toBeGreaterThanOrEqual(
      12 * 60_000 - 1_000,
    );
  });

  test('is looked for in the turn of its clinic, the one that is due for the longest first', async () => {
    const clinics = [await records.aClinic(), await records.aClinic(), await records.aClinic()] as const;
    const [ann, ben, cat] = clinics;
    const aLeftCall = async (clinicId: string, about: object) => {
      const run = await records.aRun({ clinicId });
      await prisma().workflowRun.update({ where: { id: run.workflowId }, data: endedAt(ago(2)) });
      return aCall(run, about);
    };
    const lastOfAll = await aLeftCall(ann, { createdAt: ago(55), nextLookAt: ago(40) });
    const third = await aLeftCall(cat, { createdAt: ago(5) });
    const fourth = await aLeftCall(ben, { createdAt: ago(42) });
    const second = await aLeftCall(ben, { createdAt: ago(58), nextLookAt: ago(45) });
    const first = await aLeftCall(ann, { createdAt: ago(50) });

    const found = await records.stores.calls.left(1_000);

    const inOrder = found.filter(({ clinicId }) => clinics.includes(clinicId)).map(({ callId }) => callId);
    expect(inOrder).toEqual([first, second, third, fourth, lastOfAll]);
    expect((await records.stores.calls.left(2)).length).toBe(2);
  });

  test.each<[what: string, about: object, isWithdrawn: boolean]>([
    ['nobody has begun to dial', undialled, true],
    ['the platform was asked for', { platformCallId: null, state: 'QUEUED' }, false],
    ['is over', { ...undialled, state: 'ENDED' }, false],
  ])('and %s gives its line to the next, or stays as it is', async (_what, about, isWithdrawn) => {
    const clinicId = await records.aClinic();
    const [run, next] = [await records.aRun({ clinicId }), await records.aRun({ clinicId })];
    const callId = await aCall(run, about);
    const { workflowId, phone } = next;
    const place = { clinicId, workflowId, phone, priority: 2, dueAt: new Date() };
    await prisma().lineTicket.create({ data: place });

    const withdrawn = [
      await records.stores.calls.withdrawUnrequested(records.otherClinicId, callId),
      await records.stores.calls.withdrawUnrequested(clinicId, callId),
    ];

    expect(withdrawn).toEqual([false, isWithdrawn]);
    const { grantedAt } = await prisma().lineTicket.findUniqueOrThrow({ where: { workflowId } });
    expect(grantedAt !== null).toBe(isWithdrawn);
    const why = isWithdrawn ? ['withdrawn', 'never_dialled'] : [null, null];
    const { endedReason, withdrawnBecause } = await theCall(callId);
    expect([endedReason, withdrawnBecause]).toEqual(why);
  });
});

test.each([
  [3, 1],
  [30, 3],
  [200, 20],
  [590, 59],
  [700, 60],
  [3_000, 60],
])('a call that began %d minutes ago is looked at again in %d, and no other with it', async (minutes, laterBy) => {
  const { calls } = records.stores;
  const [run, beside] = [await records.aRun(), await records.aRun()];
  const callId = await aCall(run, { createdAt: ago(minutes) });
  const others = [await aCall(beside, {}), await aCall(beside, { dial: 2, state: 'ENDED' })];

  await calls.lookLater(run.clinicId, callId);
  await calls.lookLater(run.clinicId, others[1] ?? '');

  const { nextLookAt } = await theCall(callId);
  expect(Math.round(((nextLookAt?.getTime() ?? 0) - Date.now()) / 60_000)).toBe(laterBy);
  const times = await Promise.all(others.map(async (id) => (await theCall(id)).nextLookAt));
  expect(times).toEqual([null, null]);
});

test.each([
  ['for the first time', null, 3, 4],
  ['80 seconds after it was so', 80, 3, 3],
  ['100 seconds after it was so', 100, 3, 4],
] as const)(
  'a call that its platform does not know, %s, is counted once in 90 seconds',
  async (_when, seconds, was, is) => {
    const before = seconds === null ? null : ago(0, seconds);
    const { calls } = records.stores;
    const [run, beside] = [await records.aRun(), await records.aRun()];
    const [callId, other] = [
      await aCall(run, { notFoundCount: was, notFoundAt: before }),
      await aCall(beside, { notFoundCount: was, notFoundAt: before }),
    ];

    expect(await calls.markNotFound(run.clinicId, callId)).toBe(is);

    const { notFoundCount, notFoundAt } = await theCall(callId);
    expect([notFoundCount, notFoundAt?.getTime() === before?.getTime()]).toEqual([is, is === was]);
    await calls.markFound(run.clinicId, callId);
    expect(await theCall(callId)).toMatchObject({ notFoundCount: 0, notFoundAt: null });
    expect(await theCall(other)).toMatchObject({ notFoundCount: was, notFoundAt: before });
    expect(await calls.markNotFound(run.clinicId, newId())).toBe(0);
  },
);

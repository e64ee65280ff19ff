import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(() => records.database.sql`delete from workflow_messages`);
afterAll(() => records.close());

const seconds = (count: number) => new Date(Date.now() - count * 1_000);
const startedBy = { dispatchedAt: new Date() };
const over = { status: 'completed', outcome: 'INFORMED', completedAt: new Date() };

/** A run, one more beside it that has started, and what is stored for the first. */
async function aMessage({ run = startedBy, message = {} }: { run?: object; message?: object } = {}, clinicId?: string) {
  const { prisma } = records.database;
  const [told, another] = [await records.aRun({ clinicId }), await records.aRun({ clinicId })];
  await prisma.workflowRun.update({ where: { id: told.workflowId }, data: { dispatchedAt: null, ...run } });
  await prisma.workflowRun.update({ where: { id: another.workflowId }, data: { ...startedBy, ...over } });
  const { clinicId: owner, workflowId } = told;
  const usual = { id: newId(), clinicId: owner, workflowId, signal: 'lineFreed', payload: {}, createdAt: seconds(60) };
  const { id } = await prisma.workflowMessage.create({ data: { ...usual, ...message } });
  return { id, clinicId: owner, workflowId, signal: 'lineFreed', payload: {} };
}

test.each<[what: string, about: { run?: object; message?: object }, isFound: boolean, isUnsent: boolean]>([
  ['of a run that was started', {}, true, true],
  ['of a run that nobody knows as started', { run: {} }, false, false],
  ['of a run that is over, and that nobody knows as started', { run: over }, true, true],
  ['of a run that is over', { run: { ...startedBy, ...over } }, true, true],
  ['that was sent', { message: { sentAt: new Date() } }, false, false],
  ['that only a newer release knows', { message: { signal: 'somethingNew' } }, false, false],
  ['that was stored a while ago', { message: { createdAt: seconds(35) } }, true, true],
  ['that was stored just now', { message: { createdAt: seconds(25) } }, true, false],
])('what is stored for a workflow, %s, is found and is unsent, or is not', async (_what, about, isFound, isUnsent) => {
  const { messages } = records.stores;
  const message = await aMessage(about);

  const [found, unsent] = [await messages.find(message.id), await messages.unsent(30_000, 10)];
  await messages.markSent(message.id);

  expect(found).toEqual(isFound ? message : null);
  expect(unsent).toEqual(isUnsent ? [message] : []);
  expect([await messages.find(message.id), await messages.unsent(30_000, 10)]).toEqual([null, []]);
  expect(await messages.find(newId())).toBeNull();
});

test('the oldest that are unsent are sent first, and the clinics take turns', async () => {
  const stored = async (clinicId: string, age: number) =>
    (await aMessage({ message: { createdAt: seconds(age) } }, clinicId)).id;
  const { clinicId, otherClinicId, stores } = records;
  const [third, first, second] = [
    await stored(clinicId, 200),
    await stored(clinicId, 400),
    await stored(clinicId, 300),
  ];
  const [last, only] = [await stored(clinicId, 100), await stored(otherClinicId, 50)];
  const unsent = async (limit: number) => (await stores.messages.unsent(0, limit)).map(({ id }) => id);

  expect(await unsent(10)).toEqual([first, only, second, third, last]);
  expect(await unsent(2)).toEqual([first, only]);
  expect(await unsent(1)).toEqual([first]);
});

import { newId } from '@clinic/shared/crypto';
import { alarmKinds } from '@clinic/shared/domain/tasks/alarms';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

interface Somebody {
  clinicId: string;
  id: string;
}

/** Who wants mail was told an hour ago, and a task was opened half an hour ago, unless told otherwise. */
async function somebody({ person = {}, toldUntil = ago(3_600) }: { person?: object; toldUntil?: Date } = {}) {
  const clinicId = await records.aClinic('Harbor');
  const id = newId();
  const name = { name: 'Ann Lee', email: `${id}@harbor.example` };
  await records.database.prisma.user.create({ data: { id, clinicId, role: 'staff', ...name, ...person } });
  await records.database.prisma.taskMail.create({ data: { userId: id, clinicId, toldUntil } });
  return { clinicId, id };
}

const task = ({ clinicId }: Pick<Somebody, 'clinicId'>, about: object = {}) =>
  records.database.prisma.staffTask.create({
    data: { id: newId(), clinicId, cause: newId(), reason: 'bad_number', createdAt: ago(1_800), ...about },
  });

/** Before the moment at which it is opened, however long the tests above have taken. */
const openedAgo = (seconds: number) => ({
  get createdAt() {
    return ago(seconds);
  },
});

const due = () => records.stores.taskMails.due('', 1_000);

test.each<[string, boolean, { person?: object; toldUntil?: Date; task?: object }]>([
  ['opened since they were told', true, {}],
  ['of a manager', true, { person: { role: 'manager' } }],
  ['of an administrator', true, { person: { role: 'admin' } }],
  ['of an auditor, who sees no tasks', false, { person: { role: 'auditor' } }],
  ['of somebody who is disabled', false, { person: { disabledAt: ago(60) } }],
  ['of emergency access', false, { person: { endsAt: new Date('2100-01-01T00:00:00Z') } }],
  ['opened after a mail of six minutes ago', true, { toldUntil: ago(360), task: { createdAt: ago(200) } }],
  ['opened after a mail of four minutes ago', false, { toldUntil: ago(240), task: { createdAt: ago(200) } }],
  ['opened before they were told', false, { task: { createdAt: ago(3_601) } }],
  ['opened twenty seconds ago', true, { task: openedAgo(20) }],
  ['opened ten seconds ago, beside which others may still be stored', false, { task: openedAgo(10) }],
  ['that is resolved', false, { task: { state: 'RESOLVED' } }],
  ['that somebody else has', false, { task: { assigneeId: 'somebody-else' } }],
  ...alarmKinds.map((reason): [string, boolean, object] => [
    `that is an alarm: ${reason}`,
    false,
    { task: { reason } },
  ]),
])('a task %s is told by mail: %s', async (_what, isTold, about) => {
  const person = await somebody(about);
  await task(person, about.task);

  const news = await records.stores.taskMails.newTasks(person.id);

  expect((await due()).includes(person.id)).toBe(isTold);
  expect(news?.tasks ?? null).toEqual(isTold ? [{ reason: 'bad_number', count: 1 }] : null);
});

test('a task that one has oneself is told; that of another clinic, or to who has gone there, is not', async () => {
  const [mine, theirs, gone] = [await somebody(), await somebody(), await somebody()];
  await task(mine, { assigneeId: mine.id });
  await task({ clinicId: await records.aClinic() });
  await task(gone);
  await records.database.prisma.user.update({ where: { id: gone.id }, data: { clinicId: mine.clinicId } });

  const told = await due();
  const news = await Promise.all([mine, theirs, gone].map(({ id }) => records.stores.taskMails.newTasks(id)));

  expect([mine, theirs, gone].map(({ id }) => told.includes(id))).toEqual([true, false, false]);
  expect(news.map((each) => each !== null)).toEqual([true, false, false]);
});

test('news name the clinic and each reason, the most first, up to an instant of seconds ago', async () => {
  const person = await somebody();
  for (const reason of ['call_lost', 'bad_number', 'crm_sync_failed', 'crm_sync_failed'])
    await task(person, { reason });

  const news = await records.stores.taskMails.newTasks(person.id);

  expect(news).toMatchObject({
    email: `${person.id}@harbor.example`,
    clinicName: 'Harbor',
    tasks: [
      { reason: 'crm_sync_failed', count: 2 },
      { reason: 'bad_number', count: 1 },
      { reason: 'call_lost', count: 1 },
    ],
  });
  const before = (Date.now() - (news?.until.getTime() ?? 0)) / 1_000;
  expect(Math.abs(before - 15)).toBeLessThan(10);
});

test('who is due is listed by id, so many at once, and goes on after one', async () => {
  const people = [await somebody(), await somebody()];
  for (const person of people) await task(person);
  const all = await due();
  const { taskMails } = records.stores;

  expect(all).toEqual(all.toSorted());
  expect(await taskMails.due('', 1)).toEqual(all.slice(0, 1));
  expect(await taskMails.due(all[0] ?? '', 1_000)).toEqual(all.slice(1));
  expect(await taskMails.due(all.at(-1) ?? '', 1_000)).toEqual([]);
});

test('who was told is told no more of the same, and no earlier instant takes that back', async () => {
  const [person, other] = [await somebody(), await somebody()];
  for (const each of [person, other]) await task(each);
  const { taskMails } = records.stores;
  const toldUntil = async ({ id }: Somebody) =>
    (await records.database.prisma.taskMail.findUniqueOrThrow({ where: { userId: id } })).toldUntil;
  const before = await toldUntil(other);
  const until = ago(400);

  await taskMails.told(person.id, until);
  await taskMails.told(person.id, ago(800));

  expect([await toldUntil(person), await toldUntil(other)]).toEqual([until, before]);
  expect([await taskMails.newTasks(person.id), (await due()).includes(person.id)]).toEqual([null, false]);
  await task(person, { createdAt: ago(300) });
  expect((await taskMails.newTasks(person.id))?.tasks).toHaveLength(1);
});

test('mail is wanted by an account of the clinic from then on, once, until it is wanted no more', async () => {
  const { clinicId, id } = await somebody();
  const elsewhere = records.otherClinicId;
  const { taskMails } = records.stores;
  const rows = () => records.database.prisma.taskMail.findMany({ where: { userId: id } });
  await taskMails.want(elsewhere, id, false);
  const [kept] = await rows();
  await taskMails.want(clinicId, id, true);
  const [again] = await rows();
  await taskMails.want(clinicId, id, false);
  const isWanted = [await taskMails.isWanted(clinicId, id)];
  await taskMails.want(elsewhere, id, true);
  const wantedElsewhere = await rows();
  await taskMails.want(clinicId, id, true);
  isWanted.push(await taskMails.isWanted(clinicId, id), await taskMails.isWanted(elsewhere, id));
  isWanted.push(await taskMails.isWanted(clinicId, 'somebody-else'));
  const [anew] = await rows();

  expect([again, wantedElsewhere]).toEqual([kept, []]);
  expect(isWanted).toEqual([false, true, false, false]);
  expect(Date.now() - (anew?.toldUntil.getTime() ?? 0)).toBeLessThan(60_000);
});

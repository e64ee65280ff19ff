import { newId } from '@clinic/shared/crypto';
import { localDate } from '@clinic/shared/domain/calendar/clinic-time';
import { alarmKinds, exportActions, FEWEST_BULK_READS, MANY_REFUSALS } from '@clinic/shared/domain/tasks/alarms';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  clinicId = await records.aClinic('Harbor');
  // A day there begins at five in the morning of UTC.
  await records.database.prisma.clinic.update({ where: { id: clinicId }, data: { timezone: 'America/New_York' } });
});
afterAll(() => records.close());

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
const day = '2026-03-03';
const begins = '2026-03-03T05:00:00.000Z';
const since = new Date('2026-03-03T18:00:00.000Z');
const from = (start: string, ms: number) => new Date(Date.parse(start) + ms);

async function anAccount(about: object = {}): Promise<string> {
  const id = newId();
  const person = { name: 'Ann', email: `${id}@harbor.example`, role: 'admin' };
  await records.database.prisma.user.create({ data: { id, clinicId, ...person, ...about } });
  return id;
}
async function anAlarm(about: object = {}): Promise<string> {
  const id = newId();
  await records.database.prisma.staffTask.create({
    data: { id, clinicId, cause: newId(), reason: 'bulk_reads', ...about },
  });
  return id;
}
const alarms = () => records.stores.alarms;

const told: [string, { person?: object; task?: object }, boolean][] = [
  ...alarmKinds.map((reason): [string, { task: object }, boolean] => [reason, { task: { reason } }, true]),
  ['of a resolved one', { task: { state: 'RESOLVED' } }, true],
  ['no task of others', { task: { reason: 'bad_number' } }, false],
  ['of almost a day ago', { task: { createdAt: hoursAgo(23.9) } }, true],
  ['not of a day ago', { task: { createdAt: hoursAgo(24.1) } }, false],
  ['by no manager', { person: { role: 'manager' } }, false],
  ['by no auditor', { person: { role: 'auditor' } }, false],
  ['by no staff', { person: { role: 'staff' } }, false],
  ['by nobody who is disabled', { person: { disabledAt: hoursAgo(1) } }, false],
  ['by no emergency access', { person: { endsAt: hoursAgo(-1) } }, false],
  ['by no administrator of another clinic', { person: { clinicId: null } }, false],
];

test.each(told)('an alarm is heard: %s (%#)', async (_what, { person, task }, isHeard) => {
  const id = await anAccount(person);
  const taskId = await anAlarm(task);

  const due = await alarms().due('', 1_000);
  const news = await alarms().newAlarms(id);

  expect([due.includes(id), news !== null]).toEqual([isHeard, isHeard]);
  if (news) expect(news).toMatchObject({ email: `${id}@harbor.example`, clinicName: 'Harbor', alarms: [{ taskId }] });
  await alarms().told(id, [taskId]);
  expect([(await alarms().due('', 1_000)).includes(id), await alarms().newAlarms(id)]).toEqual([false, null]);
});

test('alarms are told to each administrator, in the order in which they came, and so many people at once', async () => {
  const [one, two] = [await anAccount(), await anAccount()];
  const second = await anAlarm({ createdAt: hoursAgo(1), reason: 'records_exported' });
  const first = await anAlarm({ createdAt: hoursAgo(2) });
  const elsewhere = await anAlarm({ clinicId: records.otherClinicId });
  const of = async (id: string) => (await alarms().newAlarms(id))?.alarms.map(({ taskId }) => taskId) ?? null;

  await alarms().told(one, [first, elsewhere]);

  expect([await of(one), await of(two)]).toEqual([[second], [first, second]]);
  const [low = '', high = ''] = [one, two].toSorted();
  expect((await alarms().due('', 1_000)).filter((id) => id === one || id === two)).toEqual([low, high]);
  expect(await alarms().due(low, 1_000)).not.toContain(low);
  expect(await alarms().due(low, 1)).toHaveLength(1);
  const notices = await records.database.prisma.alarmNotice.findMany({ where: { told: one } });
  expect(notices.map(({ taskId }) => taskId)).toEqual([first]);
});

test('the operator is told of each alarm of a day once, whoever else was', async () => {
  await alarms().tellOperator();
  const account = await anAccount();
  const alarm = await anAlarm();
  await anAlarm({ createdAt: hoursAgo(24.1) });
  await anAlarm({ reason: 'bad_number' });
  await alarms().told(account, [alarm]);

  expect([await alarms().tellOperator(), await alarms().tellOperator()]).toEqual([
    [{ clinicId, kind: 'bulk_reads' }],
    [],
  ]);
});

const entries = (
  times: number,
  about: { actor?: string; action?: string; at?: Date; subjects?: string[] } & { isRead?: boolean },
) =>
  records.database.prisma.auditEntry.createMany({
    data: Array.from({ length: times }, () => ({
      id: newId(),
      clinicId,
      actor: 'account:ann',
      action: 'sign-in.refused',
      at: since,
      ...about,
    })),
  });

describe('exports', () => {
  test.each<[string, { actor?: string; action?: string; at?: Date }, boolean]>([
    ...exportActions.map((action): [string, { action: string }, boolean] => [`by ${action}`, { action }, true]),
    ['not by another action', { action: 'patient.change' }, false],
    ['by a key', { actor: 'api-key:sync' }, true],
    ['not by the operator', { actor: 'operator' }, false],
    ['from the beginning of the day on', { at: from(begins, 0) }, true],
    ['not before it', { at: from(begins, -1) }, false],
  ])('count %s: %#', async (_what, about, isCounted) => {
    await entries(2, { action: 'patient.export', ...about });

    const found = (await alarms().exports(since)).filter((each) => each.clinicId === clinicId);

    expect(found).toEqual(isCounted ? [{ clinicId, actor: about.actor ?? 'account:ann', day, exports: 2 }] : []);
  });
});

test('what is done falls on the day of the clock that the service knows, whatever PostgreSQL knows of the zone', async () => {
  const zone = 'America/Vancouver';
  await records.database.prisma.clinic.update({ where: { id: clinicId }, data: { timezone: zone } });
  const patientIds = await Promise.all(Array.from({ length: FEWEST_BULK_READS }, () => records.aPatient()));
  await records.database.sql`update patients set clinic_id = ${clinicId} where id = any(${patientIds})`;
  // Its clock is no longer set back in winter, which many databases do not know.
  const at = new Date('2026-11-23T07:30:00.000Z');
  const before = new Date('2026-11-23T06:30:00.000Z');
  await entries(1, { action: 'patient.export', at });
  await entries(MANY_REFUSALS.ofAccount, { at });
  await entries(1, { action: 'patient.read', at, isRead: true, subjects: patientIds.slice(1) });
  await entries(1, { action: 'patient.read', at: before, isRead: true, subjects: patientIds });
  const ofClinic = <T extends { clinicId: string; day: string }>(found: T[]) =>
    found.filter((each) => each.clinicId === clinicId).map((each) => each.day);

  const [today, yesterday] = [localDate(at.toISOString(), zone), localDate(before.toISOString(), zone)];
  const reads = ofClinic(await alarms().countReads(new Date(before.getTime() - 1)));
  expect(ofClinic(await alarms().exports(at))).toEqual([today]);
  expect(ofClinic(await alarms().refusals(at))).toEqual([today]);
  expect(reads).toEqual([yesterday]);
});

describe('refused sign-ins', () => {
  const found = async () =>
    (await alarms().refusals(since))
      .filter((each) => each.clinicId === clinicId)
      .map(({ actor, day: on, refusals }) => [actor, on, refusals]);

  test.each<[string, number, object, boolean]>([
    ['ten of an account', 10, {}, true],
    ['nine of an account', 9, {}, false],
    ['ten of something else', 10, { action: 'sign-in' }, false],
    ['ten from the beginning of the day on', 10, { at: from(begins, 0) }, true],
    ['ten before it', 10, { at: from(begins, -1) }, false],
  ])('are many where there are %s: %#', async (_what, times, about, areMany) => {
    await entries(times, about);

    expect(await found()).toEqual(areMany ? [['account:ann', day, times]] : []);
  });

  test.each([
    [30, true],
    [29, false],
  ])('of several accounts are many where there are %i: %s', async (times, areMany) => {
    for (let account = 0; account < 4; account += 1)
      await entries(account < 3 ? 8 : times - 24, { actor: `account:${account}` });

    expect(await found()).toEqual(areMany ? [[null, day, times]] : []);
  });
});

describe('reads of a day', () => {
  const MANY = 200;
  let patients: string[];
  beforeEach(async () => {
    patients = Array.from({ length: MANY }, () => newId());
    await records.database.prisma.patient.createMany({
      data: patients.map((id) => ({ id, clinicId, phone: '+13035550100' })),
    });
  });
  const read = (about: object = {}) =>
    entries(1, { action: 'patient.list', isRead: true, subjects: patients, ...about });
  const found = async () =>
    (await alarms().countReads(since))
      .filter((each) => each.clinicId === clinicId)
      .map((each) => ({ ...each, before: each.before.toSorted((one, other) => one - other) }));
  const mine = (about: object = {}) => ({ clinicId, actor: 'account:ann', day, patients: MANY, before: [], ...about });
  const earlier = (days: number, count: number, about: object = {}) =>
    records.database.prisma.readsOfDay.create({
      data: {
        clinicId,
        actor: 'account:ann',
        day: new Date(Date.parse(day) - days * 86_400_000),
        patients: count,
        ...about,
      },
    });

  test.each<[string, object, boolean]>([
    ['by an account', {}, true],
    ['by a key', { actor: 'api-key:sync' }, true],
    ['by nobody outside', { actor: 'system' }, false],
    ['that are changes', { isRead: false }, false],
    ['before that instant', { at: new Date(since.getTime() - 1) }, false],
  ])('count %s: %#', async (_what, about, isCounted) => {
    await read(about);

    expect(await found()).toEqual(isCounted ? [mine('actor' in about ? { actor: about.actor } : {})] : []);
  });

  test('count patients of the clinic once each, over the whole of that day, by each actor', async () => {
    const [first = '', ...rest] = patients;
    await read({ subjects: [...rest, rest[0] ?? '', newId()] });
    const few = await found();
    await read({ subjects: [first], at: from(begins, -1) });
    await read({ subjects: [first], at: from(begins, 86_400_000) });
    await read({ subjects: [first], actor: 'account:bo' });
    await read({ subjects: [first], isRead: false });
    const ofOthers = await found();
    await read({ subjects: [first], at: from(begins, 0) });

    expect([few, ofOthers]).toEqual([[], []]);
    expect(await found()).toEqual([mine()]);
  });

  test('are told with those of the days before on which there were any, up to 28, of the same person and clinic', async () => {
    await earlier(1, 5);
    await earlier(28, 7);
    await earlier(2, 0);
    await earlier(29, 9);
    await earlier(3, 11, { actor: 'account:bo' });
    await earlier(4, 13, { clinicId: records.otherClinicId });
    await earlier(-1, 15);
    await read();

    expect(await found()).toEqual([mine({ before: [5, 7] })]);
    await records.database.prisma.readsOfDay.deleteMany();
  });

  test('never get fewer by what is forgotten of the audit, and are kept for thirty days', async () => {
    await earlier(0, 300);
    await earlier(30, 1);
    await earlier(31, 1);
    await read();

    expect(await found()).toEqual([mine({ patients: 300 })]);
    const kept = await records.database.prisma.readsOfDay.findMany({ where: { clinicId }, orderBy: { day: 'asc' } });
    expect(kept.map(({ day: on }) => on.toISOString().slice(0, 10))).toEqual(['2026-02-01', day]);
  });
});

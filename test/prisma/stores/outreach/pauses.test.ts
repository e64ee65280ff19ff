import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  await records.database.prisma.outreachPause.deleteMany();
  clinicId = await records.aClinic();
});
afterAll(() => records.close());

const by = { actor: 'account:1' };
const [past, future] = [new Date('2020-01-01T00:00:00Z'), new Date('2999-01-01T00:00:00Z')];

interface About {
  id?: string;
  clinicId?: string | null;
  workflowType?: string;
  pausedAt?: Date;
  endsAt?: Date;
  resumedAt?: Date;
}

const pause = ({ clinicId: owner = clinicId, ...about }: About = {}) =>
  records.database.prisma.outreachPause.create({
    data: { id: newId(), clinicId: owner, reason: 'a test', pausedBy: 'account:1', ...about },
  });

test.each<[what: string, about: () => About, isOfClinic: boolean, isOfAll: boolean]>([
  ['of the clinic', () => ({}), true, true],
  ['of a type', () => ({ workflowType: 'payment-recovery' }), true, true],
  ['of everything', () => ({ clinicId: null }), true, true],
  ['of another clinic', () => ({ clinicId: records.otherClinicId }), false, true],
  ['that ends later', () => ({ endsAt: future }), true, true],
  ['that is over', () => ({ endsAt: past }), false, false],
  ['that was ended', () => ({ resumedAt: past }), false, false],
])('a pause %s holds for the clinic, or for anybody, or does not', async (_what, about, isOfClinic, isOfAll) => {
  const { id } = await pause(about());
  const ids = async (of: string | null) => (await records.stores.pauses.holding(of)).map((each) => each.id);

  expect([await ids(clinicId), await ids(null)]).toEqual([isOfClinic ? [id] : [], isOfAll ? [id] : []]);
});

test('pauses that hold are listed the newest first, and of one instant by their ids', async () => {
  const [earlier, later] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')];
  const planted = [
    { id: `${clinicId} a`, pausedAt: later },
    { id: `${clinicId} b`, pausedAt: earlier },
    { id: `${clinicId} c`, pausedAt: earlier },
    { id: `${clinicId} d`, pausedAt: later },
  ];
  for (const about of planted) await pause(about);

  const listed = (await records.stores.pauses.holding(clinicId)).map(({ id }) => id.slice(-1));

  expect(listed).toEqual(['d', 'a', 'c', 'b']);
});

const [from, until] = ['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'];
const on = (day: string) => new Date(`2026-${day}T00:00:00Z`);

test.each<[what: string, about: () => About, endedAt: Date | null | false]>([
  ['in it', () => ({ pausedAt: on('03-10'), resumedAt: on('03-11') }), on('03-11')],
  ['from before on', () => ({ pausedAt: on('02-10'), endsAt: on('03-11') }), on('03-11')],
  ['that goes on', () => ({ pausedAt: on('03-10') }), null],
  [
    'that was ended before its time',
    () => ({ pausedAt: on('03-10'), resumedAt: on('03-11'), endsAt: on('03-12') }),
    on('03-11'),
  ],
  [
    'that was ended after its time',
    () => ({ pausedAt: on('03-10'), resumedAt: on('03-12'), endsAt: on('03-11') }),
    on('03-11'),
  ],
  ['that ended as it began', () => ({ pausedAt: on('02-10'), endsAt: on('03-01') }), false],
  ['that began as it ended', () => ({ pausedAt: on('04-01') }), false],
  ['of everything', () => ({ clinicId: null, pausedAt: on('03-10') }), null],
  ['of another clinic', () => ({ clinicId: records.otherClinicId, pausedAt: on('03-10') }), false],
  ['of recoveries', () => ({ workflowType: 'abandonment-recovery', pausedAt: on('03-10') }), null],
  ['of another type', () => ({ workflowType: 'payment-recovery', pausedAt: on('03-10') }), false],
])('a pause %s held recoveries back in a span, or did not', async (_what, about, endedAt) => {
  const { pausedAt } = await pause(about());

  const found = await records.stores.pauses.during(clinicId, { from, until });

  expect(found).toEqual(endedAt === false ? [] : [{ reason: 'a test', pausedAt, endedAt }]);
});

test('a pause is ended once, by its clinic or for all, and both leave an entry', async () => {
  const { pauses, audit } = records.stores;
  const [own, ofAll] = [
    await pauses.pause({ clinicId, workflowType: null, reason: 'a test', until: future }, by),
    await pauses.pause({ clinicId: null, workflowType: null, reason: 'a test', until: null }, by),
  ];

  const answers = [
    await pauses.resume(records.otherClinicId, own.id, by),
    await pauses.resume(clinicId, ofAll.id, by),
    await pauses.resume(clinicId, own.id, by),
    await pauses.resume(clinicId, own.id, by),
    await pauses.resume(null, ofAll.id, by),
  ];

  expect(own).toMatchObject({ clinicId, reason: 'a test', pausedBy: by.actor, endsAt: future, resumedAt: null });
  expect(answers).toEqual([false, false, true, false, true]);
  const { items } = await audit.list(clinicId, { limit: 5 });
  expect(items.map(({ action, subject }) => [action, subject])).toEqual([
    ['outreach.resume', own.id],
    ['outreach.pause', own.id],
  ]);
  expect(items[1]?.detail).toEqual({ workflowType: null, until: future.toISOString() });
});

import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const fromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000);
const usual = { failure: 'server_error', parameters: {}, times: 2, played: 0 };

/** Failures of a clinic, the last of them made last. Returns their ids. */
async function chosenBefore(clinicId: string, each: object[]): Promise<string[]> {
  const rows = each.map((about, index) => ({
    ...usual,
    id: newId(),
    clinicId,
    endsAt: fromNow(60),
    createdAt: fromNow(index - 1_000),
    ...about,
  }));
  await records.database.prisma.sandboxFailure.createMany({ data: rows });
  return rows.map(({ id }) => id);
}

const choose = (clinicId: string) =>
  records.stores.sandboxFailures.choose({
    clinicId,
    failure: 'server_error',
    operation: 'match',
    identifier: 'MRN-1',
    parameters: { status: 503 },
    times: 3,
    endsAt: fromNow(60),
  });

const many = (count: number, about: object = {}) => Array.from({ length: count }, () => about);
const [played, isOver] = [{ played: 2 }, { endsAt: fromNow(-1) }];

test.each<[what: string, before: object[], kind: string, firstIsLeft: boolean]>([
  ['after 49 that wait', many(49), 'chosen', true],
  ['after 50 that wait', many(50), 'too_many', true],
  ['after 50 of which the first was played', [played, ...many(49)], 'chosen', false],
  ['after 50 of which the first is over', [isOver, ...many(49)], 'chosen', false],
  ['after 50 of which the first was played once of twice', [{ played: 1 }, ...many(49)], 'too_many', true],
  ['after 50 of which the last was played', [...many(49), played], 'chosen', true],
  ['after 49 of which the first was played', [played, ...many(48)], 'chosen', true],
])('a failure is chosen %s, or is not, and what has ended is kept while there is room', async (...row) => {
  const [, before, kind, firstIsLeft] = row;
  const [clinicId, elsewhere] = [await records.aClinic(), await records.aClinic()];
  const [first = ''] = await chosenBefore(clinicId, before);
  await chosenBefore(elsewhere, [played, ...many(49)]);

  const chosen = await choose(clinicId);

  expect(chosen.kind).toBe(kind);
  const { prisma } = records.database;
  expect(await prisma.sandboxFailure.count({ where: { id: first } })).toBe(firstIsLeft ? 1 : 0);
  expect(await prisma.sandboxFailure.count({ where: { clinicId: elsewhere } })).toBe(50);
  const listed = await records.stores.sandboxFailures.list(clinicId);
  expect(listed).toHaveLength(50);
  if (chosen.kind !== 'chosen') return;
  expect(listed[0]).toEqual(chosen.failure);
  expect(chosen.failure).toMatchObject({
    failure: 'server_error',
    operation: 'match',
    identifier: 'MRN-1',
    parameters: { status: 503 },
    times: 3,
    played: 0,
  });
});

test.each<[what: string, failure: object, subject: 'nobody' | 'ours' | 'theirs' | 'elsewhere', isPlayed: boolean]>([
  ['of anybody', {}, 'nobody', true],
  ['of anybody, when somebody is named', {}, 'ours', true],
  ['that was played once of twice', { played: 1 }, 'nobody', true],
  ['that was played as often as it is', { played: 2 }, 'nobody', false],
  ['that ends later', { endsAt: fromNow(1) }, 'nobody', true],
  ['that is over', { endsAt: fromNow(-1) }, 'nobody', false],
  ['of a patient, when nobody is named', { identifier: 'MRN-ours' }, 'nobody', false],
  ['of a patient who is named', { identifier: 'MRN-ours' }, 'ours', true],
  ['of another patient', { identifier: 'MRN-ours' }, 'theirs', false],
  ['of a patient of another clinic', { identifier: 'MRN-ours' }, 'elsewhere', false],
])('a failure %s is played, or is not, however the patient is named', async (_what, failure, named, isPlayed) => {
  const { stores, database } = records;
  const [clinicId, elsewhere] = [await records.aClinic(), await records.aClinic()];
  const visitOf = async (owner: string, identifier: string) => {
    const { id: providerId } = await database.prisma.provider.findFirstOrThrow({ where: { clinicId: owner } });
    const [patientId, appointmentId] = [newId(), newId()];
    await database.prisma.patient.create({ data: { id: patientId, clinicId: owner, identifier } });
    const startsAt = new Date(Date.UTC(2035, 0, 8, identifier === 'MRN-ours' ? 10 : 11));
    const endsAt = new Date(startsAt.getTime() + 30 * 60_000);
    const visit = { patientId, providerId, visitType: 'New Patient', startsAt, endsAt };
    await database.prisma.appointment.create({ data: { id: appointmentId, clinicId: owner, ...visit } });
    return [{ patientId }, { appointmentId }];
  };
  const ways = {
    nobody: [{}],
    ours: [{ identifier: 'MRN-ours' }, ...(await visitOf(clinicId, 'MRN-ours'))],
    theirs: [{ identifier: 'MRN-theirs' }, ...(await visitOf(clinicId, 'MRN-theirs'))],
    elsewhere: await visitOf(elsewhere, 'MRN-ours'),
  }[named];

  const claimed = [];
  for (const subject of ways) {
    const [id = ''] = await chosenBefore(clinicId, [failure]);
    const before = await database.prisma.sandboxFailure.findUniqueOrThrow({ where: { id } });
    const claims = [
      await stores.sandboxFailures.claim({ clinicId: elsewhere, id, subject }),
      await stores.sandboxFailures.claim({ clinicId, id, subject }),
    ];
    const after = await database.prisma.sandboxFailure.findUniqueOrThrow({ where: { id } });
    claimed.push([...claims, after.played - before.played]);
  }

  expect(claimed).toEqual(ways.map(() => [false, isPlayed, isPlayed ? 1 : 0]));
});

test('one is taken back or all of a clinic are, which the audit counts, and they are listed with the newest first', async () => {
  const { stores } = records;
  const [clinicId, elsewhere] = [await records.aClinic(), await records.aClinic()];
  const at = { createdAt: fromNow(-5) };
  const of = async (owner: string) =>
    chosenBefore(owner, [{ createdAt: fromNow(-9) }, { ...at, id: `a ${owner}` }, { ...at, id: `b ${owner}` }]);
  const [[first = ''], [theirs = '']] = [await of(clinicId), await of(elsewhere)];
  const listed = async (owner: string) => (await stores.sandboxFailures.list(owner)).map(({ id }) => id);
  const by = { actor: 'account:admin' };

  expect(await listed(clinicId)).toEqual([`b ${clinicId}`, `a ${clinicId}`, first]);
  expect(await stores.sandboxFailures.remove(clinicId, theirs, by)).toBe(0);
  expect(await stores.sandboxFailures.remove(clinicId, `a ${clinicId}`, by)).toBe(1);
  expect(await listed(clinicId)).toEqual([`b ${clinicId}`, first]);
  expect(await stores.sandboxFailures.remove(clinicId, null, by)).toBe(2);
  expect(await stores.sandboxFailures.remove(clinicId, null, by)).toBe(0);

  expect([await listed(clinicId), (await listed(elsewhere)).length]).toEqual([[], 3]);
  const { items } = await stores.audit.list(clinicId, { action: 'sandbox.failure.remove', limit: 9 });
  expect(items.map(({ subject, detail }) => [subject, detail])).toEqual([
    [null, { count: 2 }],
    [`a ${clinicId}`, { count: 1 }],
  ]);
});

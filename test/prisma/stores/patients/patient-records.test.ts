import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let ids: Record<string, string>;
beforeAll(async () => {
  records = await openRecords();
  const people: [string, string, string][] = [
    ['b', 'Bo', 'Ash'],
    ['a', 'Al', 'Ash'],
    ['c', 'Cy', 'Elm'],
    ['same', 'Cy', 'Elm'],
    ['e', 'Ed', 'Oak'],
  ];
  ids = {};
  for (const [key, firstName, lastName] of people) {
    ids[key] = await records.aPatient({ firstName, lastName });
    const createdAt = new Date(Date.UTC(2035, 0, Object.keys(ids).length));
    await records.database.prisma.patient.update({ where: { id: ids[key] }, data: { createdAt } });
  }
});
afterAll(() => records.close());

test.each([
  ['newest', ['e', 'same', 'c', 'a', 'b']],
  ['oldest', ['b', 'a', 'c', 'same', 'e']],
  ['name', ['a', 'b', 'c', 'same', 'e']],
  ['-name', ['e', 'same', 'c', 'b', 'a']],
] as const)('by %s the pages give each patient once, in order', async (order, expected) => {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await records.stores.patientRecords.list(records.clinicId, {
      limit: 2,
      order,
      now: new Date(),
      ...(cursor && { cursor }),
    });
    expect(page.items.length).toBeLessThanOrEqual(2);
    found.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);

  expect(found).toEqual(expected.map((key) => ids[key]));
});

test.each([
  ['name', 'a', null],
  ['-name', 'e', null],
  ['newest', 'e', ['d', 'c', 'b', 'a']],
  ['oldest', 'a', ['b', 'c', 'd', 'e']],
] as const)('by %s a page after somebody who was erased is refused, or goes on', async (order, gone, expected) => {
  const clinicId = await records.aClinic();
  const { prisma } = records.database;
  await prisma.patient.createMany({
    data: ['a', 'b', 'c', 'd', 'e'].map((lastName, index) => ({
      id: newId(),
      clinicId,
      lastName,
      createdAt: new Date(Date.UTC(2035, 0, 1 + index)),
    })),
  });
  const list = (about: { cursor?: string; limit: number }) =>
    records.stores.patientRecords.list(clinicId, { order, now: new Date(), ...about });
  const { items, nextCursor } = await list({ limit: 1 });
  await prisma.patient.deleteMany({ where: { clinicId, lastName: gone } });

  const next = list({ limit: 5, cursor: nextCursor ?? '' });

  expect(items.map(({ lastName }) => lastName)).toEqual([gone]);
  if (expected) expect((await next).items.map(({ lastName }) => lastName)).toEqual(expected);
  else await expect(next).rejects.toMatchObject({ code: 'bad_request', details: [{ path: 'cursor' }] });
});

const day = (date: number, milliseconds = 0) => new Date(Date.UTC(2035, 0, date, 0, 0, 0, milliseconds)).toISOString();

test.each<[span: { from?: string; until?: string; search?: string }, found: string[]]>([
  [{ from: day(1) }, ['b', 'a', 'c', 'same', 'e']],
  [{ from: day(1, 1) }, ['a', 'c', 'same', 'e']],
  [{ from: day(2), until: day(4) }, ['a', 'c']],
  [{ from: day(2), until: day(4, 1) }, ['a', 'c', 'same']],
  [{ from: day(1), search: 'elm' }, ['c', 'same']],
  [{ from: day(1), search: 'elm cy' }, ['c', 'same']],
  [{ from: day(4), search: 'elm' }, ['same']],
  [{ from: day(6) }, []],
])('who is asked for by %j is counted exactly and listed, without placeholders and who was merged', async (...row) => {
  const [span, found] = row;
  const { prisma } = records.database;
  const { clinicId, otherClinicId, stores } = records;
  const aside = { firstName: 'Cy', lastName: 'Elm', createdAt: new Date(day(4)) };
  const hidden = [
    { ...aside, id: newId(), clinicId, isPlaceholder: true, firstName: '', lastName: '' },
    { ...aside, id: newId(), clinicId, replacedBy: ids.e },
    { ...aside, id: newId(), clinicId: otherClinicId },
  ];
  await prisma.patient.createMany({ data: hidden });

  const total = await stores.patientRecords.count(clinicId, span);
  const { items } = await stores.patientRecords.list(clinicId, {
    ...span,
    order: 'oldest',
    limit: 10,
    now: new Date(),
  });

  expect(total).toEqual({ count: found.length, isMore: false });
  expect(items.filter(({ isSimilar }) => !isSimilar).map(({ id }) => id)).toEqual(found.map((key) => ids[key]));
  await prisma.patient.deleteMany({ where: { id: { in: hidden.map(({ id }) => id) } } });
});

test('who stands for the test patient of an EHR has their name and id there, and is in no list, like a caller who is nobody yet', async () => {
  const { stores, database } = records;
  const clinicId = await records.aClinic();
  const person = { externalId: 'Patient/7', firstName: 'Testy', lastName: 'Sample', birthDate: '1980-02-29' };
  const testId = await stores.patients.createTestPatient(clinicId, person);
  const undated = await stores.patients.createTestPatient(clinicId, { ...person, birthDate: null });
  const nobody = await stores.patients.createPlaceholder(clinicId);

  const row = (id: string) => database.prisma.patient.findUniqueOrThrow({ where: { id } });
  const hidden = { clinicId, isPlaceholder: true, phone: null, replacedBy: null };
  expect(await row(testId)).toMatchObject({ ...hidden, ...person });
  expect(await row(undated)).toMatchObject({ ...hidden, ...person, birthDate: null });
  const unnamed = { externalId: null, firstName: '', lastName: '', birthDate: null };
  expect(await row(nobody)).toMatchObject({ ...hidden, ...unnamed });
  const listed = await stores.patientRecords.list(clinicId, { limit: 5, order: 'newest', now: new Date() });
  expect(listed.items).toEqual([]);
  const known = await Promise.all(
    [testId, nobody].flatMap((id) => [clinicId, records.clinicId].map((clinic) => stores.patients.exists(clinic, id))),
  );
  expect(known).toEqual([true, false, true, false]);
});

test('a change writes what it gives, clears what it gives as null, and leaves the rest', async () => {
  const { clinicId, otherClinicId, stores } = records;
  const { change, find } = stores.patientRecords;
  const patientId = await records.aPatient();
  const consent = { isGiven: true, text: 'Yes', at: '2030-01-01T00:00:00.000Z' };
  const preferredCallHours = { from: '09:00', until: '12:00' };
  await records.database.prisma.patient.update({ where: { id: patientId }, data: { consent, preferredCallHours } });

  const left = await change(clinicId, patientId, { firstName: 'Zoe' });
  const elsewhere = await change(otherClinicId, patientId, { firstName: 'Eve' });
  const cleared = await change(clinicId, patientId, { consent: null, preferredCallHours: null });

  expect(left).toMatchObject({ firstName: 'Zoe', lastName: 'Lee', consent, preferredCallHours });
  expect([elsewhere, cleared]).toMatchObject([null, { firstName: 'Zoe', consent: null, preferredCallHours: null }]);
  expect(await find(clinicId, patientId)).toEqual(cleared);
});

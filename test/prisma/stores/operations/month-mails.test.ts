import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const asked = '2026-11-15T12:00:00.000Z';
const firstOfDecember = '2026-12-01T12:00:00.000Z';
const hourBefore = Date.parse(firstOfDecember) - 3_600_000;

async function aReader(about: object = {}, clinicId = records.clinicId): Promise<string> {
  const id = newId();
  const data = { id, name: 'Ann', email: `${id}@clinic.example`, clinicId, role: 'admin', ...about };
  await records.database.prisma.user.create({ data });
  await records.stores.monthMails.want(clinicId, id, true, asked);
  return id;
}

test('each hears of the month of their own clinic, at their own address, once', async () => {
  const { monthMails } = records.stores;
  const { clinicId, otherClinicId } = records;
  const readers = [await aReader(), await aReader(), await aReader({}, otherClinicId)];
  await records.database.prisma.user.create({
    data: { id: newId(), name: 'Not asked', email: `${newId()}@clinic.example`, clinicId, role: 'admin' },
  });

  const told = [];
  for (const id of readers) told.push(await monthMails.dueMonth(id, firstOfDecember));
  const due = await monthMails.due('', 10, firstOfDecember);

  const month = { zone: 'UTC', month: '2026-11-01', toldMonth: '2026-10-01' };
  const [here, elsewhere] = [
    { clinicId, clinicName: 'Clinic', ...month },
    { clinicId: otherClinicId, clinicName: 'Other clinic', ...month },
  ];
  expect(told).toEqual(
    [here, here, elsewhere].map((each, index) => ({ ...each, email: `${readers[index]}@clinic.example` })),
  );
  const sorted = readers.toSorted((one, other) => (one < other ? -1 : 1));
  expect(due).toEqual(sorted);
  expect(await monthMails.due(sorted[0] ?? '', 1, firstOfDecember)).toEqual([sorted[1]]);
});

test.each<[who: string, about: object, refusedAt: number | null, isTold: boolean]>([
  ['an admin', {}, null, true],
  ['a manager', { role: 'manager' }, null, true],
  ['somebody of the staff', { role: 'staff' }, null, false],
  ['somebody who was disabled', { disabledAt: new Date('2026-11-20T00:00:00Z') }, null, false],
  ['somebody whose account ends', { endsAt: new Date('2100-01-01T00:00:00Z') }, null, false],
  ['whose server refused it more than an hour ago', {}, hourBefore - 1, true],
  ['whose server refused it an hour ago', {}, hourBefore, false],
])('%s hears of a month, or does not', async (_who, about, refusedAt, isTold) => {
  const { monthMails } = records.stores;
  const id = await aReader(about);
  await records.database.prisma.monthMail.update({
    where: { userId: id },
    data: { refusedAt: refusedAt === null ? null : new Date(refusedAt) },
  });

  expect((await monthMails.due('', 50, firstOfDecember)).includes(id)).toBe(isTold);
  expect((await monthMails.dueMonth(id, firstOfDecember)) !== null).toBe(isTold);
});

import { newId } from '@clinic/shared/crypto';
import { parseSpokenTime } from '@clinic/shared/domain/calendar/clinic-time';
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

test.each([
  // Its clock is no longer set back in winter, which many databases do not know.
  'America/Vancouver',
  'America/Denver',
  // Set back on that very day: six in the morning is seven hours after it began.
  'America/Havana',
])('a month is told from six in the morning on by the clock of %s that the service knows', async (zone) => {
  const { monthMails } = records.stores;
  const { prisma } = records.database;
  const clinicId = await records.aClinic();
  await prisma.clinic.update({ where: { id: clinicId }, data: { timezone: zone } });
  const id = await aReader({}, clinicId);
  await prisma.monthMail.update({ where: { userId: id }, data: { toldMonth: new Date('2026-01-01') } });
  const monthAt = async (ms: number) => (await monthMails.dueMonth(id, new Date(ms).toISOString()))?.month;

  for (const [first, before, after] of [
    ['2026-11-01', '2026-09-01', '2026-10-01'],
    ['2026-12-01', '2026-10-01', '2026-11-01'],
  ] as const) {
    const six = Date.parse(parseSpokenTime(`${first}T06:00:00`, zone) ?? '');
    expect([await monthAt(six - 1), await monthAt(six)]).toEqual([before, after]);
  }
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

import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
const ids: Record<string, string> = {};
const phone = '+14155550123';
const lookUps = {
  identifier: 'MRN-1',
  phone,
  birthDates: ['1980-05-05', '1980-05-06', '1980-05-07'],
  fullNames: ['ann lee', 'anne lee'],
};
const agreeing = ['identifier', 'phone', 'day', 'slip', 'other slip', 'name', 'other name'];

beforeAll(async () => {
  records = await openRecords();
  const { clinicId, otherClinicId } = records;
  const people: [key: string, about: object][] = [
    ['identifier', { identifier: 'MRN-1' }],
    ['phone', { phone }],
    ['day', { birthDate: '1980-05-05' }],
    ['slip', { birthDate: '1980-05-06' }],
    ['other slip', { birthDate: '1980-05-07' }],
    ['name', { firstName: 'Ann', lastName: 'Lee' }],
    ['other name', { firstName: 'Anne', lastName: 'LEE' }],
    ['nobody', { identifier: 'MRN-2', phone: '+14155550124', birthDate: '1980-05-08' }],
    ['elsewhere', { clinicId: otherClinicId, identifier: 'MRN-1', phone, birthDate: '1980-05-05' }],
    ['slip elsewhere', { clinicId: otherClinicId, birthDate: '1980-05-06', firstName: 'Ann', lastName: 'Lee' }],
    ['caller', { phone, isPlaceholder: true }],
    ['other caller', { phone: '+14155550124', isPlaceholder: true }],
    ['caller elsewhere', { clinicId: otherClinicId, phone, isPlaceholder: true }],
  ];
  for (const [key, about] of people) ids[key] = await aPerson(about);
  ids.merged = await aPerson({ identifier: 'MRN-OLD', phone, replacedBy: ids.identifier });
  ids['merged caller'] = await aPerson({ phone, isPlaceholder: true, replacedBy: ids.identifier });
  async function aPerson(about: object): Promise<string> {
    const id = newId();
    const person = { clinicId, firstName: 'Bo', lastName: 'Ash' };
    await records.database.prisma.patient.create({ data: { id, ...person, ...about } });
    return id;
  }
});
afterAll(() => records.close());

const keysOf = (found: { id: string }[]) => Object.keys(ids).filter((key) => found.some(({ id }) => id === ids[key]));

test('whoever agrees in one thing is a candidate once, but for callers, who was merged and who is elsewhere', async () => {
  const { candidates, known } = records.stores.patientMatches;

  const found = await candidates(records.clinicId, lookUps);
  const withCallers = await known(records.clinicId, lookUps);

  expect([keysOf(found), found.length]).toEqual([agreeing, agreeing.length]);
  expect(keysOf(withCallers.filter(({ isPlaceholder }) => !isPlaceholder))).toEqual(agreeing);
  expect(keysOf(withCallers.filter(({ isPlaceholder }) => isPlaceholder))).toEqual(['caller']);
  expect(withCallers).toHaveLength(agreeing.length + 1);
});

test.each<[what: string, about: object, expected: string[]]>([
  ['nothing', {}, []],
  ['an identifier', { identifier: 'MRN-1' }, ['identifier']],
  ['a phone', { phone }, ['phone']],
  ['a day of birth', { birthDates: ['1980-05-05'] }, ['day']],
  ['a day and one like it', { birthDates: ['1980-05-05', '1980-05-07'] }, ['day', 'other slip']],
  ['names', { fullNames: ['ann lee'] }, ['name']],
])('by %s alone those are found who have it', async (_what, about, expected) => {
  const asked = { identifier: null, phone: null, birthDates: [], fullNames: [], ...about };

  expect(keysOf(await records.stores.patientMatches.candidates(records.clinicId, asked))).toEqual(expected);
});

describe('however many agree at another clinic', () => {
  const elsewhere = { phone: '+14155550177', birthDate: '1970-02-02', firstName: 'Kim', lastName: 'Low' };
  let clinicId: string;
  let mine: string;
  beforeAll(async () => {
    clinicId = await records.aClinic();
    mine = newId();
    const { patient } = records.database.prisma;
    const people = Array.from({ length: 301 }, () => ({
      id: newId(),
      clinicId: records.otherClinicId,
      ...elsewhere,
    }));
    await patient.createMany({ data: people });
    await patient.create({ data: { id: mine, clinicId, ...elsewhere } });
  });

  test.each<[what: string, about: object]>([
    ['a phone', { phone: elsewhere.phone }],
    ['a day of birth', { birthDates: [elsewhere.birthDate] }],
    ['a day that is like it', { birthDates: ['1970-02-03', elsewhere.birthDate] }],
    ['a name', { fullNames: ['kim low'] }],
  ])('by %s the clinic finds its own patient', async (_what, about) => {
    const asked = { identifier: null, phone: null, birthDates: [], fullNames: [], ...about };

    const found = await records.stores.patientMatches.candidates(clinicId, asked);

    expect(found.map(({ id }) => id)).toEqual([mine]);
  });
});

test('an identifier is of one patient of the clinic, and of who was merged it is that of whoever was kept', async () => {
  const { identified } = records.stores.patientMatches;
  const found = [];
  for (const identifier of ['MRN-1', 'MRN-OLD', 'MRN-2', 'MRN-3'])
    found.push(await identified(records.clinicId, identifier));

  const replaces = [ids.merged, ids['merged caller']].map(String).toSorted();
  expect(found.map((each) => each && { id: each.id, replaces: each.replaces })).toEqual([
    { id: ids.identifier, replaces },
    { id: ids.identifier, replaces },
    { id: ids.nobody, replaces: [] },
    null,
  ]);
  expect((await identified(records.otherClinicId, 'MRN-1'))?.id).toBe(ids.elsewhere);
});

import {
  canLookUp,
  editDistance,
  gradeCandidates,
  lookalikesOf,
  lookUpsOf,
  type MatchGrade,
  type PersonFacts,
} from '@clinic/shared/domain/patients/patient-matching';
import { aTown, type Person, sayings } from '../../../support/people';

const nobody: PersonFacts = {
  firstName: '',
  lastName: '',
  birthDate: null,
  phone: null,
  email: null,
  address: null,
  identifier: null,
};
const ava: PersonFacts = {
  firstName: 'Elizabeth',
  lastName: 'O’Connell-Smith',
  birthDate: '1986-04-12',
  phone: '+13035550101',
  email: 'e@example.com',
  address: '12 Maple Street, Denver, CO 80203',
  identifier: 'MRN-1',
};
const gradeOf = (asked: Partial<PersonFacts>, ...onFile: PersonFacts[]): MatchGrade | undefined =>
  gradeCandidates({ ...nobody, ...asked }, onFile)[0]?.grade;

test.each<[string, Partial<PersonFacts>, MatchGrade | undefined]>([
  ['all that is on file', ava, 'certain'],
  [
    'a short form, without accents, at the same phone',
    { ...ava, firstName: 'BETH', lastName: 'oconnell smith', address: null },
    'certain',
  ],
  [
    'name and birth date alone',
    { firstName: 'Elizabeth', lastName: 'O’Connell-Smith', birthDate: '1986-04-12' },
    'probable',
  ],
  ['a slip in the family name', { ...ava, lastName: 'O’Conell-Smith' }, 'probable'],
  ['day and month turned', { ...ava, birthDate: '1986-12-04' }, 'probable'],
  ['a new family name at the old phone', { ...ava, lastName: 'Jones', address: null, email: null }, 'probable'],
  ['first and family name turned', { ...ava, firstName: 'Smith', lastName: 'Elizabeth', email: null }, 'probable'],
  ['the phone and another name', { firstName: 'Peter', lastName: 'Vance', phone: ava.phone }, undefined],
  ['the address in other words', { ...ava, phone: null, email: null, address: '12 maple st., 80203' }, 'certain'],
  ['the name alone', { firstName: 'Elizabeth', lastName: 'O’Connell-Smith' }, 'possible'],
  [
    'a relative of the same address',
    { ...ava, firstName: 'Mary', birthDate: '1955-01-01', email: null, identifier: null },
    'possible',
  ],
])('of somebody on file: %s', (_situation, asked, grade) => {
  expect(gradeOf(asked, ava)).toBe(grade);
});

test.each([
  ['Schröder', 'Schroeder'],
  ['Schroder', 'Schröder'],
  ['Müller-Schroeder', 'Mueller-Schröder'],
  ['Strasser', 'Straßer'],
])('%s and %s are one family name', (asked, onFile) => {
  expect(gradeOf({ ...ava, lastName: asked }, { ...ava, lastName: onFile })).toBe('certain');
  expect(gradeOf({ ...ava, lastName: onFile }, { ...ava, lastName: asked })).toBe('certain');
});

test('what is spelled without an umlaut is looked up with it too; Michal is not Michael', () => {
  const fullNamesOf = (lastName: string) => lookUpsOf({ ...nobody, firstName: 'Uwe', lastName }).fullNames;

  expect(fullNamesOf('Schroeder')).toEqual(expect.arrayContaining(['uwe schröder', 'uwe schroeder']));
  expect(fullNamesOf('Schröder')).toContain('uwe schroeder');
  expect(gradeOf({ ...ava, firstName: 'Michal' }, { ...ava, firstName: 'Michael' })).toBe('probable');
});

test('twins, and two records of one person, are never certain', () => {
  const twin = { ...ava, firstName: 'Ruth', email: null, identifier: 'MRN-2' };

  expect(gradeOf(ava, ava, twin)).toBe('probable');
  expect(gradeOf({ ...twin }, ava, twin)).toBe('probable');
  expect(gradeOf({ ...twin, identifier: null }, ava)).not.toBe('certain');
  expect(gradeOf(ava, ava, { ...ava, identifier: 'MRN-3' })).toBe('probable');
});

/** The probability that so many bits say, beside those of one pair in so many (`PRIOR`). */
const scoreOfBits = (bits: number) => Math.round((1 / (1 + 2 ** (16.6 - bits))) * 10_000) / 10_000;
const born = '1986-04-12';

test.each<[field: keyof PersonFacts, asked: string, onFile: string, bits: number]>([
  ['firstName', 'Elizabeth', 'elizabeth', 7],
  ['firstName', 'Elizabeth Ann', 'Elizabeth', 7],
  ['firstName', 'Beth', 'Elizabeth', 5],
  ['firstName', 'Elisabeht', 'Elizabeth', 4],
  ['firstName', 'Roy', 'Ray', 4],
  ['firstName', 'Jo', 'Ja', -5],
  ['firstName', 'E', 'Elizabeth', 2],
  ['firstName', 'Elizabeth', 'E', 2],
  ['firstName', 'M', 'Elizabeth', -5],
  ['firstName', 'Mary', 'Elizabeth', -5],
  ['firstName', '', 'Elizabeth', 0],
  ['firstName', 'Elizabeth', '', 0],
  ['lastName', 'O’Connell', 'OConnell', 8.5],
  ['lastName', 'Connel', 'Connell', 5.5],
  ['lastName', 'Bartholomew', 'Bartolomeu', 5.5],
  ['lastName', 'Pfister', 'Visitor', -3.5],
  ['lastName', 'Smith', 'Smyth', 5.5],
  ['lastName', 'Robert', 'Rupert', 5.5],
  ['lastName', 'Connell-Smith', 'Jones-Smith', 5],
  ['lastName', 'Smith', 'Jones Smith', 5],
  ['lastName', 'de Vries', 'de Jong', -3.5],
  ['lastName', 'Vance', 'Connell', -3.5],
  ['lastName', '', 'Connell', 0],
  ['phone', '+13035550101', '+13035550101', 11],
  ['phone', '+13035550102', '+13035550101', 6],
  ['phone', '+13035550112', '+13035550101', -1.5],
  ['email', ' E@example.com ', 'e@example.com', 12],
  ['email', 'e@example.org', 'e@example.com', -0.5],
  ['email', 'f@example.com', 'e@example.com', -0.5],
  ['address', '12 Maple Street, Denver, CO 80203', '12 maple st, Denver CO 80203', 9],
  ['address', '12 North Maple Avenue, 80203', '12 N Elm, 80203-1234', 9],
  ['address', '14 Maple Street, 80203', '12 Maple Street, 80203', 2],
  ['address', 'Maple Street, 80203', 'Elm Street, 80203', 2],
  ['address', '12 Maple Street, 80204', '12 Maple Street, 80203', -1],
  ['address', '12 Maple Street', '12 Elm Street', -1],
  ['address', '  ', '12 Maple Street', 0],
  ['identifier', 'MRN-1', 'MRN-1', 14],
  ['identifier', 'MRN-2', 'MRN-1', 0],
])('beside the birth date the %s %j says so much of %j', (field, asked, onFile, bits) => {
  const [one, other] = [asked, onFile].map((value) => ({ ...nobody, birthDate: born, [field]: value }));

  expect(gradeCandidates(one ?? nobody, [other ?? nobody]).map(({ score }) => score)).toEqual([scoreOfBits(14 + bits)]);
});

test.each([
  [born, 14],
  ['1986-12-04', 6.5],
  ['1986-04-21', 6.5],
  ['1986-04-13', 6.5],
  ['1985-04-12', 6.5],
  ['1986-04-30', 1],
  ['1986-11-12', 1],
  ['1950-04-12', 1],
  ['1950-11-12', -6],
  ['1951-11-30', -6],
])('beside the phone the birth date %s says so much of another', (birthDate, bits) => {
  const [asked, onFile] = [birthDate, born].map((date) => ({ ...nobody, phone: ava.phone, birthDate: date }));

  expect(gradeCandidates(asked ?? nobody, [onFile ?? nobody]).map(({ score }) => score)).toEqual([
    scoreOfBits(11 + bits),
  ]);
});

test.each<[string, Partial<PersonFacts>, alike: string, similar: string]>([
  ['the same record', {}, 'name birthDate phone email', ''],
  ['a short form of the name', { firstName: 'Beth' }, 'name birthDate phone email', 'name'],
  ['a slip in the name', { lastName: 'O’Conell-Smith' }, 'name birthDate phone email', 'name'],
  [
    'names in each other’s place',
    { firstName: ava.lastName, lastName: ava.firstName },
    'name birthDate phone email',
    'name',
  ],
  ['an initial', { firstName: 'E' }, 'birthDate phone email', ''],
  ['another last name', { lastName: 'Vance' }, 'birthDate phone email', ''],
  ['day and month turned', { birthDate: '1986-12-04' }, 'name birthDate phone email', 'birthDate'],
  ['a slip in the phone', { phone: '+13035550102' }, 'name birthDate phone email', 'phone'],
  ['another address of mail', { email: 'f@example.com' }, 'name birthDate phone', ''],
  ['no birth date', { birthDate: null }, 'name phone email', ''],
])('what a person sees to be alike: %s', (_what, over, alike, similar) => {
  const found = lookalikesOf({ ...ava, ...over }, [ava]);

  expect(found.map((each) => [each.alike.join(' '), each.similar.join(' ')])).toEqual([[alike, similar]]);
});

test('who is reached at the same phone is shown, and nobody else who is somebody else', () => {
  const peter = { ...nobody, firstName: 'Peter', lastName: 'Vance', birthDate: '1951-11-30' };
  const shown = (over: object) => lookalikesOf({ ...peter, ...over }, [ava]).map(({ alike }) => alike.join(' '));

  expect([shown({ phone: ava.phone }), shown({ phone: '+14155550199' })]).toEqual([['phone'], []]);
});

test('candidates are looked up by each of these, and by nothing else', () => {
  const by = (over: Partial<PersonFacts>) => canLookUp(lookUpsOf({ ...nobody, ...over }));

  expect([
    by({ identifier: 'MRN-1' }),
    by({ phone: '+1' }),
    by({ birthDate: born }),
    by({ firstName: 'A', lastName: 'B' }),
  ]).toEqual([true, true, true, true]);
  expect([by({}), by({ firstName: 'A' }), by({ lastName: 'B' }), by({ email: 'e@b.co', address: 'x' })]).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(lookUpsOf({ ...nobody, firstName: ' Uwe ', lastName: ' Groß ' }).fullNames).toEqual([
    'uwe groß',
    'uwe gross',
    'groß uwe',
  ]);
});

test('a slip in a birth date is looked up as another date that there can be', () => {
  const { birthDates } = lookUpsOf({ ...nobody, birthDate: born });

  for (const slip of [
    '1986-12-04',
    '1996-04-12',
    '1976-04-12',
    '1986-04-21',
    '1985-04-12',
    '1986-05-12',
    '1986-04-22',
    '1986-04-19',
    '1968-04-12',
  ])
    expect(birthDates).toContain(slip);
  expect(birthDates.filter((date) => date === born)).toHaveLength(1);
  expect(birthDates.filter((date) => !/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(date))).toEqual([]);
  expect(lookUpsOf({ ...nobody, birthDate: '1986-10-12' }).birthDates).toContain('1986-01-12');
  expect(lookUpsOf(nobody).birthDates).toEqual([]);
});

test('candidates are looked up by what a slip of the pen leaves as it was', () => {
  const { birthDates, fullNames, phone } = lookUpsOf(ava);

  expect(birthDates.slice(0, 2)).toEqual(['1986-04-12', '1986-12-04']);
  expect(birthDates.length).toBeLessThan(60);
  expect(fullNames).toEqual(expect.arrayContaining(['elizabeth o’connell-smith', 'beth o’connell-smith']));
  expect(phone).toBe('+13035550101');
  expect(canLookUp(lookUpsOf({ ...nobody, lastName: 'Smith', email: 'x@example.com' }))).toBe(false);
});

test.each<[asked: string, onFile: string, grade: MatchGrade]>([
  ['Rupert', 'Robert', 'probable'],
  ['Ashgruft', 'Ashcraft', 'probable'],
  ['Lad', 'Lloyd', 'probable'],
  ['Stetsen', 'Smitson', 'possible'],
  ['Cudearas', 'Gutierrez', 'possible'],
  ['Jones', 'Vance', 'possible'],
])('who is asked for as %s is %s by the sound of the name: %s', (asked, onFile, grade) => {
  const person = { ...nobody, firstName: 'Elizabeth', birthDate: ava.birthDate };

  expect(gradeOf({ ...person, lastName: asked }, { ...person, lastName: onFile })).toBe(grade);
});

test('a letter changed, added, left out or turned round is one slip', () => {
  expect(['smith', 'smth', 'smiith', 'simth', 'smyth', 'smiht'].map((name) => editDistance('smith', name, 2))).toEqual([
    0, 1, 1, 1, 1, 1,
  ]);
  expect(editDistance('smith', 'jones', 2)).toBe(3);
});

test('of ten thousand people certain is right in 999 of 1,000, and 95 in 100 are probable or better', () => {
  const { PEOPLE = '10000', SAYINGS = '1000' } = process.env;
  const town = aTown({ people: Number(PEOPLE), seed: 11 });
  const find = finderOf(town);
  const twins = new Set(town.filter(({ twinOf }) => twinOf !== null).map(({ id }) => id));
  const counts = { certain: 0, wrong: 0, onFile: 0, found: 0, certainTwins: 0, asked: 0 };

  for (const { asked, meant } of sayings({ town, count: Number(SAYINGS), seed: 7 })) {
    const graded = gradeCandidates(asked, find(asked));
    const certain = graded.filter(({ grade }) => grade === 'certain');
    counts.asked += 1;
    counts.certain += certain.length;
    counts.wrong += certain.filter(({ candidate }) => candidate.id !== meant).length;
    counts.certainTwins += certain.filter(({ candidate }) => twins.has(candidate.id)).length;
    if (meant === null) continue;
    counts.onFile += 1;
    const own = graded.find(({ candidate }) => candidate.id === meant);
    if (own?.grade === 'certain' || own?.grade === 'probable') counts.found += 1;
  }
  if (process.env.SAYINGS) console.log(counts, counts.found / counts.onFile, 1 - counts.wrong / counts.certain);

  expect(counts.certain).toBeGreaterThan(counts.asked / 3);
  expect(1 - counts.wrong / counts.certain).toBeGreaterThanOrEqual(0.999);
  expect(counts.found / counts.onFile).toBeGreaterThanOrEqual(0.95);
  expect(counts.certainTwins).toBe(0);
});

/** Finds candidates as the database does: by equality of phone, birth date and full name. */
function finderOf(town: Person[]): (asked: PersonFacts) => Person[] {
  const index = new Map<string, Person[]>();
  const add = (key: string | null, person: Person) => {
    if (key !== null) index.set(key, [...(index.get(key) ?? []), person]);
  };
  for (const person of town) {
    for (const key of [person.phone, person.birthDate, `${person.firstName} ${person.lastName}`.toLowerCase()]) {
      add(key, person);
    }
  }
  return (asked) => {
    const { phone, birthDates, fullNames } = lookUpsOf(asked);
    const keys = [...(phone === null ? [] : [phone]), ...birthDates, ...fullNames];
    return [...new Set(keys.flatMap((key) => index.get(key) ?? []))];
  };
}

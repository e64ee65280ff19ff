import {
  canLookUp,
  editDistance,
  gradeCandidates,
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

test('candidates are looked up by what a slip of the pen leaves as it was', () => {
  const { birthDates, fullNames, phone } = lookUpsOf(ava);

  expect(birthDates.slice(0, 2)).toEqual(['1986-04-12', '1986-12-04']);
  expect(birthDates.length).toBeLessThan(60);
  expect(fullNames).toEqual(expect.arrayContaining(['elizabeth o’connell-smith', 'beth o’connell-smith']));
  expect(phone).toBe('+13035550101');
  expect(canLookUp(lookUpsOf({ ...nobody, lastName: 'Smith', email: 'x@example.com' }))).toBe(false);
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

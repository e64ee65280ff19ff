import { isStorable, MAX_LEVELS, unstorablePart } from '@clinic/shared/domain/storable';

const nested = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => ({ in: inner }), 'deep');

const notAllowed = 'holds a character that is not allowed';

test.each<[situation: string, value: unknown, part: { path: string; message: string } | null]>([
  ['plain text', 'Ada', null],
  ['a number, nothing and a truth', { a: 1, b: null, c: true }, null],
  ['a whole surrogate pair', { said: '\u{1F600}' }, null],
  ['as many levels as there may be', nested(MAX_LEVELS), null],
  [
    'one level more',
    nested(MAX_LEVELS + 1),
    { path: Array(MAX_LEVELS).fill('in').join('.'), message: 'is nested too deeply' },
  ],
  ['NUL', 'a\u0000b', { path: '', message: notAllowed }],
  ['half a surrogate pair in a list', { said: ['a', '\ud800'] }, { path: 'said.1', message: notAllowed }],
  ['NUL in a name', { data: { 'a\u0000': 1 } }, { path: 'data', message: `has a field whose name ${notAllowed}` }],
])('of %s, what cannot be stored is named by its path', (_situation, value, part) => {
  expect(unstorablePart(value)).toEqual(part);
  expect(isStorable(value)).toBe(part === null);
});

test('a long path is cut', () => {
  expect(unstorablePart({ ['x'.repeat(600)]: '\u0000' })?.path).toHaveLength(500);
});

import { changedLines, differencesOf } from '@clinic/gateways/voice/assistants/differences';

/** Every text of at most so many lines, each of which is a or b. */
const textsOf = (length: number): string[][] =>
  length === 0
    ? [[]]
    : [
        [],
        ...textsOf(length - 1).flatMap((text) => [
          ['a', ...text],
          ['b', ...text],
        ]),
      ];

function mostInCommon([one, ...ones]: string[], [other, ...others]: string[]): number {
  if (one === undefined || other === undefined) return 0;
  if (one === other) return 1 + mostInCommon(ones, others);
  return Math.max(mostInCommon(ones, [other, ...others]), mostInCommon([one, ...ones], others));
}

test('a line that goes or comes is told where it stood, and none that could stay', () => {
  expect(changedLines(['a', 'b', 'c'], ['a', 'c', 'd'])).toEqual(['- b', '+ d']);
  expect(changedLines(['a'], ['b'])).toEqual(['- a', '+ b']);
});

test('no shorter way leads from any text of four lines to any other', () => {
  const texts = textsOf(4);
  const wrong = texts.flatMap((before) =>
    texts.filter((after) => {
      const told = changedLines(before, after);
      const [gone, come] = ['- ', '+ '].map((sign) => told.filter((line) => line.startsWith(sign)).length);
      const kept = mostInCommon(before, after);
      return gone !== before.length - kept || come !== after.length - kept;
    }),
  );
  expect(wrong).toEqual([]);
});

test.each<[string, unknown, unknown, string[]]>([
  ['nothing', { a: 1, b: 'x' }, { a: 1 }, []],
  ['what is wanted of no field', { a: 1 }, { a: undefined }, []],
  ['none in place of nothing', {}, { a: null }, []],
  ['none in place of something', { a: 1 }, { a: null }, ['  a: 1 → none']],
  ['a field', { a: 1 }, { a: 2 }, ['  a: 1 → 2']],
  ['a field that is not there', {}, { a: { b: 2 } }, ['  a: none → {"b":2}']],
  ['a field within', { a: { b: 1 } }, { a: { b: 2, c: 3 } }, ['  a.b: 1 → 2', '  a.c: none → 3']],
  ['an entry', { a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, ['  a[1].b: 2 → 3']],
  ['the length of a list', { a: [1] }, { a: [1, 2] }, ['  a: 1 entries → 2 entries']],
  ['a list in place of a word', { a: 'x' }, { a: [] }, ['  a: "x" → 0 entries']],
  ['a word', { a: 'x' }, { a: 'y' }, ['  a: "x" → "y"']],
  ['lines', { a: 'one\ntwo' }, { a: 'one\nthree' }, ['  a:', '    - two', '    + three']],
  ['lines in place of a number', { a: 7 }, { a: 'one\ntwo' }, ['  a: 7 → "one\\ntwo"']],
  ['a word in place of lines', { a: 'one\ntwo' }, { a: 'one' }, ['  a: "one\\ntwo" → "one"']],
  ['160 letters', { a: 1 }, { a: 'x'.repeat(158) }, [`  a: 1 → "${'x'.repeat(158)}"`]],
  ['161 letters', { a: 1 }, { a: 'x'.repeat(159) }, [`  a: 1 → "${'x'.repeat(159)}…`]],
  ['the whole', 1, 2, ['  : 1 → 2']],
])('what differs in %s is told by its path', (_what, found, wanted, expected) => {
  expect(differencesOf(found, wanted)).toEqual(expected);
});

import { changedLines } from '@clinic/gateways/voice/assistants/differences';

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

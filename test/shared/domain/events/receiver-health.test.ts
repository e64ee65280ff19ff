import { cached } from '@clinic/shared/domain/cached';
import { lookAgainAfterMs, mayAttempt, pauseAfterFailureMs } from '@clinic/shared/domain/events/receiver-health';
import { isTimeOrder } from '@clinic/shared/domain/list-order';

const well = { failuresInARow: 0, attemptsUnderWay: 19, isPaused: false, isTestEvent: false };

test.each([
  ['that is well', {}, true],
  ['with twenty attempts under way', { attemptsUnderWay: 20 }, false],
  ['that failed twice', { failuresInARow: 2 }, true],
  ['that failed three times, with one under way', { failuresInARow: 3, attemptsUnderWay: 1 }, false],
  ['that failed three times, with none under way', { failuresInARow: 3, attemptsUnderWay: 0 }, true],
  ['that is left alone', { isPaused: true }, false],
  ['that is left alone, with a test event', { isPaused: true, isTestEvent: true }, true],
  ['that is full, with a test event', { isTestEvent: true, attemptsUnderWay: 20 }, false],
])('an attempt may begin at a receiver %s: %s', (_what, over, expected) => {
  expect(mayAttempt({ ...well, ...over })).toBe(expected);
});

test.each([
  [2, 3_600_000, null, 0],
  [2, 3_600_000, 7_000, 7_000],
  [3, 0, null, 5_000],
  [3, 20_000, null, 5_000],
  [3, 40_000, null, 10_000],
  [3, 240_000, null, 60_000],
  [9, 3_600_000, null, 60_000],
  [3, 0, 90_000, 90_000],
  [9, 3_600_000, 7_000, 60_000],
  [3, 0, 2 * 3_600_000, 3_600_000],
])(
  'after %s failures over %s ms, asked for %s, a receiver is left alone for %s ms',
  (failuresInARow, failingForMs, retryAfterMs, ms) => {
    expect(pauseAfterFailureMs({ failuresInARow, failingForMs, retryAfterMs })).toBe(ms);
  },
);

test.each([
  [1, 0, 1_000],
  [0, 0, 10],
  [0, 200, 10],
  [0, 4_000, 200],
  [0, 10_000, 500],
  [0, 60_000, 500],
])(
  'after %s failures, with an attempt of %s ms, a sender looks again after %s ms',
  (failuresInARow, longestUnderWayMs, ms) => {
    expect(lookAgainAfterMs({ failuresInARow, longestUnderWayMs })).toBe(ms);
  },
);

test('a full cache forgets its oldest entry, and makes nothing anew that it holds', () => {
  const cache = new Map<string, string>();
  const made: string[] = [];
  const ask = (key: string) => cached(cache, 2, key, () => (made.push(key), `of ${key}`));

  expect(['a', 'b', 'a', 'c', 'b', 'a'].map(ask)).toEqual(['of a', 'of b', 'of a', 'of c', 'of b', 'of a']);
  expect(made).toEqual(['a', 'b', 'c', 'a']);
  expect([...cache.keys()]).toEqual(['c', 'a']);
});

test('a list is ordered by time in two ways', () => {
  expect(['newest', 'oldest', 'due', ''].map(isTimeOrder)).toEqual([true, true, false, false]);
});

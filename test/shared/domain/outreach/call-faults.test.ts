import { faultWaitSeconds } from '@clinic/shared/domain/outreach/call-faults';

test('a fault of the voice platform is waited out for twice as long as the one before, an hour at most', () => {
  const waits = Array.from({ length: 14 }, (_, index) => faultWaitSeconds(index + 1));

  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_600, 3_600]);
});

test('after sixty in a row a person looks', () => {
  expect([60, 61].map(faultWaitSeconds)).toEqual([3_600, null]);
});

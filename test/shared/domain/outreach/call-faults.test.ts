import { faultWaitSeconds } from '@clinic/shared/domain/outreach/call-faults';
import { notStarted } from '@clinic/shared/domain/voice/ended-reason';

test('a fault of the voice platform is waited out for twice as long as the one before, an hour at most', () => {
  const waits = Array.from({ length: 14 }, (_, index) => faultWaitSeconds(index + 1, notStarted('x')));

  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_600, 3_600]);
});

test('and for no less than its report may take, where the call had begun', () => {
  expect([1, 4, 5, 6].map((faults) => faultWaitSeconds(faults, 'pipeline-error-x'))).toEqual([15, 15, 16, 32]);
});

test('after sixty in a row a person looks', () => {
  expect([60, 61].map((faults) => faultWaitSeconds(faults, notStarted('x')))).toEqual([3_600, null]);
});

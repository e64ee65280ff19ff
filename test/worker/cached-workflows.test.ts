import { cachedWorkflows } from '@clinic/worker/cached-workflows';

// The limit of Node's heap as it was found in containers of 512 MB, 1, 2 and 4 GB, and outside of one.
test.each([
  [259, 100],
  [560, 360],
  [1_120, 920],
  [2_240, 2_000],
  [4_288, 2_000],
])('with a heap of %i MB a worker keeps %i workflows in memory', (heapMb, workflows) => {
  expect(cachedWorkflows(heapMb * 1_048_576)).toBe(workflows);
});

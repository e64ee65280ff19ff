import { ChangeRetention } from '@clinic/shared/contracts/operations/retention';

test('why a phone rang is kept for six years at least, other contents for a week', () => {
  const isPossible = (change: object) => ChangeRetention.safeParse(change).success;

  expect([isPossible({ call_decisions: 7 }), isPossible({ call_decisions: 2189 })]).toEqual([false, false]);
  expect([isPossible({ call_decisions: 2190 }), isPossible({ call_decisions: null })]).toEqual([true, true]);
  expect([isPossible({ event_bodies: 7 }), isPossible({ event_bodies: 6 })]).toEqual([true, false]);
});

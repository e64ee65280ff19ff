import { deliveryWaitsMs, nextDeliveryWaitMs } from '@clinic/shared/domain/events/delivery-schedule';

const wait = (tries: number, about: { random?: number; retryAfterMs?: number } = {}) =>
  nextDeliveryWaitMs({ tries, random: 0, retryAfterMs: null, ...about });

test('the waits grow from five seconds to a day, about three days in all', () => {
  const waits = deliveryWaitsMs.map((_wait, index) => wait(index + 1));

  expect(waits.map((ms) => (ms ?? 0) / 1_000)).toEqual([5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400]);
});

test('the attempt after the last wait is the last one', () => {
  expect(wait(deliveryWaitsMs.length)).not.toBeNull();
  expect(wait(deliveryWaitsMs.length + 1)).toBeNull();
});

test('a wait is spread by up to a tenth, and never shorter', () => {
  expect(wait(1, { random: 0.999_999 })).toBe(5_500);
  expect(wait(1, { random: 0 })).toBe(5_000);
});

test('a receiver may ask for a longer wait, up to an hour, and not for a shorter one', () => {
  expect(wait(1, { retryAfterMs: 60_000 })).toBe(60_000);
  expect(wait(1, { retryAfterMs: 1_000 })).toBe(5_000);
  expect(wait(1, { retryAfterMs: 24 * 3_600_000 })).toBe(3_600_000);
});

test('a receiver that asks for more time gets no attempt beyond the schedule', () => {
  expect(wait(deliveryWaitsMs.length + 1, { retryAfterMs: 60_000 })).toBeNull();
});

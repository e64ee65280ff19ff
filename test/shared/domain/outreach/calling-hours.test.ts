import { callingTimeEnd, isWithinCallingHours, nextCallingTime } from '@clinic/shared/domain/outreach/calling-hours';
import { defaultCallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import { everyDay, toInterval } from '../calendar/agendas';

const zone = 'America/Denver';
const hours = defaultCallingPolicy.callingHours;
const isWithin = (at: string) => isWithinCallingHours({ hours, zone, at });

describe('the end of the calling time', () => {
  test.each([
    ['is when the hours close', hours, '2026-01-20T18:12:34.567Z', '2026-01-21T01:00:00.000Z'],
    ['is null before they open', hours, '2026-01-20T15:59:59.999Z', null],
    ['is null in the moment when they close', hours, '2026-01-21T01:00:00.000Z', null],
    ['is the break', everyDay('09:00-12:00', '13:00-17:00'), '2026-01-20T17:00:00.000Z', '2026-01-20T19:00:00.000Z'],
    [
      'is the end of the last of several intervals that meet',
      everyDay('09:00-12:00', '12:00-17:00'),
      '2026-01-20T17:00:00.000Z',
      '2026-01-21T00:00:00.000Z',
    ],
  ])('%s', (_situation, week, at, expected) => {
    expect(callingTimeEnd({ hours: week, zone, at })).toBe(expected);
  });

  test('goes on over midnight where the next day opens with it', () => {
    const at = '2026-01-20T12:00:00.000Z';
    const end = callingTimeEnd({ hours: everyDay('00:00-24:00'), zone, at });

    expect(Date.parse(end ?? '') - Date.parse(at)).toBeGreaterThan(7 * 86_400_000);
  });
});

describe('the next calling time', () => {
  test.each([
    ['at once inside the hours', '2026-01-20T18:12:34.567Z', '2026-01-20T18:12:34.567Z'],
    ['at once when they begin', '2026-01-20T16:00:00.000Z', '2026-01-20T16:00:00.000Z'],
    ['this morning before they begin', '2026-01-20T08:00:00.000Z', '2026-01-20T16:00:00.000Z'],
    ['tomorrow morning when they end', '2026-01-21T01:00:00.000Z', '2026-01-21T16:00:00.000Z'],
    ['Monday from Saturday evening', '2026-01-25T02:00:00.000Z', '2026-01-26T16:00:00.000Z'],
    ['Monday an hour earlier in UTC over a Sunday of change', '2026-03-08T02:00:00.000Z', '2026-03-09T15:00:00.000Z'],
    ['Monday an hour later in UTC over the other one', '2026-11-01T02:00:00.000Z', '2026-11-02T16:00:00.000Z'],
  ])('is %s', (_situation, from, expected) => {
    expect(nextCallingTime({ hours, zone, from })).toBe(expected);
  });

  test('is after a break', () => {
    const split = everyDay('09:00-12:00', '13:00-17:00');

    expect(nextCallingTime({ hours: split, zone, from: '2026-01-20T19:30:00.000Z' })).toBe('2026-01-20T20:00:00.000Z');
  });

  test('is the end of the skipped hour that hid the opening', () => {
    const early = everyDay('02:30-03:30');

    expect(nextCallingTime({ hours: early, zone, from: '2026-03-08T08:00:00.000Z' })).toBe('2026-03-08T09:00:00.000Z');
  });

  test('is two weeks away when a change swallowed the only hour of a week', () => {
    const sundays = { sunday: [toInterval('02:00-03:00')] };

    expect(nextCallingTime({ hours: sundays, zone, from: '2026-03-01T10:00:00.000Z' })).toBe(
      '2026-03-15T08:00:00.000Z',
    );
  });

  test('comes again in a repeated hour', () => {
    const early = everyDay('01:00-01:30');

    expect(nextCallingTime({ hours: early, zone, from: '2026-11-01T07:45:00.000Z' })).toBe('2026-11-01T08:00:00.000Z');
  });

  test('never comes without hours', () => {
    expect(nextCallingTime({ hours: {}, zone, from: '2026-01-20T18:00:00.000Z' })).toBeNull();
    expect(nextCallingTime({ hours: { monday: [] }, zone, from: '2026-01-20T18:00:00.000Z' })).toBeNull();
  });

  test('is always now when the hours are always open, clock changes included', () => {
    const always = everyDay('00:00-24:00');
    for (let hour = 0; hour < 24 * 400; hour += 1) {
      const from = new Date(Date.UTC(2026, 0, 1, hour, 59, 59, 999)).toISOString();

      expect(nextCallingTime({ hours: always, zone, from })).toBe(from);
    }
  });
});

test('closing time is no longer inside calling hours', () => {
  expect(isWithin('2026-01-20T15:59:59.999Z')).toBe(false);
  expect(isWithin('2026-01-20T16:00:00.000Z')).toBe(true);
  expect(isWithin('2026-01-21T00:59:59.999Z')).toBe(true);
  expect(isWithin('2026-01-21T01:00:00.000Z')).toBe(false);
  expect(isWithin('2026-01-25T18:00:00.000Z')).toBe(false);
});

import { startOfDate } from '@clinic/shared/domain/calendar/clinic-time';
import { nextCallingTime } from '@clinic/shared/domain/outreach/calling-hours';
import { offeredSlots } from '@clinic/shared/domain/calendar/slots';
import { everyDay } from './agendas';
import { naiveSlots, readClock } from './naive-clock';

const day = 86_400_000;
const firstDay = Date.parse('2025-01-01T12:00:00.000Z');
const days = 3 * 365;
const zones = Intl.supportedValuesOf('timeZone');

const agendas = [everyDay('00:00-24:00'), everyDay('00:15-02:15', '02:30-12:00', '22:45-24:00')];

const minutesAt = (number: number, zone: string) => readClock(firstDay + number * day, zone).minutes;

/** Noons after which the clock of a zone does not show the same time a day later; no zone changes back within a week. */
const changes = zones.flatMap((zone) => {
  const found: { zone: string; noon: number }[] = [];
  for (let week = 0; week < days; week += 7) {
    if (minutesAt(week, zone) === minutesAt(week + 7, zone)) continue;
    for (let number = week; number < week + 7; number += 1) {
      if (minutesAt(number, zone) !== minutesAt(number + 1, zone)) found.push({ zone, noon: firstDay + number * day });
    }
  }
  return found;
});

test('there are changes to look at', () => {
  expect(zones.length).toBeGreaterThan(400);
  expect(changes.length).toBeGreaterThan(600);
});

test(`over the ${changes.length} clock changes of 2025 to 2027 in every zone no slot is missing, doubled or wrong`, () => {
  for (const { zone, noon } of changes) {
    for (const hours of agendas) {
      const search = { hours, zone, booked: [], from: noon - day / 2, until: noon + 1.5 * day };

      const offered = offeredSlots({
        ...search,
        providerName: 'Dr.Chen',
        now: '2024-01-01T00:00:00.000Z',
        from: new Date(search.from).toISOString(),
        until: new Date(search.until).toISOString(),
      }).map(({ startsAt }) => startsAt);

      const walked = naiveSlots({ ...search, now: 0, stepMinutes: 15 });
      if (offered.join() !== walked.join())
        throw new Error(`${zone}: offered ${offered.join()}, walked ${walked.join()}`);
    }
  }
});

test('around every change a local day starts at its first instant', () => {
  for (const { zone, noon } of changes) {
    for (const instant of [noon, noon + day]) {
      const { date } = readClock(instant, zone);
      let first = instant;
      while (readClock(first - 15 * 60_000, zone).date === date) first -= 15 * 60_000;
      if (startOfDate(date, zone) !== new Date(first).toISOString()) throw new Error(`${zone} ${date}`);
    }
  }
});

test('around every change the next calling time is the first quarter of an hour whose clock shows calling hours', () => {
  const hours = everyDay('00:30-02:30', '23:30-24:00');
  for (const { zone, noon } of changes) {
    for (let from = noon + day / 4; from < noon + 1.25 * day; from += 6 * 3_600_000) {
      let first = from;
      while (!isCallingTime(readClock(first, zone).minutes)) first += 15 * 60_000;
      const next = nextCallingTime({ hours, zone, from: new Date(from).toISOString() });
      if (next !== new Date(first).toISOString())
        throw new Error(`${zone} from ${new Date(from).toISOString()}: ${next}`);
    }
  }
});

function isCallingTime(minutes: number): boolean {
  return (minutes >= 30 && minutes < 150) || minutes >= 1410;
}

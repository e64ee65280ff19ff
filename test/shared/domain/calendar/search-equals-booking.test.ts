import { offeredSlots, slotStatus, type BookedTime } from '@clinic/shared/domain/calendar/slots';
import { weekdays, weeklyHoursProblem, type WeeklyHours } from '@clinic/shared/domain/calendar/weekly-hours';
import { thorough } from '../../../support/thorough';
import { naiveSlots } from './naive-clock';
import { seeded } from './seeded';

const cases = thorough({ few: 2_000, all: 10_000 });
const casesAgainstNaive = thorough({ few: 100, all: 500 });
const casesBooked = thorough({ few: 100, all: 500 });
const minute = 60_000;
const day = 86_400_000;

/** Zones with changes at midnight, of half an hour, in the southern winter, in Ramadan, and with odd offsets. */
const zones = [
  'America/Denver',
  'America/New_York',
  'America/St_Johns',
  'America/Havana',
  'America/Santiago',
  'America/Nuuk',
  'Atlantic/Azores',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Europe/Berlin',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Australia/Adelaide',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Antarctica/Troll',
  'UTC',
];

/** Nights of change in 2026 for the zones above, so that half of the cases meet one. */
const nightsOfChange = [
  '2026-03-08',
  '2026-03-29',
  '2026-03-28',
  '2026-04-05',
  '2026-04-24',
  '2026-02-15',
  '2026-03-22',
  '2026-09-06',
  '2026-09-27',
  '2026-10-04',
  '2026-10-25',
  '2026-10-24',
  '2026-10-29',
  '2026-11-01',
].map((date) => Date.parse(date));

const random = seeded();
console.info(`search equals booking: SEED=${random.seed}`);

describe(`search equals booking (SEED=${random.seed})`, () => {
  test(`in ${cases} cases a time is offered exactly when it can be booked`, () => {
    let offeredTimes = 0;
    let refusedTimes = 0;
    for (let number = 0; number < cases; number += 1) {
      const search = aCase();
      const offered = new Set(offeredSlots(search).map(({ startsAt }) => startsAt));

      for (const time of [...someOf([...offered], 6), ...timesToTry(search)]) {
        const isOffered = offered.has(time);
        const status = slotStatus({ ...search, startsAt: time });
        if ((status === 'offered') !== isOffered) throw new Error(describeCase(search, `${time} is ${status}`));
        if (isOffered) offeredTimes += 1;
        else refusedTimes += 1;
      }
    }

    expect(offeredTimes).toBeGreaterThan(cases);
    expect(refusedTimes).toBeGreaterThan(cases);
  });

  test(`in ${casesAgainstNaive} cases the search is what a walk along the wall clock finds`, () => {
    for (let number = 0; number < casesAgainstNaive; number += 1) {
      const search = aCase();

      const offered = offeredSlots(search).map(({ startsAt }) => startsAt);
      const booked = search.booked.map(({ startsAt, endsAt }) => ({
        start: Date.parse(startsAt),
        end: Date.parse(endsAt),
      }));

      expect(offeredSlots({ ...search, booked }).map(({ startsAt }) => startsAt)).toEqual(offered);
      const walked = naiveSlots({
        ...search,
        now: Date.parse(search.now),
        from: Date.parse(search.from),
        until: Date.parse(search.until),
        stepMinutes: 5,
      });
      if (offered.join() !== walked.join())
        throw new Error(describeCase(search, `offered ${offered.join()} walked ${walked.join()}`));
    }
  });

  test('what is booked leaves the search, what is freed comes back, and nothing else moves', () => {
    for (let number = 0; number < casesBooked; number += 1) {
      const search = aCase();
      const before = offeredSlots(search);
      if (before.length === 0) continue;
      const chosen = random.pick(before);

      const after = offeredSlots({ ...search, booked: [...search.booked, chosen] });

      expect(after).toEqual(before.filter((slot) => slot !== chosen));
      expect(slotStatus({ ...search, booked: [...search.booked, chosen], startsAt: chosen.startsAt })).toBe('taken');
      expect(offeredSlots(search)).toEqual(before);
    }
  });
});

type Case = Omit<Parameters<typeof offeredSlots>[0], 'booked'> & { booked: BookedTime[] };

function aCase(): Case {
  const around =
    random.below(2) === 0 ? random.pick(nightsOfChange) : Date.parse('2025-01-01') + random.below(3 * 365) * day;
  const from = around - random.below(36 * 60) * minute;
  const until = from + random.below(48 * 60) * minute;
  return {
    providerName: random.pick(['Dr.Chen', 'Dr.Okafor', 'NP-Silva']),
    hours: someHours(),
    zone: random.pick(zones),
    now: toIso(from + (random.below(3 * 24 * 60) - 2 * 24 * 60) * minute),
    from: toIso(from),
    until: toIso(until),
    booked: Array.from({ length: random.below(6) }, () => aBookedTime(from, until)),
  };
}

function someHours(): WeeklyHours {
  const hours: WeeklyHours = {};
  for (const weekday of weekdays) {
    // Three in four days are open, with up to three intervals between sorted five-minute marks.
    if (random.below(4) === 0) continue;
    const marks = Array.from({ length: 2 * (1 + random.below(3)) }, () => random.below(289) * 5);
    const sorted = [...new Set(random.below(3) === 0 ? marks.map((mark) => mark - (mark % 30)) : marks)].toSorted(
      (one, other) => one - other,
    );
    hours[weekday] = Array.from({ length: Math.floor(sorted.length / 2) }, (_, pair) => ({
      opens: wallText(sorted[2 * pair]!),
      closes: wallText(sorted[2 * pair + 1]!),
    }));
  }
  if (weeklyHoursProblem(hours) !== null) throw new Error(`the generator made bad hours ${JSON.stringify(hours)}`);
  return hours;
}

function aBookedTime(from: number, until: number): BookedTime {
  const start = from - 60 * minute + random.below(Math.ceil((until - from) / (5 * minute)) + 12) * 5 * minute;
  return {
    startsAt: toIso(start - (start % (5 * minute))),
    endsAt: toIso(start + random.pick([15, 30, 30, 30, 60]) * minute),
  };
}

/** Instants inside the window of the search, on all kinds of minutes. */
function timesToTry({ from, until }: Case): string[] {
  const start = Date.parse(from);
  const length = Date.parse(until) - start;
  if (length < 5 * minute) return [];
  return Array.from({ length: 6 }, () => {
    const time = start + random.below(length);
    const rounded = Math.ceil(time / (5 * minute)) * 5 * minute;
    return toIso(random.below(8) === 0 || rounded >= start + length ? time : rounded);
  });
}

function someOf<Item>(items: readonly Item[], count: number): Item[] {
  return items.length <= count ? [...items] : Array.from({ length: count }, () => random.pick(items));
}

function wallText(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

function toIso(instant: number): string {
  return new Date(instant).toISOString();
}

function describeCase(search: Case, found: string): string {
  return `SEED=${random.seed}: ${found} in ${JSON.stringify(search)}`;
}

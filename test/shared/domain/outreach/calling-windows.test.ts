import { defaultCallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import { callableUntil, isCallable, nextCallableTime } from '@clinic/shared/domain/outreach/calling-windows';
import { zonesOfPatient } from '@clinic/shared/domain/outreach/patient-zones';
import { withZoneLaws } from '@clinic/shared/domain/calendar/zone-laws';
import { offsetAt } from '@clinic/shared/domain/calendar/zone-offsets';
import { everyDay } from '../calendar/agendas';
import oracle from './number-zones.json';

const allDay = everyDay('00:00-24:00');
const numbers = Object.entries(oracle.numbers);
/** The zone data of this runtime may be older than the table of the oracle, which is that of 2026e. */
const zoneData = process.versions.tz ?? null;
const isKnownHere = (zones: string[]): boolean => withZoneLaws(zones, zoneData).length === zones.length;
const clocks: Record<string, number[][]> = oracle.clocks;

/** `CALLING_DECISIONS=1000000 npm test -- calling-windows` looks at as many. */
const decisions = Number(process.env.CALLING_DECISIONS ?? 20_000);

describe('the hours of a patient', () => {
  const newYork = { hours: allDay, clinicZone: 'America/Denver', patientZones: ['America/New_York'] };

  test('begin at eight and end at twenty on the clock of the patient', () => {
    expect(isCallable({ ...newYork, at: '2026-01-20T12:59:59.999Z' })).toBe(false);
    expect(isCallable({ ...newYork, at: '2026-01-20T13:00:00.000Z' })).toBe(true);
    expect(isCallable({ ...newYork, at: '2026-01-21T00:59:59.999Z' })).toBe(true);
    expect(isCallable({ ...newYork, at: '2026-01-21T01:00:00.000Z' })).toBe(false);
  });

  test('are those that all zones have in common', () => {
    const patientZones = ['America/New_York', 'Pacific/Honolulu'];
    const windows = { ...newYork, patientZones };

    expect(nextCallableTime({ ...windows, from: '2026-01-20T13:00:00.000Z' })).toBe('2026-01-20T18:00:00.000Z');
    expect(callableUntil({ ...windows, at: '2026-01-20T18:00:00.000Z' })).toBe('2026-01-21T01:00:00.000Z');
  });

  test('are narrowed by the hours of the clinic, on its own clock', () => {
    const windows = { ...newYork, hours: defaultCallingPolicy.callingHours };

    expect(nextCallableTime({ ...windows, from: '2026-01-20T13:00:00.000Z' })).toBe('2026-01-20T16:00:00.000Z');
    expect(callableUntil({ ...windows, at: '2026-01-20T16:00:00.000Z' })).toBe('2026-01-21T01:00:00.000Z');
    expect(nextCallableTime({ ...windows, from: '2026-01-24T01:00:00.000Z' })).toBe('2026-01-24T16:00:00.000Z');
  });

  test('that never meet those of the clinic permit no call', () => {
    const windows = { ...newYork, hours: everyDay('20:00-23:00') };

    expect(nextCallableTime({ ...windows, from: '2026-01-20T13:00:00.000Z' })).toBeNull();
    expect(callableUntil({ ...windows, at: '2026-01-20T13:00:00.000Z' })).toBeNull();
  });

  test('do not count where nobody rings', () => {
    expect(isCallable({ ...newYork, patientZones: [], at: '2026-01-20T05:00:00.000Z' })).toBe(true);
  });

  test('of a clinic that never closes go on for as long as anybody looks', () => {
    const windows = { ...newYork, patientZones: [] };

    expect(callableUntil({ ...windows, at: '2026-01-20T06:00:00.000Z' })).toBe('2026-02-03T07:00:00.000Z');
  });
});

describe('where the zone data is older than a law that stopped the change of clocks', () => {
  const vancouver = {
    phone: '+16045550100',
    address: null,
    clinicZone: 'America/Denver',
    unknownZone: 'country',
  } as const;

  test('the hours are those that are lawful by the old rule and by the new one', () => {
    const windows = {
      hours: allDay,
      clinicZone: 'America/Denver',
      patientZones: zonesOfPatient({ ...vancouver, zoneData: '2025b' }),
    };

    // 20:30 by the law of 2026, 19:30 by the rule before it.
    expect(isCallable({ ...windows, at: '2026-12-11T03:30:00.000Z' })).toBe(false);
    expect(isCallable({ ...windows, at: '2026-12-11T02:30:00.000Z' })).toBe(true);
  });

  test.each([
    ['2025b', ['America/Vancouver', 'Etc/GMT+7']],
    ['2026a', ['America/Vancouver', 'Etc/GMT+7']],
    ['2026b', ['America/Vancouver']],
    ['2027a', ['America/Vancouver']],
    [null, ['America/Vancouver', 'Etc/GMT+7']],
  ])('the clock of the law is added: %s', (release, zones) => {
    expect(zonesOfPatient({ ...vancouver, zoneData: release })).toEqual(zones);
  });

  test('that clock is the one that data which knows the law has, and every runtime can read it', () => {
    const noon = Date.UTC(2027, 0, 15, 12);
    for (const [zone, table] of Object.entries(clocks)) {
      const [, clock] = withZoneLaws([zone], '2025b');
      const [, offset = NaN] = table.findLast(([since = 0]) => since * 1000 <= noon) ?? [];
      if (clock !== undefined) expect(offsetAt(noon, clock)).toBe(offset * 1000);
    }
    for (const zone of ['America/Vancouver', 'America/Edmonton', 'America/Winnipeg', 'Africa/Casablanca']) {
      expect(withZoneLaws([zone], '2025b')).toHaveLength(2);
    }
  });
});

test('of any number at any instant, no decision lies outside 8 to 20 on a clock that another zone table keeps', () => {
  const outside: string[] = [];
  const missed: string[] = [];
  const random = randomFrom(20_260_120);
  const from = Date.parse('2026-01-01T00:00:00.000Z');
  const changes = [...new Set(Object.values(clocks).flatMap((table) => table.map(([at = 0]) => at * 1000)))];

  for (let index = 0; index < decisions; index += 1) {
    const [phone, zones] = pick(numbers, random);
    // Every second one lies within a day of a change of some clock.
    const at =
      index % 2 === 0
        ? from + random() * 2 * 365 * 86_400_000
        : Math.max(from, pick(changes, random) + (random() - 0.5) * 2 * 86_400_000);
    const instant = new Date(at).toISOString();
    const clinicZone = 'America/Denver';
    const patientZones = zonesOfPatient({ phone, address: null, clinicZone, unknownZone: 'country', zoneData });
    const decided = isCallable({ hours: allDay, clinicZone, patientZones, at: instant });
    const ofNumber = zones.split('&');
    const permitted = isPermitted(ofNumber, Date.parse(instant));
    if (decided && !permitted) outside.push(`${phone} at ${instant}`);
    // Where the data is too old, hours that are lawful by the new rule alone are not used.
    if (!decided && permitted && isKnownHere(ofNumber)) missed.push(`${phone} at ${instant}`);
  }

  expect(outside).toEqual([]);
  expect(missed).toEqual([]);
}, 600_000);

test('the next time to call is the first that is permitted, to the minute', () => {
  const random = randomFrom(7);
  const windows = { hours: defaultCallingPolicy.callingHours, clinicZone: 'America/Chicago' };
  for (let index = 0; index < 60; index += 1) {
    const [phone] = pick(numbers, random);
    const patientZones = zonesOfPatient({
      phone,
      address: null,
      clinicZone: 'America/Chicago',
      unknownZone: 'country',
      zoneData,
    });
    const from = new Date(
      Date.parse('2026-03-06T00:00:00.000Z') + Math.floor(random() * 10_080) * 60_000,
    ).toISOString();
    const next = nextCallableTime({ ...windows, patientZones, from });

    expect(next).toBe(firstMinute({ ...windows, patientZones }, from));
  }
});

/** Looks at every minute of two weeks. */
function firstMinute(windows: Omit<Parameters<typeof isCallable>[0], 'at'>, from: string): string | null {
  for (let at = Date.parse(from); at <= Date.parse(from) + 15 * 86_400_000; at += 60_000) {
    const instant = new Date(at).toISOString();
    if (isCallable({ ...windows, at: instant })) return instant;
  }
  return null;
}

/** The rule as one would tell it to somebody with a clock for each zone. */
function isPermitted(zones: string[], at: number): boolean {
  return zones.every((zone) => {
    const table = clocks[zone] ?? [];
    const [, offset = NaN] = table.findLast(([since = 0]) => since * 1000 <= at) ?? [];
    const minutes = (((at / 1000 + offset) % 86_400) + 86_400) % 86_400;
    return minutes >= 8 * 3600 && minutes < 20 * 3600;
  });
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** The same numbers in every run, so that a failure can be looked at again. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

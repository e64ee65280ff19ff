import { parseDateOrInstant } from '@clinic/shared/domain/calendar/clinic-time';
import { offeredSlots, slotEnd, slotId, slotStatus, type ProviderAgenda } from '@clinic/shared/domain/calendar/slots';
import { workingHoursProblem } from '@clinic/shared/domain/calendar/slots';
import { aBooking, anAgenda, everyDay, toInterval } from './agendas';
import { readClock } from './naive-clock';

/** Starts of the slots offered on one local date, as instants. */
function startsOn(date: string, agenda: ProviderAgenda): string[] {
  const from = parseDateOrInstant(date, agenda.zone)!;
  const until = new Date(Date.parse(from) + 30 * 3_600_000).toISOString();
  return offeredSlots({ ...agenda, from, until })
    .map(({ startsAt }) => startsAt)
    .filter((startsAt) => readClock(Date.parse(startsAt), agenda.zone).date === date);
}

/** The same as the clinic's clock shows it. */
function wallStartsOn(date: string, agenda: ProviderAgenda): string[] {
  return startsOn(date, agenda).map((startsAt) => {
    const { minutes } = readClock(Date.parse(startsAt), agenda.zone);
    return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  });
}

const night = everyDay('00:00-04:00');

describe('the grid of an ordinary day', () => {
  test('is half-hours from opening, the last one ending at closing', () => {
    const agenda = anAgenda({ hours: everyDay('09:00-11:00') });

    expect(startsOn('2026-01-20', agenda)).toEqual([
      '2026-01-20T16:00:00.000Z',
      '2026-01-20T16:30:00.000Z',
      '2026-01-20T17:00:00.000Z',
      '2026-01-20T17:30:00.000Z',
    ]);
  });

  test('never runs past closing', () => {
    expect(wallStartsOn('2026-01-20', anAgenda({ hours: everyDay('09:00-10:45') }))).toEqual([
      '09:00',
      '09:30',
      '10:00',
    ]);
    expect(wallStartsOn('2026-01-20', anAgenda({ hours: everyDay('09:00-09:29') }))).toEqual([]);
  });

  test('starts at the opening time on the wall clock, not at a multiple of half an hour', () => {
    expect(wallStartsOn('2026-01-20', anAgenda({ hours: everyDay('09:10-10:30') }))).toEqual(['09:10', '09:40']);
    const kathmandu = anAgenda({ hours: everyDay('09:00-10:00'), zone: 'Asia/Kathmandu' });
    expect(startsOn('2026-01-20', kathmandu)).toEqual(['2026-01-20T03:15:00.000Z', '2026-01-20T03:45:00.000Z']);
  });

  test('begins anew after a break', () => {
    const agenda = anAgenda({ hours: everyDay('09:00-10:15', '13:15-14:15') });

    expect(wallStartsOn('2026-01-20', agenda)).toEqual(['09:00', '09:30', '13:15', '13:45']);
  });

  test('runs through midnight when one day closes at 24:00 and the next opens at 00:00', () => {
    const slots = offeredSlots({
      ...anAgenda({ hours: everyDay('00:00-24:00') }),
      from: '2026-01-20T07:00:00.000Z',
      until: '2026-01-22T07:00:00.000Z',
    });

    expect(slots).toHaveLength(96);
    slots.slice(1).forEach((slot, index) => expect(slot.startsAt).toBe(slots[index]!.endsAt));
  });

  test('follows the hours of the weekday in the clinic, not on the server', () => {
    // 2026-01-20 is a Tuesday; in Kiritimati it begins while UTC still has Monday.
    const agenda = anAgenda({ hours: { tuesday: [toInterval('00:00-01:00')] }, zone: 'Pacific/Kiritimati' });

    expect(startsOn('2026-01-20', agenda)).toEqual(['2026-01-19T10:00:00.000Z', '2026-01-19T10:30:00.000Z']);
    expect(startsOn('2026-01-19', agenda)).toEqual([]);
  });

  test('keeps the evening slots west of Greenwich', () => {
    const agenda = anAgenda({ hours: everyDay('20:00-22:00'), zone: 'America/Los_Angeles' });

    expect(wallStartsOn('2026-01-20', agenda)).toEqual(['20:00', '20:30', '21:00', '21:30']);
  });
});

describe('the window of a search', () => {
  const agenda = anAgenda({ hours: everyDay('09:00-11:00') });
  const search = (from: string, until: string, given = agenda) =>
    offeredSlots({ ...given, from, until }).map(({ startsAt }) => startsAt.slice(11, 16));
  const at = (now: string) => search('2026-01-20T00:00:00.000Z', '2026-01-21T00:00:00.000Z', { ...agenda, now });

  test('takes a slot that starts at its beginning and leaves one that starts at its end', () => {
    expect(search('2026-01-20T16:30:00.000Z', '2026-01-20T17:30:00.000Z')).toEqual(['16:30', '17:00']);
  });

  test('offers only what starts after now', () => {
    expect(at('2026-01-20T16:29:59.999Z')).toEqual(['16:30', '17:00', '17:30']);
    expect(at('2026-01-20T16:30:00.000Z')).toEqual(['17:00', '17:30']);
  });

  test('is empty when it ends before it begins', () => {
    expect(search('2026-01-21T00:00:00.000Z', '2026-01-20T00:00:00.000Z')).toEqual([]);
    expect(search('2026-01-20T16:00:00.000Z', '2026-01-20T16:00:00.000Z')).toEqual([]);
  });

  test('ends with the last year that can be written', () => {
    const slots = offeredSlots({
      ...anAgenda({ hours: everyDay('00:00-24:00') }),
      from: '9999-12-31T22:00:00.000Z',
      until: '9999-12-31T23:59:59.999Z',
    });

    expect(slots.map(({ endsAt }) => endsAt)).toEqual([
      '9999-12-31T22:30:00.000Z',
      '9999-12-31T23:00:00.000Z',
      '9999-12-31T23:30:00.000Z',
    ]);
  });
});

describe('what others got wrong', () => {
  test('a date without a zone starts at the clinic’s midnight: west of Greenwich nothing of the day before', () => {
    const agenda = anAgenda({ hours: everyDay('00:00-24:00') });
    const from = parseDateOrInstant('2026-03-08', agenda.zone)!;

    const [first] = offeredSlots({ ...agenda, from, until: '2026-03-09T00:00:00.000Z' });

    expect(first?.startsAt).toBe('2026-03-08T07:00:00.000Z');
  });

  test('a closed day cannot be booked', () => {
    const agenda = anAgenda({ hours: { monday: [toInterval('09:00-17:00')], sunday: [] } });

    expect(slotStatus({ ...agenda, startsAt: '2026-01-18T17:00:00.000Z' })).toBe('not_on_offer');
    expect(slotStatus({ ...agenda, startsAt: '2026-01-19T17:00:00.000Z' })).toBe('offered');
    expect(slotStatus({ ...agenda, startsAt: '2026-01-20T17:00:00.000Z' })).toBe('not_on_offer');
  });

  test('the offset is that of the day, not of 1970', () => {
    // London kept British Standard Time, an hour ahead, all through the winter of 1970.
    const agenda = anAgenda({ hours: everyDay('09:00-09:30'), zone: 'Europe/London' });

    expect(startsOn('2026-01-20', agenda)).toEqual(['2026-01-20T09:00:00.000Z']);
    expect(startsOn('2026-07-20', agenda)).toEqual(['2026-07-20T08:00:00.000Z']);
  });

  test('a freed time can be booked again', () => {
    const startsAt = '2026-01-20T17:00:00.000Z';

    expect(slotStatus({ ...anAgenda({ booked: [aBooking(startsAt)] }), startsAt })).toBe('taken');
    expect(slotStatus({ ...anAgenda({ booked: [] }), startsAt })).toBe('offered');
  });

  test('a booked time of another length takes every slot it overlaps, and no neighbour', () => {
    const agenda = anAgenda({
      hours: everyDay('09:00-12:00'),
      booked: [aBooking('2026-01-20T16:45:00.000Z', 50), aBooking('2026-01-20T18:30:00.000Z')],
    });

    expect(wallStartsOn('2026-01-20', agenda)).toEqual(['09:00', '11:00']);
  });

  test('bookings that overlap one another, given in any order, still count', () => {
    const booked = [aBooking('2026-01-20T16:30:00.000Z', 30), aBooking('2026-01-20T16:00:00.000Z', 180)];

    expect(wallStartsOn('2026-01-20', anAgenda({ hours: everyDay('09:00-13:00'), booked }))).toEqual([
      '12:00',
      '12:30',
    ]);
    expect(
      wallStartsOn('2026-01-20', anAgenda({ hours: everyDay('09:00-13:00'), booked: booked.toReversed() })),
    ).toEqual(['12:00', '12:30']);
  });

  test('hours that change are seen at once', () => {
    const startsAt = '2026-01-20T16:00:00.000Z';
    const hours = everyDay('09:00-17:00');

    expect(slotStatus({ ...anAgenda({ hours }), startsAt })).toBe('offered');
    hours.tuesday = [toInterval('10:00-17:00')];
    expect(slotStatus({ ...anAgenda({ hours }), startsAt })).toBe('not_on_offer');
  });

  test('a clinic in another zone does not get this one’s grid', () => {
    expect(startsOn('2026-01-20', anAgenda({ zone: 'America/Denver' }))[0]).toBe('2026-01-20T16:00:00.000Z');
    expect(startsOn('2026-01-20', anAgenda({ zone: 'Asia/Tokyo' }))[0]).toBe('2026-01-20T00:00:00.000Z');
  });
});

describe('the status of a time', () => {
  const agenda = anAgenda({ now: '2026-01-20T16:10:00.000Z', booked: [aBooking('2026-01-20T17:00:00.000Z')] });

  test.each([
    ['2026-01-20T16:30:00.000Z', 'offered'],
    ['2026-01-20T17:00:00.000Z', 'taken'],
    ['2026-01-20T16:45:00.000Z', 'not_on_offer'],
    ['2026-01-20T16:30:00.001Z', 'not_on_offer'],
    ['2026-01-21T00:00:00.000Z', 'not_on_offer'],
    ['2026-01-20T16:00:00.000Z', 'in_the_past'],
    ['2026-01-20T16:10:00.000Z', 'in_the_past'],
    ['2026-01-19T03:07:00.000Z', 'in_the_past'],
    ['2031-01-20T16:30:00.000Z', 'offered'],
  ])('%s is %s', (startsAt, status) => {
    expect(slotStatus({ ...agenda, startsAt })).toBe(status);
  });

  test('off the grid beside a booking it is not on offer, rather than taken', () => {
    expect(slotStatus({ ...agenda, startsAt: '2026-01-20T17:15:00.000Z' })).toBe('not_on_offer');
  });
});

describe('the night the clocks go forward', () => {
  test('has no slot in the skipped hour', () => {
    const denver = anAgenda({ hours: night });

    expect(wallStartsOn('2026-03-08', denver)).toEqual(['00:00', '00:30', '01:00', '01:30', '03:00', '03:30']);
  });

  test('keeps the slots contiguous where the grid is not on the half-hour', () => {
    const starts = startsOn('2026-03-08', anAgenda({ hours: everyDay('00:45-04:00') }));

    expect(wallStartsOn('2026-03-08', anAgenda({ hours: everyDay('00:45-04:00') }))).toEqual([
      '00:45',
      '01:15',
      '01:45',
      '03:15',
    ]);
    starts.slice(1).forEach((start, index) => expect(start).toBe(slotEnd(starts[index]!)));
  });

  test('ends by a closing time that is skipped', () => {
    expect(wallStartsOn('2026-03-08', anAgenda({ hours: everyDay('00:00-02:30') }))).toEqual([
      '00:00',
      '00:30',
      '01:00',
      '01:30',
    ]);
    // 01:45 would end at 03:15, when the clinic has been closed for a quarter of an hour.
    expect(wallStartsOn('2026-03-08', anAgenda({ hours: everyDay('00:45-02:15') }))).toEqual(['00:45', '01:15']);
  });

  test('opens when the skipped opening time would have passed, on its own grid', () => {
    expect(wallStartsOn('2026-03-08', anAgenda({ hours: everyDay('02:00-04:00') }))).toEqual(['03:00', '03:30']);
    expect(wallStartsOn('2026-03-08', anAgenda({ hours: everyDay('02:15-04:00') }))).toEqual(['03:15']);
  });

  test('offers nothing where all the hours are skipped', () => {
    expect(startsOn('2026-03-08', anAgenda({ hours: everyDay('02:00-03:00') }))).toEqual([]);
  });

  test('skips half an hour on Lord Howe Island', () => {
    const lordHowe = anAgenda({ hours: everyDay('01:00-03:30'), zone: 'Australia/Lord_Howe' });

    expect(wallStartsOn('2026-10-04', lordHowe)).toEqual(['01:00', '01:30', '02:30', '03:00']);
  });

  test.each([
    ['Africa/Cairo', '2026-04-24'],
    ['Asia/Beirut', '2026-03-29'],
    ['America/Havana', '2026-03-08'],
  ])('begins at one o’clock where midnight is skipped: %s', (zone, date) => {
    const agenda = anAgenda({ hours: everyDay('00:00-02:00'), zone });

    expect(wallStartsOn(date, agenda)).toEqual(['01:00', '01:30']);
  });

  test('ends the day early where its last hour is skipped', () => {
    const nuuk = anAgenda({ hours: everyDay('21:45-24:00'), zone: 'America/Nuuk' });

    // 22:45 would end at a quarter past midnight.
    expect(wallStartsOn('2026-03-28', nuuk)).toEqual(['21:45', '22:15']);
    expect(wallStartsOn('2026-03-28', { ...nuuk, hours: everyDay('22:00-24:00') })).toEqual(['22:00', '22:30']);
  });
});

describe('the night the clocks go back', () => {
  test('offers each instant of the repeated hour once', () => {
    const starts = startsOn('2026-11-01', anAgenda({ hours: night }));

    expect(starts).toEqual([
      '2026-11-01T06:00:00.000Z',
      '2026-11-01T06:30:00.000Z',
      '2026-11-01T07:00:00.000Z',
      '2026-11-01T07:30:00.000Z',
      '2026-11-01T08:00:00.000Z',
      '2026-11-01T08:30:00.000Z',
      '2026-11-01T09:00:00.000Z',
      '2026-11-01T09:30:00.000Z',
      '2026-11-01T10:00:00.000Z',
      '2026-11-01T10:30:00.000Z',
    ]);
    const ids = starts.map((startsAt) => slotId('Dr.Chen', startsAt));
    expect(new Set(ids).size).toBe(starts.length);
  });

  test('tells the two half past ones apart when one of them is booked', () => {
    const agenda = anAgenda({ hours: night, booked: [aBooking('2026-11-01T07:30:00.000Z')] });

    expect(slotStatus({ ...agenda, startsAt: '2026-11-01T07:30:00.000Z' })).toBe('taken');
    expect(slotStatus({ ...agenda, startsAt: '2026-11-01T08:30:00.000Z' })).toBe('offered');
  });

  test('is open whenever the clock shows working hours', () => {
    expect(wallStartsOn('2026-11-01', anAgenda({ hours: everyDay('00:30-01:30') }))).toEqual([
      '00:30',
      '01:00',
      '01:00',
    ]);
    expect(wallStartsOn('2026-11-01', anAgenda({ hours: everyDay('01:30-03:00') }))).toEqual([
      '01:30',
      '01:30',
      '02:00',
      '02:30',
    ]);
  });

  test('never offers two times that exclude each other', () => {
    const starts = startsOn('2026-11-01', anAgenda({ hours: everyDay('00:00-01:30', '01:45-05:00') }));

    starts.slice(1).forEach((start, index) => expect(start >= slotEnd(starts[index]!)).toBe(true));
    expect(starts).toContain('2026-11-01T07:45:00.000Z');
  });

  test.each([
    ['Africa/Cairo', '2026-10-29', ['23:00', '23:30', '23:00', '23:30']],
    ['Asia/Beirut', '2026-10-24', ['23:00', '23:30', '23:00', '23:30']],
  ])('repeats the last hour of the day where the change is at midnight: %s', (zone, date, expected) => {
    expect(wallStartsOn(date, anAgenda({ hours: everyDay('23:00-24:00'), zone }))).toEqual(expected);
  });

  test('repeats the first hour of the day in Havana', () => {
    const havana = anAgenda({ hours: everyDay('00:00-01:30'), zone: 'America/Havana' });

    expect(wallStartsOn('2026-11-01', havana)).toEqual(['00:00', '00:30', '00:00', '00:30', '01:00']);
  });
});

describe('a slot id', () => {
  const startsAt = '2026-01-20T16:00:00.000Z';

  test('is a FHIR id that stays the same', () => {
    expect(slotId('Dr.Chen', startsAt)).toBe(slotId('Dr.Chen', startsAt));
    for (const name of ['a', 'Dr.Chen', 'x'.repeat(64), '-.-']) {
      expect(slotId(name, startsAt)).toMatch(/^[A-Za-z0-9\-.]{1,64}$/);
    }
    // What was given out under an earlier release is found by this one.
    const given = [slotId('Dr.Chen', startsAt), slotId('Dr. Zoë Ünal', '2035-01-01T00:00:00.000Z')];
    expect(given).toEqual(['257otmx5sd915uwi3tdi6k-0tcv3og0', '1092o5y2c36217m7e2hlg5-0thj6ao0']);
  });

  test('is the one that the search gives', () => {
    const [first] = offeredSlots({ ...anAgenda(), from: startsAt, until: '2026-01-21T00:00:00.000Z' });

    expect(first).toEqual({ slotId: slotId('Dr.Chen', startsAt), startsAt, endsAt: '2026-01-20T16:30:00.000Z' });
  });

  test('differs by provider and by time', () => {
    const names = [
      'Dr.Chen',
      'Dr.chen',
      'DrChen',
      'Dr-Chen',
      'Dr.Chen.',
      ...Array.from({ length: 2000 }, (_, n) => `Dr.${n}`),
    ];
    const times = Array.from({ length: 50 }, (_, n) => new Date(Date.parse(startsAt) + n * 60_000).toISOString());

    const ids = new Set(names.flatMap((name) => times.map((time) => slotId(name, time))));

    expect(ids.size).toBe(names.length * times.length);
  });
});

describe('working hours', () => {
  test.each([
    [{}],
    [{ monday: [] }],
    [everyDay('00:00-24:00')],
    [everyDay('09:00-12:00', '12:00-17:00')],
    [everyDay('09:00-09:01')],
  ])('%j are fine', (hours) => {
    expect(workingHoursProblem(hours)).toBeNull();
  });

  test.each([
    [null, 'hours must be given by weekday'],
    [[], 'hours must be given by weekday'],
    ['always', 'hours must be given by weekday'],
    [{ Monday: [] }, 'hours hold something that is not a weekday'],
    [JSON.parse('{"__proto__": []}'), 'hours hold something that is not a weekday'],
    [{ monday: '09:00-17:00' }, 'monday must be a list of intervals'],
    [{ monday: null }, 'monday must be a list of intervals'],
    [{ monday: [null] }, 'monday needs opens and closes as HH:MM'],
    [{ monday: [{ opens: '09:00' }] }, 'monday needs opens and closes as HH:MM'],
    [everyDay('9:00-17:00'), 'sunday needs opens and closes as HH:MM'],
    [everyDay('24:00-24:00'), 'sunday needs opens and closes as HH:MM'],
    [everyDay('09:00-24:30'), 'sunday needs opens and closes as HH:MM'],
    [everyDay('09:60-17:00'), 'sunday needs opens and closes as HH:MM'],
    [everyDay('09:00-09:00'), 'sunday closes before it opens'],
    [everyDay('22:00-02:00'), 'sunday closes before it opens'],
    [everyDay('09:00-12:00', '11:59-17:00'), 'sunday has intervals that overlap or are out of order'],
    [everyDay('13:00-17:00', '09:00-12:00'), 'sunday has intervals that overlap or are out of order'],
  ])('%j are refused', (hours, problem) => {
    expect(workingHoursProblem(hours)).toBe(problem);
  });
});

describe('days that differ from a usual week, and notice', () => {
  const hours = everyDay('09:00-11:00');
  const specialDays = {
    '2026-01-20': [],
    '2026-01-21': [{ opens: '14:00', closes: '15:00' }],
    '2026-01-25': [{ opens: '08:00', closes: '09:00' }],
  };

  test('a day off offers nothing, another day its own hours, and all others those of the week', () => {
    const agenda = anAgenda({ hours: { ...hours, sunday: [] }, specialDays });

    expect(wallStartsOn('2026-01-20', agenda)).toEqual([]);
    expect(wallStartsOn('2026-01-21', agenda)).toEqual(['14:00', '14:30']);
    expect(wallStartsOn('2026-01-22', agenda)).toEqual(['09:00', '09:30', '10:00', '10:30']);
    expect(wallStartsOn('2026-01-25', agenda)).toEqual(['08:00', '08:30']);
  });

  test('a time is offered until its notice begins', () => {
    const agenda = anAgenda({ hours, now: '2026-01-19T16:30:00.000Z', noticeMinutes: 24 * 60 });

    expect(wallStartsOn('2026-01-19', agenda)).toEqual([]);
    expect(wallStartsOn('2026-01-20', agenda)).toEqual(['09:30', '10:00', '10:30']);
    expect(slotStatus({ ...agenda, startsAt: '2026-01-20T16:00:00.000Z' })).toBe('not_on_offer');
    expect(slotStatus({ ...agenda, startsAt: '2026-01-20T16:30:00.000Z' })).toBe('offered');
    expect(slotStatus({ ...agenda, startsAt: '2026-01-19T16:00:00.000Z' })).toBe('in_the_past');
  });

  test('what the search offers can be booked, and nothing else', () => {
    const agenda = anAgenda({ hours, specialDays, now: '2026-01-18T16:10:00.000Z', noticeMinutes: 1_450 });
    const [from, until] = ['2026-01-18T00:00:00.000Z', '2026-01-27T00:00:00.000Z'];
    const offered = new Set(offeredSlots({ ...agenda, from, until }).map(({ startsAt }) => startsAt));

    for (let at = Date.parse(from); at < Date.parse(until); at += 15 * 60_000) {
      const startsAt = new Date(at).toISOString();
      expect([startsAt, slotStatus({ ...agenda, startsAt }) === 'offered']).toEqual([startsAt, offered.has(startsAt)]);
    }
    expect(offered.size).toBeGreaterThan(15);
  });
});

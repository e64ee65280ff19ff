import type { OpenInterval, WeeklyHours } from '@clinic/shared/domain/calendar/weekly-hours';
import { weekdays } from '@clinic/shared/domain/calendar/weekly-hours';
import type { BookedTime, ProviderAgenda } from '@clinic/shared/domain/calendar/slots';

/** The same intervals on every day of the week: everyDay('09:00-12:00', '13:00-17:00'). */
export function everyDay(...intervals: string[]): WeeklyHours {
  return Object.fromEntries(weekdays.map((weekday) => [weekday, intervals.map(toInterval)]));
}

export function toInterval(text: string): OpenInterval {
  const [opens = '', closes = ''] = text.split('-');
  return { opens, closes };
}

export function anAgenda(given: Partial<ProviderAgenda> = {}): ProviderAgenda {
  return {
    providerName: 'Dr.Chen',
    hours: everyDay('09:00-17:00'),
    zone: 'America/Denver',
    now: '2026-01-01T00:00:00.000Z',
    booked: [],
    ...given,
  };
}

export function aBooking(startsAt: string, minutes = 30): BookedTime {
  return { startsAt, endsAt: new Date(Date.parse(startsAt) + minutes * 60_000).toISOString() };
}

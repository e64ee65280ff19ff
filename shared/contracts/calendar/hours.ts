import { z } from 'zod';
import { isDate } from '../../domain/calendar/clinic-time';
import {
  type ClosedDays,
  specialDaysProblem,
  type WeeklyHours,
  weeklyHoursProblem,
} from '../../domain/calendar/weekly-hours';
import { isUnique, Line } from '../primitives';

const WallTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'must be a time of day as 09:00');
const OpenIntervals = z.array(z.strictObject({ opens: WallTime, closes: WallTime })).max(24);

/** Hours of a week on the clinic's wall clock; a weekday that is absent is closed. */
export const Hours = z
  .strictObject({
    monday: OpenIntervals.optional(),
    tuesday: OpenIntervals.optional(),
    wednesday: OpenIntervals.optional(),
    thursday: OpenIntervals.optional(),
    friday: OpenIntervals.optional(),
    saturday: OpenIntervals.optional(),
    sunday: OpenIntervals.optional(),
  })
  .superRefine((hours: WeeklyHours, context) => {
    const problem = weeklyHoursProblem(hours);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ id: 'WeeklyHours' });

const MAX_SPECIAL_DAYS = 1_000;

const CalendarDate = z.string().refine(isDate, 'must be a date as 2026-12-24');

/** Hours of days that differ from a usual week, by date; an empty list is a day off. */
export const SpecialDaysOf = z.record(CalendarDate, OpenIntervals).superRefine((days, context) => {
  const problem = specialDaysProblem(days);
  if (problem) context.addIssue({ code: 'custom', message: problem });
  if (Object.keys(days).length > MAX_SPECIAL_DAYS) {
    context.addIssue({ code: 'custom', message: `must not be more than ${MAX_SPECIAL_DAYS} days` });
  }
});

const closedDays = {
  items: z
    .array(z.strictObject({ date: CalendarDate, name: Line.describe('What the day is called, as Christmas Day') }))
    .max(MAX_SPECIAL_DAYS)
    .refine((items) => isUnique(items.map(({ date }) => date)), 'must not name a date twice'),
};

/** `PUT /api/integrations/closed-days`: all days on which the whole clinic is closed. */
export const ClosedDaysChange = z.strictObject(closedDays);

/** Days by date, as they are kept. */
export const closedDaysIn = ({ items }: z.output<typeof ClosedDaysChange>): ClosedDays =>
  Object.fromEntries(items.map(({ date, name }) => [date, name]));

export const ClosedDaysView = z.object(closedDays).meta({ id: 'ClosedDays' });

/** `GET /api/integrations/holidays`. */
export const ListHolidays = z.object({ year: z.coerce.number().int().min(2000).max(2100) });

export const HolidaysView = z
  .object({
    country: z.string().describe('ISO 3166, as US'),
    items: z.array(z.object({ date: z.string().describe('As 2026-12-25'), name: z.string() })),
  })
  .meta({ id: 'Holidays' });

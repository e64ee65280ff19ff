import { z } from 'zod';
import { type WeeklyHours, weeklyHoursProblem } from '../domain/weekly-hours';

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

import { z } from 'zod';
import { isDate } from '../domain/calendar/clinic-time';
import { inOneForm } from '../domain/patients/phone';
import { errorCodes } from '../errors';

/** A short line of text. NUL and lone surrogates never get this far: the HTTP edge refuses them in any body. */
export const Line = z.string().trim().min(1, 'must not be empty').max(200);

/** Free text, as a note or a reason. */
export const Prose = z.string().trim().max(4_000);

/** A date of birth in a request of a clinic's own system. */
export const BirthDate = z.string().refine(isDate, 'must be a date as 1980-03-05').meta({ format: 'date' });

/** International format by form only, as +15005550001; no number-plan check (docs/contract.md, 4). */
export const Phone = z
  .string()
  .trim()
  .regex(/^\+[1-9]\d{6,14}$/, { error: 'must be a phone number in international format, as +15005550001', abort: true })
  .overwrite(inOneForm);

/** A phone as people write it, as (303) 555-0101; the route reads it in the clinic's country. */
export const WrittenPhone = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(40)
  .meta({ examples: ['+15005550001', '(303) 555-0101'] });

/** A password, key or token that is sent in a header: what a header may hold, so that it can never fail the request. */
export const Secret = z
  .string()
  .min(1, 'must not be empty')
  .max(4_000)
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII');

/** A form or checkout session: 1 to 200 printable characters. */
export const SessionId = z.string().regex(/^(?=.*\S)[^\p{C}]{1,200}$/u, 'must be 1 to 200 printable characters');

export const HttpUrl = z
  .string()
  .max(2_000)
  .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\//, { error: 'must be an http(s) URL', abort: true })
  .refine((text) => URL.canParse(text), 'must be an http(s) URL')
  .meta({ format: 'uri', examples: ['https://clinic.example/resume/1'] });

const TimestampText = z.string().meta({ format: 'date-time', examples: ['2026-11-20T10:00:00Z'] });

/** A point in time from a platform. Without an offset it is read as UTC. Becomes an ISO string in UTC with milliseconds. */
export const Timestamp = TimestampText.transform(toInstant);

/** By when something is due: a day stays one, as 2026-11-24, because as an instant it would be another day in most places. */
export const DueBy = TimestampText.transform((text, ctx) => {
  const instant = toInstant(text, ctx);
  return isDate(text.trim()) ? text.trim() : instant;
});

function toInstant(text: string, ctx: z.RefinementCtx): string {
  const match = /^(\d{4})-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i.exec(
    text.trim(),
  );
  const zone = match?.[2];
  const hasZone = zone !== undefined || (match !== null && !/[T ]/i.test(text.trim()));
  // JavaScript reads no offset of hours alone, which ISO 8601 has and PostgreSQL writes.
  const missing = hasZone ? (zone?.length === 3 ? ':00' : '') : 'Z';
  const at = match ? new Date(`${text.trim()}${missing}`) : new Date(NaN);
  // JavaScript reads the 30th of February as the 2nd of March.
  const isOnCalendar = isDate(text.trim().slice(0, 10));
  if (Number.isNaN(at.getTime()) || !isOnCalendar || Number(match?.[1]) < 1900) {
    ctx.addIssue({ code: 'custom', message: 'must be an ISO 8601 timestamp' });
    return z.NEVER;
  }
  return at.toISOString();
}

/** A day of the clinic's calendar or an instant; read with `parseDateOrInstant`. */
export const Moment = z.string().max(40);

/** A date of the clinic's calendar, as 2026-11-24. */
export const DateText = z.string().refine(isDate, 'must be a date, as 2026-11-24').meta({ format: 'date' });

/** A time of day on the clinic's clock, as 09:00. */
export const TimeText = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, as 09:00');

/** A whole number from 0 to the largest that a column holds. */
export const Count = z.int().min(0).max(2_147_483_647);

export const Instant = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'ISO 8601 instant in UTC with milliseconds' });

/** How many to return, 50 unless asked otherwise; more than `max` is read as `max`. */
export const upTo = (max: number) =>
  z.coerce
    .number()
    .min(1)
    .refine(Number.isInteger, 'must be a whole number')
    .meta({ type: 'integer' })
    .default(50)
    .transform((limit) => Math.min(limit, max));

/** What every list takes: how many at most, and where to go on. */
export const Page = z.object({
  limit: upTo(200),
  cursor: z.string().max(500).optional(),
});

/** What every list returns; `nextCursor` is null on the last page. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });

/** `true` or `false` in a query. */
export const Flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** What a list takes that can say how many there are. */
export const CountedPage = Page.extend({
  total: Flag.optional().describe('true: the first page also says how many there are with these filters'),
});

/** How many a list's filters find: counted up to 1,000, and for several filters at once among the newest 20,000 records. */
export const Total = z
  .object({ count: z.int(), isMore: z.boolean().describe('There are, or may be, more') })
  .meta({ id: 'Total' });
export type Total = z.infer<typeof Total>;

/** In which order a list is read. A cursor belongs to the order that it was given out in. */
export const orderOf = <const Orders extends readonly ['newest', ...string[]]>(orders: Orders) =>
  z.enum<Orders>(orders).prefault('newest' as const);

/** What such a list returns. */
export const countedPageOf = <Item extends z.ZodType>(item: Item) =>
  pageOf(item).extend({ total: Total.nullable().describe('null unless it was asked for') });

/** An opaque id in a query or a body. One that does not exist finds nothing. */
export const Id = z.string().min(1).max(200);

export const isUnique = (values: string[]): boolean => new Set(values).size === values.length;

/** What was said or done, by names that differ from one kind to the next. */
export const Facts = z.record(z.string(), z.unknown()).meta({ id: 'Facts' });

/** Every JSON error of the service (docs/contract.md, 1). */
export const ErrorBody = z
  .object({
    statusCode: z.int(),
    message: z.string(),
    error: z.string(),
    code: z.enum(errorCodes).optional().describe('For programs; FHIR routes say it in the header `x-refusal-reason`'),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Error' });

/** Of a case, a workflow or a call. */
export const IsSimulated = z.boolean().describe('The simulator plays the patient: nobody is reached');

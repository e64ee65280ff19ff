import { z } from 'zod';
import { isDate, parseInstant } from '../domain/clinic-time';
import { Instant, Line, Page, Phone, Prose, upTo } from './primitives';

/** What an appointment is for where nobody says. */
export const defaultVisitType = 'Follow-up consultation';

/** The start of an appointment as ISO 8601 with `Z` or an offset. Becomes an instant in UTC with milliseconds. */
export const StartInstant = z
  .string({ error: ({ input }) => (input === undefined ? undefined : 'is not an ISO 8601 timestamp') })
  .meta({ format: 'date-time', examples: ['2026-11-20T16:30:00Z'] })
  .transform((text, context) => {
    const instant = parseInstant(text);
    if (instant !== null) return instant;
    context.addIssue({ code: 'custom', message: 'is not an ISO 8601 timestamp' });
    return z.NEVER;
  });

const BirthDate = z.string().refine(isDate, 'must be a date as 1980-03-05').meta({ format: 'date' });
const Email = z.email('must be an e-mail address').max(254);

/** `POST /api/patients`. */
export const NewPatient = z.strictObject({
  firstName: Line,
  lastName: Line,
  phone: Phone,
  dateOfBirth: BirthDate.nullish(),
  email: Email.nullish(),
  address: Prose.nullish(),
});
export type NewPatient = z.output<typeof NewPatient>;

/** `PATCH /api/patients/{id}`: what is left out stays, null takes away. */
export const PatientChange = NewPatient.partial();
export type PatientChange = z.output<typeof PatientChange>;

export const ListPatients = Page.extend({ search: z.string().trim().max(100).optional() });

/** `POST /api/appointments`. */
export const NewAppointment = z.strictObject({
  patientId: z.string().min(1).max(64),
  providerName: Line,
  visitType: Line.optional(),
  startsAt: StartInstant,
});

/** `POST /api/appointments/{id}/reschedule`. */
export const NewTime = z.strictObject({ startsAt: StartInstant });

export const AppointmentStatus = z.enum(['booked', 'cancelled', 'fulfilled']);

export const AppointmentView = z
  .object({
    id: z.string(),
    patientId: z.string(),
    providerName: z.string(),
    providerDisplayName: z.string(),
    visitType: z.string(),
    status: AppointmentStatus,
    startsAt: Instant,
    endsAt: Instant,
  })
  .meta({ id: 'AppointmentRecord' });

/** A day of the clinic's calendar or an instant; read with `parseDateOrInstant`. */
const Moment = z.string().max(40);

export const ListAppointments = Page.extend({
  patientId: z.string().max(64).optional(),
  providerName: z.string().max(200).optional(),
  status: AppointmentStatus.optional(),
  from: Moment.optional(),
  until: Moment.optional(),
});

export const FindAvailability = z.object({
  providerName: z.string().max(200).optional(),
  from: Moment.optional(),
  limit: upTo(500),
});

/** A stretch of the calendar of at most ten weeks. */
export const ShowCalendar = z.object({ from: Moment, until: Moment });

export const OpenSlotView = z
  .object({ slotId: z.string(), providerName: z.string(), startsAt: Instant, endsAt: Instant })
  .meta({ id: 'OpenSlot' });

export const AvailableSlot = z
  .object({
    slotId: z.string(),
    providerName: z.string(),
    startsAt: Instant,
    startsAtSpoken: z.string(),
  })
  .meta({ id: 'AvailableSlot' });

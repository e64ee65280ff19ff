import { z } from 'zod';
import { type CancellationReason as Code, cancellationReasons } from '../../domain/calendar/cancellation-reasons';
import { appointmentStatuses, visitNotes } from '../../domain/calendar/appointment-status';
import { parseInstant } from '../../domain/calendar/clinic-time';
import { overrideReasons } from '../../domain/calendar/overrides';
import { DateText, Instant, Line, Moment, Page, TimeText, upTo } from '../primitives';

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

/** `POST /api/appointments`. */
export const NewAppointment = z.strictObject({
  patientId: z.string().min(1).max(64),
  providerName: Line,
  visitType: Line.optional(),
  startsAt: StartInstant,
});

/** `POST /api/appointments/override`. */
export const OverridingAppointment = NewAppointment.extend({
  startsAt: StartInstant.refine((instant) => instant.endsWith(':00.000Z'), 'must be a whole minute'),
  reason: z.enum(overrideReasons),
});

/** `POST /api/appointments/{id}/reschedule`. */
export const NewTime = z.strictObject({
  startsAt: StartInstant,
  providerName: Line.optional().describe('Another provider, by `name`; left out, the one it is with'),
});

const CancellationReason = z.enum(Object.keys(cancellationReasons) as [Code, ...Code[]]).meta({
  id: 'CancellationReason',
  description: 'A code of http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason',
});

/** `POST /api/appointments/{id}/cancel`. */
export const CancelAppointment = z.strictObject({ reason: CancellationReason.optional() });

export const AppointmentStatus = z.enum(appointmentStatuses).meta({ id: 'AppointmentStatus' });

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
    cancellationReason: CancellationReason.nullable().describe('Why it was cancelled, where somebody said so'),
  })
  .meta({ id: 'AppointmentRecord' });
export type AppointmentView = z.infer<typeof AppointmentView>;

export const NotedAppointment = AppointmentView.extend({
  followUp: z
    .enum(['due', 'made'])
    .nullable()
    .describe(
      'Of a visit that was missed: the patient will be called about another time, or was, also where the note was taken back since',
    ),
}).meta({ id: 'NotedAppointment' });

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
  until: Moment.optional().describe('Before this day or instant; 14 days after `from` where it is left out or later'),
  fromTime: TimeText.optional().describe('Begins at this time of day or later, on the clinic’s clock'),
  untilTime: TimeText.optional().describe('Begins before this time of day'),
  limit: upTo(500),
});

/** `POST /api/appointments/{id}/attendance`. */
export const NotedVisit = z.strictObject({
  status: z.enum(visitNotes).describe('fulfilled: the patient was seen and has left; booked: a note is taken back'),
});

export const ShowDay = z.object({ date: DateText.optional().describe('Today, where it is left out') });

/** `GET /api/day-list`. */
export const DayList = z.object({
  date: z.string(),
  timezone: z.string(),
  items: z.array(
    AppointmentView.extend({
      patientName: z.string(),
      phone: z.string().nullable(),
      dateOfBirth: z.iso.date().nullable(),
    }).meta({ id: 'DayListEntry' }),
  ),
});

/** `GET /api/appointments/{id}/waiting`. */
export const WaitingForTime = z.object({
  count: z.int().describe('Patients on the waitlist who wait for such a time'),
  isOffered: z.boolean().describe('Whether the first of them is called by itself once the time is free'),
});

const AvailableSlot = z
  .object({
    slotId: z.string(),
    providerName: z.string(),
    startsAt: Instant,
    startsAtSpoken: z.string(),
  })
  .meta({ id: 'AvailableSlot' });

/** `GET /api/availability`. */
export const Availability = z.object({ slots: z.array(AvailableSlot) });

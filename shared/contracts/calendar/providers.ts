import { z } from 'zod';
import { AppointmentView } from './appointments';
import { providerIdOf } from '../../domain/calendar/provider-name';
import { Hours, SpecialDaysOf } from './hours';
import { Instant, isUnique, Line, Moment } from '../primitives';

/** `PUT /api/integrations/providers`: all of the clinic's providers. One that is left out takes no more bookings. */
export const ProvidersChange = z.strictObject({
  items: z
    .array(
      z.strictObject({
        name: z
          .string()
          .regex(/^[A-Za-z0-9\-.]{1,64}$/, 'must be letters, digits, hyphens and full stops, at most 64')
          .optional()
          .describe('A FHIR id, as Dr.Chen; left out, it is made from the display name'),
        displayName: Line,
        workingHours: Hours,
        visitTypes: z.array(Line).max(50),
        specialDays: SpecialDaysOf.optional().describe(
          'Time off, holidays and extra hours by date; left out, they stay as they are',
        ),
        noticeMinutes: z
          .int()
          .min(0)
          .max(60 * 24 * 60)
          .optional()
          .describe('How long before it begins a time can still be booked; left out, it stays as it is'),
      }),
    )
    .max(200)
    .superRefine((items, context) => {
      for (const [index, item] of items.entries()) {
        if (nameOf(item) !== null) continue;
        const message = 'is needed: the display name has no Latin letter that an id could be made of';
        context.addIssue({ code: 'custom', path: [index, 'name'], message });
      }
    })
    .refine(
      (items) => isUnique(items.map((item, index) => nameOf(item) ?? String(index))),
      'must not name a provider twice',
    ),
});
type ProviderChange = z.infer<typeof ProvidersChange>['items'][number];

const nameOf = ({ name, displayName }: { name?: string; displayName: string }): string | null =>
  name ?? providerIdOf(displayName);

/** The change with the id that it names or leaves to us. */
export const named = (change: ProviderChange) => ({ ...change, name: nameOf(change) ?? '' });

const ProviderSettings = z
  .object({
    name: z.string().describe('A FHIR id, as Dr.Chen'),
    displayName: z.string(),
    workingHours: Hours,
    visitTypes: z.array(z.string()),
    specialDays: SpecialDaysOf,
    noticeMinutes: z.int(),
  })
  .meta({ id: 'ProviderSettings' });
export type ProviderSettings = z.infer<typeof ProviderSettings>;

export const ProvidersSettings = z.object({ items: z.array(ProviderSettings) });

const Provider = z
  .object({ name: z.string(), displayName: z.string(), workingHours: Hours, visitTypes: z.array(z.string()) })
  .meta({ id: 'Provider' });

/** `GET /api/providers`. */
export const Providers = z.object({
  timezone: z.string(),
  isEhrLive: z
    .boolean()
    .describe(
      'Calls act on the calendar of the clinic’s EHR: it hears nothing of what is changed in the calendar here',
    ),
  areFreedTimesOffered: z.boolean().describe('Who waits is called about a time that becomes free in the calendar here'),
  items: z.array(Provider),
});

/** A stretch of the calendar of at most ten weeks. */
export const ShowCalendar = z.object({ from: Moment, until: Moment });

const OpenSlotView = z
  .object({ slotId: z.string(), providerName: z.string(), startsAt: Instant, endsAt: Instant })
  .meta({ id: 'OpenSlot' });

/** `GET /api/providers/{name}/calendar`. */
export const Calendar = z.object({
  timezone: z.string(),
  slots: z.array(OpenSlotView),
  appointments: z.array(AppointmentView.extend({ patientName: z.string() }).meta({ id: 'CalendarEntry' })),
  held: z
    .array(
      z
        .object({
          id: z.string(),
          startsAt: Instant,
          heldUntil: Instant,
          patientId: z.string(),
          patientName: z.string(),
          isOffered: z.boolean().describe('To a patient on the waitlist, who is being called'),
        })
        .meta({ id: 'HeldTime' }),
    )
    .describe('Times that somebody thinks over'),
});

import { z } from 'zod';
import { AppointmentView } from './appointments';
import { Hours } from './hours';
import { Instant, isUnique, Line, Moment } from './primitives';

/** `PUT /api/integrations/providers`: all of the clinic's providers. One that is left out takes no more bookings. */
export const ProvidersChange = z.strictObject({
  items: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[A-Za-z0-9\-.]{1,64}$/, 'must be letters, digits, hyphens and full stops, at most 64'),
        displayName: Line,
        workingHours: Hours,
        visitTypes: z.array(Line).max(50),
      }),
    )
    .max(200)
    .refine((items) => isUnique(items.map(({ name }) => name)), 'must not name a provider twice'),
});

const ProviderSettings = z
  .object({
    name: z.string().describe('A FHIR id, as Dr.Chen'),
    displayName: z.string(),
    workingHours: Hours,
    visitTypes: z.array(z.string()),
  })
  .meta({ id: 'ProviderSettings' });
export type ProviderSettings = z.infer<typeof ProviderSettings>;

export const ProvidersSettings = z.object({ items: z.array(ProviderSettings) });

const Provider = z
  .object({ name: z.string(), displayName: z.string(), workingHours: Hours, visitTypes: z.array(z.string()) })
  .meta({ id: 'Provider' });

/** `GET /api/providers`. */
export const Providers = z.object({ timezone: z.string(), items: z.array(Provider) });

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
});

import { emrTime } from '@clinic/prisma/stores/calendar/agendas';
import { FHIR_JSON, Parameters } from '@clinic/shared/contracts/calendar/fhir';
import { latestInstant, parseSpokenTime, toInstant } from '@clinic/shared/domain/calendar/clinic-time';
import { nearestStarts } from '@clinic/shared/domain/calendar/slots';
import { type TimeReason, timeReasons } from '@clinic/shared/domain/calendar/time-explained';
import { AppError, invalid } from '@clinic/shared/errors';
import { z } from 'zod';
import { fhir } from './fhir-route';
import { idOfReference, ReferenceTo } from '@clinic/shared/contracts/calendar/search';

const WEEK_MS = 7 * 24 * 3_600_000;
const NEAREST = 3;

/** `GET /Slot/$explain`: why a time of a practitioner is free or not, by the rules that search and booking go by. */
export const slotExplainRoutes = [
  fhir.get('/Slot/$explain', {
    right: 'appointments.read',
    patientData: 'none',
    summary: 'Why a time is free or not: hours, notice, a day off, a booking, a clock change',
    description:
      'For those who debug a refused booking: the same rules as search and booking, told in a word and a sentence. Changes nothing.',
    query: z.looseObject({
      schedule: ReferenceTo('Schedule', 'Dr.Chen'),
      start: z
        .string()
        .max(100)
        .meta({ examples: ['2026-11-24T16:30:00Z', '2026-11-24T09:30'] })
        .describe("An instant, or a time on the clinic's clock"),
    }),
    responses: {
      200: {
        description: `Parameters: \`free\`, \`reason\` (${Object.keys(timeReasons).join(', ')}), \`text\`, \`start\`, and up to three \`nearest\` that would do`,
        type: FHIR_JSON,
        schema: Parameters,
        example: {
          resourceType: 'Parameters',
          parameter: [
            { name: 'free', valueBoolean: false },
            { name: 'reason', valueCode: 'booking' },
          ],
        },
      },
      404: { description: 'No such practitioner of this clinic' },
    },
    async handle({ caller: { clinicId, agenda }, query: { schedule, start } }, { stores }) {
      const providerName = idOfReference('Schedule', schedule, 'schedule');
      const now = emrTime(agenda);
      const { zone } = agenda;
      // A plus sign that a client did not percent-encode arrives as a space.
      const text = start.replace(/ (?=\d{2}:\d{2}$)/, '+');
      const startsAt = parseSpokenTime(text, zone);
      // The clock shows some times never: an hour later it shows that time of day again.
      const isSkipped = startsAt === null && parseSpokenTime(`${text}Z`, zone) !== null;
      const about = startsAt ?? (isSkipped ? parseSpokenTime(`${text}Z`, zone) : null);
      if (about === null) {
        throw invalid('start', 'is not an ISO 8601 timestamp');
      }
      const found = await stores.appointments.explain({ clinicId, providerName, startsAt: about, now });
      if (found === null) throw new AppError('unknown_practitioner', `Practitioner ${providerName} not found`);
      const reason: TimeReason = isSkipped ? 'clock_change' : found;
      const at = Date.parse(about);
      const slots = await stores.appointments.slotsOf({
        clinicId,
        providerName,
        from: toInstant(at - WEEK_MS),
        until: toInstant(Math.min(at + WEEK_MS, latestInstant)),
        now,
      });
      const nearest = reason === 'free' ? [] : nearestStarts(slots ?? [], about, NEAREST);
      return {
        body: {
          resourceType: 'Parameters',
          parameter: [
            { name: 'free', valueBoolean: reason === 'free' },
            { name: 'reason', valueCode: reason },
            { name: 'text', valueString: timeReasons[reason] },
            ...(startsAt === null ? [] : [{ name: 'start', valueInstant: startsAt }]),
            ...nearest.map((each) => ({ name: 'nearest', valueInstant: each })),
          ],
        },
      };
    },
  }),
];

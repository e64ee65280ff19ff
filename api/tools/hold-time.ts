import { Line } from '@clinic/shared/contracts/primitives';
import { parseSpokenTime } from '@clinic/shared/domain/calendar/clinic-time';
import { z } from 'zod';
import { toRefusal, toSpoken } from './appointment-answers';
import { booking, followingUp } from './appointment-calls';
import { refusal, tool } from './tool';
import { withinLimits } from './unverified-booking';

/** Keeps a caller's time while they think. An addition of ours, for clinics that have chosen it. */
export const holdTimeTools = [
  tool({
    family: 'calling-tools',
    name: 'hold_time',
    description:
      'Keep an open time for the caller while they think it over. Then book_appointment or reschedule_appointment with that very time.',
    arguments: z.object({
      startsAt: Line.describe("A date and time; without an offset it is the clinic's local time"),
      providerName: Line.optional().describe(
        "Whose time it is; the provider of the caller's next appointment if omitted",
      ),
    }),
    result: z.object({
      success: z.boolean(),
      scheduledAt: z.string().optional(),
      scheduledAtSpoken: z.string().optional(),
      heldUntil: z.string().optional(),
      reason: z.string().optional(),
      error: z.string().optional(),
    }),
    example: {
      arguments: { providerName: 'Dr.Chen', startsAt: '2026-12-01T16:00:00.000Z' },
      result: {
        success: true,
        scheduledAt: '2026-12-01T16:00:00.000Z',
        scheduledAtSpoken: 'Tuesday, December 1 at 9:00 AM',
        heldUntil: '2026-12-01T15:05:00.000Z',
      },
    },
    workflowTypes: [...booking, ...followingUp],
    needs: 'holding',
    isWrite: true,
    ifCallerFailed: {},
    isForNewPatients: true,
    async handle({ startsAt: said, providerName }, context) {
      const { call, calendar } = context;
      const startsAt = parseSpokenTime(said, call.clinicZone);
      if (!startsAt) return refusal('startsAt must be a date and time, as 2026-11-24T14:30.');
      const [minutes, now] = await Promise.all([calendar.holdMinutes(), calendar.now()]);
      return withinLimits('hold', context, async () => {
        const holding = await calendar.hold({ provider: providerName ?? null, startsAt, minutes }, { ...context, now });
        if (holding.kind === 'nothing_upcoming') {
          return refusal('Say providerName: the caller has no appointment to go by.');
        }
        if (holding.kind !== 'held') return toRefusal(holding, context);
        return {
          result: {
            success: true,
            scheduledAt: startsAt,
            scheduledAtSpoken: toSpoken(startsAt, { call, now }),
            heldUntil: holding.heldUntil.toISOString(),
          },
        };
      });
    },
  }),
];

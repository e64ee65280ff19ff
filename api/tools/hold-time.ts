import { defaultVisitType } from '@clinic/shared/contracts/appointments';
import { Line } from '@clinic/shared/contracts/primitives';
import { parseSpokenTime } from '@clinic/shared/domain/clinic-time';
import { spokenTime } from '@clinic/shared/domain/spoken-time';
import { z } from 'zod';
import { booking, followingUp } from './appointment-calls';
import { UNKNOWN_PATIENT, unknownProvider } from './appointment-words';
import { refusal, tool } from './tool';

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
    workflowTypes: [...booking, ...followingUp],
    isForHolding: true,
    isWrite: true,
    ifCallerFailed: {},
    async handle({ startsAt: said, providerName }, context) {
      const { call, recordId: holdId, stores } = context;
      const { clinicId, patientId, clinicZone } = call;
      const startsAt = parseSpokenTime(said, clinicZone);
      if (!startsAt) return refusal('startsAt must be a date and time, as 2026-11-24T14:30.');
      const [agenda, now] = await Promise.all([stores.agendas.of(clinicId), stores.agendas.now(clinicId)]);
      const minutes = agenda?.callHoldMinutes ?? 0;
      const provider = providerName ?? (await stores.appointments.nextUpcoming(clinicId, patientId, now))?.providerName;
      if (provider === undefined) return refusal('Say providerName: the caller has no appointment to go by.');
      const visitType = defaultVisitType;
      const holding = await stores.holds.hold({
        clinicId,
        holdId,
        patientId,
        provider,
        visitType,
        startsAt,
        minutes,
        now,
      });
      switch (holding.kind) {
        case 'held':
          return {
            result: {
              success: true,
              scheduledAt: startsAt,
              scheduledAtSpoken: spokenTime(startsAt, clinicZone, now.toISOString()),
              heldUntil: holding.hold.heldUntil.toISOString(),
            },
          };
        case 'slot_held':
          return { result: { success: false, reason: 'slot_taken' } };
        case 'slot_taken':
        case 'slot_unavailable':
        case 'in_the_past':
          return { result: { success: false, reason: holding.kind } };
        case 'unknown_patient':
          return UNKNOWN_PATIENT;
        case 'unknown_provider':
          return refusal(await unknownProvider(context));
      }
    },
  }),
];

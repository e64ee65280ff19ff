import { z } from 'zod';
import { DueBy, Line, Prose, Timestamp } from '../primitives';

const followUpReasons = ['cancellation', 'reschedule', 'care_gap'] as const;
export const FollowUpReason = z.enum(followUpReasons, { error: `must be one of ${followUpReasons.join(', ')}` });
export type FollowUpReason = z.infer<typeof FollowUpReason>;

/** What a workflow is about, beyond its patient: kept with its run, and what the voice agent is told. */
export const RunContext = z.object({
  appointment: z
    .object({
      /** Ours or the platform's own. */
      appointmentId: Line,
      providerName: Line.optional(),
      startsAt: Timestamp.optional(),
      visitType: Line.optional(),
    })
    .optional(),
  payment: z
    .object({
      paymentId: Line,
      amountCents: z.int().min(0).optional(),
      currency: Line.optional(),
      failureReason: Prose.optional(),
    })
    .optional(),
  prescription: z
    .object({
      prescriptionId: Line,
      medicationName: Line.optional(),
      status: Line.optional(),
      previousStatus: Line.optional(),
    })
    .optional(),
  followUp: z.object({ dueBy: DueBy.optional(), note: Prose.optional() }).optional(),
});
export type RunContext = z.infer<typeof RunContext>;

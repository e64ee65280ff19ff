import { z } from 'zod';
import { recoveryStatuses } from '../../domain/outreach/case-state';
import { Prose } from '../primitives';

export const RecoveryStatus = z.enum(recoveryStatuses, { error: `must be one of ${recoveryStatuses.join(', ')}` });

/** Why the patient stopped, in the agent's words. */
export const Barrier = z.object({
  primaryBarrier: Prose.min(1, 'must not be empty').describe('Why the patient stopped, in a few words'),
  secondaryBarrier: Prose.optional(),
  specificQuestion: Prose.optional().describe("The caller's question, verbatim"),
  knowledgeTopic: Prose.optional(),
});
export type Barrier = z.infer<typeof Barrier>;

/** How the call ended for the case. */
export const Resolution = z.object({
  recoveryAction: Prose.optional(),
  offerPresented: Prose.optional(),
  escalationType: Prose.optional(),
  resumeLinkSent: z.boolean(),
  recoveryStatus: RecoveryStatus,
});
export type Resolution = z.infer<typeof Resolution>;

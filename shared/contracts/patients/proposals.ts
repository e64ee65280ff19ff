import { z } from 'zod';
import { Facts, Instant } from '../primitives';

const states = ['OPEN', 'ACCEPTED', 'DISMISSED'] as const;

/** What a caller said who was matched with a patient by the number alone, and what became of it. */
export const ProposalView = z
  .object({
    id: z.string(),
    patientId: z.string(),
    callId: z.string(),
    state: z.enum(states),
    given: Facts.describe("By the names of the patient's fields; what was not said is absent"),
    createdAt: Instant,
    decidedAt: Instant.nullable(),
    decidedBy: z.string().nullable(),
  })
  .meta({ id: 'Proposal' });
export type ProposalView = z.infer<typeof ProposalView>;

/** `GET /api/patients/{patientId}/proposals`. */
export const Proposals = z.object({ items: z.array(ProposalView) });

/** `POST /api/proposals/{proposalId}`. */
export const ProposalDecision = z.strictObject({
  decision: z
    .enum(['accept', 'dismiss'])
    .describe('accept writes it over the record; dismiss leaves the record as it is'),
});

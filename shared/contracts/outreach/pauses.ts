import { z } from 'zod';
import { Instant } from '../primitives';
import { WorkflowTypeName } from './workflows';

/** `POST /api/pauses`. */
export const NewPause = z.strictObject({
  workflowType: WorkflowTypeName.optional().describe('Pauses this type alone; left out: all outreach of the clinic'),
  reason: z.string().trim().min(1).max(500),
  until: Instant.optional().describe('When outreach goes on by itself; left out: when somebody resumes it'),
});

export const PauseView = z
  .object({
    id: z.string(),
    isForEveryClinic: z.boolean().describe('The operator has paused everything; a clinic cannot resume it'),
    workflowType: WorkflowTypeName.nullable(),
    reason: z.string(),
    pausedBy: z.string().describe('As account:…, operator'),
    pausedByName: z.string().nullable().describe('Of an account of this clinic'),
    pausedAt: Instant,
    until: Instant.nullable(),
  })
  .meta({ id: 'OutreachPause' });
export type PauseView = z.infer<typeof PauseView>;

export const Pauses = z.object({
  items: z.array(PauseView),
  workflowTypes: z.array(WorkflowTypeName).describe('What can be paused apart from the rest'),
});

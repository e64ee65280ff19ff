import { z } from 'zod';
import { workflowTypeNames } from '../domain/workflow-types';
import { HttpUrl, Instant, Line, Page, Phone, SessionId } from './primitives';
import { RunContext } from './run-context';

export const WorkflowTypeName = z.enum(workflowTypeNames, { error: `must be one of ${workflowTypeNames.join(', ')}` });

export const WorkflowStatus = z.enum(['started', 'completed', 'failed', 'cancelled']);
export type WorkflowStatus = z.infer<typeof WorkflowStatus>;

/** `POST /api/workflows/start`. */
export const StartWorkflow = z.object({
  workflowType: WorkflowTypeName,
  clinicId: z.string().min(1).max(200),
  patient: z.object({ firstName: Line, lastName: Line, phone: Phone }),
  context: RunContext.extend({ sessionId: SessionId, resumeUrl: HttpUrl.optional() }),
});
export type StartWorkflow = z.infer<typeof StartWorkflow>;

export const StartedWorkflow = z
  .object({
    workflowId: z.string(),
    status: WorkflowStatus,
    patientFirstName: z.string(),
    patientLastName: z.string(),
  })
  .meta({ id: 'StartedWorkflow' });

export const Workflow = z
  .object({
    workflowId: z.string(),
    status: WorkflowStatus,
    outcome: z.string().nullable(),
    completedAt: Instant.nullable(),
    workflowType: WorkflowTypeName,
    startedAt: Instant,
    recoveryCaseId: z.string().nullable(),
    attempts: z.int(),
  })
  .meta({ id: 'Workflow' });
export type Workflow = z.infer<typeof Workflow>;

export const GetWorkflow = z.object({
  /** Seconds to hold the answer until the workflow is terminal; more than 60 is read as 60. */
  wait: z.coerce
    .number()
    .min(0)
    .max(1_000_000)
    .default(0)
    .transform((seconds) => Math.min(seconds, 60)),
});

export const ListWorkflows = Page.extend({
  status: WorkflowStatus.optional(),
  workflowType: WorkflowTypeName.optional(),
});

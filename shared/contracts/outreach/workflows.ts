import { z } from 'zod';
import { runStatuses } from '../../domain/outreach/run-status';
import { workflowTypeNames, workflowTypes } from '../../domain/outreach/workflow-types';
import { BirthDate, HttpUrl, Instant, IsSimulated, Line, Page, Phone, SessionId } from '../primitives';
import { RunContext } from './run-context';

export const WorkflowTypeName = z
  .enum(workflowTypeNames, { error: `must be one of ${workflowTypeNames.join(', ')}` })
  .meta({ id: 'WorkflowType' });

export const WorkflowStatus = z.enum(runStatuses).meta({ id: 'WorkflowStatus' });
export type WorkflowStatus = z.infer<typeof WorkflowStatus>;

/** What runs are searched by, in their lists. */
export const RunSearch = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe('What a patient is found by (words of a name, a phone, a date of birth), or part of a session id');

/** How a workflow of any type can end. */
const outcomes = [...new Set(Object.values(workflowTypes).flatMap((type) => type.outcomes))];
export const Outcome = z.enum(outcomes).meta({ id: 'Outcome' });
export type Outcome = z.infer<typeof Outcome>;

/** `POST /api/workflows/start`. */
export const StartWorkflow = z.object({
  workflowType: WorkflowTypeName,
  clinicId: z.string().min(1).max(200),
  patient: z.object({
    firstName: Line,
    lastName: Line,
    phone: Phone,
    dateOfBirth: BirthDate.nullish().describe('What the patient is verified by, where nothing is on file yet'),
  }),
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
    outcome: Outcome.nullable(),
    completedAt: Instant.nullable(),
    workflowType: WorkflowTypeName,
    startedAt: Instant,
    recoveryCaseId: z.string().nullable(),
    attempts: z.int(),
    isSimulated: IsSimulated,
  })
  .meta({ id: 'Workflow' });
export type Workflow = z.infer<typeof Workflow>;

export const GetWorkflow = z.object({
  /** Seconds to hold the response until the workflow is terminal; more than 60 is read as 60. */
  wait: z.coerce
    .number()
    .min(0)
    .default(0)
    .transform((seconds) => Math.min(seconds, 60)),
});

export const ListWorkflows = Page.extend({
  status: WorkflowStatus.optional(),
  workflowType: WorkflowTypeName.optional(),
});

import { z } from 'zod';
import { callRules, decisionStages } from '../../domain/outreach/call-decisions';
import { noCallReasons, waitReasons } from '../../domain/outreach/calling-policy';
import { Facts, Flag, Id, Instant, Moment, Page } from '../primitives';
import { RunSearch, WorkflowTypeName } from './workflows';

/** Why: what people read of it is for anyone who shows it. */
export const CallRule = z
  .enum([...callRules, 'unknown'])
  .describe('The rule that decided; unknown: one of another version of the service')
  .meta({ id: 'CallRule' });

/** Why a phone rang, or did not. */
export const CallDecisionView = z
  .object({
    at: Instant,
    stage: z
      .enum(decisionStages)
      .describe(
        'plan: the workflow decides; line: the call asks for a line and gets none; dial: the check in the moment before dialling',
      ),
    decided: z.enum(['call', 'wait', 'no_call', 'begun', 'withdrawn']),
    rule: CallRule,
    until: Instant.nullable().describe('Of a wait'),
    inputs: Facts.describe('What it was made of: ids, times and settings, no name and no phone'),
  })
  .meta({ id: 'CallDecision' });
export type CallDecisionView = z.infer<typeof CallDecisionView>;

/** `GET /api/patients/{id}/call-decisions`. */
export const ListPatientDecisions = Page.extend({
  called: Flag.optional().describe('true: what led to a call; false: what led to none'),
});

export const PatientDecisionView = CallDecisionView.extend({
  workflowId: z.string(),
  workflowType: WorkflowTypeName,
  callId: z.string().nullable(),
}).meta({ id: 'PatientDecision' });
export type PatientDecisionView = z.infer<typeof PatientDecisionView>;

/** `GET /api/calling-policy/preview`. */
export const PreviewQuery = z.object({
  workflowType: WorkflowTypeName.optional(),
  patientId: Id.optional(),
  search: RunSearch.optional(),
  providerName: z.string().max(200).optional().describe('Of the appointment that the workflow is about'),
  visitType: z.string().max(200).optional().describe('Of the appointment that the workflow is about'),
  from: Moment.optional().describe('Workflows that were started then or later'),
  until: Moment.optional().describe('Workflows that were started before'),
  withoutPause: Id.optional().describe('As if this pause were over; others hold'),
});

const Share = { runs: z.int(), patients: z.int() };

export const CallingPreview = z
  .object({
    ...Share,
    isComplete: z.boolean().describe('false where there are more open workflows than are looked at'),
    called: z.object(Share).describe('Those whose call is due now'),
    waiting: z.array(z.object({ reason: z.enum(waitReasons), ...Share, from: Instant.nullable() })),
    skipped: z.array(z.object({ reason: z.enum(noCallReasons), ...Share })),
  })
  .meta({ id: 'CallingPreview' });
export type CallingPreview = z.infer<typeof CallingPreview>;

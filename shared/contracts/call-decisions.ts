import { z } from 'zod';
import { decisionStages } from '../domain/call-decisions';
import { noCallReasons, waitReasons } from '../domain/calling-policy';
import { Facts, Instant } from './primitives';
import { WorkflowTypeName } from './workflows';

/** Why a phone rang, or did not. */
export const CallDecisionView = z
  .object({
    at: Instant,
    stage: z.enum(decisionStages).describe('plan: the workflow decides; dial: the check in the moment before dialling'),
    decided: z.enum(['call', 'wait', 'no_call', 'begun', 'withdrawn']),
    rule: z.string().describe('The rule that decided; new ones may come'),
    why: z.string().describe('The same as a sentence'),
    until: Instant.nullable().describe('Of a wait'),
    inputs: Facts.describe('What it was made of: ids, times and settings, no name and no phone'),
  })
  .meta({ id: 'CallDecision' });
export type CallDecisionView = z.infer<typeof CallDecisionView>;

/** `GET /api/calling-policy/preview`. */
export const PreviewQuery = z.object({ workflowType: WorkflowTypeName.optional() });

const Share = { runs: z.int(), patients: z.int() };

export const CallingPreview = z
  .object({
    ...Share,
    isComplete: z.boolean().describe('false where there are more open workflows than are looked at'),
    called: z.object(Share).describe('Those whose call is due now'),
    waiting: z.array(z.object({ reason: z.enum(waitReasons), why: z.string(), ...Share, from: Instant.nullable() })),
    skipped: z.array(z.object({ reason: z.enum(noCallReasons), why: z.string(), ...Share })),
  })
  .meta({ id: 'CallingPreview' });
export type CallingPreview = z.infer<typeof CallingPreview>;

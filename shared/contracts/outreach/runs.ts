import { z } from 'zod';
import { CallDecisionView, CallRule } from './call-decisions';
import { CallView } from './calls';
import { PatientName } from '../patients/patients';
import { CountedPage, Id, Instant, Moment } from '../primitives';
import { Outcome, Workflow, WorkflowStatus, WorkflowTypeName } from './workflows';

const span = {
  from: Moment.optional().describe('Started on this day of the clinic, at this instant, or later'),
  until: Moment.optional().describe('Started before'),
};

/** `GET /api/runs`. */
export const ListRuns = CountedPage.extend({
  status: WorkflowStatus.optional(),
  workflowType: WorkflowTypeName.optional(),
  outcome: Outcome.optional(),
  patientId: Id.optional(),
  ...span,
});

/** What an open run does next. */
const NextStep = z
  .object({
    step: z
      .enum(['start', 'decide', 'wait', 'line', 'call'])
      .describe(
        'start: it is stored and about to start; decide: about to take its next step; wait: its call is not due yet; line: its call waits for a free line; call: a call is under way',
      ),
    at: Instant.nullable().describe('wait: until then; line: since then'),
    rule: CallRule.nullable().describe('wait: why'),
  })
  .meta({ id: 'NextStep' });

/** A run as staff read it. */
export const RunView = Workflow.extend({
  sessionId: z.string(),
  patient: PatientName.nullable().describe('null while nobody is known whom it is about'),
  next: NextStep.nullable().describe('null once it has ended'),
  cancelledBy: z.string().nullable().describe('Who cancelled it; null where nobody did'),
  lastDecision: CallDecisionView.nullable().describe('The newest decision about its calls'),
  lastCall: CallView.pick({ id: true, state: true, ending: true, endedReason: true }).nullable(),
  temporalUrl: z.string().describe("The workflow's page in the Temporal UI"),
}).meta({ id: 'Run' });
export type RunView = z.infer<typeof RunView>;

/** `GET /api/runs/counts`. */
export const CountRuns = z.object(span);

export const RunCounts = z
  .object({
    counts: z.array(z.object({ workflowType: WorkflowTypeName, status: WorkflowStatus, count: z.int() })),
    cut: z.array(WorkflowStatus).describe('Of these there are more: the newest 10,000 were counted'),
  })
  .meta({ id: 'RunCounts' });
export type RunCounts = z.infer<typeof RunCounts>;

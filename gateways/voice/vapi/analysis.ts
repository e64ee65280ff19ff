import { saidWords } from '@clinic/shared/domain/outreach/conversation';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';

const outcome = {
  type: 'string' as const,
  enum: [...saidWords],
  description: [
    'What the patient said, only where it is clear.',
    'confirmed: agreed to what the call was about, or will come.',
    'rebooked: has a new appointment.',
    'declined: does not want it.',
    'callback: wants to be called at another time.',
    'escalated: needs a member of staff.',
    'voicemail: no person was on the line, only a machine that takes messages or a menu.',
  ].join(' '),
};

const doNotCall = {
  type: 'boolean' as const,
  description: 'true only where the person asked not to be called again, in whatever words.',
};

/** A recovery has a tool that records how the call went, so its calls ask for no outcome. */
const schemaOf = (workflowType: WorkflowType) => ({
  type: 'object' as const,
  properties: { doNotCall, ...(workflowType !== 'abandonment-recovery' && { outcome }) },
});

/**
 * What the platform is asked to find out after a call: whether the patient wants no more calls and what they said, in one of
 * our words, a summary for staff, and whether the call did what it was for.
 */
export const analysisPlanOf = (workflowType: WorkflowType) => ({
  summaryPlan: { enabled: true },
  successEvaluationPlan: { enabled: true, rubric: 'PassFail' as const },
  structuredDataPlan: { enabled: true, schema: schemaOf(workflowType) },
});

/** The same words as the platform has them since. Its name is what the output is found by again. */
export const structuredOutputsOf = (workflowType: WorkflowType) => [
  {
    name: 'call_result',
    type: 'ai' as const,
    description: 'What the patient said in the call, in the words of the schema.',
    schema: schemaOf(workflowType),
  },
];

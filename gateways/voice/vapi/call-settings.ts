import { voicemailSentence } from '@clinic/shared/domain/outreach/opening';
import type { CallLanguage } from '@clinic/shared/domain/patients/languages';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import type { CallStyle } from '../clinic-voice';
import { structuredOutputsOf } from './analysis';

/** How calls in and out go, in the platform's form, to lay over what their assistant has. */
export function callSettings(style: CallStyle | null, workflowType: WorkflowType) {
  if (style === null) return {};
  return {
    ...lastingSettings(style, workflowType),
    // Without a destination the platform asks for it when somebody wants to be transferred.
    ...(style.transferTo !== null && { 'tools:append': [{ type: 'transferCall' as const }] }),
  };
}

/** The same without what only a call can add to its assistant. */
export const lastingSettings = ({ maxCallSeconds, recording, isHipaa }: CallStyle, workflowType: WorkflowType) => ({
  maxDurationSeconds: maxCallSeconds,
  // It takes the place of the assistant's plan as a whole, so it asks for the outputs too.
  artifactPlan: { recordingEnabled: recording.isOn, structuredOutputs: structuredOutputsOf(workflowType) },
  ...(isHipaa && { compliancePlan: { hipaaEnabled: true } }),
});

/** What the platform tells us of a call. */
export const messagesOf = (style: Pick<CallStyle, 'transferTo'> | null) => [
  'tool-calls' as const,
  'status-update' as const,
  'end-of-call-report' as const,
  ...(style?.transferTo ? ['transfer-destination-request' as const] : []),
];

/** The same for a machine that picks up a call of ours. Without detection it hears all that a patient would. */
export function voicemailSettings(style: CallStyle | null, clinicName: string, language: CallLanguage | null = null) {
  if (style === null) return {};
  const { voicemail, number } = style;
  return {
    voicemailDetection: voicemail.isDetected ? ({ provider: 'vapi' } as const) : ('off' as const),
    ...(voicemail.leavesMessage && { voicemailMessage: voicemailSentence(clinicName, number, language) }),
  };
}

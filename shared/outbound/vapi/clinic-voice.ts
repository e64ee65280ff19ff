import type { ServiceConfig } from '../../config';
import type { KeptVoice } from '../../contracts/voice';
import { recordedSentence, voicemailSentence } from '../../domain/opening';
import { type WorkflowType, workflowTypeNames } from '../../domain/workflow-types';
import { structuredOutputsOf } from '../../voice/analysis';
import { VOICE_SECRET } from '../../voice/headers';

/** What the operator's environment says, for clinics that say nothing. */
export interface OperatorVoice {
  apiKey: string | null;
  assistantId: string | null;
  phoneNumberId: string | null;
  /** What the platform sends back as `x-voice-secret`. */
  secret: string;
}

export const operatorVoice = (
  config: Pick<ServiceConfig, 'VAPI_API_KEY' | 'VAPI_ASSISTANT_ID' | 'VAPI_PHONE_NUMBER_ID' | 'VOICE_WEBHOOK_SECRET'>,
): OperatorVoice => ({
  apiKey: config.VAPI_API_KEY ?? null,
  assistantId: config.VAPI_ASSISTANT_ID ?? null,
  phoneNumberId: config.VAPI_PHONE_NUMBER_ID ?? null,
  secret: config.VOICE_WEBHOOK_SECRET,
});

/** How the calls of one clinic are placed: its own settings and, where they say nothing, the operator's. */
export interface ClinicVoice {
  /** Null where there is neither an account of the clinic's nor one of the operator's. */
  apiKey: string | null;
  phoneNumberId: string | null;
  /** E.164, as the clinic entered it; null where it is not known here. */
  number: string | null;
  /** Who talks for the types that name nobody else. */
  assistantId: string | null;
  /** Null for a workflow type that nobody talks for. */
  assistantFor: (workflowType: WorkflowType) => string | null;
  /** How the platform proves itself: our secret as a header, or a credential that it keeps. */
  proof: { headers: Record<string, string> } | { credentialId: string };
  /** Null: as the assistant has it at the platform. */
  style: CallStyle | null;
  /** The clinic has said something; what is missing is then its own to complete. */
  isClinics: boolean;
}

/** How calls go, whoever talks. */
export type CallStyle = Pick<
  KeptVoice,
  'transferTo' | 'voicemail' | 'maxCallSeconds' | 'recording' | 'isHipaa' | 'number'
>;

/** An assistant and a number belong to an account: a clinic with an account of its own has none of the operator's. */
export function clinicVoice(
  kept: KeptVoice | null,
  operator: OperatorVoice,
  /** By which the platform proves itself for this clinic alone. */
  clinicSecret: string | null,
): ClinicVoice {
  const isOwn = typeof kept?.apiKey === 'string';
  const fallback = isOwn ? { apiKey: null, assistantId: null, phoneNumberId: null } : operator;
  const assistantId = kept?.assistantId ?? fallback.assistantId;
  const { phoneNumberId = null, number = null, credentialId = null } = kept ?? {};
  return {
    apiKey: kept?.apiKey ?? fallback.apiKey,
    // A number that was taken off the clinic's phone numbers may be another clinic's by now.
    phoneNumberId: phoneNumberId === null ? fallback.phoneNumberId : number === null ? null : phoneNumberId,
    number,
    assistantId,
    assistantFor: (workflowType) => kept?.assistants[workflowType] ?? assistantId,
    proof:
      credentialId !== null
        ? { credentialId }
        : { headers: { [VOICE_SECRET]: isOwn ? (clinicSecret ?? '') : operator.secret } },
    style: kept,
    isClinics: kept !== null,
  };
}

/** Why no call of this type can be placed, in a sentence for staff; null where one can. */
export function whyNoCalls(voice: ClinicVoice, workflowType: WorkflowType): string | null {
  const { apiKey, phoneNumberId, assistantFor, isClinics } = voice;
  const missing = [
    ...(apiKey === null ? [isClinics ? 'an API key' : 'VAPI_API_KEY'] : []),
    ...(assistantFor(workflowType) === null
      ? [isClinics ? `an assistant for ${workflowType}` : 'VAPI_ASSISTANT_ID']
      : []),
    ...(phoneNumberId === null ? [isClinics ? 'a number to call from' : 'VAPI_PHONE_NUMBER_ID'] : []),
  ];
  if (missing.length === 0) return null;
  return isClinics
    ? `The clinic's voice settings are not complete: ${missing.join(', ')} is missing.`
    : `The service has no settings for the voice platform: ${missing.join(', ')} not set.`;
}

/** Whoever talks for the clinic, with the workflow types that each talks for. */
export function assistantsOf(voice: ClinicVoice): Map<string, WorkflowType[]> {
  const found = new Map<string, WorkflowType[]>();
  for (const type of workflowTypeNames) {
    const id = voice.assistantFor(type);
    if (id !== null) found.set(id, [...(found.get(id) ?? []), type]);
  }
  return found;
}

/** What a call opens with: who calls and, where it is recorded, that it is. Null where the assistant opens it by itself. */
export function firstMessageOf(opening: string | null, style: CallStyle | null): string | null {
  return opening !== null && saysRecorded(style) ? `${opening} ${recordedSentence}` : opening;
}

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
export function voicemailSettings(style: CallStyle | null, clinicName: string) {
  if (style === null) return {};
  const { voicemail, number } = style;
  return {
    voicemailDetection: voicemail.isDetected ? ({ provider: 'vapi' } as const) : ('off' as const),
    ...(voicemail.leavesMessage && { voicemailMessage: voicemailSentence(clinicName, number) }),
  };
}

/** Variables for the prompt of an assistant that opens calls by itself. */
export const recordingVariables = (style: CallStyle | null) =>
  saysRecorded(style) ? { recordingSentence: recordedSentence } : {};

const saysRecorded = (style: CallStyle | null): boolean =>
  style !== null && style.recording.isOn && style.recording.isDisclosed;

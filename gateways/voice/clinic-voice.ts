import type { KeptVoice } from '@clinic/shared/contracts/voice/voice';
import { recordedSentence } from '@clinic/shared/domain/outreach/opening';
import type { CallLanguage } from '@clinic/shared/domain/patients/languages';
import { type WorkflowType, workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { VOICE_SECRET } from '@clinic/shared/domain/voice/headers';

/** What the operator's environment says of one platform, for clinics that say nothing. */
export interface OperatorAccount {
  apiKey: string | null;
  assistantId: string | null;
  phoneNumberId: string | null;
  /** What the platform sends back as `x-voice-secret`. */
  secret: string;
  /** The variables that say so. */
  variables: { apiKey: string; assistantId: string; phoneNumberId: string };
}

/** The variables that are not set. */
export const unsetVariables = ({ variables, ...account }: OperatorAccount): string[] =>
  (['apiKey', 'assistantId', 'phoneNumberId'] as const).filter((name) => !account[name]).map((name) => variables[name]);

/** How the calls of one clinic are placed: its own settings and, where they say nothing, the operator's. */
export interface ClinicVoice {
  /** Null where there is neither an account of the clinic's nor one of the operator's, and where its key cannot be read. */
  apiKey: string | null;
  /** The clinic has an account of its own, and what opens it cannot be decrypted. */
  isKeyUnreadable: boolean;
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
  /** What else says it, in the operator's environment. */
  variables: OperatorAccount['variables'];
}

/** How calls go, on every platform. */
export type CallStyle = Pick<
  KeptVoice,
  'transferTo' | 'voicemail' | 'maxCallSeconds' | 'recording' | 'isHipaa' | 'number'
>;

/** An assistant and a number belong to an account: a clinic with an account of its own has none of the operator's. */
export function clinicVoice(
  kept: KeptVoice | null,
  operator: OperatorAccount,
  /** By which the platform proves itself for this clinic alone. */
  clinicSecret: string | null,
): ClinicVoice {
  const isKeyUnreadable = kept?.isKeyUnreadable === true;
  const isOwn = isKeyUnreadable || typeof kept?.apiKey === 'string';
  const fallback = isOwn ? { apiKey: null, assistantId: null, phoneNumberId: null } : operator;
  const assistantId = kept?.assistantId ?? fallback.assistantId;
  const { phoneNumberId = null, number = null, credentialId = null } = kept ?? {};
  return {
    apiKey: kept?.apiKey ?? fallback.apiKey,
    isKeyUnreadable,
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
    variables: operator.variables,
  };
}

const KEY_UNREADABLE =
  'The key of the clinic’s account cannot be decrypted: enter it again, or start the service with all of its SECRET_KEYS.';

/** Why no call of this type can be placed, in a sentence for staff; null where one can. */
export function whyNoCalls(voice: ClinicVoice, workflowType: WorkflowType): string | null {
  const { apiKey, isKeyUnreadable, phoneNumberId, assistantFor, isClinics, variables } = voice;
  if (isKeyUnreadable) return KEY_UNREADABLE;
  const missing = [
    ...(apiKey === null ? [isClinics ? 'an API key' : variables.apiKey] : []),
    ...(assistantFor(workflowType) === null
      ? [isClinics ? `an assistant for ${workflowType}` : variables.assistantId]
      : []),
    ...(phoneNumberId === null ? [isClinics ? 'a number to call from' : variables.phoneNumberId] : []),
  ];
  if (missing.length === 0) return null;
  return isClinics
    ? `The clinic's voice settings are not complete: ${missing.join(', ')} is missing.`
    : `The service has no settings for the voice platform: ${missing.join(', ')} not set.`;
}

/** The assistants that talk for the clinic, with the workflow types of each. */
export function assistantsOf(voice: ClinicVoice): Map<string, WorkflowType[]> {
  const found = new Map<string, WorkflowType[]>();
  for (const type of workflowTypeNames) {
    const id = voice.assistantFor(type);
    if (id !== null) found.set(id, [...(found.get(id) ?? []), type]);
  }
  return found;
}

/** What a call opens with: who calls and, where it is recorded, that it is. Null where the assistant opens it by itself. */
export function firstMessageOf(
  opening: string | null,
  style: CallStyle | null,
  language: CallLanguage | null = null,
): string | null {
  return opening !== null && saysRecorded(style) ? `${opening} ${recordedSentence(language)}` : opening;
}

/** Variables for the prompt of an assistant that opens calls by itself. */
export const recordingVariables = (style: CallStyle | null, language: CallLanguage | null = null) =>
  saysRecorded(style) ? { recordingSentence: recordedSentence(language) } : {};

const saysRecorded = (style: CallStyle | null): boolean =>
  style !== null && style.recording.isOn && style.recording.isDisclosed;

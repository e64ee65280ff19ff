import type * as api from '#api';
import type { Labels } from '#forms';
import { workflowName, workflowTypeNames } from '#parts';
import { t } from '#texts';

type Settings = api.VoiceSettings;

/** The settings as the form holds them: an empty text where nothing is set. */
export interface Values extends Record<string, unknown> {
  provider: Settings['provider'];
  account: 'own' | 'operator';
  apiKey: string;
  credentialId: string;
  phoneNumberId: string | null;
  assistantId: string;
  assistants: Record<api.WorkflowType, string>;
  transferTo: string;
  voicemail: Settings['voicemail'];
  maxCallSeconds: number;
  recording: Settings['recording'];
  isHipaa: boolean;
}

export const labels = {
  provider: t`Calls`,
  apiKey: t`API key`,
  credentialId: t`Credential id`,
  phoneNumberId: t`Number to call from`,
  assistantId: t`Assistant`,
  ...Object.fromEntries(workflowTypeNames.map((type) => [`assistants.${type}`, t`Assistant: ${workflowName(type)}`])),
  transferTo: t`Number to transfer to`,
  'voicemail.isDetected': t`Detect voicemail`,
  'voicemail.leavesMessage': t`Leave a voicemail`,
  maxCallSeconds: t`Longest call`,
  'recording.isOn': t`Record calls`,
  'recording.isDisclosed': t`Say that the call is recorded`,
  isHipaa: t`Ask for the platform’s HIPAA storage`,
} satisfies Labels;

export const toValues = (settings: Settings): Values => ({
  provider: settings.provider,
  account: settings.hasApiKey || !settings.hasOperatorAccount ? 'own' : 'operator',
  // A key is never read back.
  apiKey: '',
  credentialId: settings.credentialId ?? '',
  phoneNumberId: settings.phoneNumberId,
  assistantId: settings.assistantId ?? '',
  assistants: { ...noAssistants(), ...settings.assistants },
  transferTo: settings.transferTo ?? '',
  voicemail: settings.voicemail,
  maxCallSeconds: settings.maxCallSeconds,
  recording: settings.recording,
  isHipaa: settings.isHipaa,
});

/** A key that is left empty is left out, and so stays as it is. */
export function toChange({ account, apiKey, voicemail, ...values }: Values): api.VoiceChange {
  const named = workflowTypeNames.filter((type) => values.assistants[type].trim() !== '');
  return {
    provider: values.provider,
    apiKey: account === 'operator' ? null : apiKey || undefined,
    credentialId: values.credentialId.trim() || null,
    phoneNumberId: values.phoneNumberId,
    assistantId: values.assistantId.trim() || null,
    assistants: Object.fromEntries(named.map((type) => [type, values.assistants[type]])),
    transferTo: values.transferTo.trim() || null,
    voicemail: { isDetected: voicemail.isDetected, leavesMessage: voicemail.isDetected && voicemail.leavesMessage },
    maxCallSeconds: values.maxCallSeconds,
    recording: values.recording,
    isHipaa: values.isHipaa,
  };
}

/** What was found at a setting, as a sentence that begins with its label. */
export function sentenceAt({ path, message }: { path: string; message: string }): string {
  const label = (labels as Labels)[path] ?? path;
  const text = path === '' ? message : `${label} ${message}`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

const noAssistants = () => Object.fromEntries(workflowTypeNames.map((type) => [type, ''])) as Values['assistants'];

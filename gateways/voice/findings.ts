import type { VoiceFinding } from '@clinic/shared/contracts/voice/voice';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import type { ClinicVoice } from './clinic-voice';

/** Of a key that cannot be decrypted. */
export const KEY_TO_ENTER = 'must be entered again: the one that is kept cannot be decrypted';

/** What is missing before the platform is asked anything. */
export function missingIn(voice: ClinicVoice): VoiceFinding[] {
  const silent = workflowTypeNames.filter((type) => voice.assistantFor(type) === null);
  const isMute = silent.length === workflowTypeNames.length;
  const noAccount = 'is needed: there is no account of the operator that calls could go through';
  const noNumber = 'is needed, and must be one of the phone numbers';
  const noneOfType = 'is needed before a workflow of this type can call anybody';
  const noAssistants = isMute
    ? [problem('no_assistant', 'assistantId', 'is needed: somebody must talk')]
    : silent.map((type) => note('no_assistant', `assistants.${type}`, noneOfType));
  return [
    ...when(voice.apiKey === null, problem('no_account', 'apiKey', voice.isKeyUnreadable ? KEY_TO_ENTER : noAccount)),
    ...when(voice.phoneNumberId === null, problem('no_number', 'phoneNumberId', noNumber)),
    ...noAssistants,
  ];
}

export const keyRefused = (said: string): VoiceFinding =>
  problem('credentials_refused', 'apiKey', `is refused by the platform: ${said}`);

export const cannotBeAsked = (said: string): VoiceFinding =>
  problem('platform_unavailable', '', `The voice platform cannot be asked right now: ${said}`);

export const noKey = (): VoiceFinding =>
  problem('no_account', 'apiKey', 'is needed: it opens your account at the platform');

export const when = (isSo: boolean, finding: VoiceFinding): VoiceFinding[] => (isSo ? [finding] : []);

export const problem = (code: VoiceFinding['code'], path: string, message: string): VoiceFinding => ({
  code,
  isProblem: true,
  path,
  message,
});

export const note = (code: VoiceFinding['code'], path: string, message: string): VoiceFinding => ({
  code,
  isProblem: false,
  path,
  message,
});

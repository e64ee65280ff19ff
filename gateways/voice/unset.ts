import { keyUnreadable, notStarted } from '@clinic/shared/domain/voice/ended-reason';
import { type ClinicVoice, whyNoCalls } from './clinic-voice';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import type { PlacedCall, VoiceGateway } from './port';

/** Takes the place of a platform that this service has no account at. Its refusals are our fault, so they are no attempts. */
export function createUnsetGateway(voice: ClinicVoice): VoiceGateway {
  return {
    account: 'none',
    settleMs: 0,
    place: async ({ workflowType }) => notConfigured(voice, workflowType),
    findByIntent: async () => null,
    lookUp: async () => null,
  };
}

/** The refusal of a call that the settings do not allow. */
export function notConfigured(voice: ClinicVoice, workflowType: WorkflowType): PlacedCall {
  const said = whyNoCalls(voice, workflowType) ?? undefined;
  const reason = voice.isKeyUnreadable ? keyUnreadable : notStarted('platform-not-configured');
  return { kind: 'refused', reason, isBadNumber: false, said };
}

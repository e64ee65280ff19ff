import { notStarted } from '@clinic/shared/voice/ended-reason';
import type { VoiceGateway } from './port';

/** Takes the place of a platform that this service has no account at. Its refusals are our fault, so they are no attempts. */
export function createUnsetGateway(missing: readonly string[]): VoiceGateway {
  const refusal = {
    kind: 'refused',
    reason: notStarted('platform-not-configured'),
    isBadNumber: false,
    said: `The service has no settings for the voice platform: ${missing.join(', ')} not set.`,
  } as const;
  return {
    settleMs: 0,
    place: async () => refusal,
    findByIntent: async () => null,
    lookUp: async () => null,
  };
}

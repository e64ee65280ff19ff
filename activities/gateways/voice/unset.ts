import { notStarted } from '@clinic/shared/voice/ended-reason';
import type { VoiceGateway } from './port';

/** Takes the place of a platform that this service has no account at. Its refusals are our fault, so they are no attempts. */
export function createUnsetGateway(): VoiceGateway {
  return {
    settleMs: 0,
    place: async () => ({ kind: 'refused', reason: notStarted('platform-not-configured'), isBadNumber: false }),
    findByIntent: async () => null,
    lookUp: async () => null,
  };
}

import type { VoiceGateway } from './port';

/** Stands in for a platform this service has no account at: a fault of ours, never an attempt of the patient's. */
export function createUnsetGateway(): VoiceGateway {
  return {
    place: async () => ({ kind: 'refused', reason: 'call.start.error-platform-not-configured', isBadNumber: false }),
    findByIntent: async () => null,
    lookUp: async () => null,
  };
}

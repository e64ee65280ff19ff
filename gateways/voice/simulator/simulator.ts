import { sceneOf } from '@clinic/shared/domain/voice/scenes';
import { endedReasons, notStarted } from '@clinic/shared/domain/voice/ended-reason';
import type { SimulatedCalls } from '@clinic/shared/domain/voice/simulated-call';
import type { PlatformCall, VoiceGateway } from '../port';

const PREFIX = 'sim-';

/**
 * The embedded voice platform. Its calls are workflows of their own: like a real platform's they go on while this
 * service restarts, and they reach it only over its public HTTP routes. The dialled number chooses the scene.
 */
export function createSimulatorGateway({ start, describe }: SimulatedCalls): VoiceGateway {
  return {
    account: 'simulator',
    settleMs: 0,

    async place({ callId, clinicId, phone, attempt, earlierFaults, workflowType, serverUrl }) {
      if (earlierFaults < sceneOf(phone).refusals) {
        return { kind: 'refused', reason: notStarted('platformfault-simulated-outage'), isBadNumber: false };
      }
      const platformCallId = `${PREFIX}${callId}`;
      await start({ callId, clinicId, phone, attempt, workflowType, serverUrl, platformCallId });
      return { kind: 'placed', platformCallId };
    },

    async findByIntent(callId) {
      return (await describe(callId)) ? `${PREFIX}${callId}` : null;
    },

    async lookUp(platformCallId): Promise<PlatformCall | null> {
      const state = await describe(platformCallId.slice(PREFIX.length));
      if (state === null) return null;
      return state === 'running'
        ? { state: 'IN_PROGRESS', endedReason: null }
        : { state: 'ENDED', endedReason: endedReasons.lost };
    },
  };
}

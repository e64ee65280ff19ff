import type { SimulatedCalls } from '@clinic/shared/domain/voice/simulated-call';
import type { VoicePlatform } from '../port';
import { createSimulatorGateway } from './simulator';

/**
 * The simulator as a platform: there is no account, and its callers speak in the form that the contract shows. `calls` is null
 * in processes that place none.
 */
export const createSimulatorPlatform = (calls: SimulatedCalls | null): VoicePlatform => ({
  async callsOf() {
    if (calls === null) throw new Error('the simulator plays calls in the worker only');
    return createSimulatorGateway(calls);
  },
  account: null,
  messages: null,
});

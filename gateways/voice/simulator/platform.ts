import type { SimulatedCalls } from '@clinic/shared/domain/voice/simulated-call';
import type { VoicePlatform } from '../port';
import { createSimulatorGateway } from './simulator';

/**
 * The simulator as a platform: there is no account, and its callers speak in the form that the contract shows. `calls` is null
 * in processes that place none.
 */
export const createSimulatorPlatform = (calls: SimulatedCalls | null): VoicePlatform => ({
  async callsOf() {
    return createSimulatorGateway(calls ?? playedElsewhere);
  },
  account: null,
  messages: null,
});

const refuse = (): Promise<never> => Promise.reject(new Error('the simulator plays calls in the worker only'));
const playedElsewhere: SimulatedCalls = { start: refuse, describe: refuse };

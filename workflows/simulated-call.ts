import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { SimulatedCall } from '@clinic/shared/domain/voice/simulated-call';
import { playing } from './timeouts';

const { playScene } = proxyActivities<Activities>(playing);

/** The simulator's side of a call: a caller who talks to the service over its public HTTP routes, and survives our restarts as a real one does. */
export async function simulatedCall(call: SimulatedCall): Promise<void> {
  await playScene(call);
}

import { type CallActivityDeps, createCallActivities } from './calls';
import { createEventActivities, type EventActivityDeps } from './events';
import { createRecoveryActivities } from './recovery';
import { createSimulatedCallActivities, type SimulatedCallDeps } from './simulated-calls';

export type { SimulatedCall } from './gateways/voice/simulator';

export type ActivityDeps = CallActivityDeps & EventActivityDeps & SimulatedCallDeps;

/** Everything a workflow can have done. */
export function createActivities(deps: ActivityDeps) {
  return {
    ...createRecoveryActivities(deps),
    ...createCallActivities(deps),
    ...createEventActivities(deps),
    ...createSimulatedCallActivities(deps),
  };
}

export type Activities = ReturnType<typeof createActivities>;

import { type BulkJobActivityDeps, createBulkJobActivities } from './bulk-jobs';
import { type CallActivityDeps, createCallActivities } from './calls';
import { type ClinicSystemActivityDeps, createClinicSystemActivities } from './clinic-systems';
import { createErasureActivities, type ErasureActivityDeps } from './erasures';
import { createEventActivities, type EventActivityDeps } from './events';
import { createRecoveryActivities } from './recovery';
import { createRetentionActivities, type RetentionActivityDeps } from './retention';
import { createRunActivities } from './runs';
import { createSimulatedCallActivities, type SimulatedCallDeps } from './simulated-calls';

export type ActivityDeps = CallActivityDeps &
  EventActivityDeps &
  ClinicSystemActivityDeps &
  RetentionActivityDeps &
  SimulatedCallDeps &
  BulkJobActivityDeps &
  ErasureActivityDeps;

/** Everything a workflow can have done. */
export function createActivities(deps: ActivityDeps) {
  return {
    ...createRecoveryActivities(deps),
    ...createRunActivities(deps),
    ...createCallActivities(deps),
    ...createEventActivities(deps),
    ...createClinicSystemActivities(deps),
    ...createRetentionActivities(deps),
    ...createSimulatedCallActivities(deps),
    ...createBulkJobActivities(deps),
    ...createErasureActivities(deps),
  };
}

export type Activities = ReturnType<typeof createActivities>;

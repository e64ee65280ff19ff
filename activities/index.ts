import { type AppointmentActivityDeps, createAppointmentActivities } from './appointments';
import { type CallActivityDeps, createCallActivities } from './calls';
import { type ClinicSystemActivityDeps, createClinicSystemActivities } from './clinic-systems';
import { createEventActivities, type EventActivityDeps } from './events';
import { createRecoveryActivities } from './recovery';
import { createRetentionActivities, type RetentionActivityDeps } from './retention';
import { createRunActivities } from './runs';
import { createSimulatedCallActivities, type SimulatedCallDeps } from './simulated-calls';

export type ActivityDeps = AppointmentActivityDeps &
  CallActivityDeps &
  EventActivityDeps &
  ClinicSystemActivityDeps &
  RetentionActivityDeps &
  SimulatedCallDeps;

/** Everything a workflow can have done. */
export function createActivities(deps: ActivityDeps) {
  return {
    ...createRecoveryActivities(deps),
    ...createRunActivities(deps),
    ...createCallActivities(deps),
    ...createAppointmentActivities(deps),
    ...createEventActivities(deps),
    ...createClinicSystemActivities(deps),
    ...createRetentionActivities(deps),
    ...createSimulatedCallActivities(deps),
  };
}

export type Activities = ReturnType<typeof createActivities>;

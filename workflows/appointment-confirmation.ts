import type { OutcomeOf } from '@clinic/shared/domain/workflow-types';
import { attendance, untilItBegins } from './attendance';
import { openRun, type RunInput } from './patient-run';
import { reachPatient } from './reach-patient';

/** An appointment was booked. Call its patient within the clinic's policy, before it begins, and have it confirmed. */
export async function appointmentConfirmation(input: RunInput): Promise<OutcomeOf<'appointment-confirmation'>> {
  const run = openRun('appointment-confirmation', input);
  return reachPatient(run, {
    decide: () => run.decide(untilItBegins),
    conclude: async (call) => attendance(await run.review(call)),
    afterwards: () => run.tellClinicSystems(),
  });
}

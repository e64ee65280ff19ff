import type { OutcomeOf } from '@clinic/shared/domain/workflow-types';
import { attendance, untilItBegins } from './attendance';
import { openRun, type RunInput } from './patient-run';
import { reachPatient } from './reach-patient';

/** An appointment is coming up. Call its patient at the next calling hour, before it begins, and hear whether they come. */
export async function appointmentReminder(input: RunInput): Promise<OutcomeOf<'appointment-reminder'>> {
  const run = openRun('appointment-reminder', input);
  return reachPatient(run, {
    decide: () => run.decide({ ...untilItBegins, isUrgent: true }),
    conclude: async (call) => attendance(await run.review(call)),
    afterwards: () => run.tellClinicSystems(),
  });
}

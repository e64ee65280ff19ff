import { type Attendance, attendance, attendanceWithoutCall } from '@clinic/shared/domain/calendar/attendance';
import { openOutreach } from './outreach/outreach';
import type { RunInput } from './outreach/outreach-state';

/** An appointment was booked. Call its patient within the clinic's policy, before it begins, and have it confirmed. */
export async function appointmentConfirmation(input: RunInput): Promise<Attendance> {
  const outreach = openOutreach('appointment-confirmation', input);
  return outreach.reach({
    decide(facts) {
      // It may have been moved or cancelled since the last look; once it has begun, a call is of no use.
      const outcome = attendanceWithoutCall(facts.appointment, new Date().toISOString());
      if (outcome) return { kind: 'end', outcome };
      const uselessFrom = facts.appointment?.startsAt;
      return outreach.nextCall(facts, { uselessFrom });
    },
    uncalled: () => 'PATIENT_NOT_REACHED',
    conclude: async (call) => attendance(await outreach.review(call)),
  });
}

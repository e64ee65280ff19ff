import { type Attendance, attendance, attendanceWithoutCall } from '@clinic/shared/domain/calendar/attendance';
import { openOutreach } from './outreach/outreach';
import type { RunInput } from './outreach/outreach-state';

/** An appointment is coming up. Call its patient at the next calling hour, before it begins, and ask whether they come. */
export async function appointmentReminder(input: RunInput): Promise<Attendance> {
  const outreach = openOutreach('appointment-reminder', input);
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

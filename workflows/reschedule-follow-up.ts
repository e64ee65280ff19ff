import { type Rebooking, rebooking } from '@clinic/shared/domain/calendar/rebooking';
import { openOutreach } from './outreach/outreach';
import type { RunInput } from './outreach/outreach-state';

/** A patient's appointment has to move. Call within the clinic's policy and agree on a new time. */
export async function rescheduleFollowUp(input: RunInput): Promise<Rebooking> {
  const outreach = openOutreach('reschedule-follow-up', input);
  return outreach.reach({
    decide(facts) {
      // The visit was not missed after all: nobody is called about it.
      if (facts.isTakenBack) return { kind: 'end', outcome: 'PATIENT_NOT_REACHED' };
      // A patient who has booked meanwhile needs no call.
      return facts.hasBookedSince ? { kind: 'end', outcome: 'REBOOKED' } : outreach.nextCall(facts);
    },
    uncalled: (reason) => (reason === 'opted_out' ? 'DECLINED' : 'PATIENT_NOT_REACHED'),
    conclude: async (call) => rebooking(await outreach.review(call)),
  });
}

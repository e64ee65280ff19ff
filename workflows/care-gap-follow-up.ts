import { type Rebooking, rebooking } from '@clinic/shared/domain/calendar/rebooking';
import { openOutreach } from './outreach/outreach';
import type { RunInput } from './outreach/outreach-state';

/** A patient is due for care that nobody has booked. Call within the clinic's policy and offer a time. */
export async function careGapFollowUp(input: RunInput): Promise<Rebooking> {
  const outreach = openOutreach('care-gap-follow-up', input);
  return outreach.reach({
    // A patient who has booked meanwhile needs no call.
    decide: (facts) => (facts.hasBookedSince ? { kind: 'end', outcome: 'REBOOKED' } : outreach.nextCall(facts)),
    uncalled: (reason) => (reason === 'opted_out' ? 'DECLINED' : 'PATIENT_NOT_REACHED'),
    conclude: async (call) => rebooking(await outreach.review(call)),
  });
}

import { isBookingUnconfirmed, type Rebooking, rebooking } from '@clinic/shared/domain/rebooking';
import { openOutreach, type RunInput } from './outreach';

/** A patient is due for care that nobody has booked. Call within the clinic's policy and offer a time. */
export async function careGapFollowUp(input: RunInput): Promise<Rebooking> {
  const outreach = openOutreach('care-gap-follow-up', input);
  return outreach.reach({
    // A patient who has booked meanwhile needs no call.
    decide: (facts) => (facts.hasBookedSince ? { kind: 'end', outcome: 'REBOOKED' } : outreach.nextCall(facts)),
    uncalled: (reason) => (reason === 'opted_out' ? 'DECLINED' : 'PATIENT_NOT_REACHED'),
    async conclude(call) {
      const talk = await outreach.review(call);
      if (isBookingUnconfirmed(talk)) await outreach.askStaff('booking_to_check');
      return rebooking(talk);
    },
  });
}

import { isBookingUnconfirmed, type Rebooking, rebooking } from '@clinic/shared/domain/rebooking';
import { openOutreach, type RunInput } from './outreach';

/** A patient cancelled an appointment and has no other. Call within the clinic's policy and offer a new time. */
export async function cancellationFollowUp(input: RunInput): Promise<Rebooking> {
  const outreach = openOutreach('cancellation-follow-up', input);
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

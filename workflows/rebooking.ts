import { type Conversation, did, lastOf } from '@clinic/shared/domain/conversation';
import type { OutcomeOf } from '@clinic/shared/domain/workflow-types';
import { openRun, type RunInput, type Rules } from './patient-run';
import { reachPatient } from './reach-patient';

type FollowUp = 'cancellation-follow-up' | 'reschedule-follow-up' | 'care-gap-follow-up';
type Rebooking = OutcomeOf<FollowUp>;

/** What the three follow-ups share: a patient who needs an appointment is offered one. */
export async function rebookPatient(workflowType: FollowUp, input: RunInput): Promise<Rebooking> {
  const run = openRun(workflowType, input);
  return reachPatient(run, {
    decide: () => run.decide(rules),
    async conclude(call) {
      const talk = await run.review(call);
      // With no booking in our own records, somebody looks after the one that was agreed on.
      if (talk.said === 'rebooked' && !did(talk, 'booked', 'rescheduled')) await run.askStaff('booking_to_check');
      return rebooking(talk);
    },
    afterwards: () => run.tellClinicSystems(),
  });
}

const rules: Rules<Rebooking> = {
  settledBy: ({ hasBookedSince }) => (hasBookedSince ? 'REBOOKED' : null),
  optedOut: 'DECLINED',
};

/** Whoever needs the care team is theirs, booked or not; then what was last done to the calendar; then what was said. */
function rebooking(talk: Conversation): Rebooking | null {
  if (did(talk, 'escalated')) return 'ESCALATED';
  const change = lastOf(talk, 'booked', 'rescheduled', 'cancelled');
  if (change) return change === 'cancelled' ? 'DECLINED' : 'REBOOKED';
  if (talk.said === 'escalated') return 'ESCALATED';
  if (talk.said === 'rebooked') return 'REBOOKED';
  return talk.said === 'declined' ? 'DECLINED' : null;
}

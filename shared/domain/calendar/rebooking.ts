import { type Conversation, did, lastOf } from '../outreach/conversation';
import type { OutcomeOf } from '../outreach/workflow-types';

/** How the three follow-ups end, which offer an appointment to a patient who needs one. */
export type Rebooking = OutcomeOf<'cancellation-follow-up' | 'reschedule-follow-up' | 'care-gap-follow-up'>;

/**
 * What a call about a new appointment came to; null when it settled nothing. An escalation to the care team comes first,
 * whether an appointment was booked or not; then what was last done to the calendar; then what was said, as far as the records
 * permit it (outreach/evidence.ts).
 */
export function rebooking(talk: Conversation): Rebooking | null {
  if (did(talk, 'escalated')) return 'ESCALATED';
  const change = lastOf(talk, 'booked', 'rescheduled', 'cancelled');
  if (change) return change === 'cancelled' ? 'DECLINED' : 'REBOOKED';
  if (talk.said === 'escalated') return 'ESCALATED';
  if (talk.said === 'rebooked') return 'REBOOKED';
  return talk.said === 'declined' ? 'DECLINED' : null;
}

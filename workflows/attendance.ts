import { agreed, type Conversation, did, lastOf } from '@clinic/shared/domain/conversation';
import type { OutcomeOf } from '@clinic/shared/domain/workflow-types';
import type { Rules } from './patient-run';

type Attendance = OutcomeOf<'appointment-confirmation' | 'appointment-reminder'>;

/**
 * An appointment may be moved or cancelled while its patient is yet to be called. A moved one is called about at its new
 * time; one that was cancelled needs no call; and nobody is called once it has begun.
 */
export const untilItBegins: Rules<Attendance> = {
  settledBy({ appointment }, now) {
    if (appointment?.status === 'cancelled') return 'CANCELLED';
    const hasBegun =
      appointment?.startsAt !== undefined && appointment.startsAt !== null && appointment.startsAt <= now;
    return hasBegun || appointment?.status === 'fulfilled' ? 'PATIENT_NOT_REACHED' : null;
  },
  uselessFrom: ({ appointment }) => appointment?.startsAt ?? null,
};

/** Whether the patient will come, by what was last done to the appointment, else by what was said. */
export function attendance(talk: Conversation): Attendance | null {
  const change = lastOf(talk, 'booked', 'rescheduled', 'cancelled');
  if (change) return change === 'cancelled' ? 'CANCELLED' : 'RESCHEDULED';
  if (did(talk, 'escalated')) return 'FOLLOW_UP_REQUIRED';
  return agreed(talk) ? 'CONFIRMED' : null;
}

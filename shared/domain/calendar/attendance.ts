import type { AppointmentStatus } from './appointment-status';
import { agreed, type Conversation, did, lastOf } from '../outreach/conversation';
import type { OutcomeOf } from '../outreach/workflow-types';

/** How a confirmation or a reminder of an appointment ends. */
export type Attendance = OutcomeOf<'appointment-confirmation' | 'appointment-reminder'>;

/** The appointment as the records have it; it may be moved or cancelled while its patient is yet to be called. */
export interface ExpectedAppointment {
  status: AppointmentStatus;
  startsAt: string | null;
}

/** What has become of an appointment without a call: it was cancelled, the patient is here, or it has begun. Null while a call is of use. */
export function attendanceWithoutCall(appointment: ExpectedAppointment | null, now: string): Attendance | null {
  if (!appointment) return null;
  const { status, startsAt } = appointment;
  if (status === 'cancelled') return 'CANCELLED';
  if (status === 'arrived') return 'CONFIRMED';
  return status !== 'booked' || (startsAt !== null && Date.parse(startsAt) <= Date.parse(now))
    ? 'PATIENT_NOT_REACHED'
    : null;
}

/** Whether the patient will come: by what was last done to the appointment, else by what was said. Null when nobody knows. */
export function attendance(talk: Conversation): Attendance | null {
  const change = lastOf(talk, 'booked', 'rescheduled', 'cancelled');
  if (change) return change === 'cancelled' ? 'CANCELLED' : 'RESCHEDULED';
  if (did(talk, 'escalated')) return 'FOLLOW_UP_REQUIRED';
  return agreed(talk) ? 'CONFIRMED' : null;
}

/** FHIR's words for the states that an appointment of ours can have. */
export const appointmentStatuses = ['booked', 'arrived', 'fulfilled', 'noshow', 'cancelled'] as const;
export type AppointmentStatus = (typeof appointmentStatuses)[number];

/** What the front desk notes of a visit on its day; `booked` takes a note back. `fulfilled`: the patient has been seen, and left. */
export const visitNotes = ['arrived', 'noshow', 'fulfilled', 'booked'] as const;
export type VisitNote = (typeof visitNotes)[number];

/**
 * Whether a visit may be noted so: nothing of one that was cancelled; who comes early has arrived, on the day of the visit, and may have
 * left before it was to begin; nobody else has missed or left a visit that has not begun.
 */
export function mayNote(
  note: VisitNote,
  { status, startsAt, now, isItsDay }: { status: AppointmentStatus; startsAt: Date; now: Date; isItsDay: boolean },
): boolean {
  if (status === 'cancelled') return false;
  if (note === 'booked' || status === note) return true;
  return startsAt <= now || (isItsDay && (note === 'arrived' || (note === 'fulfilled' && status === 'arrived')));
}

/** Calls that may book a first appointment. */
export const booking = ['new-patient-journey'] as const;

/** Calls about an appointment that there is, was or should be. */
export const followingUp = [
  'cancellation-follow-up',
  'reschedule-follow-up',
  'care-gap-follow-up',
  'appointment-confirmation',
  'appointment-reminder',
] as const;

/** Follow-ups of patients who may have no appointment to move. */
export const withoutVisit = ['cancellation-follow-up', 'care-gap-follow-up'] as const;

/** FHIR's words for the three states that an appointment of ours can have. */
export const appointmentStatuses = ['booked', 'cancelled', 'fulfilled'] as const;
export type AppointmentStatus = (typeof appointmentStatuses)[number];

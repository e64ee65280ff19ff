/** What the worker runs: workflow functions and nothing else. A workflow type is carried by the function of its name. */
export { abandonmentRecovery } from './abandonment-recovery';
export { appointmentConfirmation } from './appointment-confirmation';
export { appointmentReminder } from './appointment-reminder';
export { cancellationFollowUp } from './cancellation-follow-up';
export { careGapFollowUp } from './care-gap-follow-up';
export { newPatientJourney } from './new-patient-journey';
export { paymentRecovery } from './payment-recovery';
export { prescriptionFollowUp } from './prescription-follow-up';
export { rescheduleFollowUp } from './reschedule-follow-up';
export { waitlistOffer } from './waitlist-offer';

export { cancelRuns } from './cancel-runs';
export { deliverEvents } from './deliver-events';
export { erasePatient } from './erase-patient';
export { purgeOldContents } from './purge-old-contents';
export { resendDeliveries } from './resend-deliveries';
export { simulatedCall } from './simulated-call';

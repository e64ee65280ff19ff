import type * as Api from '../http/client/types.gen';

/** What a task asks of staff, and why it was opened. */
const reasons: Record<Api.TaskReason, { title: string; why: string }> = {
  billing_escalation: { title: 'Talk about the price', why: 'The patient needs someone from the billing team.' },
  clinical_escalation: { title: 'Answer a clinical question', why: 'The patient needs someone from the care team.' },
  follow_up_required: {
    title: 'Call the patient back',
    why: 'The call ended before the matter did, or the patient asked for it.',
  },
  unreadable_phone: {
    title: 'Find the phone number',
    why: 'The form held a number that cannot be read, so nobody was called.',
  },
  unverified_change: {
    title: 'Check what a caller said',
    why: 'The number is a patient’s, but the date of birth was not verified, so the record was left as it is.',
  },
  verification_locked: {
    title: 'Call the patient about their identity',
    why: 'Too many wrong dates of birth were stated, so nobody is verified as this patient for now.',
  },
  call_lost: { title: 'Find out how a call went', why: 'The voice platform lost a call that was under way.' },
  bad_number: { title: 'Correct the phone number', why: 'The number cannot be reached.' },
  identity_match: {
    title: 'Compare two patients',
    why: 'A caller may be a patient you know. Records are never merged during a call.',
  },
  crm_sync_failed: { title: 'Enter the patient in the CRM', why: 'The record is saved here; the CRM did not take it.' },
  insurance_unchecked: {
    title: 'Check the insurance',
    why: 'Your API could not be asked during the call.',
  },
  external_records_request: {
    title: 'Ask for external records',
    why: 'The patient’s records are at another practice.',
  },
  booking_to_check: {
    title: 'Check a booking',
    why: 'The patient spoke of an appointment that no tool has booked.',
  },
  clinic_system_not_told: { title: 'Update your own system', why: 'Your API did not take what was agreed on a call.' },
  emergency_access: {
    title: 'Look at an emergency access',
    why: 'The operator has opened your clinic for a limited time. The audit says what was done meanwhile.',
  },
  endpoint_failing: {
    title: 'Repair the receiver of events',
    why: 'It has taken none for a day. Events are kept, and sent again for about three days.',
  },
  signing_secret_unreadable: {
    title: 'Renew the signing secret',
    why: 'It cannot be decrypted, so events cannot be signed and are not sent.',
  },
  platform_fault: { title: 'Look at the voice platform', why: 'Calls could not be placed.' },
  voice_setup_fault: {
    title: 'Repair the voice settings, then call the patient',
    why: 'The voice platform refuses every call as it is set up, so nobody was called.',
  },
  registration_incomplete: {
    title: 'Complete a registration',
    why: 'The call ended before everything was known that a registration needs.',
  },
  records_incomplete: {
    title: 'Find out what was agreed',
    why: 'After a restore the records and the workflow do not agree. Your systems were sent nothing new.',
  },
  workflow_failed: {
    title: 'Take over from the service',
    why: 'A workflow failed, and nothing more happens by itself. Its patient may be waiting.',
  },
};

/** In alphabet of their titles, as a filter lists them. */
export const taskReasons = (Object.keys(reasons) as Api.TaskReason[]).toSorted((one, other) =>
  reasons[one].title.localeCompare(reasons[other].title),
);

export const taskTitle = (reason: Api.TaskReason): string => reasons[reason].title;
export const taskWhy = (reason: Api.TaskReason): string => reasons[reason].why;

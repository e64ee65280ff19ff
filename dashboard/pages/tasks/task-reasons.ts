import type * as api from '#api';
import { t } from '#texts';

/** What a task asks of staff, and why it was opened. */
const reasons: Record<api.TaskReason, { title: string; why: string }> = {
  billing_escalation: { title: t`Talk about the price`, why: t`The patient needs someone from the billing team.` },
  clinical_escalation: { title: t`Answer a clinical question`, why: t`The patient needs someone from the care team.` },
  follow_up_required: {
    title: t`Call the patient back`,
    why: t`The call ended before this was settled, or the patient asked to be called back.`,
  },
  unmet_call_hours: {
    title: t`Call the patient at the hours they asked for`,
    why: t`These hours lie outside your calling hours, so nobody was called.`,
  },
  unreadable_phone: {
    title: t`Find the phone number`,
    why: t`The form held a number that cannot be read, so nobody was called.`,
  },
  unverified_caller: {
    title: t`Follow up with an unverified caller`,
    why: t`They booked or asked for a time, or tried more than a caller may. A requested time is booked once you confirm it.`,
  },
  unverified_change: {
    title: t`Check what a caller said`,
    why: t`The number is a patient’s, but the date of birth was not verified, so the record was left as it is.`,
  },
  nothing_on_file: {
    title: t`Call the patient back and verify them`,
    why: t`No date of birth is on file, so nobody could be verified and nothing was told or changed.`,
  },
  verification_locked: {
    title: t`Call the patient about their identity`,
    why: t`Too many wrong dates of birth were stated, so nobody is verified as this patient for now.`,
  },
  call_lost: { title: t`Find out how a call went`, why: t`The voice platform lost a call that was under way.` },
  bad_number: { title: t`Correct the phone number`, why: t`The number cannot be reached.` },
  identity_match: {
    title: t`Compare two patients`,
    why: t`A caller may be a patient you know. Records are never merged during a call.`,
  },
  crm_sync_failed: {
    title: t`Add the patient to the CRM`,
    why: t`The record is saved here; the CRM did not take it.`,
  },
  insurance_unchecked: {
    title: t`Check the insurance`,
    why: t`Your API could not be asked during the call.`,
  },
  external_records_request: {
    title: t`Ask for external records`,
    why: t`The patient’s records are at another practice.`,
  },
  booking_to_check: {
    title: t`Check a booking`,
    why: t`The patient spoke of an appointment that was not booked during the call.`,
  },
  clinic_system_not_told: {
    title: t`Update your own system`,
    why: t`Your API did not take what was agreed on a call.`,
  },
  emergency_access: {
    title: t`Review an emergency access`,
    why: t`The operator has opened your clinic for a limited time. The audit says what was done meanwhile.`,
  },
  bulk_reads: {
    title: t`Review who read many patients`,
    why: t`A person or key saw far more patients in a day than is usual for them. Only administrators see this.`,
  },
  records_exported: {
    title: t`Review an export`,
    why: t`Somebody exported records. Only administrators see this.`,
  },
  refused_sign_ins: {
    title: t`Review refused sign-ins`,
    why: t`Far more sign-ins were refused in a day than forgotten passwords explain. Only administrators see this.`,
  },
  endpoint_failing: {
    title: t`Fix the endpoint`,
    why: t`It has accepted no event for a day, or answers that it is gone for good. Events are kept, and can be sent again.`,
  },
  signing_secret_unreadable: {
    title: t`Renew the signing secret`,
    why: t`It cannot be decrypted, so events cannot be signed and are not sent.`,
  },
  platform_fault: { title: t`Check the voice platform`, why: t`Calls could not be placed.` },
  voice_key_unreadable: {
    title: t`Enter the voice platform’s key again`,
    why: t`It cannot be decrypted, so nobody is called. Calls go on by themselves once it is there.`,
  },
  voice_setup_fault: {
    title: t`Fix the voice settings, then call the patient`,
    why: t`The voice platform refuses every call as it is set up, so nobody was called.`,
  },
  registration_incomplete: {
    title: t`Complete a registration`,
    why: t`The call ended before the registration was complete.`,
  },
  records_incomplete: {
    title: t`Find out what was agreed`,
    why: t`After a restore the records and the workflow do not agree. Your systems were sent nothing new.`,
  },
  workflow_failed: {
    title: t`Finish a failed workflow by hand`,
    why: t`A workflow failed, and nothing more happens by itself. Its patient may be waiting.`,
  },
};

/** In alphabet of their titles, as a filter lists them. */
export const taskReasons = (Object.keys(reasons) as api.TaskReason[]).toSorted((one, other) =>
  reasons[one].title.localeCompare(reasons[other].title),
);

export const taskTitle = (reason: api.TaskReason): string => reasons[reason].title;
export const taskWhy = (reason: api.TaskReason): string => reasons[reason].why;

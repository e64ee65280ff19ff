import type * as api from '#api';
import { t } from '#texts';

/** Why a phone rang or did not, as staff read it. */
export const callRules: Record<api.CallRule, string> = {
  due: t`A call was due, and every rule permitted it.`,
  all_rules_hold: t`All calling rules were checked once more just before dialling.`,
  first_call_delay: t`The calling policy gives patients some time to finish by themselves.`,
  between_attempts: t`The calling policy leaves some time between two attempts.`,
  patient_called: t`The patient has called meanwhile. The next call comes no sooner than after an attempt.`,
  clinic_limit: t`The clinic has called as many different numbers today as its operator allows.`,
  patient_limits: t`The patient has had as many calls as the calling policy allows.`,
  calling_hours: t`It was outside the clinic's calling hours.`,
  patient_hours: t`It was not between 8:00 and 20:00 everywhere where the patient may be.`,
  preferred_hours: t`The patient asked to be called at other hours.`,
  paused: t`Outreach was paused.`,
  no_phone: t`There is no phone number that can be dialled.`,
  opted_out: t`The number is on the list of those who want no such calls.`,
  attempts_exhausted: t`The patient was called as often as the calling policy says.`,
  no_calling_hours: t`No hour of the coming two weeks is open for a call.`,
  no_preferred_hours: t`The hours that the patient asked for lie outside the calling hours.`,
  too_late: t`The next possible call would come too late to be of use.`,
  call_over: t`The call was over before it was dialled.`,
  never_dialled: t`Nothing dialled the call in time.`,
  run_over: t`The workflow had ended.`,
  case_over: t`The case had ended, or was not in a call any more.`,
  form_completed: t`The form had been completed.`,
  window_over: t`The time set for the call had passed.`,
  outside_hours: t`The hours in which the phone may ring had passed.`,
  number_changed: t`The patient had another number by then, or none.`,
  appointment_changed: t`The appointment that the call was about had changed or begun.`,
  phone_in_call: t`The phone was in another call.`,
  unknown: t`A rule from another version of the service decided.`,
};

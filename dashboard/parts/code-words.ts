import { t } from '@lingui/core/macro';

/** Codes of the service that are shown as they are, by the sentence that they make in English. */
const known: Record<string, string> = {
  // What is said to a tool, and what a task holds.
  'Primary barrier': t`Primary barrier`,
  'Secondary barrier': t`Secondary barrier`,
  'Specific question': t`Specific question`,
  'Knowledge topic': t`Knowledge topic`,
  'Recovery action': t`Recovery action`,
  'Offer presented': t`Offer presented`,
  'Escalation type': t`Escalation type`,
  'Resume link': t`Resume link`,
  'Payer name': t`Payer name`,
  'Member id': t`Member id`,
  'Group id': t`Group id`,
  'Subscriber name': t`Subscriber name`,
  Amount: t`Amount`,
  Reason: t`Reason`,
  Status: t`Status`,
  Note: t`Note`,
  Notes: t`Notes`,
  Why: t`Why`,
  Action: t`Action`,
  'Starts at': t`Starts at`,
  Fields: t`Fields`,
  'Failing since': t`Failing since`,
  'Preferred callback': t`Preferred callback`,
  Phone: t`Phone`,

  // The tools of a live call.
  'Book appointment': t`Book appointment`,
  'Cancel appointment': t`Cancel appointment`,
  'Check availability': t`Check availability`,
  'Check recovery session status': t`Check recovery session status`,
  'Document and escalate': t`Document and escalate`,
  'Escalate billing': t`Escalate billing`,
  'Get upcoming appointment': t`Get upcoming appointment`,
  'Hold time': t`Hold time`,
  'Record abandonment barrier': t`Record abandonment barrier`,
  'Record do not call': t`Record do not call`,
  'Record self pay decision': t`Record self pay decision`,
  'Reschedule appointment': t`Reschedule appointment`,
  'Resolve patient identity': t`Resolve patient identity`,
  'Resolve recovery outcome': t`Resolve recovery outcome`,
  'Send resume link': t`Send resume link`,
  'Submit insurance info': t`Submit insurance info`,
  'Submit intake': t`Submit intake`,
  'Update registration field': t`Update registration field`,
  'Get waitlist offer': t`Get waitlist offer`,
  'Accept waitlist offer': t`Accept waitlist offer`,
  'Decline waitlist offer': t`Decline waitlist offer`,
  'Join waitlist': t`Join waitlist`,
  'Validate intake field': t`Validate intake field`,
  'Verify patient': t`Verify patient`,

  // The events that a clinic's platform sends.
  'Forms abandoned': t`Forms abandoned`,
  'Forms completed': t`Forms completed`,
  'Appointment created': t`Appointment created`,
  'Appointment approaching': t`Appointment approaching`,
  'Payment failed': t`Payment failed`,
  'Prescription status changed': t`Prescription status changed`,
  'Patient follow-up required': t`Patient follow-up required`,

  // What the simulator's patients do.
  'Answers, says why they stopped, agrees': t`Answers, says why they stopped, agrees`,
  'Asks for a callback': t`Asks for a callback`,
  'Finds it too expensive': t`Finds it too expensive`,
  'Asks a clinical question': t`Asks a clinical question`,
  Declines: t`Declines`,
  'Never answers': t`Never answers`,
  'Answers at the second attempt, agrees': t`Answers at the second attempt, agrees`,
  'Hangs up without an outcome': t`Hangs up without an outcome`,
  'Agrees, after the voice platform has refused the call twice': t`Agrees, after the voice platform has refused the call twice`,

  // What a run does next.
  'A call is under way.': t`A call is under way.`,
  'It is about to take its next step.': t`It is about to take its next step.`,
  'It is stored and about to start.': t`It is stored and about to start.`,
  'The call is due and waits for a free line.': t`The call is due and waits for a free line.`,

  // What a failure of the sandbox is counted in.
  seconds: t`seconds`,
  entries: t`entries`,

  // Why a call was placed or not.
  'A call was due, and every rule permitted it.': t`A call was due, and every rule permitted it.`,
  'Every rule still permitted the call in the moment before it was dialled.': t`Every rule still permitted the call in the moment before it was dialled.`,
  'The calling policy gives patients some time to finish by themselves.': t`The calling policy gives patients some time to finish by themselves.`,
  'The calling policy leaves some time between two attempts.': t`The calling policy leaves some time between two attempts.`,
  'The clinic has called as many different numbers today as its operator allows.': t`The clinic has called as many different numbers today as its operator allows.`,
  'The patient has had as many calls as the calling policy allows.': t`The patient has had as many calls as the calling policy allows.`,
  "It was outside the clinic's calling hours.": t`It was outside the clinic's calling hours.`,
  'It was not between 8:00 and 20:00 everywhere where the patient may be.': t`It was not between 8:00 and 20:00 everywhere where the patient may be.`,
  'Outreach was paused.': t`Outreach was paused.`,
  'There is no phone number that can be dialled.': t`There is no phone number that can be dialled.`,
  'The phone is on the list of those who want no such calls.': t`The phone is on the list of those who want no such calls.`,
  'The patient was called as often as the calling policy says.': t`The patient was called as often as the calling policy says.`,
  'No hour of the coming two weeks is open for a call.': t`No hour of the coming two weeks is open for a call.`,
  'The next possible call would come too late to be of use.': t`The next possible call would come too late to be of use.`,
  'The call was over before it was dialled.': t`The call was over before it was dialled.`,
  'Nobody came to dial the call.': t`Nobody came to dial the call.`,
  'The workflow had ended.': t`The workflow had ended.`,
  'The case had ended, or was not in a call any more.': t`The case had ended, or was not in a call any more.`,
  'The form had been completed.': t`The form had been completed.`,
  'The time that the call was decided for had passed.': t`The time that the call was decided for had passed.`,
  'The hours in which the phone may ring had passed.': t`The hours in which the phone may ring had passed.`,
  'The appointment that the call was about had changed or begun.': t`The appointment that the call was about had changed or begun.`,
};

/** A sentence of the service; in English where it is not known here. */
export const servicesSentence = (text: string): string => known[text] ?? text;

/** `billing_escalation` → `Billing escalation`; `follow_up` keeps its hyphen. In English where the code is not known here. */
export function sentence(code: string): string {
  const words = code.replaceAll(/[_-]+/g, ' ').trim().toLowerCase().replace('follow up', 'follow-up');
  const inEnglish = words.charAt(0).toUpperCase() + words.slice(1);
  return known[inEnglish] ?? inEnglish;
}

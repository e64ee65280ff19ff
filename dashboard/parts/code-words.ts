import { t } from '#texts';

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
};

/** `billing_escalation` → `Billing escalation`; `follow_up` keeps its hyphen. In English where the code is not known here. */
export function sentence(code: string): string {
  const words = code.replaceAll(/[_-]+/g, ' ').trim().toLowerCase().replace('follow up', 'follow-up');
  const inEnglish = words.charAt(0).toUpperCase() + words.slice(1);
  return known[inEnglish] ?? inEnglish;
}

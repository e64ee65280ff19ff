import { sentence } from './status';

/** What a task asks of staff, and why it was opened. */
const reasons: Record<string, { title: string; why: string }> = {
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
  bad_number: { title: 'Correct the phone number', why: 'The number cannot be reached.' },
  identity_match: {
    title: 'Compare two patients',
    why: 'A caller may be a patient you know. Records are never merged during a call.',
  },
  crm_sync_failed: { title: 'Enter the patient in the CRM', why: 'The record is saved here; the CRM did not take it.' },
  platform_fault: { title: 'Look at the voice platform', why: 'Calls could not be placed.' },
};

export const taskTitle = (reason: string): string => reasons[reason]?.title ?? sentence(reason);
export const taskWhy = (reason: string): string | null => reasons[reason]?.why ?? null;

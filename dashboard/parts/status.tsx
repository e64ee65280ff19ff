import { Badge } from '@mantine/core';
import type * as Api from '../http/client/types.gen';

type RegistrationStatus = Api.PatientRecord['registration']['status'];

/** Every word for where something stands or how it ended. */
export type StatusWord =
  | Api.CaseState
  | Api.Outcome
  | Api.CallState
  | Api.DeliveryState
  | Api.TaskState
  | Api.AppointmentStatus
  | Api.WorkflowStatus
  | RegistrationStatus;

const cases: Record<Api.CaseState, { color: string; label: string }> = {
  PENDING: { color: 'blue', label: 'Pending' },
  CALLING: { color: 'pine', label: 'Calling' },
  RECOVERED: { color: 'green', label: 'Recovered' },
  FOLLOW_UP_REQUIRED: { color: 'yellow', label: 'Follow-up required' },
  PRICING_ESCALATION: { color: 'orange', label: 'Pricing escalation' },
  CLINICAL_ESCALATION: { color: 'red', label: 'Clinical escalation' },
  PATIENT_NOT_INTERESTED: { color: 'gray', label: 'Not interested' },
  PATIENT_NOT_REACHED: { color: 'gray', label: 'Not reached' },
  ALREADY_COMPLETED: { color: 'teal', label: 'Already completed' },
};

/** In the order of a case's life. */
export const caseStates = Object.keys(cases) as Api.CaseState[];

const statuses: Record<StatusWord, { color: string; label: string }> = {
  ...cases,

  REGISTERED: { color: 'green', label: 'Registered' },
  REBOOKED: { color: 'green', label: 'Rebooked' },
  ESCALATED: { color: 'red', label: 'Escalated' },
  DECLINED: { color: 'gray', label: 'Declined' },
  CONFIRMED: { color: 'green', label: 'Confirmed' },
  RESCHEDULED: { color: 'green', label: 'Rescheduled' },
  CANCELLED: { color: 'gray', label: 'Cancelled' },
  SELF_PAY: { color: 'green', label: 'Self-pay' },
  BILLING_ESCALATION: { color: 'orange', label: 'Billing escalation' },
  INSURANCE_UPDATED: { color: 'green', label: 'Insurance updated' },
  INFORMED: { color: 'green', label: 'Informed' },

  QUEUED: { color: 'gray', label: 'Queued' },
  RINGING: { color: 'blue', label: 'Ringing' },
  IN_PROGRESS: { color: 'pine', label: 'In progress' },
  ENDED: { color: 'gray', label: 'Ended' },

  DELIVERED: { color: 'green', label: 'Delivered' },
  DEAD: { color: 'red', label: 'Failed' },

  OPEN: { color: 'yellow', label: 'Open' },
  RESOLVED: { color: 'green', label: 'Resolved' },

  booked: { color: 'pine', label: 'Booked' },
  fulfilled: { color: 'green', label: 'Fulfilled' },
  cancelled: { color: 'gray', label: 'Cancelled' },

  started: { color: 'gray', label: 'Started' },
  completed: { color: 'gray', label: 'Completed' },
  failed: { color: 'red', label: 'Failed' },

  COMPLETE: { color: 'green', label: 'Registered' },
  ACTION_REQUIRED: { color: 'yellow', label: 'Action required' },
};

export const labelOf = (state: StatusWord): string => statuses[state].label;

export const isStatusWord = (text: unknown): text is StatusWord =>
  typeof text === 'string' && Object.hasOwn(statuses, text);

/** A state in words, with a colour that only repeats what the words say. */
export function Status({ state, label }: { state: StatusWord; label?: string }) {
  return (
    <Badge color={statuses[state].color} data-state={state} flex="none" miw="max-content">
      {label ?? labelOf(state)}
    </Badge>
  );
}

/** `billing_escalation` → `Billing escalation`; `follow_up` keeps its hyphen. */
export function sentence(code: string): string {
  const words = code.replaceAll(/[_-]+/g, ' ').trim().toLowerCase().replace('follow up', 'follow-up');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

import { Badge } from '@mantine/core';
import type * as api from '#api';
import { t } from '#texts';

type RegistrationStatus = api.PatientRecord['registration']['status'];

/** Every word for where something stands or how it ended. */
export type StatusWord =
  | api.CaseState
  | api.Outcome
  | api.CallState
  | api.DeliveryState
  | api.TaskState
  | api.AppointmentStatus
  | api.WorkflowStatus
  | RegistrationStatus;

const cases: Record<api.CaseState, { color: string; label: string }> = {
  PENDING: { color: 'blue', label: t`Pending` },
  CALLING: { color: 'pine', label: t`Calling` },
  RECOVERED: { color: 'green', label: t`Recovered` },
  FOLLOW_UP_REQUIRED: { color: 'yellow', label: t`Follow-up required` },
  PRICING_ESCALATION: { color: 'orange', label: t`Pricing escalation` },
  CLINICAL_ESCALATION: { color: 'red', label: t`Clinical escalation` },
  PATIENT_NOT_INTERESTED: { color: 'gray', label: t`Not interested` },
  PATIENT_NOT_REACHED: { color: 'gray', label: t`Not reached` },
  ALREADY_COMPLETED: { color: 'teal', label: t`Already completed` },
};

/** In the order of a case's life. */
export const caseStates = Object.keys(cases) as api.CaseState[];

const ends: Record<api.Outcome, true> = {
  RECOVERED: true,
  REGISTERED: true,
  REBOOKED: true,
  CONFIRMED: true,
  RESCHEDULED: true,
  SELF_PAY: true,
  INSURANCE_UPDATED: true,
  INFORMED: true,
  ALREADY_COMPLETED: true,
  FOLLOW_UP_REQUIRED: true,
  ACTION_REQUIRED: true,
  ESCALATED: true,
  CLINICAL_ESCALATION: true,
  PRICING_ESCALATION: true,
  BILLING_ESCALATION: true,
  CANCELLED: true,
  DECLINED: true,
  PATIENT_NOT_INTERESTED: true,
  PATIENT_NOT_REACHED: true,
};

/** How runs of any type end, in the order in which a filter lists them. */
export const outcomes = Object.keys(ends) as api.Outcome[];

const statuses: Record<StatusWord, { color: string; label: string }> = {
  ...cases,

  REGISTERED: { color: 'green', label: t`Registered` },
  REBOOKED: { color: 'green', label: t`Rebooked` },
  ESCALATED: { color: 'red', label: t`Escalated` },
  DECLINED: { color: 'gray', label: t`Declined` },
  CONFIRMED: { color: 'green', label: t`Confirmed` },
  RESCHEDULED: { color: 'green', label: t`Rescheduled` },
  CANCELLED: { color: 'gray', label: t`Cancelled` },
  SELF_PAY: { color: 'green', label: t`Self-pay` },
  BILLING_ESCALATION: { color: 'orange', label: t`Billing escalation` },
  INSURANCE_UPDATED: { color: 'green', label: t`Insurance updated` },
  INFORMED: { color: 'green', label: t`Informed` },

  QUEUED: { color: 'gray', label: t`Queued` },
  RINGING: { color: 'blue', label: t`Ringing` },
  IN_PROGRESS: { color: 'pine', label: t`In progress` },
  ENDED: { color: 'gray', label: t`Ended` },

  DELIVERED: { color: 'green', label: t`Delivered` },
  DEAD: { color: 'red', label: t`Failed` },

  OPEN: { color: 'yellow', label: t`Open` },
  RESOLVED: { color: 'green', label: t`Resolved` },

  booked: { color: 'pine', label: t`Booked` },
  arrived: { color: 'blue', label: t`Arrived` },
  fulfilled: { color: 'green', label: t`Over` },
  noshow: { color: 'orange', label: t`No-show` },
  cancelled: { color: 'gray', label: t`Cancelled` },

  started: { color: 'gray', label: t({ message: 'Started', context: 'of a workflow' }) },
  completed: { color: 'gray', label: t`Completed` },
  failed: { color: 'red', label: t`Failed` },

  COMPLETE: { color: 'green', label: t`Registered` },
  ACTION_REQUIRED: { color: 'yellow', label: t`Registration to complete` },
};

export const labelOf = (state: StatusWord): string => statuses[state].label;

export const isStatusWord = (text: unknown): text is StatusWord =>
  typeof text === 'string' && Object.hasOwn(statuses, text);

/** A state in words, with a colour that only repeats what the words say. */
export const Status = ({ state, label }: { state: StatusWord; label?: string }) => (
  <Badge color={statuses[state].color} data-state={state} flex="none" miw="max-content">
    {label ?? labelOf(state)}
  </Badge>
);

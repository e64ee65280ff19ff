import { Badge } from '@mantine/core';

const colors: Record<string, { color: string; label: string }> = {
  PENDING: { color: 'blue', label: 'Pending' },
  CALLING: { color: 'pine', label: 'Calling' },
  RECOVERED: { color: 'green', label: 'Recovered' },
  FOLLOW_UP_REQUIRED: { color: 'yellow', label: 'Follow-up required' },
  PRICING_ESCALATION: { color: 'orange', label: 'Pricing escalation' },
  CLINICAL_ESCALATION: { color: 'red', label: 'Clinical escalation' },
  PATIENT_NOT_INTERESTED: { color: 'gray', label: 'Not interested' },
  PATIENT_NOT_REACHED: { color: 'gray', label: 'Not reached' },
  ALREADY_COMPLETED: { color: 'teal', label: 'Already completed' },

  QUEUED: { color: 'gray', label: 'Queued' },
  RINGING: { color: 'blue', label: 'Ringing' },
  IN_PROGRESS: { color: 'pine', label: 'In progress' },
  ENDED: { color: 'gray', label: 'Ended' },

  DELIVERED: { color: 'green', label: 'Delivered' },
  DEAD: { color: 'red', label: 'Failed' },

  OPEN: { color: 'yellow', label: 'Open' },
  RESOLVED: { color: 'green', label: 'Resolved' },

  booked: { color: 'pine', label: 'Booked' },
  cancelled: { color: 'gray', label: 'Cancelled' },
  fulfilled: { color: 'green', label: 'Fulfilled' },

  COMPLETE: { color: 'green', label: 'Registered' },
  ACTION_REQUIRED: { color: 'yellow', label: 'Action required' },
};

export const labelOf = (state: string): string => colors[state]?.label ?? sentence(state);

/** A state in words, with a colour that only repeats what the words say. */
export function Status({ state, label }: { state: string; label?: string }) {
  const { color } = colors[state] ?? { color: 'gray' };
  return (
    <Badge color={color} data-state={state} flex="none" miw="max-content">
      {label ?? labelOf(state)}
    </Badge>
  );
}

/** `billing_escalation` → `Billing escalation`; `follow_up` keeps its hyphen. */
export function sentence(code: string): string {
  const words = code.replaceAll(/[_-]+/g, ' ').trim().toLowerCase().replace('follow up', 'follow-up');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

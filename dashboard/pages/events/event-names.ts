import type * as api from '#api';
import { t } from '#texts';
import { optionsOf } from '#words';

type Chosen = api.OutboundSettings['events'][number];

/** The events that a clinic chooses, as people call them, and when each is sent. */
const chosen: Record<Chosen, { label: string; when: string }> = {
  'recovery_case.created': {
    label: t`Case created`,
    when: t`A recovery case was opened, before anybody is called`,
  },
  'recovery_case.outcome': {
    label: t`Case outcome`,
    when: t`A recovery case has ended`,
  },
  'workflow.completed': {
    label: t`Workflow completed`,
    when: t`A workflow of another type has ended`,
  },
};

export const chosenEvents = Object.entries(chosen).map(([value, texts]) => ({ value, ...texts }));

const names = {
  ...Object.fromEntries(Object.entries(chosen).map(([event, { label }]) => [event, label])),
  test: t`Test event`,
} as Record<api.OutboundEvent, string>;

/** Those, and what FHIR Subscriptions are sent. */
const delivered: Record<api.DeliveredEvent, string> = {
  ...names,
  'subscription.handshake': t`Subscription: handshake`,
  'subscription.heartbeat': t`Subscription: heartbeat`,
  'subscription.event': t`Subscription: appointment changed`,
};

export const eventName = (event: api.DeliveredEvent): string => delivered[event];

export const isOutboundEvent = (text: unknown): text is api.OutboundEvent =>
  typeof text === 'string' && Object.hasOwn(names, text);

export const isDeliveredEvent = (text: unknown): text is api.DeliveredEvent =>
  typeof text === 'string' && Object.hasOwn(delivered, text);

export const isChosenEvent = (text: unknown): text is Chosen => typeof text === 'string' && Object.hasOwn(chosen, text);

export const eventOptions = optionsOf(names);
export const chosenOptions = eventOptions.filter(({ value }) => isChosenEvent(value));
export const deliveredOptions = optionsOf(delivered);

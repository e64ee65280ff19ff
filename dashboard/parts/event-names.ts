import type * as Api from '../http/client/types.gen';

/** Outgoing events as people call them. */
const names: Record<Api.OutboundEvent, string> = {
  'recovery_case.created': 'Case created',
  'recovery_case.outcome': 'Case outcome',
  'workflow.completed': 'Workflow completed',
  test: 'Test event',
};

export const eventName = (event: Api.OutboundEvent): string => names[event];

export const isOutboundEvent = (text: unknown): text is Api.OutboundEvent =>
  typeof text === 'string' && Object.hasOwn(names, text);

export const eventOptions = Object.entries(names).map(([value, label]) => ({ value, label }));

import { t } from '@lingui/core/macro';
import type * as Api from '../http/client/types.gen';

/** Outgoing events as people call them. */
const names: Record<Api.OutboundEvent, string> = {
  'recovery_case.created': t`Case created`,
  'recovery_case.outcome': t`Case outcome`,
  'workflow.completed': t`Workflow completed`,
  test: t`Test event`,
};

export const eventName = (event: Api.OutboundEvent): string => names[event];

export const isOutboundEvent = (text: unknown): text is Api.OutboundEvent =>
  typeof text === 'string' && Object.hasOwn(names, text);

export const eventOptions = Object.entries(names).map(([value, label]) => ({ value, label }));

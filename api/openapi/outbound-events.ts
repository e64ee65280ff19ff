import { OutboundBody, type SentEventName } from '@clinic/shared/contracts/outbound-events';
import type { Components } from './json-schema';

const summaries: Record<SentEventName, string> = {
  'recovery_case.created': 'A recovery case was created; nobody was called yet',
  'recovery_case.outcome': 'A recovery case reached its terminal status',
  'workflow.completed': 'A workflow of another type has ended (opt-in)',
  test: 'Somebody pressed "send test event"',
};

/** What a summary has no room for. */
const descriptions: Partial<Record<SentEventName, string>> = {
  'recovery_case.outcome':
    '`RECOVERED` says that the patient agreed to finish and was promised the resume link. This service sends nothing to patients: your system sends the link of `sessionId` when this event comes.',
};

const headers = [
  { name: 'webhook-id', description: 'The same at every attempt of an event: the key to tell repeats by' },
  { name: 'webhook-timestamp', description: 'Seconds since 1970, of this attempt' },
  {
    name: 'webhook-signature',
    description: 'Standard Webhooks v1: `v1,<base64 HMAC-SHA256 of id.timestamp.body>`; two while a secret is rotated',
  },
].map((header) => ({ ...header, in: 'header', required: true, schema: { type: 'string' } }));

/** What the service posts to the registered URL, for OpenAPI's `webhooks`. */
export function documentOutboundEvents({ schemaOf }: Components): Record<string, unknown> {
  return Object.fromEntries(
    OutboundBody.options.map((body) => {
      const event = body.shape.event.value;
      const post = {
        tags: ['Outbound events'],
        operationId: `on.${event}`,
        summary: summaries[event],
        ...(descriptions[event] && { description: descriptions[event] }),
        security: [],
        parameters: headers,
        requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'output') } } },
        responses: {
          '2XX': { description: 'Delivered' },
          '410': { description: 'Disables the endpoint until it is registered again' },
          default: { description: 'Tried again, over about three days' },
        },
      };
      return [event, { post }];
    }),
  );
}

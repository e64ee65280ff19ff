import { OutboundBody, outboundEvents } from '@clinic/shared/contracts/events/outbound-events';
import { deliveryWaitsMs } from '@clinic/shared/domain/events/delivery-schedule';
import type { Components } from './json-schema';

const DAY_MS = 86_400_000;
const days = Math.round(deliveryWaitsMs.reduce((sum: number, wait) => sum + wait, 0) / DAY_MS);

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
      const { summary, description } = outboundEvents[event];
      const post = {
        tags: ['Outbound events'],
        operationId: `on.${event}`,
        summary,
        description,
        security: [],
        parameters: headers,
        requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'output') } } },
        responses: {
          '2XX': { description: 'Delivered' },
          '410': { description: 'Disables the endpoint until it is registered again' },
          default: { description: `Tried again, over about ${days} days` },
        },
      };
      return [event, { post }];
    }),
  );
}

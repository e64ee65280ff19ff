import { z } from 'zod';
import { defaultOutboundEvents, OutboundEventName } from './outbound-events';
import { Instant, Line } from '../primitives';
import { TargetUrl } from './target-url';

/** `POST /api/integrations/outbound/endpoints`, and `PUT …/endpoints/{endpointId}`. */
export const FurtherEndpointSettings = z.strictObject({
  name: Line.max(60).describe('By which people know it: what receives the events there'),
  url: TargetUrl,
  enabled: z.boolean().default(true),
  events: z
    .array(OutboundEventName)
    .min(1, 'choose one event at least')
    .max(20)
    .default(defaultOutboundEvents)
    .transform((events) => [...new Set(events)]),
});
export type FurtherEndpointSettings = z.output<typeof FurtherEndpointSettings>;

export const FurtherEndpointView = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string(),
    enabled: z.boolean(),
    events: z.array(OutboundEventName),
    disabledReason: z.string().nullable().describe('Why the service switched it off; saving it again clears it'),
    createdAt: Instant,
    secretCreatedAt: Instant.nullable(),
    previousSecretExpiresAt: Instant.nullable().describe('Until then events carry a signature of the old secret too'),
  })
  .meta({ id: 'FurtherEndpoint' });
export type FurtherEndpointView = z.infer<typeof FurtherEndpointView>;

export const FurtherEndpoints = z.object({ items: z.array(FurtherEndpointView) });

export const NewFurtherEndpoint = FurtherEndpointView.extend({
  secret: z.string().describe('Events to this endpoint are signed with it. Shown here and never again'),
}).meta({ id: 'NewFurtherEndpoint' });

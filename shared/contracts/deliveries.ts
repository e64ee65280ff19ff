import { z } from 'zod';
import { deliveryStates } from '../domain/delivery-state';
import { SentEventName } from './outbound-events';
import { Facts, Instant, Page } from './primitives';

export const DeliveryState = z.enum(deliveryStates).meta({ id: 'DeliveryState' });

/** `GET /api/deliveries`. */
export const ListDeliveries = Page.extend({
  state: DeliveryState.optional(),
  event: SentEventName.optional(),
  subject: z.string().max(100).optional(),
});

export const DeliveryView = z
  .object({
    id: z.string(),
    event: SentEventName,
    subject: z.string(),
    state: DeliveryState,
    createdAt: Instant,
    deliveredAt: Instant.nullable(),
    nextAttemptAt: Instant.nullable(),
    data: Facts,
    attempts: z.array(
      z.object({
        at: Instant,
        url: z.string(),
        status: z.int().nullable(),
        error: z.string().nullable(),
        durationMs: z.int(),
        response: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Delivery' });
export type DeliveryView = z.infer<typeof DeliveryView>;

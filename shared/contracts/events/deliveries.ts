import { z } from 'zod';
import { timeOrders } from '../../domain/list-order';
import { deliveryStates } from '../../domain/events/delivery-state';
import { DeliveredEventName } from './outbound-events';
import { PatientName } from '../patients/patients';
import { CountedPage, Facts, Id, Instant, IsSimulated, Moment, orderOf } from '../primitives';
import { WorkflowTypeName } from '../outreach/workflows';

export const DeliveryState = z.enum(deliveryStates).meta({ id: 'DeliveryState' });

/** One endpoint of a clinic, in a query or a body. */
export const EndpointChoice = Id.describe(
  '`first`, or the id of a further endpoint; of deliveries also that of a FHIR Subscription',
);

/** `GET /api/deliveries`. */
export const ListDeliveries = CountedPage.extend({
  state: DeliveryState.optional(),
  event: DeliveredEventName.optional(),
  subject: z.string().max(100).optional(),
  endpointId: EndpointChoice.optional(),
  from: Moment.optional().describe('Of events that happened on this day of the clinic, at this instant, or later'),
  until: Moment.optional().describe('Of events that happened before'),
  order: orderOf(timeOrders),
});

export const DeliveryView = z
  .object({
    id: z.string(),
    eventId: z.string().describe('The `webhook-id`, the same at every endpoint'),
    event: DeliveredEventName,
    subject: z.string(),
    endpoint: z
      .object({ id: z.string(), name: z.string(), kind: z.enum(['endpoint', 'subscription']) })
      .nullable()
      .describe(
        "The further endpoint that it goes to, or the FHIR Subscription, by its reason; null: the clinic's first endpoint",
      ),
    about: z
      .object({
        patient: PatientName.nullable(),
        workflowId: z.string(),
        workflowType: WorkflowTypeName,
        recoveryCaseId: z.string().nullable(),
        isSimulated: IsSimulated,
      })
      .nullable()
      .describe(
        'Whom it tells of; null for test events and samples, in the timeline of a case, and once it was erased',
      ),
    isSample: z.boolean().describe('Made up, and sent because somebody asked for a sample'),
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

/** `GET /api/integrations/outbound/health`, and that of a further endpoint. */
export const ReceiverHealth = z
  .object({
    state: z
      .enum(['unset', 'off', 'healthy', 'failing'])
      .describe('unset: no URL is registered; off: it is switched off; failing: its last attempt failed'),
    failuresInARow: z.int(),
    failingSince: Instant.nullable(),
    pausedUntil: Instant.nullable().describe('Nothing is sent before: it has failed too often'),
    waiting: z.int().describe('Deliveries that are still to be sent or sent again, up to 1,000'),
    failed: z.int().describe('Deliveries that were given up and not sent again, up to 1,000'),
    hours: z
      .array(z.object({ from: Instant, delivered: z.int(), failed: z.int(), slowestMs: z.int().nullable() }))
      .describe(
        'Attempts of the last 24 hours, by the hour in which they were made, the oldest first; the newest 20,000 of them',
      ),
  })
  .meta({ id: 'ReceiverHealth' });
export type ReceiverHealth = z.infer<typeof ReceiverHealth>;

import { Instant, Page } from '@clinic/shared/contracts/primitives';
import { AppError } from '@clinic/shared/errors';
import type { Stores } from '@clinic/prisma/stores';
import type { DeliveryRecord } from '@clinic/prisma/stores/deliveries';
import { z } from 'zod';
import { objectOf, pageOf } from '../http/listing';
import { actorOf, route, type Route } from '../http/route';
import type { Dispatcher } from '../dispatcher';

const tag = 'Deliveries';
const DeliveryPath = z.object({ deliveryId: z.string() });
const DeliveryState = z.enum(['PENDING', 'DELIVERED', 'DEAD']);

export const DeliveryView = z
  .object({
    id: z.string(),
    event: z.string(),
    subject: z.string(),
    state: DeliveryState,
    createdAt: Instant,
    deliveredAt: Instant.nullable(),
    nextAttemptAt: Instant.nullable(),
    data: z.record(z.string(), z.unknown()),
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

const unknown = { description: 'No such delivery of this clinic' };

/** Outgoing events and every attempt at them (decisions, sections 8 and 11). */
export function deliveryRoutes({ stores, temporal }: { stores: Stores; temporal: Dispatcher }): Route[] {
  const find = async (clinicId: string, deliveryId: string): Promise<DeliveryRecord> => {
    const delivery = await stores.deliveries.find(clinicId, deliveryId);
    if (!delivery) throw new AppError('not_found', `Delivery ${deliveryId} not found`);
    return delivery;
  };

  return [
    route({
      method: 'get',
      path: '/deliveries',
      access: 'clinic',
      tag,
      summary: 'List deliveries, newest first',
      query: Page.extend({
        state: DeliveryState.optional(),
        event: z.string().max(100).optional(),
        subject: z.string().max(100).optional(),
      }),
      responses: {
        200: {
          description: 'A page of deliveries',
          schema: pageOf(DeliveryView),
        },
      },
      async handle({ caller, query }) {
        const { items, nextCursor } = await stores.deliveries.list(caller.clinicId, query);
        return { body: { items: items.map(toDelivery), nextCursor } };
      },
    }),
    route({
      method: 'get',
      path: '/deliveries/:deliveryId',
      access: 'clinic',
      tag,
      summary: 'One delivery with its attempts',
      params: DeliveryPath,
      responses: { 200: { description: 'The delivery', schema: DeliveryView }, 404: unknown },
      handle: async ({ caller, params }) => ({ body: toDelivery(await find(caller.clinicId, params.deliveryId)) }),
    }),
    route({
      method: 'post',
      path: '/deliveries/:deliveryId/resend',
      access: 'clinic',
      tag,
      summary: 'Send an event again, now',
      params: DeliveryPath,
      isIdempotent: true,
      responses: {
        200: { description: 'Queued', schema: DeliveryView },
        404: unknown,
        409: { description: 'An attempt is under way' },
      },
      async handle({ caller, params: { deliveryId }, requestId }) {
        const { clinicId } = caller;
        const queued = await stores.deliveries.resend(clinicId, deliveryId);
        if (!queued) throw new AppError('not_found', `Delivery ${deliveryId} not found`);
        temporal.wakeDeliveries({ clinicId, subject: queued.subject });
        await stores.audit.write({
          clinicId,
          ...actorOf(caller, requestId),
          action: 'delivery.resend',
          subject: deliveryId,
        });
        return { body: toDelivery(await find(clinicId, deliveryId)) };
      },
    }),
  ];
}

export function toDelivery({ event, attempts, ...delivery }: DeliveryRecord): z.input<typeof DeliveryView> {
  return {
    id: delivery.id,
    event: event.event,
    subject: event.subject,
    state: DeliveryState.parse(delivery.state),
    createdAt: delivery.createdAt.toISOString(),
    deliveredAt: delivery.deliveredAt?.toISOString() ?? null,
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    data: objectOf(event.data) ?? {},
    attempts: attempts.map(({ at, url, status, error, durationMs, response }) => ({
      at: at.toISOString(),
      url,
      status,
      error,
      durationMs,
      response,
    })),
  };
}

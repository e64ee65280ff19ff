import { DeliveryState, DeliveryView, ListDeliveries } from '@clinic/shared/contracts/deliveries';
import { SentEventName } from '@clinic/shared/contracts/outbound-events';
import { AppError } from '@clinic/shared/errors';
import type { DeliveryRecord } from '@clinic/prisma/stores/deliveries';
import { z } from 'zod';
import { factsOf } from '../http/facts';
import { listRoute, mapPage } from '../http/list-route';
import { actorOf, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

const tag = 'Deliveries';
const DeliveryPath = z.object({ deliveryId: z.string() });
const unknown = { description: 'No such delivery of this clinic' };

/** Outgoing events and every attempt at them (decisions, sections 8 and 11). */
export function deliveryRoutes({ stores, temporal }: RouteDeps): Route[] {
  const find = async (clinicId: string, deliveryId: string): Promise<DeliveryRecord> => {
    const delivery = await stores.deliveries.find(clinicId, deliveryId);
    if (!delivery) throw new AppError('not_found', `Delivery ${deliveryId} not found`);
    return delivery;
  };

  return [
    listRoute({
      path: '/deliveries',
      access: 'clinic',
      patientData: { action: 'delivery.list' },
      tag,
      summary: 'List deliveries, newest first',
      query: ListDeliveries,
      item: DeliveryView,
      items: 'deliveries',
      subjectOf: ({ subject }) => subject,
      read: async ({ caller, query }) => mapPage(await stores.deliveries.list(caller.clinicId, query), toDelivery),
    }),
    route({
      method: 'get',
      path: '/deliveries/:deliveryId',
      access: 'clinic',
      patientData: { action: 'delivery.read' },
      tag,
      summary: 'One delivery with its attempts',
      params: DeliveryPath,
      responses: { 200: { description: 'The delivery', schema: DeliveryView }, 404: unknown },
      async handle({ caller, params }) {
        const delivery = toDelivery(await find(caller.clinicId, params.deliveryId));
        return { body: delivery, subjects: [delivery.subject] };
      },
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

export function toDelivery({ event, attempts, ...delivery }: DeliveryRecord): DeliveryView {
  return {
    id: delivery.id,
    event: SentEventName.parse(event.event),
    subject: event.subject,
    state: DeliveryState.parse(delivery.state),
    createdAt: delivery.createdAt.toISOString(),
    deliveredAt: delivery.deliveredAt?.toISOString() ?? null,
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    data: factsOf(event.data) ?? {},
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

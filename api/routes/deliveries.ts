import { BulkStarted, ResendDeliveries } from '@clinic/shared/contracts/bulk-jobs';
import { DeliveryState, DeliveryView, ListDeliveries } from '@clinic/shared/contracts/deliveries';
import { SentEventName } from '@clinic/shared/contracts/outbound-events';
import { WorkflowTypeName } from '@clinic/shared/contracts/workflows';
import { FIRST_ENDPOINT } from '@clinic/shared/domain/outbound-endpoint';
import { AppError } from '@clinic/shared/errors';
import {
  type DeliveryRecord,
  type DeliveryWithAbout,
  type NamedEndpoint,
  SAMPLE,
} from '@clinic/prisma/stores/deliveries';
import { z } from 'zod';
import { beginBulkJob } from '../bulk-jobs';
import { factsOf } from '../http/facts';
import { countedPage, listRoute, mapPage } from '../http/list-route';
import { actorOf, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';
import { momentOf } from './appointments';

const tag = 'Deliveries';
const DeliveryPath = z.object({ deliveryId: z.string() });
const unknown = { description: 'No such delivery of this clinic' };

/** Outgoing events and every attempt at them (decisions, sections 8 and 11). */
export function deliveryRoutes({ stores, temporal }: RouteDeps): Route[] {
  const find = async (clinicId: string, deliveryId: string): Promise<DeliveryWithAbout> => {
    const delivery = await stores.deliveries.find(clinicId, deliveryId);
    if (!delivery) throw new AppError('not_found', `Delivery ${deliveryId} not found`);
    return delivery;
  };

  const isEndpointOn = async (clinicId: string, endpointId: string | null): Promise<boolean> => {
    if (endpointId === null) {
      const { url, isEnabled } = await stores.clinics.outboundEndpoint(clinicId);
      return url !== null && isEnabled;
    }
    const endpoint = await stores.endpoints.find(clinicId, endpointId);
    if (!endpoint) throw new AppError('not_found', `Endpoint ${endpointId} not found`);
    return endpoint.isEnabled;
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
      isCounted: true,
      subjectOf: namedBy,
      async read({ caller: { clinicId }, query: { limit, cursor, total, from, until, endpointId, ...query } }) {
        const zone = (await stores.agendas.of(clinicId))?.zone ?? 'UTC';
        const span = { from: momentOf('from', from, zone), until: momentOf('until', until, zone) };
        const filter = { ...query, ...span, endpointId: endpointId === 'first' ? FIRST_ENDPOINT : endpointId };
        const page = await countedPage(
          { cursor, total },
          {
            list: () => stores.deliveries.list(clinicId, { ...filter, limit, cursor }),
            count: () => stores.deliveries.count(clinicId, filter),
          },
        );
        return mapPage(page, toDelivery);
      },
    }),
    route({
      method: 'post',
      path: '/deliveries/resend',
      access: 'admin',
      tag,
      summary: 'Send all failed events of a time to an endpoint again, or say how many these would be',
      description:
        'A dry run, unless `dryRun` is false. They are sent again in their order: one in the first second, twice as many in each second after it, up to 64; while the receiver fails, one at a time. `job` is the handle that says how far it is.',
      body: ResendDeliveries,
      isIdempotent: true,
      responses: {
        200: { description: 'What it is about, and its handle once it has begun', schema: BulkStarted },
        404: { description: 'No such further endpoint of this clinic' },
        409: { description: 'Events are being sent again already, or the endpoint has no URL or is off' },
      },
      async handle({ caller, body, requestId }) {
        const { clinicId } = caller;
        const endpointId = body.endpointId === 'first' ? null : body.endpointId;
        const isOn = await isEndpointOn(clinicId, endpointId);
        if (!body.dryRun && !isOn) {
          throw new AppError(
            'conflict',
            endpointId === null ? 'No outbound URL is registered and enabled' : 'This endpoint is switched off',
          );
        }
        const asked = { ...body, endpointId, kind: 'resend_deliveries' as const };
        return { body: await beginBulkJob(stores, clinicId, asked, actorOf(caller, requestId)) };
      },
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
        return { body: delivery, subjects: [namedBy(delivery)] };
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
        409: { description: 'An attempt is under way, or its endpoint was removed' },
      },
      async handle({ caller, params: { deliveryId }, requestId }) {
        const { clinicId } = caller;
        const queued = await stores.deliveries.resend(clinicId, deliveryId);
        if (!queued) throw new AppError('not_found', `Delivery ${deliveryId} not found`);
        temporal.wakeDeliveries({ clinicId, ...queued });
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

/** Whose data it is: the patient's, or what names them. */
const namedBy = ({ about, subject }: DeliveryView): string => about?.patient?.id ?? subject;

export function toDelivery({
  event,
  attempts,
  about = null,
  ...delivery
}: DeliveryRecord & { about?: DeliveryWithAbout['about']; endpoint: NamedEndpoint }): DeliveryView {
  return {
    id: delivery.id,
    eventId: delivery.eventId,
    endpoint: delivery.endpoint,
    event: SentEventName.parse(event.event),
    subject: event.subject,
    about: about && aboutOf(about),
    isSample: event.subject.startsWith(SAMPLE),
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

const aboutOf = (about: NonNullable<DeliveryWithAbout['about']>): DeliveryView['about'] => ({
  patient:
    about.patientId === null
      ? null
      : { id: about.patientId, firstName: about.firstName ?? '', lastName: about.lastName ?? '' },
  workflowId: about.workflowId,
  workflowType: WorkflowTypeName.parse(about.workflowType),
  recoveryCaseId: about.caseId,
});

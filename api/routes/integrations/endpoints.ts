import { DeliveryView, ReceiverHealth } from '@clinic/shared/contracts/deliveries';
import {
  FurtherEndpoints,
  FurtherEndpointSettings,
  FurtherEndpointView,
  NewFurtherEndpoint,
} from '@clinic/shared/contracts/outbound-endpoints';
import { OutboundEventName, SampleEvent } from '@clinic/shared/contracts/outbound-events';
import { newId } from '@clinic/shared/crypto';
import { deliveryIdOf, MAX_ENDPOINTS } from '@clinic/shared/domain/outbound-endpoint';
import { AppError } from '@clinic/shared/errors';
import { SAMPLE } from '@clinic/prisma/stores/deliveries';
import type { FurtherEndpointRecord } from '@clinic/prisma/stores/endpoints';
import { z } from 'zod';
import { actorOf, route, type Route } from '../../http/route';
import type { RouteDeps } from '../../route-deps';
import { toDelivery } from '../deliveries';
import { sampleOf, toHealth } from './outbound';

const tag = 'Integrations: outbound events';
const path = '/integrations/outbound/endpoints';
const onePath = `${path}/:endpointId` as const;
const EndpointPath = z.object({ endpointId: z.string() });
const unknown = { description: 'No such further endpoint of this clinic' };

/** Receivers of outcome events beside the first one: each with its own URL, events, signing secret, order and health. */
export function endpointRoutes({ stores, temporal }: RouteDeps): Route[] {
  const find = async (clinicId: string, endpointId: string): Promise<FurtherEndpointRecord> =>
    (await stores.endpoints.find(clinicId, endpointId)) ?? refuse(endpointId);
  const viewsOf = async (clinicId: string, endpoints: FurtherEndpointRecord[]): Promise<FurtherEndpointView[]> => {
    const secrets = await stores.keys.listFurtherSigning(clinicId);
    return endpoints.map(({ isEnabled, events, createdAt, ...endpoint }) => {
      const own = secrets.filter(({ endpointId }) => endpointId === endpoint.id);
      return {
        ...endpoint,
        enabled: isEnabled,
        events: events.flatMap((event) => OutboundEventName.safeParse(event).data ?? []),
        createdAt: createdAt.toISOString(),
        secretCreatedAt: own.find(({ expiresAt }) => expiresAt === null)?.createdAt.toISOString() ?? null,
        previousSecretExpiresAt: own.find(({ expiresAt }) => expiresAt !== null)?.expiresAt?.toISOString() ?? null,
      };
    });
  };
  const viewOf = async (clinicId: string, endpoint: FurtherEndpointRecord): Promise<FurtherEndpointView> => {
    const [view] = await viewsOf(clinicId, [endpoint]);
    return view ?? refuse(endpoint.id);
  };

  return [
    route({
      method: 'get',
      path,
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'The further endpoints, the oldest first; the first one is `GET /integrations/outbound`',
      responses: { 200: { description: 'The endpoints', schema: FurtherEndpoints } },
      handle: async ({ caller: { clinicId } }) => ({
        body: { items: await viewsOf(clinicId, await stores.endpoints.list(clinicId)) },
      }),
    }),
    route({
      method: 'post',
      path,
      access: 'admin',
      tag,
      summary: 'Add a further endpoint; its signing secret is shown once',
      description:
        'It is sent the events that happen from then on: the same bodies under the same `webhook-id` as at the other endpoints, in an order, with retries and with a fate of its own.',
      body: FurtherEndpointSettings,
      responses: {
        200: { description: 'The endpoint, with its secret', schema: NewFurtherEndpoint },
        409: { description: `There are ${MAX_ENDPOINTS} endpoints already, the first one included` },
      },
      async handle({ caller, body, requestId }) {
        const { clinicId } = caller;
        const added = await stores.endpoints.add(clinicId, settingsOf(body), actorOf(caller, requestId));
        if (!added) {
          throw new AppError('conflict', `A clinic has ${MAX_ENDPOINTS} endpoints at most; remove one first`);
        }
        return { body: { ...(await viewOf(clinicId, added.endpoint)), secret: added.secret } };
      },
    }),
    route({
      method: 'get',
      path: onePath,
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'One further endpoint',
      params: EndpointPath,
      responses: { 200: { description: 'The endpoint', schema: FurtherEndpointView }, 404: unknown },
      handle: async ({ caller: { clinicId }, params }) => ({
        body: await viewOf(clinicId, await find(clinicId, params.endpointId)),
      }),
    }),
    route({
      method: 'put',
      path: onePath,
      access: 'admin',
      tag,
      summary: 'Change a further endpoint, pause it, or switch it on again',
      description:
        'While it is off, new events get no delivery to it, and waiting ones end as failed; both as at the first endpoint.',
      params: EndpointPath,
      body: FurtherEndpointSettings,
      responses: { 200: { description: 'The endpoint as it is now', schema: FurtherEndpointView }, 404: unknown },
      async handle({ caller, params: { endpointId }, body, requestId }) {
        const { clinicId } = caller;
        const changed = await stores.endpoints.change(
          clinicId,
          endpointId,
          settingsOf(body),
          actorOf(caller, requestId),
        );
        return { body: await viewOf(clinicId, changed ?? refuse(endpointId)) };
      },
    }),
    route({
      method: 'delete',
      path: onePath,
      access: 'admin',
      tag,
      summary: 'Remove a further endpoint; what waits for it ends as failed, with the error `endpoint_removed`',
      params: EndpointPath,
      responses: { 204: { description: 'Removed' }, 404: unknown },
      async handle({ caller, params: { endpointId }, requestId }) {
        if (!(await stores.endpoints.remove(caller.clinicId, endpointId, actorOf(caller, requestId))))
          refuse(endpointId);
        return { status: 204 };
      },
    }),
    route({
      method: 'post',
      path: `${onePath}/test`,
      access: 'admin',
      tag,
      summary: 'Send a test event, or a sample of an event, to this endpoint alone',
      params: EndpointPath,
      body: SampleEvent,
      isIdempotent: true,
      responses: {
        200: { description: 'The delivery', schema: DeliveryView },
        404: unknown,
        409: { description: 'The endpoint is switched off' },
      },
      async handle({ caller, params: { endpointId }, body: { event }, requestId }) {
        const { clinicId } = caller;
        const { isEnabled } = await find(clinicId, endpointId);
        if (!isEnabled) throw new AppError('conflict', 'This endpoint is switched off');
        const subject = `${SAMPLE}${newId()}`;
        const eventId = await stores.deliveries.emit({
          clinicId,
          onlyTo: endpointId,
          ...(event !== 'test' && { subject }),
          ...sampleOf(event, subject),
        });
        const delivery = await stores.deliveries.find(clinicId, deliveryIdOf(eventId, endpointId));
        if (!delivery) throw new AppError('conflict', 'This endpoint is switched off');
        temporal.wakeDeliveries({ clinicId, subject: delivery.event.subject, endpointId });
        await stores.audit.write({
          clinicId,
          ...actorOf(caller, requestId),
          action: 'endpoint.test',
          subject: endpointId,
          detail: { event, deliveryId: delivery.id },
        });
        return { body: toDelivery(delivery) };
      },
    }),
    route({
      method: 'get',
      path: `${onePath}/health`,
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'How a further endpoint does, and did in the last 24 hours',
      params: EndpointPath,
      responses: { 200: { description: 'Its health', schema: ReceiverHealth }, 404: unknown },
      async handle({ caller: { clinicId }, params: { endpointId } }) {
        await find(clinicId, endpointId);
        return { body: toHealth(await stores.deliveries.receiver(clinicId, endpointId)) };
      },
    }),
    route({
      method: 'post',
      path: `${onePath}/rotate-secret`,
      access: 'admin',
      tag,
      summary: 'Make a new signing secret of this endpoint, shown once; its events carry both signatures for 24 h',
      params: EndpointPath,
      responses: {
        200: { description: 'The new secret', schema: z.object({ secret: z.string() }) },
        404: unknown,
      },
      async handle({ caller, params: { endpointId }, requestId }) {
        const { clinicId } = caller;
        await find(clinicId, endpointId);
        return { body: { secret: await stores.keys.rotateSigning(clinicId, actorOf(caller, requestId), endpointId) } };
      },
    }),
  ];
}

function refuse(endpointId: string): never {
  throw new AppError('not_found', `Endpoint ${endpointId} not found`);
}

const settingsOf = ({ enabled, ...settings }: FurtherEndpointSettings) => ({ ...settings, isEnabled: enabled });

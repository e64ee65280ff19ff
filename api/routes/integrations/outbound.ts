import { DeliveryView } from '@clinic/shared/contracts/deliveries';
import {
  OutboundEventName,
  OutboundSettings,
  OutboundView,
  type TestEvent,
} from '@clinic/shared/contracts/outbound-events';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import { actorOf, route, type Route } from '../../http/route';
import type { RouteDeps } from '../../route-deps';
import { toDelivery } from '../deliveries';

const tag = 'Integrations: outbound events';

/** Where outcome events are sent, which ones, and the secret they are signed with. */
export function outboundRoutes({ stores, temporal }: RouteDeps): Route[] {
  const view = async (clinicId: string): Promise<z.infer<typeof OutboundView>> => {
    const [{ url, isEnabled, events, disabledReason }, secrets] = await Promise.all([
      stores.clinics.outboundEndpoint(clinicId),
      stores.keys.listSigning(clinicId),
    ]);
    const live = secrets.find(({ expiresAt }) => expiresAt === null);
    const previous = secrets.find(({ expiresAt }) => expiresAt !== null);
    return {
      url,
      disabledReason,
      enabled: isEnabled,
      events: events.flatMap((event) => OutboundEventName.safeParse(event).data ?? []),
      secretCreatedAt: live?.createdAt.toISOString() ?? null,
      previousSecretExpiresAt: previous?.expiresAt?.toISOString() ?? null,
    };
  };

  return [
    route({
      method: 'get',
      path: '/integrations/outbound',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'The registered URL and the events it receives',
      responses: { 200: { description: 'The settings', schema: OutboundView } },
      handle: async ({ caller }) => ({ body: await view(caller.clinicId) }),
    }),
    route({
      method: 'put',
      path: '/integrations/outbound',
      access: 'admin',
      tag,
      summary: 'Register the URL that outcome events are sent to',
      body: OutboundSettings,
      responses: { 200: { description: 'The settings as they are now', schema: OutboundView } },
      async handle({ caller, body: { url, enabled, events }, requestId }) {
        const endpoint = { url, events, isEnabled: enabled };
        await stores.clinics.setOutboundEndpoint(caller.clinicId, endpoint, actorOf(caller, requestId));
        return { body: await view(caller.clinicId) };
      },
    }),
    route({
      method: 'post',
      path: '/integrations/outbound/test',
      access: 'admin',
      tag,
      summary: 'Send a test event now; its delivery shows what became of it',
      isIdempotent: true,
      responses: {
        200: { description: 'The delivery of the test event', schema: DeliveryView },
        409: { description: 'No URL is registered and enabled' },
      },
      async handle({ caller, requestId }) {
        const { clinicId } = caller;
        const data: TestEvent = { message: 'This is a test event.' };
        const deliveryId = await stores.deliveries.emit({ clinicId, event: 'test', data });
        const delivery = await stores.deliveries.find(clinicId, deliveryId);
        if (!delivery) throw new AppError('conflict', 'No outbound URL is registered and enabled');
        temporal.wakeDeliveries({ clinicId, subject: delivery.event.subject });
        await stores.audit.write({
          clinicId,
          ...actorOf(caller, requestId),
          action: 'outbound.test',
          subject: deliveryId,
        });
        return { body: toDelivery(delivery) };
      },
    }),
    route({
      method: 'post',
      path: '/integrations/outbound/rotate-secret',
      access: 'admin',
      tag,
      summary: 'Make a new signing secret, shown once; events carry both signatures for 24 h',
      responses: { 200: { description: 'The new secret', schema: z.object({ secret: z.string() }) } },
      async handle({ caller, requestId }) {
        return { body: { secret: await stores.keys.rotateSigning(caller.clinicId, actorOf(caller, requestId)) } };
      },
    }),
  ];
}

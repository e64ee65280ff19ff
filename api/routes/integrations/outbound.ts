import { DeliveryView, ReceiverHealth } from '@clinic/shared/contracts/deliveries';
import {
  type OutboundEvent,
  OutboundEventName,
  OutboundSettings,
  OutboundView,
  SampleEvent,
  type SentEventName,
} from '@clinic/shared/contracts/outbound-events';
import { newId } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import { type ReceiverRecord, SAMPLE } from '@clinic/prisma/stores/deliveries';
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
      summary: 'Send a test event, or a sample of an event, now; its delivery shows what became of it',
      description:
        'A sample has the body of its event with ids that begin with `sample-`, and the header `x-clinic-simulated`. It is sent whatever events are chosen.',
      body: SampleEvent,
      isIdempotent: true,
      responses: {
        200: { description: 'The delivery', schema: DeliveryView },
        409: { description: 'No URL is registered and enabled' },
      },
      async handle({ caller, body: { event }, requestId }) {
        const { clinicId } = caller;
        const subject = `${SAMPLE}${newId()}`;
        const sample = sampleOf(event, subject);
        const deliveryId = await stores.deliveries.emit({ clinicId, ...(event !== 'test' && { subject }), ...sample });
        const delivery = await stores.deliveries.find(clinicId, deliveryId);
        if (!delivery) throw new AppError('conflict', 'No outbound URL is registered and enabled');
        temporal.wakeDeliveries({ clinicId, subject: delivery.event.subject });
        await stores.audit.write({
          clinicId,
          ...actorOf(caller, requestId),
          action: 'outbound.test',
          subject: deliveryId,
          detail: { event },
        });
        return { body: toDelivery(delivery) };
      },
    }),
    route({
      method: 'get',
      path: '/integrations/outbound/health',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'How the registered URL does, and did in the last 24 hours',
      responses: { 200: { description: 'Its health', schema: ReceiverHealth } },
      handle: async ({ caller }) => ({ body: toHealth(await stores.deliveries.receiver(caller.clinicId)) }),
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

export function toHealth({ url, isEnabled, failures, hours, ...receiver }: ReceiverRecord): ReceiverHealth {
  return {
    state: url === null ? 'unset' : !isEnabled ? 'off' : failures > 0 ? 'failing' : 'healthy',
    failuresInARow: failures,
    failingSince: receiver.failingSince?.toISOString() ?? null,
    pausedUntil: receiver.pausedUntil?.toISOString() ?? null,
    waiting: receiver.waiting,
    failed: receiver.failed,
    hours: hours.map(({ from, ...counts }) => ({ ...counts, from: from.toISOString() })),
  };
}

/** What an event of this name carries, about nobody: the compiler sees to it that every event has one. */
export function sampleOf(event: SentEventName, subject: string): OutboundEvent {
  const sessionId = subject;
  switch (event) {
    case 'recovery_case.created':
      return {
        event,
        data: { recoveryCaseId: subject, sessionId, patientFirstName: 'Sample', patientLastName: 'Patient' },
      };
    case 'recovery_case.outcome':
      return { event, data: { recoveryCaseId: subject, sessionId, recoveryStatus: 'RECOVERED' } };
    case 'workflow.completed':
      return {
        event,
        data: { workflowId: subject, workflowType: 'appointment-reminder', sessionId, outcome: 'CONFIRMED' },
      };
    case 'test':
      return { event, data: { message: 'This is a test event.' } };
  }
}

import { DeliveryView, ReceiverHealth } from '@clinic/shared/contracts/events/deliveries';
import {
  FurtherEndpoints,
  FurtherEndpointSettings,
  FurtherEndpointView,
  NewFurtherEndpoint,
} from '@clinic/shared/contracts/events/outbound-endpoints';
import {
  OutboundEventName,
  OutboundSettings,
  OutboundView,
  sampleOf,
  SampleEvent,
} from '@clinic/shared/contracts/events/outbound-events';
import { MAX_ENDPOINTS } from '@clinic/shared/domain/events/delivery-owner';
import { AppError } from '@clinic/shared/errors';
import { type ReceiverRecord, SAMPLE } from '@clinic/prisma/stores/events/deliveries';
import type { Stores } from '@clinic/prisma/stores';
import type { FurtherEndpointRecord } from '@clinic/prisma/stores/events/endpoints';
import { z } from 'zod';
import type { Deps } from '../../http/route';
import { toDelivery } from './deliveries';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({
  tag: 'Integrations: outbound events',
  access: 'clinic',
  right: 'settings',
  patientData: 'none',
});

const path = '/integrations/outbound/endpoints';
const onePath = `${path}/:endpointId` as const;
const unknown = { description: 'No such further endpoint of this clinic' };

/** Receivers of outcome events, the first one and further ones: each with its own URL, events, signing secret, order and health. */
export const endpointRoutes = [
  routes.get('/integrations/outbound', {
    right: 'settings.read',
    summary: 'The registered URL and the events it receives',
    description:
      '`url` is null until one is registered. `disabledReason` says why it takes nothing now, as after a 410 of the receiver. The signing secret is never read back.',
    responses: { 200: { description: 'The settings', schema: OutboundView } },
    handle: async ({ caller: { clinicId } }, { stores }) => ({ body: await firstView({ stores }, clinicId) }),
  }),
  routes.put('/integrations/outbound', {
    stepUp: 'access',
    summary: 'Register the URL that outcome events are sent to',
    description:
      'An address that may not be reached from here, as a private one, is 400. With `enabled: false` events happen and are not sent. Saving it again switches on what a 410 of the receiver had switched off.',
    body: OutboundSettings,
    responses: { 200: { description: 'The settings as they are now', schema: OutboundView } },
    async handle({ caller: { clinicId }, body: { url, enabled, events }, by }, { stores }) {
      const endpoint = { url, events, isEnabled: enabled };
      await stores.clinics.setOutboundEndpoint(clinicId, endpoint, by);
      return { body: await firstView({ stores }, clinicId) };
    },
  }),
  routes.post('/integrations/outbound/test', {
    summary: 'Send a test event, or a sample of an event, now; its delivery shows what became of it',
    description:
      'A sample has the body of its event with ids that begin with `sample-`, and the header `x-clinic-simulated`; `test` has neither. It is sent whatever events are chosen.',
    body: SampleEvent,
    isIdempotent: true,
    responses: {
      200: { description: 'The delivery', schema: DeliveryView },
      409: { description: 'No URL is registered and enabled' },
    },
    async handle({ caller: { clinicId }, body: { event }, idOfNew: id, by }, deps) {
      const sent = await sendSample(deps, { id, clinicId, event });
      if (!sent) throw new AppError('conflict', 'No outbound URL is registered and enabled');
      const about = { action: 'outbound.test', subject: sent.delivery.id, detail: { event } };
      if (sent.isNew) await deps.stores.audit.write({ clinicId, ...by, ...about });
      return { body: toDelivery(sent.delivery) };
    },
  }),
  routes.get('/integrations/outbound/health', {
    access: 'api-key-or-clinic',
    right: 'deliveries',
    summary: 'How the registered URL does, and did in the last 24 hours',
    description:
      'Attempts by the hour, failures in a row, since when it fails, until when nothing is sent to it, and how many events wait.',
    responses: { 200: { description: 'Its health', schema: ReceiverHealth } },
    handle: async ({ caller: { clinicId } }, { stores }) => ({
      body: toHealth(await stores.deliveries.receiver(clinicId)),
    }),
  }),
  routes.post('/integrations/outbound/rotate-secret', {
    stepUp: 'access',
    right: 'keys',
    summary: 'Make a new signing secret, shown once; events carry both signatures for 24 h',
    description:
      'Each event carries a signature of both secrets until the old one ends: accept either, then use the new one alone. It is never shown again.',
    isIdempotent: true,
    showsSecret: true,
    responses: { 200: { description: 'The new secret', schema: z.object({ secret: z.string() }) } },
    async handle({ caller: { clinicId }, newSecret, by }, { stores }) {
      return { body: { secret: await stores.keys.rotateSigning(clinicId, by, undefined, newSecret) } };
    },
  }),
  routes.get(path, {
    access: 'api-key-or-clinic',
    right: 'deliveries',
    summary: 'The further endpoints, the oldest first; the first one is `GET /integrations/outbound`',
    description: 'Each has its own events, order, retries, secret and health.',
    responses: { 200: { description: 'The endpoints', schema: FurtherEndpoints } },
    handle: async ({ caller: { clinicId } }, { stores }) => ({
      body: { items: await viewsOf({ stores }, clinicId, await stores.endpoints.list(clinicId)) },
    }),
  }),
  routes.post(path, {
    stepUp: 'access',
    summary: 'Add a further endpoint; its signing secret is shown once',
    description:
      'It is sent the events that happen from then on: the same bodies under the same `webhook-id` as at the other endpoints, in an order, with retries and with a fate of its own.',
    body: FurtherEndpointSettings,
    isIdempotent: true,
    showsSecret: true,
    responses: {
      200: { description: 'The endpoint, with its secret', schema: NewFurtherEndpoint },
      409: { description: `There are ${MAX_ENDPOINTS} endpoints already, the first one included` },
    },
    async handle({ caller: { clinicId }, body, newSecret, by }, { stores }) {
      const added = await stores.endpoints.add(clinicId, settingsOf(body), by, newSecret);
      if (!added) {
        throw new AppError('conflict', `A clinic has ${MAX_ENDPOINTS} endpoints at most; remove one first`);
      }
      return { body: { ...(await viewOf({ stores }, clinicId, added.endpoint)), secret: added.secret } };
    },
  }),
  routes.get(onePath, {
    access: 'api-key-or-clinic',
    right: 'deliveries',
    summary: 'One further endpoint',
    description:
      '`disabledReason` says why the service switched it off, if it did. Its signing secret is never read back.',
    responses: { 200: { description: 'The endpoint', schema: FurtherEndpointView }, 404: unknown },
    handle: async ({ caller: { clinicId }, params }, { stores }) => ({
      body: await viewOf({ stores }, clinicId, await find({ stores }, clinicId, params.endpointId)),
    }),
  }),
  routes.put(onePath, {
    stepUp: 'access',
    summary: 'Change a further endpoint, pause it, or switch it on again',
    description:
      'While it is off, new events and waiting ones end as failed, as at the first endpoint: they can be sent again.',
    body: FurtherEndpointSettings,
    responses: { 200: { description: 'The endpoint as it is now', schema: FurtherEndpointView }, 404: unknown },
    async handle({ caller: { clinicId }, params: { endpointId }, body, by }, { stores }) {
      const changed = await stores.endpoints.change(clinicId, endpointId, settingsOf(body), by);
      return { body: await viewOf({ stores }, clinicId, changed ?? refuse(endpointId)) };
    },
  }),
  routes.delete(onePath, {
    stepUp: 'access',
    summary: 'Remove a further endpoint; what waits for it ends as failed, with the error `endpoint_removed`',
    description: 'It cannot be undone: another endpoint of the same URL has another id and another secret.',
    responses: { 204: { description: 'Removed' }, 404: unknown },
    async handle({ caller: { clinicId }, params: { endpointId }, by }, { stores }) {
      if (!(await stores.endpoints.remove(clinicId, endpointId, by))) refuse(endpointId);
      return { status: 204 };
    },
  }),
  routes.post(`${onePath}/test`, {
    summary: 'Send a test event, or a sample of an event, to this endpoint alone',
    description:
      'As `POST /integrations/outbound/test`, whatever events this endpoint receives. Where it is switched off it is 409.',
    body: SampleEvent,
    isIdempotent: true,
    responses: {
      200: { description: 'The delivery', schema: DeliveryView },
      404: unknown,
      409: { description: 'The endpoint is switched off' },
    },
    async handle({ caller: { clinicId }, params: { endpointId }, body: { event }, idOfNew: id, by }, deps) {
      const { isEnabled } = await find(deps, clinicId, endpointId);
      const sent = await sendSample(deps, { id, clinicId, event, onlyTo: endpointId, isOff: !isEnabled });
      if (!sent) throw new AppError('conflict', 'This endpoint is switched off');
      const about = { action: 'endpoint.test', subject: endpointId, detail: { event, deliveryId: sent.delivery.id } };
      if (sent.isNew) await deps.stores.audit.write({ clinicId, ...by, ...about });
      return { body: toDelivery(sent.delivery) };
    },
  }),
  routes.get(`${onePath}/health`, {
    access: 'api-key-or-clinic',
    right: 'deliveries',
    summary: 'How a further endpoint does, and did in the last 24 hours',
    description: 'As `GET /integrations/outbound/health`, of this endpoint alone.',
    responses: { 200: { description: 'Its health', schema: ReceiverHealth }, 404: unknown },
    async handle({ caller: { clinicId }, params: { endpointId } }, { stores }) {
      await find({ stores }, clinicId, endpointId);
      return { body: toHealth(await stores.deliveries.receiver(clinicId, endpointId)) };
    },
  }),
  routes.post(`${onePath}/rotate-secret`, {
    stepUp: 'access',
    right: 'keys',
    summary: 'Make a new signing secret of this endpoint, shown once; its events carry both signatures for 24 h',
    description: 'As `POST /integrations/outbound/rotate-secret`, of this endpoint alone. It is never shown again.',
    isIdempotent: true,
    showsSecret: true,
    responses: {
      200: { description: 'The new secret', schema: z.object({ secret: z.string() }) },
      404: unknown,
    },
    async handle({ caller: { clinicId }, params: { endpointId }, newSecret, by }, { stores }) {
      await find({ stores }, clinicId, endpointId);
      return { body: { secret: await stores.keys.rotateSigning(clinicId, by, endpointId, newSecret) } };
    },
  }),
];

const find = async ({ stores }: Deps<'stores'>, clinicId: string, endpointId: string): Promise<FurtherEndpointRecord> =>
  (await stores.endpoints.find(clinicId, endpointId)) ?? refuse(endpointId);

const viewsOf = async (
  { stores }: Deps<'stores'>,
  clinicId: string,
  endpoints: FurtherEndpointRecord[],
): Promise<FurtherEndpointView[]> => {
  const secrets = await stores.keys.listSigning(clinicId);
  return endpoints.map(({ isEnabled, events, createdAt, ...endpoint }) => {
    const shown = { enabled: isEnabled, events: namesIn(events), createdAt: createdAt.toISOString() };
    return { ...endpoint, ...shown, ...secretTimes(secrets, endpoint.id) };
  });
};

const viewOf = async (
  { stores }: Deps<'stores'>,
  clinicId: string,
  endpoint: FurtherEndpointRecord,
): Promise<FurtherEndpointView> => {
  const [view] = await viewsOf({ stores }, clinicId, [endpoint]);
  return view ?? refuse(endpoint.id);
};

function refuse(endpointId: string): never {
  throw new AppError('not_found', `Endpoint ${endpointId} not found`);
}

const settingsOf = ({ enabled, ...settings }: FurtherEndpointSettings) => ({ ...settings, isEnabled: enabled });

/** The first endpoint. */
const firstView = async ({ stores }: Deps<'stores'>, clinicId: string): Promise<z.infer<typeof OutboundView>> => {
  const [{ id, url, isEnabled, events, disabledReason }, secrets] = await Promise.all([
    stores.clinics.outboundEndpoint(clinicId),
    stores.keys.listSigning(clinicId),
  ]);
  return { url, disabledReason, enabled: isEnabled, events: namesIn(events), ...secretTimes(secrets, id) };
};

const namesIn = (events: string[]): OutboundEventName[] =>
  events.flatMap((event) => OutboundEventName.safeParse(event).data ?? []);

function secretTimes(secrets: Awaited<ReturnType<Stores['keys']['listSigning']>>, endpointId: string | null) {
  const own = secrets.filter(({ receiverId }) => receiverId === endpointId);
  return {
    secretCreatedAt: own.find(({ expiresAt }) => expiresAt === null)?.createdAt.toISOString() ?? null,
    previousSecretExpiresAt: own.find(({ expiresAt }) => expiresAt !== null)?.expiresAt?.toISOString() ?? null,
  };
}

/**
 * Sends a test event or a sample, to one endpoint alone where it is named; asked for again, it was sent. Its delivery, or null where
 * there is no endpoint to send it to.
 */
async function sendSample(
  { stores, temporal }: Deps<'stores' | 'temporal'>,
  asked: {
    id: string;
    clinicId: string;
    event: z.output<typeof SampleEvent>['event'];
    onlyTo?: string;
    isOff?: boolean;
  },
) {
  const { id, clinicId, event, onlyTo, isOff = false } = asked;
  const sent = () => stores.deliveries.find(clinicId, onlyTo === undefined ? id : `${id}-${onlyTo}`);
  const known = await sent();
  if (known) return { delivery: known, isNew: false };
  if (isOff) return null;
  const subject = `${SAMPLE}${id}`;
  const sample = { ...(event !== 'test' && { subject }), ...sampleOf(event, subject) };
  await stores.deliveries.emit({ id, clinicId, onlyTo, ...sample });
  const delivery = await sent();
  if (!delivery) return null;
  const { subject: about, receiverId } = delivery;
  temporal.wakeDeliveries({ clinicId, subject: about, receiverId });
  return { delivery, isNew: true };
}

function toHealth({ url, isEnabled, failures, hours, ...receiver }: ReceiverRecord): ReceiverHealth {
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

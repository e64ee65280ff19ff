import { BulkStarted, ReplayDeliveries, ResendDeliveries } from '@clinic/shared/contracts/operations/bulk-jobs';
import { DeliveryState, DeliveryView, ListDeliveries } from '@clinic/shared/contracts/events/deliveries';
import { DeliveredEventName } from '@clinic/shared/contracts/events/outbound-events';
import { WorkflowTypeName } from '@clinic/shared/contracts/outreach/workflows';
import { AppError } from '@clinic/shared/errors';
import {
  type DeliveryRecord,
  type DeliveryWithAbout,
  type NamedEndpoint,
  SAMPLE,
} from '@clinic/prisma/stores/events/deliveries';
import type { Actor } from '@clinic/prisma/stores/operations/audit';
import type { z } from 'zod';
import { beginBulkJob } from '../operations/bulk-job';
import { factsOf } from '../../http/facts';
import { countedPage, mapPage } from '../../http/list-route';
import type { Deps } from '../../http/route';
import { spanOf } from '../../clinic-span';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Deliveries', access: 'api-key-or-clinic', right: 'deliveries' });

const unknown = { description: 'No such delivery of this clinic' };

const againResponses = {
  200: { description: 'What it is about, and its handle once it has begun', schema: BulkStarted },
  404: { description: 'No such further endpoint of this clinic' },
  409: { description: 'Events are being sent again already, or the endpoint has no URL or is off' },
};

/** Outgoing events and every attempt at them (docs/contract.md, 8 and 11). */
export const deliveryRoutes = [
  routes.list('/deliveries', {
    patientData: { action: 'delivery.list' },
    summary: 'List deliveries, newest first',
    description:
      'Filters by state, event, endpoint and time; `endpointId=first` is the URL of `GET /integrations/outbound`. Several ids of one event are several endpoints.',
    query: ListDeliveries,
    item: DeliveryView,
    items: 'deliveries',
    isCounted: true,
    subjectOf: namedBy,
    async read(
      { caller: { clinicId }, query: { limit, cursor, total, order, from, until, endpointId, ...query } },
      { stores },
    ) {
      const span = await spanOf(stores, clinicId, { from, until });
      const receiverId = endpointId === 'first' ? await firstOf({ stores }, clinicId) : endpointId;
      const filter = { ...query, ...span, receiverId };
      const page = await countedPage(stores.deliveries, { clinicId, filter, page: { order, limit, cursor }, total });
      return mapPage(page, toDelivery);
    },
  }),
  routes.post('/deliveries/resend', {
    access: 'clinic',
    right: 'operations',
    summary:
      'Send all events of a time that failed or were missed to an endpoint again, or say how many these would be',
    description:
      'A dry run, unless `dryRun` is false. They are sent again in their order: one in the first second, twice as many in each second after it, up to 64; while the receiver fails, one at a time. `job` is the handle that says how far it is.',
    body: ResendDeliveries,
    isIdempotent: true,
    responses: againResponses,
    handle: ({ caller: { clinicId }, body, idOfNew: id, by }, deps) => sendAgain(deps, clinicId, { ...body, id }, by),
  }),
  routes.post('/deliveries/replay', {
    access: 'clinic',
    right: 'operations',
    summary: 'Send everything since an instant to an endpoint again, or say how much this would be',
    description:
      'For a receiver that was off, or has lost what it had: also what passed by while it was off, and what it has taken before, under the same `webhook-id`. Test events and samples are left out. A dry run, unless `dryRun` is false; otherwise as `POST /deliveries/resend`.',
    body: ReplayDeliveries,
    isIdempotent: true,
    responses: againResponses,
    handle: ({ caller: { clinicId }, body, idOfNew: id, by }, deps) =>
      sendAgain(deps, clinicId, { ...body, id, isReplay: true }, by),
  }),
  routes.get('/deliveries/:deliveryId', {
    patientData: { action: 'delivery.read' },
    summary: 'One delivery with its attempts',
    description:
      'Each attempt has its time, and the status or the error; `response` is what the receiver replied, where it is kept.',
    responses: { 200: { description: 'The delivery', schema: DeliveryView }, 404: unknown },
    async handle({ caller: { clinicId }, params }, { stores }) {
      const delivery = toDelivery(await find({ stores }, clinicId, params.deliveryId));
      return { body: delivery, subjects: [namedBy(delivery)] };
    },
  }),
  routes.post('/deliveries/:deliveryId/resend', {
    summary: 'Send an event again, now',
    description:
      'Sends the same body under the same `webhook-id`, whatever its state was; read the delivery again for what came of it. While an attempt is under way, and where its endpoint was removed, it is 409.',
    isIdempotent: true,
    responses: {
      200: { description: 'Queued', schema: DeliveryView },
      404: unknown,
      409: { description: 'An attempt is under way, or its endpoint was removed' },
    },
    async handle({ caller: { clinicId }, params: { deliveryId }, by }, { stores, temporal }) {
      const queued = await stores.deliveries.resend(clinicId, deliveryId);
      if (!queued) throw new AppError('not_found', `Delivery ${deliveryId} not found`);
      temporal.wakeDeliveries(queued);
      await stores.audit.write({
        clinicId,
        ...by,
        action: 'delivery.resend',
        subject: deliveryId,
      });
      return { body: toDelivery(await find({ stores }, clinicId, deliveryId)) };
    },
  }),
];

const find = async ({ stores }: Deps<'stores'>, clinicId: string, deliveryId: string): Promise<DeliveryWithAbout> => {
  const delivery = await stores.deliveries.find(clinicId, deliveryId);
  if (!delivery) throw new AppError('not_found', `Delivery ${deliveryId} not found`);
  return delivery;
};

/** Begins a job that sends deliveries again, or counts them. */
async function sendAgain(
  { stores, temporal }: Deps<'stores' | 'temporal'>,
  clinicId: string,
  asked: z.output<typeof ResendDeliveries> & { id: string; isReplay?: boolean },
  by: Actor,
) {
  const endpointId = asked.endpointId === 'first' ? null : asked.endpointId;
  const isOn = await isEndpointOn({ stores }, clinicId, endpointId);
  if (!asked.dryRun && !isOn) {
    throw new AppError(
      'conflict',
      endpointId === null ? 'No outbound URL is registered and enabled' : 'This endpoint is switched off',
    );
  }
  const job = { ...asked, endpointId, kind: 'resend_deliveries' as const };
  return { body: await beginBulkJob({ stores, temporal }, clinicId, job, by) };
}

/** A clinic without a first endpoint has no deliveries to it. */
const firstOf = async ({ stores }: Deps<'stores'>, clinicId: string) =>
  (await stores.clinics.outboundEndpoint(clinicId)).id ?? 'none';

const isEndpointOn = async (
  { stores }: Deps<'stores'>,
  clinicId: string,
  endpointId: string | null,
): Promise<boolean> => {
  if (endpointId === null) {
    const { url, isEnabled } = await stores.clinics.outboundEndpoint(clinicId);
    return url !== null && isEnabled;
  }
  const endpoint = await stores.endpoints.find(clinicId, endpointId);
  if (!endpoint) throw new AppError('not_found', `Endpoint ${endpointId} not found`);
  return endpoint.isEnabled;
};

/** Whose data it is: the patient's, or what names them. */
function namedBy({ about, subject }: DeliveryView): string {
  return about?.patient?.id ?? subject;
}

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
    event: DeliveredEventName.parse(event.event),
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
  isSimulated: about.isSimulated,
});

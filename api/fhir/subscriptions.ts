import { FHIR_JSON, Parameters } from '@clinic/shared/contracts/fhir';
import {
  statusParameters,
  subscriptionContents,
  TOPIC_ID,
  toNotification,
} from '@clinic/shared/contracts/subscriptions';
import { newId } from '@clinic/shared/crypto';
import { senderOfSubscription } from '@clinic/shared/domain/outbound-endpoint';
import { refusals } from '@clinic/shared/domain/refusals';
import { AppError } from '@clinic/shared/errors';
import { MAX_SUBSCRIPTIONS, type SubscriptionRecord } from '@clinic/prisma/stores/fhir-subscriptions';
import { z } from 'zod';
import { actorOf, type Documented, type Reply, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';
import { searchset, searchUrl } from './bundle';
import { type FhirDeps, fhirRoute } from './fhir-route';
import { refuse } from './outcome';
import { searchParameters } from './search';
import { settingsIn, Subscription, topicResource, toSubscription } from './subscription';

const SubscriptionPath = z.object({ subscriptionId: z.string() });
const BasicPath = z.object({ id: z.string() });
const resource = (description: string): Documented => ({ description, type: FHIR_JSON });
const unknown = { description: 'No such subscription of this sandbox' };

/** So many events one `$events` returns at most. */
const MAX_EVENTS = 500;

/** The parameters of `$events`, by their names. */
const EventRange = z.object({
  eventsSinceNumber: z.coerce.number().int().min(0).default(1),
  eventsUntilNumber: z.coerce.number().int().min(0).optional(),
  content: z.enum(subscriptionContents).optional(),
});

/** FHIR topic subscriptions to changes of appointments (Subscriptions R5 Backport for R4). */
export function subscriptionRoutes({ stores, baseUrl, temporal }: FhirDeps & Pick<RouteDeps, 'temporal'>): Route[] {
  const url = `${baseUrl}/Subscription`;
  const store = stores.fhirSubscriptions;
  const missing = (id: string) => new AppError('not_found', `Subscription ${id} not found`);
  const wake = (clinicId: string, id: string) => temporal.wakeDeliveries(senderOfSubscription(clinicId, id));
  const statusBundle = (self: string, records: SubscriptionRecord[]) => ({
    body: searchset({
      links: { self },
      total: records.length,
      entries: records.map((record) => ({
        fullUrl: `urn:uuid:${newId()}`,
        resource: statusParameters(
          { subscriptionId: record.id, baseUrl: record.baseUrl },
          { ...record, type: 'query-status', events: [], error: record.lastError },
        ),
        search: { mode: 'match' },
      })),
    }),
  });
  /** A clinic's practitioner of a filter. */
  const requireProvider = async (clinicId: string, name: string | null) => {
    if (name === null || (await stores.providers.find(clinicId, name))) return;
    throw new AppError('not_found', `Practitioner ${name} not found`);
  };
  const showStatus = async (clinicId: string, id: string): Promise<Reply> => {
    const found = await store.events(clinicId, id, { from: 1, until: 0, limit: 1 });
    if (!found) throw missing(id);
    return statusBundle(`${url}/${id}/$status`, [found.subscription]);
  };
  const showEvents = async (
    clinicId: string,
    id: string,
    { eventsSinceNumber, eventsUntilNumber, content }: z.output<typeof EventRange>,
  ): Promise<Reply> => {
    const range = {
      from: eventsSinceNumber,
      until: eventsUntilNumber ?? Number.MAX_SAFE_INTEGER,
      limit: MAX_EVENTS,
    };
    const found = await store.events(clinicId, id, range);
    if (!found) throw missing(id);
    const { subscription, events } = found;
    const { status, lastNumber } = subscription;
    const notification = {
      id: newId(),
      at: new Date(),
      type: 'query-event' as const,
      status,
      content: content ?? subscription.content,
      lastNumber,
      events,
    };
    return {
      body: toNotification({ subscriptionId: id, baseUrl: subscription.baseUrl }, notification),
      subjects: [...new Set(events.flatMap(({ change }) => change?.appointment.patientId ?? []))],
    };
  };

  return [
    fhirRoute({
      method: 'post',
      path: '/Subscription',
      summary: 'Be told of each change of an appointment, by rest-hook',
      description:
        'The reply shows the secret that notifications are signed with, in an extension of the channel, once. A handshake comes at once.',
      body: Subscription,
      responses: {
        201: resource('The Subscription, requested'),
        403: { description: refusals.admin_required.means },
        404: { description: 'No such practitioner of this clinic' },
        422: resource(refusals.subscription_not_offered.means),
      },
      async handle({ caller, body, requestId }) {
        const { clinicId } = caller;
        const refused = staffRule(caller);
        if (refused) return refused;
        const asked = settingsIn(body, baseUrl);
        if (asked.refused) return asked.refused;
        await requireProvider(clinicId, asked.settings.providerName);
        const added = await store.add(clinicId, { ...asked.settings, baseUrl }, actorOf(caller, requestId));
        if (!added) {
          return refuse('subscription_not_offered', `A sandbox has ${MAX_SUBSCRIPTIONS} subscriptions at most`);
        }
        const { subscription, secret } = added;
        wake(clinicId, subscription.id);
        const headers = { location: `${url}/${subscription.id}` };
        return { status: 201, headers, body: toSubscription(subscription, secret) };
      },
    }),

    fhirRoute({
      method: 'get',
      path: '/Subscription',
      patientData: 'none',
      summary: 'The subscriptions of the sandbox, the oldest first',
      query: searchParameters({
        status: z.string().max(100).optional(),
        url: z.string().max(2_000).optional(),
        _id: z.string().max(1_000).optional(),
      }),
      responses: { 200: resource('A searchset of all that match') },
      async handle({ caller: { clinicId }, query: { status, url: endpoint, _id: id } }) {
        const matches = (wanted: string | undefined, value: string) =>
          wanted === undefined || wanted.split(',').includes(value);
        const found = (await store.list(clinicId)).filter(
          (each) =>
            matches(status, each.status) && matches(id, each.id) && (endpoint === undefined || endpoint === each.url),
        );
        return {
          body: searchset({
            links: { self: searchUrl(url, { status, url: endpoint, _id: id }) },
            total: found.length,
            entries: found.map((each) => ({ fullUrl: `${url}/${each.id}`, resource: toSubscription(each) })),
          }),
        };
      },
    }),

    fhirRoute({
      method: 'get',
      path: '/Subscription/$status',
      patientData: 'none',
      summary: 'The status of each subscription of the sandbox',
      query: searchParameters({
        id: z.string().max(1_000).optional(),
        status: z.string().max(100).optional(),
      }),
      responses: { 200: resource('A searchset of Parameters') },
      async handle({ caller: { clinicId }, query: { id, status } }) {
        const matches = (wanted: string | undefined, value: string) =>
          wanted === undefined || wanted.split(',').includes(value);
        const found = (await store.list(clinicId)).filter(
          (each) => matches(id, each.id) && matches(status, each.status),
        );
        return statusBundle(searchUrl(`${url}/$status`, { id, status }), found);
      },
    }),

    fhirRoute({
      method: 'get',
      path: '/Subscription/:subscriptionId',
      patientData: 'none',
      summary: 'Read a subscription',
      params: SubscriptionPath,
      responses: { 200: resource('The Subscription'), 404: unknown },
      async handle({ caller: { clinicId }, params: { subscriptionId: id } }) {
        const found = await store.find(clinicId, id);
        if (!found) throw missing(id);
        return { body: toSubscription(found) };
      },
    }),

    fhirRoute({
      method: 'put',
      path: '/Subscription/:subscriptionId',
      summary: 'Change a subscription, switch it off, or on again',
      description:
        'Everything but its endpoint and its type of payload. On again it gets a handshake, and then what it has not taken.',
      params: SubscriptionPath,
      body: Subscription,
      responses: {
        200: resource('The Subscription as it is now'),
        403: { description: refusals.admin_required.means },
        404: unknown,
        422: resource(refusals.subscription_not_offered.means),
      },
      async handle({ caller, params: { subscriptionId: id }, body, requestId }) {
        const { clinicId } = caller;
        const refused = staffRule(caller);
        if (refused) return refused;
        const current = await store.find(clinicId, id);
        if (!current) throw missing(id);
        const asked = settingsIn(body, current.baseUrl);
        if (asked.refused) return asked.refused;
        const { settings } = asked;
        if (settings.url !== current.url || settings.payload !== current.payload) {
          return refuse('subscription_not_offered', 'Another endpoint or payload is a subscription of its own', {
            paths: ['Subscription.channel'],
          });
        }
        await requireProvider(clinicId, settings.providerName);
        const isOn = body.status !== 'off';
        const changed = await store.change(clinicId, id, { ...settings, isOn }, actorOf(caller, requestId));
        if (!changed) throw missing(id);
        if (isOn) wake(clinicId, id);
        return { body: toSubscription(changed) };
      },
    }),

    fhirRoute({
      method: 'delete',
      path: '/Subscription/:subscriptionId',
      summary: 'End a subscription, with all its events',
      params: SubscriptionPath,
      responses: {
        204: { description: 'Ended' },
        403: { description: refusals.admin_required.means },
        404: unknown,
      },
      async handle({ caller, params: { subscriptionId: id }, requestId }) {
        const refused = staffRule(caller);
        if (refused) return refused;
        if (!(await store.remove(caller.clinicId, id, actorOf(caller, requestId)))) throw missing(id);
        return { status: 204 };
      },
    }),

    ...(['get', 'post'] as const).flatMap((method) => [
      fhirRoute({
        method,
        path: '/Subscription/:subscriptionId/$status',
        patientData: 'none',
        summary: 'How many events a subscription has had, and whether it is well',
        params: SubscriptionPath,
        responses: { 200: resource('A searchset of one Parameters'), 404: unknown },
        handle: ({ caller: { clinicId }, params: { subscriptionId: id } }) => showStatus(clinicId, id),
      }),
    ]),

    fhirRoute({
      method: 'get',
      path: '/Subscription/:subscriptionId/$events',
      patientData: { action: 'appointment.read' },
      summary: 'The events of a subscription by their numbers, again',
      description: `\`eventsSinceNumber\` and \`eventsUntilNumber\`, both included, and \`content\`; ${MAX_EVENTS} at most.`,
      params: SubscriptionPath,
      query: EventRange.loose(),
      responses: { 200: resource('A notification Bundle of the type query-event'), 404: unknown },
      handle: ({ caller: { clinicId }, params: { subscriptionId: id }, query }) => showEvents(clinicId, id, query),
    }),

    fhirRoute({
      method: 'post',
      path: '/Subscription/:subscriptionId/$events',
      patientData: { action: 'appointment.read' },
      summary: 'The same, with Parameters',
      params: SubscriptionPath,
      body: Parameters,
      responses: { 200: resource('A notification Bundle of the type query-event'), 404: unknown },
      handle: ({ caller: { clinicId }, params: { subscriptionId: id }, body }) =>
        showEvents(clinicId, id, rangeIn(body)),
    }),

    fhirRoute({
      method: 'get',
      path: '/Basic/:id',
      patientData: 'none',
      summary: 'Read the topic of subscriptions, a SubscriptionTopic as R4 has it',
      params: BasicPath,
      responses: { 200: resource('The topic'), 404: { description: refusals.not_offered.means } },
      handle: ({ params: { id } }) =>
        id === TOPIC_ID
          ? { body: topicResource(baseUrl) }
          : refuse('not_offered', `The one Basic is the topic ${TOPIC_ID}`),
    }),
  ];
}

/** Where data is sent is for an administrator to say, as for every endpoint, or for a client that one has registered. */
function staffRule({ role, clientId }: { role: string; clientId?: string }): Reply | null {
  if (role === 'admin' || clientId !== undefined) return null;
  return refuse(
    'admin_required',
    'Where changes are sent to is for an administrator to say, or for a registered client',
  );
}

/** The parameters of `$events` in a body. Throws `bad_request` for what is no number or no content. */
function rangeIn({ parameter }: Parameters): z.output<typeof EventRange> {
  const given = Object.fromEntries(
    parameter.map((each) => [each.name, Object.entries(each).find(([name]) => name.startsWith('value'))?.[1]]),
  );
  const read = EventRange.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = String(issue?.path[0] ?? 'parameter');
  throw new AppError('bad_request', `${path} ${issue?.message ?? ''}`, [{ path, message: issue?.message ?? '' }]);
}

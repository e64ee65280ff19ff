import { AnyBundle, AnyResource, Parameters } from '@clinic/shared/contracts/calendar/fhir';
import {
  statusParameters,
  subscriptionContents,
  TOPIC_ID,
  toNotification,
} from '@clinic/shared/contracts/events/subscriptions';
import { newId } from '@clinic/shared/crypto';
import { refusals } from '@clinic/shared/domain/calendar/refusals';
import { AppError } from '@clinic/shared/errors';
import { MAX_SUBSCRIPTIONS, type SubscriptionRecord } from '@clinic/prisma/stores/events/fhir-subscriptions';
import { z } from 'zod';
import type { Deps, Documented, Reply } from '../http/route';
import { searchset, searchUrl } from '@clinic/shared/contracts/calendar/bundle';
import { fhir, fhirRefusal, fhirResponse } from './fhir-route';
import { refuse } from '@clinic/shared/contracts/calendar/outcome';
import { searchParameters } from '@clinic/shared/contracts/calendar/search';
import { settingsIn, Subscription, topicResource, toSubscription } from './subscription';

const resource = (description: string): Documented => fhirResponse(description, AnyResource);
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
export const subscriptionRoutes = [
  fhir.post('/Subscription', {
    stepUp: 'access',
    right: 'appointments',
    summary: 'Be told of each change of an appointment, by rest-hook',
    description:
      'The reply shows the secret that notifications are signed with, in an extension of the channel, once. A handshake comes at once.',
    body: Subscription,
    isIdempotent: true,
    showsSecret: true,
    responses: {
      201: resource('The Subscription, requested'),
      403: { description: refusals.admin_required.means },
      404: { description: 'No such practitioner of this clinic' },
      422: fhirRefusal('subscription_not_offered'),
    },
    async handle({ caller, body, newSecret, by }, { stores, baseUrl, temporal }) {
      const url = `${baseUrl}/Subscription`;
      const { clinicId } = caller;
      const refused = staffRule(caller);
      if (refused) return refused;
      const asked = settingsIn(body, baseUrl);
      if (asked.refused) return asked.refused;
      await requireProvider({ stores }, clinicId, asked.settings.providerName);
      const added = await stores.fhirSubscriptions.add(clinicId, { ...asked.settings, baseUrl }, by, newSecret);
      if (!added) {
        return refuse('subscription_not_offered', `A sandbox has ${MAX_SUBSCRIPTIONS} subscriptions at most`);
      }
      const { subscription, secret } = added;
      wake({ temporal }, clinicId, subscription.id);
      const headers = { location: `${url}/${subscription.id}` };
      return { status: 201, headers, body: toSubscription(subscription, secret) };
    },
  }),
  fhir.get('/Subscription', {
    right: 'appointments.read',
    patientData: 'none',
    summary: 'The subscriptions of the sandbox, the oldest first',
    description: 'All that match are on one page. Secrets are never read back.',
    query: searchParameters({
      status: z.string().max(100).optional(),
      url: z.string().max(2_000).optional(),
      _id: z.string().max(1_000).optional(),
    }),
    responses: { 200: fhirResponse('A searchset of all that match', AnyBundle) },
    async handle({ caller: { clinicId }, query: { status, url: endpoint, _id: id } }, { stores, baseUrl }) {
      const url = `${baseUrl}/Subscription`;
      const found = (await stores.fhirSubscriptions.list(clinicId)).filter(
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
  fhir.get('/Subscription/$status', {
    right: 'appointments.read',
    patientData: 'none',
    summary: 'The status of each subscription of the sandbox',
    description: 'As `$status` of each, for those that `id` and `status` choose.',
    query: searchParameters({
      id: z.string().max(1_000).optional(),
      status: z.string().max(100).optional(),
    }),
    responses: { 200: fhirResponse('A searchset of Parameters', AnyBundle) },
    async handle({ caller: { clinicId }, query: { id, status } }, { stores, baseUrl }) {
      const url = `${baseUrl}/Subscription`;
      const found = (await stores.fhirSubscriptions.list(clinicId)).filter(
        (each) => matches(id, each.id) && matches(status, each.status),
      );
      return statusBundle(searchUrl(`${url}/$status`, { id, status }), found);
    },
  }),
  fhir.get('/Subscription/:subscriptionId', {
    right: 'appointments.read',
    patientData: 'none',
    summary: 'Read a subscription',
    description: 'Its status is `error` while the last attempt failed. The secret is never read back.',
    responses: { 200: resource('The Subscription'), 404: unknown },
    async handle({ caller: { clinicId }, params: { subscriptionId: id } }, { stores }) {
      const found = await stores.fhirSubscriptions.find(clinicId, id);
      if (!found) throw missing(id);
      return { body: toSubscription(found) };
    },
  }),
  fhir.put('/Subscription/:subscriptionId', {
    stepUp: 'access',
    right: 'appointments',
    summary: 'Change a subscription, switch it off, or on again',
    description:
      'Everything but its endpoint and its type of payload. On again it gets a handshake, and then what it has not taken.',
    body: Subscription,
    responses: {
      200: resource('The Subscription as it is now'),
      403: { description: refusals.admin_required.means },
      404: unknown,
      422: fhirRefusal('subscription_not_offered'),
    },
    async handle({ caller, params: { subscriptionId: id }, body, by }, { stores, temporal }) {
      const { clinicId } = caller;
      const refused = staffRule(caller);
      if (refused) return refused;
      const current = await stores.fhirSubscriptions.find(clinicId, id);
      if (!current) throw missing(id);
      const asked = settingsIn(body, current.baseUrl);
      if (asked.refused) return asked.refused;
      const { settings } = asked;
      if (settings.url !== current.url || settings.payload !== current.payload) {
        return refuse('subscription_not_offered', 'Another endpoint or payload is a subscription of its own', {
          paths: ['Subscription.channel'],
        });
      }
      await requireProvider({ stores }, clinicId, settings.providerName);
      const isOn = body.status !== 'off';
      const changed = await stores.fhirSubscriptions.change(clinicId, id, { ...settings, isOn }, by);
      if (!changed) throw missing(id);
      if (isOn) wake({ temporal }, clinicId, id);
      return { body: toSubscription(changed) };
    },
  }),
  fhir.delete('/Subscription/:subscriptionId', {
    stepUp: 'access',
    right: 'appointments',
    summary: 'End a subscription, with all its events',
    description: 'Nothing is sent to its endpoint from then on. Its token must be of an administrator (403).',
    responses: {
      204: { description: 'Ended' },
      403: { description: refusals.admin_required.means },
      404: unknown,
    },
    async handle({ caller, params: { subscriptionId: id }, by }, { stores }) {
      const refused = staffRule(caller);
      if (refused) return refused;
      if (!(await stores.fhirSubscriptions.remove(caller.clinicId, id, by))) throw missing(id);
      return { status: 204 };
    },
  }),

  ...[fhir.get, fhir.post].map((declare) =>
    declare('/Subscription/:subscriptionId/$status', {
      right: 'appointments.read',
      patientData: 'none',
      summary: 'How many events a subscription has had, and whether it is well',
      description:
        'Compare `events-since-subscription-start` with the last number that you have handled, and fetch what is missing with `$events`.',
      responses: { 200: fhirResponse('A searchset of one Parameters', AnyBundle), 404: unknown },
      handle: ({ caller: { clinicId }, params: { subscriptionId: id } }, deps) => showStatus(deps, clinicId, id),
    }),
  ),

  fhir.get('/Subscription/:subscriptionId/$events', {
    right: 'appointments.read',
    patientData: { action: 'appointment.read' },
    summary: 'The events of a subscription by their numbers, again',
    description: `\`eventsSinceNumber\` and \`eventsUntilNumber\`, both included, and \`content\`; ${MAX_EVENTS} at most.`,
    query: EventRange.loose(),
    responses: { 200: fhirResponse('A notification Bundle of the type query-event', AnyBundle), 404: unknown },
    handle: ({ caller: { clinicId }, params: { subscriptionId: id }, query }, { stores }) =>
      showEvents({ stores }, clinicId, id, query),
  }),
  fhir.post('/Subscription/:subscriptionId/$events', {
    right: 'appointments.read',
    patientData: { action: 'appointment.read' },
    summary: 'The same, with Parameters',
    description: 'The parameters have the names that they have in the query of the `GET`.',
    body: Parameters,
    responses: { 200: fhirResponse('A notification Bundle of the type query-event', AnyBundle), 404: unknown },
    handle: ({ caller: { clinicId }, params: { subscriptionId: id }, body }, { stores }) =>
      showEvents({ stores }, clinicId, id, rangeIn(body)),
  }),
  fhir.get('/Basic/:id', {
    right: 'appointments.read',
    patientData: 'none',
    summary: 'Read the topic of subscriptions, a SubscriptionTopic as R4 has it',
    description:
      'The one topic has the id `appointment-change`; its address is what `criteria` of a subscription names.',
    responses: { 200: resource('The topic'), 404: fhirRefusal('not_offered') },
    handle: ({ params: { id } }, { baseUrl }) =>
      id === TOPIC_ID
        ? { body: topicResource(baseUrl) }
        : refuse('not_offered', `The one Basic is the topic ${TOPIC_ID}`),
  }),
];

/** As FHIR searches by a token: one of those that are listed, or any where none is. */
const matches = (wanted: string | undefined, value: string) =>
  wanted === undefined || wanted.split(',').includes(value);

const missing = (id: string) => new AppError('unknown_subscription', `Subscription ${id} not found`);

const wake = ({ temporal }: Deps<'temporal'>, clinicId: string, id: string) =>
  temporal.wakeDeliveries({ clinicId, subject: id, receiverId: id });

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
const requireProvider = async ({ stores }: Deps<'stores'>, clinicId: string, name: string | null) => {
  if (name === null || (await stores.providers.find(clinicId, name))) return;
  throw new AppError('unknown_practitioner', `Practitioner ${name} not found`);
};

const showStatus = async (
  { stores, baseUrl }: Deps<'stores' | 'baseUrl'>,
  clinicId: string,
  id: string,
): Promise<Reply> => {
  const url = `${baseUrl}/Subscription`;
  const found = await stores.fhirSubscriptions.events(clinicId, id, { from: 1, until: 0, limit: 1 });
  if (!found) throw missing(id);
  return statusBundle(`${url}/${id}/$status`, [found.subscription]);
};

const showEvents = async (
  { stores }: Deps<'stores'>,
  clinicId: string,
  id: string,
  { eventsSinceNumber, eventsUntilNumber, content }: z.output<typeof EventRange>,
): Promise<Reply> => {
  const range = {
    from: eventsSinceNumber,
    until: eventsUntilNumber ?? Number.MAX_SAFE_INTEGER,
    limit: MAX_EVENTS,
  };
  const found = await stores.fhirSubscriptions.events(clinicId, id, range);
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

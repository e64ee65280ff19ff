import { FHIR_JSON } from '@clinic/shared/contracts/calendar/fhir';
import {
  FILTER_CRITERIA,
  HEARTBEAT_PERIOD,
  PAYLOAD_CONTENT,
  SUBSCRIPTION_PROFILE,
  subscriptionContents,
  TOPIC_ID,
  topicOf,
} from '@clinic/shared/contracts/events/subscriptions';
import { TargetUrl } from '@clinic/shared/contracts/events/target-url';
import type { SubscriptionRecord, SubscriptionSettings } from '@clinic/prisma/stores/events/fhir-subscriptions';
import { z } from 'zod';
import type { Reply } from '../http/route';
import { refuse } from '@clinic/shared/contracts/calendar/outcome';
import { idOfReference } from '@clinic/shared/contracts/calendar/search';

const Extensions = z.array(z.looseObject({ url: z.string().max(500) })).max(20);
const Primitive = z.looseObject({ extension: Extensions.optional() });

/** A Subscription of R4 with the profile of the Subscriptions R5 Backport. What it asks for is `settingsIn`'s to judge. */
export const Subscription = z
  .looseObject({
    resourceType: z.literal('Subscription', { error: 'must be Subscription' }),
    id: z.string().max(64).optional(),
    status: z.enum(['requested', 'active', 'error', 'off']).optional(),
    reason: z.string().trim().min(1, 'must not be empty').max(500),
    criteria: z.string().max(500),
    _criteria: Primitive.optional(),
    end: z.iso.datetime({ offset: true }).optional(),
    channel: z.looseObject({
      type: z.string().max(40),
      endpoint: TargetUrl,
      payload: z.string().max(100).default(FHIR_JSON),
      _payload: Primitive.optional(),
      header: z.array(z.string()).optional(),
      extension: Extensions.optional(),
    }),
  })
  .meta({ id: 'NewSubscription' });
export type Subscription = z.output<typeof Subscription>;

export interface AskedSubscription extends SubscriptionSettings {
  url: string;
  payload: string;
}

/** So far apart heartbeats are, in seconds. */
const HEARTBEAT = { min: 10, max: 86_400 };
const payloads: readonly string[] = [FHIR_JSON, 'application/json'];

/** What a Subscription asks for, or the refusal of what is not offered. Throws `bad_request` for a reference that is none. */
export function settingsIn(
  resource: Subscription,
  baseUrl: string,
): { settings: AskedSubscription; refused?: undefined } | { refused: Reply } {
  const { criteria, _criteria, channel, reason, end } = resource;
  const { type, endpoint, payload, _payload, header = [], extension = [] } = channel;
  const content = subscriptionContents.find((each) => each === valueIn(_payload?.extension, PAYLOAD_CONTENT));
  const filters = filtersIn(_criteria?.extension ?? []);
  const heartbeat = valueIn(extension, HEARTBEAT_PERIOD);
  const heartbeatSeconds = typeof heartbeat === 'number' ? heartbeat : null;
  const isBeatPossible =
    heartbeat === undefined ||
    (Number.isInteger(heartbeatSeconds) &&
      (heartbeatSeconds ?? 0) >= HEARTBEAT.min &&
      (heartbeatSeconds ?? 0) <= HEARTBEAT.max);

  const rules: [isMet: boolean, path: string, text: string][] = [
    [criteria === topicOf(baseUrl), 'Subscription.criteria', `The one topic is ${topicOf(baseUrl)}`],
    [type === 'rest-hook', 'Subscription.channel.type', 'The one type of channel is rest-hook'],
    [payloads.includes(payload), 'Subscription.channel.payload', `Notifications are sent as ${payloads.join(' or ')}`],
    [
      content !== undefined,
      'Subscription.channel.payload',
      `Say by the extension ${PAYLOAD_CONTENT} how much is sent: ${subscriptionContents.join(', ')}`,
    ],
    [
      header.length === 0,
      'Subscription.channel.header',
      'No headers of yours are sent: know our notifications by webhook-signature',
    ],
    [filters !== null, 'Subscription.criteria', `Filters are ${filterNames.join(', ')}, each with one reference`],
    [
      isBeatPossible,
      'Subscription.channel',
      `A heartbeat comes every ${HEARTBEAT.min} to ${HEARTBEAT.max} seconds, as valueUnsignedInt`,
    ],
    [end === undefined || Date.parse(end) > Date.now(), 'Subscription.end', 'The end lies in the past'],
  ];
  const broken = rules.find(([isMet]) => !isMet);
  if (broken || !content || !filters) {
    const [, path = '', text = ''] = broken ?? [];
    return { refused: refuse('subscription_not_offered', text, { paths: [path] }) };
  }
  const settings = { url: endpoint, payload, content, reason, heartbeatSeconds, ...filters };
  return { settings: { ...settings, endsAt: end === undefined ? null : new Date(end) } };
}

/** A Subscription as it is shown; `secret` where it was just made. */
export function toSubscription(record: SubscriptionRecord, secret?: string) {
  const { id, baseUrl, status, reason, content, payload, url, heartbeatSeconds, endsAt, lastError } = record;
  const filters = [
    ...(record.patientId === null ? [] : [`Appointment?patient=Patient/${record.patientId}`]),
    ...(record.providerName === null ? [] : [`Appointment?practitioner=Practitioner/${record.providerName}`]),
  ];
  const extension = [
    ...(heartbeatSeconds === null ? [] : [{ url: HEARTBEAT_PERIOD, valueUnsignedInt: heartbeatSeconds }]),
    ...(secret === undefined ? [] : [{ url: signingSecretUrl(baseUrl), valueString: secret }]),
  ];
  return {
    resourceType: 'Subscription',
    id,
    meta: {
      versionId: String(record.version),
      lastUpdated: record.updatedAt.toISOString(),
      profile: [SUBSCRIPTION_PROFILE],
    },
    status,
    ...(endsAt && { end: endsAt.toISOString() }),
    reason,
    criteria: topicOf(baseUrl),
    ...(filters.length > 0 && {
      _criteria: { extension: filters.map((valueString) => ({ url: FILTER_CRITERIA, valueString })) },
    }),
    ...(lastError !== null && { error: lastError }),
    channel: {
      ...(extension.length > 0 && { extension }),
      type: 'rest-hook',
      endpoint: url,
      payload,
      _payload: { extension: [{ url: PAYLOAD_CONTENT, valueCode: content }] },
    },
  };
}

const signingSecretUrl = (baseUrl: string): string => `${baseUrl}/StructureDefinition/signing-secret`;

/** The topic, as R4 has it: a Basic with the elements of SubscriptionTopic as extensions. */
export function topicResource(baseUrl: string) {
  const ofTopic = (element: string) =>
    `http://hl7.org/fhir/5.0/StructureDefinition/extension-SubscriptionTopic.${element}`;
  return {
    resourceType: 'Basic',
    id: TOPIC_ID,
    code: { coding: [{ system: 'http://hl7.org/fhir/fhir-types', code: 'SubscriptionTopic' }] },
    modifierExtension: [{ url: ofTopic('status'), valueCode: 'active' }],
    extension: [
      { url: ofTopic('url'), valueUri: topicOf(baseUrl) },
      { url: ofTopic('title'), valueString: 'A change of an appointment' },
      {
        url: ofTopic('description'),
        valueMarkdown: 'An Appointment was booked, moved, cancelled or fulfilled: one event for each change.',
      },
      {
        url: ofTopic('resourceTrigger'),
        extension: [
          { url: 'resource', valueUri: 'http://hl7.org/fhir/StructureDefinition/Appointment' },
          { url: 'supportedInteraction', valueCode: 'create' },
          { url: 'supportedInteraction', valueCode: 'update' },
        ],
      },
      ...filterNames.map((name) => ({
        url: ofTopic('canFilterBy'),
        extension: [
          { url: 'resource', valueUri: 'Appointment' },
          { url: 'filterParameter', valueString: name },
        ],
      })),
    ],
  };
}

const filterNames = ['patient', 'practitioner'] as const;

type Filters = Pick<SubscriptionSettings, 'patientId' | 'providerName'>;

/** What the filter criteria say, as `Appointment?patient=Patient/…`; null where they ask for more than is offered. */
function filtersIn(extensions: z.output<typeof Extensions>): Filters | null {
  const found: Filters = { patientId: null, providerName: null };
  for (const each of extensions) {
    if (each.url !== FILTER_CRITERIA) continue;
    if (typeof each.valueString !== 'string') return null;
    const [, query = ''] = /^(?:Appointment\?)?(.*)$/s.exec(each.valueString) ?? [];
    for (const [name, value] of new URLSearchParams(query)) {
      if (name === 'patient' && found.patientId === null) found.patientId = idOfReference('Patient', value, name);
      else if (name === 'practitioner' && found.providerName === null)
        found.providerName = idOfReference('Practitioner', value, name);
      else return null;
    }
  }
  return found;
}

/** The value of an extension, whatever its type. */
function valueIn(extensions: z.output<typeof Extensions> | undefined, url: string): unknown {
  const found = extensions?.find((each) => each.url === url);
  return found && Object.entries(found).find(([name]) => name.startsWith('value'))?.[1];
}

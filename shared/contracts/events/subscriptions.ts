import { type ShownVersion, toVersioned } from '../calendar/fhir-appointment';

/**
 * FHIR topic subscriptions as R4 has them: Subscriptions R5 Backport (hl7.org/fhir/uv/subscriptions-backport), with rest-hook as the
 * one channel and changes of appointments as the one topic.
 */

const GUIDE = 'http://hl7.org/fhir/uv/subscriptions-backport';
export const SUBSCRIPTION_PROFILE = `${GUIDE}/StructureDefinition/backport-subscription`;
const STATUS_PROFILE = `${GUIDE}/StructureDefinition/backport-subscription-status-r4`;
const NOTIFICATION_PROFILE = `${GUIDE}/StructureDefinition/backport-subscription-notification-r4`;
export const FILTER_CRITERIA = `${GUIDE}/StructureDefinition/backport-filter-criteria`;
export const PAYLOAD_CONTENT = `${GUIDE}/StructureDefinition/backport-payload-content`;
export const HEARTBEAT_PERIOD = `${GUIDE}/StructureDefinition/backport-heartbeat-period`;
export const TOPIC_CANONICAL = `${GUIDE}/StructureDefinition/capabilitystatement-subscriptiontopic-canonical`;
export const SERVER_CAPABILITIES = `${GUIDE}/CapabilityStatement/backport-subscription-server-r4`;
export const operationOfGuide = (name: 'status' | 'events'): string =>
  `${GUIDE}/OperationDefinition/backport-subscription-${name}`;

/** The canonical URL of the topic, where it can be read too. */
export const TOPIC_ID = 'appointment-change';
export const topicOf = (baseUrl: string): string => `${baseUrl}/Basic/${TOPIC_ID}`;

export const subscriptionContents = ['empty', 'id-only', 'full-resource'] as const;
export type SubscriptionContent = (typeof subscriptionContents)[number];

/** Of FHIR R4; `error` while the last attempt failed. */
export type SubscriptionStatus = 'requested' | 'active' | 'error' | 'off';

/** A change of an appointment, by its number in a subscription. */
export interface SubscriptionEvent {
  number: number;
  /** When it happened, and what it left; null once its patient was erased, or it is too old to be kept. */
  change: { at: Date; isNew: boolean; appointment: ShownVersion } | null;
}

/** What a Bundle tells a subscriber. */
export interface Notification {
  /** The same whenever it is sent. */
  id: string;
  at: Date;
  type: 'handshake' | 'heartbeat' | 'event-notification' | 'query-event';
  status: SubscriptionStatus;
  content: SubscriptionContent;
  /** How many events there have been, those of this Bundle included. */
  lastNumber: number;
  events: SubscriptionEvent[];
}

/** The subscription that a notification is for. */
interface Of {
  subscriptionId: string;
  baseUrl: string;
}

/** A notification as it is sent: a Bundle of type history, whose first entry says what it is about. */
export function toNotification({ subscriptionId, baseUrl }: Of, notification: Notification) {
  const { id, at, content, events } = notification;
  const status = statusParameters({ subscriptionId, baseUrl }, notification);
  return {
    resourceType: 'Bundle',
    id,
    meta: { profile: [NOTIFICATION_PROFILE] },
    type: 'history',
    timestamp: at.toISOString(),
    entry: [
      {
        fullUrl: `urn:uuid:${id}`,
        resource: { ...status, id },
        request: { method: 'GET', url: `Subscription/${subscriptionId}/$status` },
        response: { status: '200' },
      },
      ...(content === 'full-resource'
        ? events.flatMap(({ change }) => (change ? [toEntry(baseUrl, change)] : []))
        : []),
    ],
  };
}

/** The status of a subscription, as Parameters: the first entry of a notification, and what `$status` returns. */
export function statusParameters(
  { subscriptionId, baseUrl }: Of,
  {
    type,
    status,
    content,
    lastNumber,
    events,
    error,
  }: Pick<Notification, 'status' | 'content' | 'lastNumber' | 'events'> & {
    type: Notification['type'] | 'query-status';
    /** Why the last attempt failed. */
    error?: string | null;
  },
) {
  return {
    resourceType: 'Parameters',
    meta: { profile: [STATUS_PROFILE] },
    parameter: [
      { name: 'subscription', valueReference: { reference: `${baseUrl}/Subscription/${subscriptionId}` } },
      // With the content `empty` nothing says what it is about.
      ...(content === 'empty' ? [] : [{ name: 'topic', valueCanonical: topicOf(baseUrl) }]),
      { name: 'status', valueCode: status },
      { name: 'type', valueCode: type },
      { name: 'events-since-subscription-start', valueString: String(lastNumber) },
      ...events.map(({ number, change }) => ({
        name: 'notification-event',
        part: [
          { name: 'event-number', valueString: String(number) },
          ...(change ? [{ name: 'timestamp', valueInstant: change.at.toISOString() }] : []),
          ...(change && content !== 'empty'
            ? [{ name: 'focus', valueReference: { reference: `${baseUrl}/Appointment/${change.appointment.id}` } }]
            : []),
        ],
      })),
      ...(error ? [{ name: 'error', valueCodeableConcept: { text: error } }] : []),
    ],
  };
}

function toEntry(baseUrl: string, { isNew, appointment }: NonNullable<SubscriptionEvent['change']>) {
  return {
    fullUrl: `${baseUrl}/Appointment/${appointment.id}`,
    resource: toVersioned(appointment, baseUrl),
    request: isNew ? { method: 'POST', url: 'Appointment' } : { method: 'PUT', url: `Appointment/${appointment.id}` },
    response: { status: isNew ? '201' : '200' },
  };
}

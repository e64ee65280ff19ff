import { type Notification, toNotification } from '@clinic/shared/contracts/events/subscriptions';
import type { Stores } from '@clinic/prisma/stores';
import type { DueDelivery } from '@clinic/prisma/stores/events/delivery-leases';
import { changeOf, type SubscriptionRecord } from '@clinic/prisma/stores/events/fhir-subscriptions';

/** What a FHIR Subscription is sent: the body, and its media type. Null once the subscription is gone. */
export async function notificationBody(
  stores: Pick<Stores, 'fhirSubscriptions'>,
  clinicId: string,
  delivery: DueDelivery,
): Promise<{ body: string; contentType: string } | null> {
  const subscription = await stores.fhirSubscriptions.find(clinicId, delivery.receiverId);
  if (!subscription) return null;
  const { id: subscriptionId, baseUrl, payload } = subscription;
  const notification = toNotification({ subscriptionId, baseUrl }, notificationOf(subscription, delivery));
  return { body: JSON.stringify(notification), contentType: payload };
}

/** Its id is that of `webhook-id`: the same at every attempt. */
function notificationOf(
  { content, lastNumber }: SubscriptionRecord,
  { eventId: id, event, number, data, createdAt }: DueDelivery,
): Notification {
  if (number === null) {
    const isHandshake = event === 'subscription.handshake';
    return {
      id,
      at: new Date(),
      type: isHandshake ? 'handshake' : 'heartbeat',
      status: isHandshake ? 'requested' : 'active',
      content,
      lastNumber,
      events: [],
    };
  }
  const change = changeOf({ data, createdAt });
  return {
    id,
    at: change?.at ?? new Date(),
    type: 'event-notification',
    status: 'active',
    content,
    lastNumber: number,
    events: [{ number, change }],
  };
}

import { type Notification, toNotification } from '@clinic/shared/contracts/subscriptions';
import { derivedId } from '@clinic/shared/crypto';
import type { Stores } from '@clinic/prisma/stores';
import type { SubscriptionMessage } from '@clinic/prisma/stores/fhir-subscriptions';
import { UnreadableSecretError } from '@clinic/prisma/stores/keys';
import type { DeliveryStep } from './delivery-step';
import type { WebhookSender } from './gateways/webhook-sender';

interface Subscriber {
  stores: Pick<Stores, 'fhirSubscriptions' | 'keys'>;
  webhooks: WebhookSender;
  clinicId: string;
  /** Of the subscription. */
  id: string;
  signal: AbortSignal;
}

/** For so long one activity goes on while the receiver takes everything, well within the time that it has. */
const IN_A_ROW_MS = 10_000;

/** Sends a FHIR Subscription of a sandbox what comes next, one after the other, until nothing is left or an attempt fails. */
export async function notifySubscriber(subscriber: Subscriber): Promise<DeliveryStep> {
  const until = performance.now() + IN_A_ROW_MS;
  for (;;) {
    const step = await attempt(subscriber);
    const goesOn = step.kind === 'attempted' && step.hasMore === true;
    if (!goesOn || performance.now() > until) return step;
  }
}

/** One attempt, signed as that of every event. */
async function attempt({ stores, webhooks, clinicId, id, signal }: Subscriber): Promise<DeliveryStep> {
  const lease = await stores.fhirSubscriptions.lease(clinicId, id);
  if (lease.kind === 'none') return lease;
  if (lease.kind === 'later') return { kind: 'later', at: lease.at.toISOString() };
  const { message, token } = lease;
  const at = new Date();
  const notification = notificationOf({ clinicId, id, message, at });
  const secrets = await stores.keys.signingSecrets(clinicId, id).catch(noneIfUnreadable);
  const sent =
    secrets.length === 0
      ? ({ kind: 'failed', status: null, error: 'signing_secret_unreadable', retryAfterMs: null } as const)
      : await webhooks.send({
          url: message.url,
          eventId: notification.id,
          body: JSON.stringify(toNotification({ subscriptionId: id, baseUrl: message.baseUrl }, notification)),
          contentType: message.payload,
          secrets,
          at,
          signal,
        });
  const random = Math.random();
  const { hasMore } = await stores.fhirSubscriptions.record({ clinicId, id, token, message, result: sent, random });
  return sent.kind === 'failed' ? { kind: 'failed' } : { kind: 'attempted', hasMore };
}

/** Its id is that of `webhook-id`: an event has the same one at every attempt, and a handshake until it was taken. */
function notificationOf({
  clinicId,
  id,
  message,
  at,
}: {
  clinicId: string;
  id: string;
  message: SubscriptionMessage;
  at: Date;
}): Notification {
  const { type, content, version, lastNumber } = message;
  const idOf = (what: string | number) => derivedId('subscription-notification', clinicId, id, String(what));
  if (type !== 'event-notification') {
    const status = type === 'handshake' ? 'requested' : 'active';
    const about = type === 'handshake' ? `handshake ${version}` : `heartbeat ${at.toISOString()}`;
    return { id: idOf(about), at, type, status, content, lastNumber, events: [] };
  }
  const { event } = message;
  return {
    id: idOf(event.number),
    at: event.change?.at ?? at,
    type,
    status: 'active',
    content,
    lastNumber,
    events: [event],
  };
}

function noneIfUnreadable(error: unknown): string[] {
  if (error instanceof UnreadableSecretError) return [];
  throw error;
}

import type { OutboundBody } from '@clinic/shared/contracts/outbound-events';
import { type DeliveryOwner, isOfSubscription } from '@clinic/shared/domain/outbound-endpoint';
import type { Stores } from '@clinic/prisma/stores';
import { UnreadableSecretError } from '@clinic/prisma/stores/keys';
import type { DueDelivery } from '@clinic/prisma/stores/deliveries';
import type { DeliveryStep } from './delivery-step';
import type { WebhookSender } from './gateways/webhook-sender';
import { withHeartbeat } from './heartbeat';
import { notifySubscriber } from './subscriptions';

export interface EventActivityDeps {
  stores: Stores;
  webhooks: WebhookSender;
  /** Makes sure that a sender is at work on a subject, and has it look again. */
  wakeDeliveries: (owner: DeliveryOwner) => Promise<void>;
}

/** Outgoing events: signed, one attempt at a time, in the order of their subject. */
export function createEventActivities({ stores, webhooks, wakeDeliveries }: EventActivityDeps) {
  return {
    attemptDelivery: (owner: DeliveryOwner): Promise<DeliveryStep> =>
      withHeartbeat(async (signal) => {
        const { clinicId, subject, endpointId } = owner;
        if (isOfSubscription(owner)) return notifySubscriber({ stores, webhooks, clinicId, id: subject, signal });
        const lease = await stores.deliveries.lease(clinicId, subject, endpointId);
        if (lease.kind === 'none') return lease;
        if (lease.kind === 'later') return { kind: 'later', at: lease.at.toISOString() };

        const { token } = lease;
        const { deliveryId, eventId, url, isEnabled, isRemoved, isSimulated, hasMore } = lease.delivery;
        if (!url || !isEnabled || isRemoved) {
          const error = isRemoved ? 'endpoint_removed' : 'endpoint_disabled';
          await stores.deliveries.abandon({ clinicId, deliveryId, token, error });
          return { kind: 'attempted', hasMore };
        }
        const secrets = await stores.keys.signingSecrets(clinicId, endpointId).catch(nullIfUnreadable);
        if (secrets === null) {
          await recordUnsigned({ stores, clinicId, deliveryId, token, url });
          return { kind: 'failed' };
        }
        // They go with their endpoint.
        if (endpointId && secrets.length === 0) {
          await stores.deliveries.abandon({ clinicId, deliveryId, token, error: 'endpoint_removed' });
          return { kind: 'attempted', hasMore };
        }
        const body = JSON.stringify(toBody(clinicId, lease.delivery));
        const sent = await webhooks.send({
          url,
          eventId,
          body,
          secrets,
          at: new Date(),
          isSimulated,
          signal,
        });
        const response = sent.kind === 'failed' ? (sent.responseSnippet ?? null) : null;
        const { durationMs } = sent;
        await stores.deliveries.record({
          clinicId,
          deliveryId,
          token,
          url,
          durationMs,
          response,
          result: sent,
          random: Math.random(),
        });
        return sent.kind === 'failed' ? { kind: 'failed' } : { kind: 'attempted', hasMore };
      }),

    wakeDeliveries,
  };
}

function nullIfUnreadable(error: unknown): null {
  if (error instanceof UnreadableSecretError) return null;
  throw error;
}

/** What cannot be signed is not sent: it is tried again as after any failure, and staff are told why. */
async function recordUnsigned({
  stores,
  ...attempt
}: {
  stores: Stores;
  clinicId: string;
  deliveryId: string;
  token: string;
  url: string;
}): Promise<void> {
  const reason = 'signing_secret_unreadable';
  const { clinicId } = attempt;
  await stores.tasks.open({ clinicId, reason, cause: `${reason}:${new Date().toISOString().slice(0, 10)}` });
  const result = { kind: 'failed', status: null, error: reason, retryAfterMs: null } as const;
  await stores.deliveries.record({ ...attempt, result, durationMs: 0, response: null, random: Math.random() });
}

// Each attempt sends the same bytes: `sentAt` is when the event happened, `webhook-timestamp` when it was attempted.
function toBody(clinicId: string, { event, createdAt, data }: DueDelivery) {
  return { event, clinicId, sentAt: createdAt.toISOString(), data } satisfies Record<keyof OutboundBody, unknown>;
}

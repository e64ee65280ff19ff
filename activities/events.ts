import { setTimeout as delay } from 'node:timers/promises';
import type { OutboundBody } from '@clinic/shared/contracts/events/outbound-events';
import type { Announcement, DeliveryOwner, ToReceiver } from '@clinic/shared/domain/events/delivery-owner';
import type { Stores } from '@clinic/prisma/stores';
import { UnreadableSecretError } from '@clinic/prisma/stores/accounts/keys';
import type { DueDelivery } from '@clinic/prisma/stores/events/delivery-leases';
import type { DeliveryStep } from './delivery-step';
import type { WebhookSender } from '@clinic/gateways/receivers/webhook-sender';
import { withHeartbeat } from './heartbeat';
import { notificationBody } from './subscriptions';

export interface EventActivityDeps {
  stores: Stores;
  webhooks: WebhookSender;
  /** Makes sure that a sender is at work, and has it look again. */
  wakeSender: (owner: ToReceiver) => Promise<void>;
}

/** For so long one activity goes on while the receiver takes everything, well within the time that it has. */
const IN_A_ROW_MS = 10_000;

/** For so long a workflow waits for its receiver. Some more wait for one that hangs, and hold up nobody else's workflows. */
const PATIENCE_MS = 1_000;

/** What is owed to receivers: signed, one attempt at a time, in the order of its subject. */
export function createEventActivities({ stores, webhooks, wakeSender }: EventActivityDeps) {
  /** Of each receiver that is owed something about the subject. */
  const wakeDeliveries = async ({ clinicId, subject }: Announcement): Promise<void> => {
    for (const receiverId of await stores.deliveryLeases.receiversOf(clinicId, subject)) {
      await wakeSender({ clinicId, subject, receiverId });
    }
  };

  const sendOrLeave = async (told: Announcement): Promise<void> => {
    const { signal } = new AbortController();
    let step: DeliveryStep;
    do step = await attempt({ stores, webhooks, signal }, told);
    while (step.kind === 'attempted' && step.hasMore);
    if (step.kind === 'failed' || step.kind === 'later') await wakeDeliveries(told);
  };

  return {
    /**
     * Sends the events of a subject while its receiver takes them, and leaves to senders what it does not take. A workflow does
     * not wait for a slow one: the attempt then ends without it, and what came meanwhile is sent after it. Of a process that dies
     * in it the relay finds out.
     */
    async sendAtOnce(told: Announcement): Promise<void> {
      const sending = sendOrLeave(told);
      const over = new AbortController();
      const patience = delay(PATIENCE_MS, 'late', { signal: over.signal }).catch(() => undefined);
      const first = await Promise.race([sending, patience]).finally(() => over.abort());
      if (first === 'late') sending.then(() => wakeDeliveries(told)).catch(() => undefined);
    },

    attemptDelivery: (owner: DeliveryOwner): Promise<DeliveryStep> =>
      withHeartbeat(async (signal) => {
        const until = performance.now() + IN_A_ROW_MS;
        for (;;) {
          const step = await attempt({ stores, webhooks, signal }, owner);
          const goesOn = step.kind === 'attempted' && step.hasMore;
          if (!goesOn || performance.now() > until) return step;
        }
      }),

    wakeDeliveries,
  };
}

interface Sender {
  stores: Stores;
  webhooks: WebhookSender;
  signal: AbortSignal;
}

async function attempt({ stores, webhooks, signal }: Sender, owner: DeliveryOwner): Promise<DeliveryStep> {
  const lease = await stores.deliveryLeases.lease(owner);
  if (lease.kind === 'none') return lease;
  if (lease.kind === 'later') return { ...lease, at: lease.at.toISOString() };

  const { clinicId } = owner;
  const { token, delivery } = lease;
  const { deliveryId, receiverId, eventId, isFirst, url, isEnabled, isRemoved, isSimulated, isPurged, hasMore } =
    delivery;
  const { failureId } = delivery;
  const giveUp = async (error: string): Promise<DeliveryStep> => {
    await stores.deliveryLeases.abandon({ clinicId, deliveryId, token, error });
    return { kind: 'attempted', hasMore };
  };
  if (isRemoved) return giveUp('endpoint_removed');
  if (!url || !isEnabled) return giveUp('endpoint_disabled');
  if (isPurged) return giveUp('body_purged');
  if (failureId !== null && (await stores.sandboxFailures.claim({ clinicId, id: failureId, subject: {} })))
    return giveUp('chosen_failure');
  const secrets = await stores.keys.signingSecrets(clinicId, receiverId).catch(nullIfUnreadable);
  if (secrets === null) {
    await recordUnsigned({ stores, clinicId, delivery, token, url });
    return { kind: 'failed' };
  }
  const content = await contentOf(stores, clinicId, delivery);
  // They go with their receiver; the first one stays.
  if (content === null || (!isFirst && secrets.length === 0)) return giveUp('endpoint_removed');
  const sent = await webhooks.send({ url, eventId, ...content, secrets, at: new Date(), isSimulated, signal });
  await stores.deliveryLeases.record({
    clinicId,
    deliveryId,
    token,
    url,
    durationMs: sent.durationMs,
    response: sent.kind === 'failed' ? (sent.responseSnippet ?? null) : null,
    result: sent,
    random: Math.random(),
  });
  return sent.kind === 'failed' ? { kind: 'failed' } : { kind: 'attempted', hasMore };
}

function nullIfUnreadable(error: unknown): null {
  if (error instanceof UnreadableSecretError) return null;
  throw error;
}

/** What cannot be signed is not sent: it is tried again as after any failure, and staff are told why. */
async function recordUnsigned({
  stores,
  clinicId,
  delivery: { deliveryId, kind },
  token,
  url,
}: {
  stores: Stores;
  clinicId: string;
  delivery: DueDelivery;
  token: string;
  url: string;
}): Promise<void> {
  const reason = 'signing_secret_unreadable';
  if (kind === 'endpoint') {
    await stores.tasks.open({ clinicId, reason, cause: `${reason}:${new Date().toISOString().slice(0, 10)}` });
  }
  await stores.deliveryLeases.record({
    clinicId,
    deliveryId,
    token,
    url,
    durationMs: 0,
    response: null,
    result: { kind: 'failed', status: null, error: reason, retryAfterMs: null },
    random: Math.random(),
  });
}

async function contentOf(
  stores: Stores,
  clinicId: string,
  delivery: DueDelivery,
): Promise<{ body: string; contentType?: string } | null> {
  if (delivery.kind === 'subscription') return notificationBody(stores, clinicId, delivery);
  return { body: JSON.stringify(toBody(clinicId, delivery)) };
}

// Each attempt sends the same bytes: `sentAt` is when the event happened, `webhook-timestamp` when it was attempted.
function toBody(clinicId: string, { event, createdAt, data }: DueDelivery) {
  return { event, clinicId, sentAt: createdAt.toISOString(), data } satisfies Record<keyof OutboundBody, unknown>;
}

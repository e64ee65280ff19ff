import {
  FAILING_TASK_AFTER_MS,
  GONE_AFTER_MS,
  pauseAfterFailureMs,
} from '@clinic/shared/domain/events/receiver-health';
import type { Sql } from '../../sql';
import { openTask } from '../tasks/tasks';

/** An endpoint of a clinic, or a FHIR Subscription of a sandbox. */
export const receiverKinds = ['endpoint', 'subscription'] as const;
export type ReceiverKind = (typeof receiverKinds)[number];

/** So many events that a subscription's receiver has taken are kept, to be shown again. */
const KEPT = 10_000;

/** A receiver with the URL that was tried: what comes of another URL says nothing of the present one. */
interface Tried {
  clinicId: string;
  receiverId: string;
  url: string;
}

/** The clinic's first endpoint where none is named; null where there is none. */
export async function receiverIdOf(sql: Sql, clinicId: string, receiverId: string | undefined): Promise<string | null> {
  if (receiverId !== undefined) return receiverId;
  const [first] = await sql<{ id: string }>`select id from receivers where clinic_id = ${clinicId} and is_first`;
  return first?.id ?? null;
}

/** When a sender that may not go yet looks again. One after the other: there may be many, and the receiver is not free sooner. */
export async function nextLook(
  tx: Sql,
  { clinicId, receiverId, afterMs }: Omit<Tried, 'url'> & { afterMs: number },
): Promise<Date> {
  const [turn] = await tx<{ at: Date }>`
    update receivers set
      next_look_at = make_interval(secs => ${afterMs / 1_000}) + greatest(now(), paused_until,
        case when next_look_at < now() + interval '5 minutes' then next_look_at end)
    where clinic_id = ${clinicId} and id = ${receiverId}
    returning coalesce(next_look_at, now()) as at`;
  if (!turn) throw new Error('a sender that waits must have its turn');
  return turn.at;
}

/** A receiver that took an event is well. */
export async function noteSuccess(tx: Sql, { clinicId, receiverId, url }: Tried): Promise<void> {
  await tx`
    update receivers set failures = 0, failing_since = null, paused_until = null, next_look_at = null, last_error = null,
      gone_since = null
    where clinic_id = ${clinicId} and id = ${receiverId} and url = ${url} and (failures > 0 or last_error is not null)`;
}

/** Who takes what a subscription is owed hears of changes from then on, and needs no heartbeat for a while. */
export async function noteTaken(
  tx: Sql,
  { clinicId, receiverId, place }: { clinicId: string; receiverId: string; place: number },
): Promise<void> {
  const [subscription] = await tx`
    update fhir_subscriptions set sent_at = now(), active_since = coalesce(active_since, now())
    where clinic_id = ${clinicId} and id = ${receiverId} returning id`;
  if (!subscription || place <= KEPT) return;
  await tx`
    delete from outbound_events where clinic_id = ${clinicId} and subject = ${receiverId} and number <= ${place - KEPT}::int`;
}

/**
 * A receiver that fails is given pauses; one that has failed for a day, or is switched off, is a task for staff. A subscription is
 * switched off at the end of the schedule, so that nothing is passed over. An endpoint is switched off once it has answered 410 and
 * nothing else for hours, the last time to a test event. True where such an event is to be sent now.
 */
export async function noteFailure(
  tx: Sql,
  {
    clinicId,
    receiverId,
    url,
    error,
    isLast,
    isTestEvent,
    retryAfterMs,
  }: Tried & { error: string; isLast: boolean; isTestEvent: boolean; retryAfterMs: number | null },
): Promise<boolean> {
  const [failing] = await tx<Failing>`
    update receivers set failures = failures + 1, failing_since = coalesce(failing_since, now()), last_error = ${error},
      gone_since = case when ${error} = ${GONE} then coalesce(gone_since, now()) end,
      is_enabled = is_enabled and not (kind = 'subscription' and ${isLast})
    where clinic_id = ${clinicId} and id = ${receiverId} and url = ${url}
    returning failures, coalesce(failing_since, now()) as since, gone_since as "goneSince", now() as now, kind, is_first as "isFirst", name`;
  if (!failing) return false;
  const { failures: failuresInARow, since, goneSince, now, kind, isFirst, name } = failing;
  const failingForMs = now.getTime() - since.getTime();
  const pauseMs = pauseAfterFailureMs({ failuresInARow, failingForMs, retryAfterMs });
  if (pauseMs > 0) {
    await tx`
      update receivers set paused_until = greatest(paused_until, now() + make_interval(secs => ${pauseMs / 1_000}::float8))
      where clinic_id = ${clinicId} and id = ${receiverId}`;
  }
  if (kind === 'subscription') return false;
  const isGone = goneSince !== null && now.getTime() - goneSince.getTime() >= GONE_AFTER_MS;
  const isSwitchedOff = isGone && isTestEvent;
  if (isSwitchedOff) await switchOff(tx, clinicId, receiverId);
  if (isSwitchedOff || failingForMs >= FAILING_TASK_AFTER_MS) {
    const failingSince = since.toISOString();
    await openTask(tx, {
      clinicId,
      reason: 'endpoint_failing',
      cause: `endpoint_failing:${receiverId}:${failingSince}`,
      detail: isFirst ? { failingSince } : { failingSince, endpoint: name },
    });
  }
  return isGone && !isTestEvent;
}

const GONE = 'http_410';

interface Failing {
  failures: number;
  since: Date;
  goneSince: Date | null;
  now: Date;
  kind: string;
  isFirst: boolean;
  name: string | null;
}

async function switchOff(tx: Sql, clinicId: string, receiverId: string): Promise<void> {
  await tx`
    update receivers set is_enabled = false, disabled_reason = 'the receiver answered 410 Gone for hours', gone_since = null
    where clinic_id = ${clinicId} and id = ${receiverId}`;
}

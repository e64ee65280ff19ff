import { FAILING_TASK_AFTER_MS, pauseAfterFailureMs } from '@clinic/shared/domain/events/receiver-health';
import type { Sql } from '../../sql';
import { openTask } from '../tasks/tasks';

/** An endpoint of a clinic, or a FHIR Subscription of a sandbox. */
export type ReceiverKind = 'endpoint' | 'subscription';

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
    update receivers set failures = 0, failing_since = null, paused_until = null, next_look_at = null, last_error = null
    where clinic_id = ${clinicId} and id = ${receiverId} and url = ${url} and (failures > 0 or last_error is not null)`;
}

/** Who takes what a subscription is owed hears of changes from then on, and needs no heartbeat for a while. Others are not noted. */
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

/** A receiver that answered 410 is sent nothing more. */
export async function switchOff(tx: Sql, { clinicId, receiverId, url }: Tried): Promise<void> {
  await tx`
    update receivers set is_enabled = false, disabled_reason = 'the receiver answered 410 Gone', last_error = 'http_410'
    where clinic_id = ${clinicId} and id = ${receiverId} and url = ${url}`;
}

/**
 * A receiver that fails is given pauses; one that has failed for a day is a task for staff. A subscription is switched off at the end
 * of the schedule, so that nothing is passed over.
 */
export async function noteFailure(
  tx: Sql,
  {
    clinicId,
    receiverId,
    url,
    error,
    isLast,
    retryAfterMs,
  }: Tried & { error: string; isLast: boolean; retryAfterMs: number | null },
): Promise<void> {
  const [failing] = await tx<{
    failures: number;
    since: Date;
    now: Date;
    kind: string;
    isFirst: boolean;
    name: string | null;
  }>`
    update receivers set failures = failures + 1, failing_since = coalesce(failing_since, now()), last_error = ${error},
      is_enabled = is_enabled and not (kind = 'subscription' and ${isLast})
    where clinic_id = ${clinicId} and id = ${receiverId} and url = ${url}
    returning failures, coalesce(failing_since, now()) as since, now() as now, kind, is_first as "isFirst", name`;
  if (!failing) return;
  const { failures: failuresInARow, since, now, kind, isFirst, name } = failing;
  const failingForMs = now.getTime() - since.getTime();
  const pauseMs = pauseAfterFailureMs({ failuresInARow, failingForMs, retryAfterMs });
  if (pauseMs > 0) {
    await tx`
      update receivers set paused_until = greatest(paused_until, now() + make_interval(secs => ${pauseMs / 1_000}::float8))
      where clinic_id = ${clinicId} and id = ${receiverId}`;
  }
  if (kind === 'subscription' || failingForMs < FAILING_TASK_AFTER_MS) return;
  const failingSince = since.toISOString();
  await openTask(tx, {
    clinicId,
    reason: 'endpoint_failing',
    cause: `endpoint_failing:${receiverId}:${failingSince}`,
    detail: isFirst ? { failingSince } : { failingSince, endpoint: name },
  });
}

import { FIRST_ENDPOINT } from '@clinic/shared/domain/outbound-endpoint';
import { FAILING_TASK_AFTER_MS, pauseAfterFailureMs } from '@clinic/shared/domain/receiver-health';
import type { Sql } from '../sql';
import { openTask } from './tasks';

/** An endpoint with the URL that was tried: what comes of another URL says nothing of the present one. */
interface Tried {
  clinicId: string;
  endpointId: string;
  url: string;
}

/** When a sender that may not go yet looks again. One after the other: there may be many, and the receiver is not free sooner. */
export async function nextLook(
  tx: Sql,
  { clinicId, endpointId, url, afterMs }: Tried & { afterMs: number },
): Promise<Date> {
  const seconds = afterMs / 1_000;
  const [turn] =
    endpointId === FIRST_ENDPOINT
      ? await tx<{ at: Date }>`
          insert into endpoint_health as h (clinic_id, url, next_look_at)
          values (${clinicId}, ${url}, now() + make_interval(secs => ${seconds}))
          on conflict (clinic_id) do update set
            next_look_at = make_interval(secs => ${seconds}) + greatest(now(),
              case when h.url = excluded.url then h.paused_until end,
              case when h.next_look_at < now() + interval '5 minutes' then h.next_look_at end)
          returning coalesce(next_look_at, now()) as at`
      : await tx<{ at: Date }>`
          update further_endpoints set
            next_look_at = make_interval(secs => ${seconds}) + greatest(now(), paused_until,
              case when next_look_at < now() + interval '5 minutes' then next_look_at end)
          where clinic_id = ${clinicId} and id = ${endpointId}
          returning coalesce(next_look_at, now()) as at`;
  if (!turn) throw new Error('a sender that waits must have its turn');
  return turn.at;
}

/** A receiver that answered 410 is sent nothing more. */
export async function switchOff(tx: Sql, { clinicId, endpointId, url }: Tried): Promise<void> {
  const why = 'the receiver answered 410 Gone';
  if (endpointId === FIRST_ENDPOINT) {
    await tx`
      update outbound_endpoints set is_enabled = false, disabled_reason = ${why}
      where clinic_id = ${clinicId} and url = ${url}`;
    return;
  }
  await tx`
    update further_endpoints set is_enabled = false, disabled_reason = ${why}
    where clinic_id = ${clinicId} and id = ${endpointId} and url = ${url}`;
}

/** A receiver that fails is given pauses; one that has failed for a day is a task for staff. */
export async function noteFailure(
  tx: Sql,
  { retryAfterMs, ...tried }: Tried & { retryAfterMs: number | null },
): Promise<void> {
  const { clinicId, endpointId } = tried;
  const failing = await countFailure(tx, tried);
  if (!failing) return;
  const { failures: failuresInARow, since, now, name } = failing;
  const failingForMs = now.getTime() - since.getTime();
  const pauseMs = pauseAfterFailureMs({ failuresInARow, failingForMs, retryAfterMs });
  if (pauseMs > 0) await pause(tx, { clinicId, endpointId, pauseMs });
  if (failingForMs < FAILING_TASK_AFTER_MS) return;
  const failingSince = since.toISOString();
  const isFirst = endpointId === FIRST_ENDPOINT;
  await openTask(tx, {
    clinicId,
    reason: 'endpoint_failing',
    cause: isFirst ? `endpoint_failing:${failingSince}` : `endpoint_failing:${endpointId}:${failingSince}`,
    detail: isFirst ? { failingSince } : { failingSince, endpoint: name },
  });
}

interface Failing {
  failures: number;
  since: Date;
  now: Date;
  /** Null for the first endpoint. */
  name: string | null;
}

async function countFailure(tx: Sql, { clinicId, endpointId, url }: Tried): Promise<Failing | null> {
  const [failing] =
    endpointId === FIRST_ENDPOINT
      ? await tx<Failing>`
          insert into endpoint_health as h (clinic_id, url, failures, failing_since)
          select clinic_id, url, 1, now() from outbound_endpoints where clinic_id = ${clinicId} and url = ${url}
          on conflict (clinic_id) do update set url = excluded.url,
            failures = case when h.url = excluded.url then h.failures + 1 else 1 end,
            failing_since = case when h.url = excluded.url then coalesce(h.failing_since, now()) else now() end,
            paused_until = case when h.url = excluded.url then h.paused_until end
          returning failures, coalesce(failing_since, now()) as since, now() as now, null::text as name`
      : await tx<Failing>`
          update further_endpoints set failures = failures + 1, failing_since = coalesce(failing_since, now())
          where clinic_id = ${clinicId} and id = ${endpointId} and url = ${url}
          returning failures, coalesce(failing_since, now()) as since, now() as now, name`;
  return failing ?? null;
}

async function pause(
  tx: Sql,
  { clinicId, endpointId, pauseMs }: { clinicId: string; endpointId: string; pauseMs: number },
): Promise<void> {
  const seconds = pauseMs / 1_000;
  if (endpointId === FIRST_ENDPOINT) {
    await tx`
      update endpoint_health set paused_until = greatest(paused_until, now() + make_interval(secs => ${seconds}::float8))
      where clinic_id = ${clinicId}`;
    return;
  }
  await tx`
    update further_endpoints set paused_until = greatest(paused_until, now() + make_interval(secs => ${seconds}::float8))
    where clinic_id = ${clinicId} and id = ${endpointId}`;
}

import { MAX_CALL_MS } from '@clinic/shared/domain/voice/longest-call';
import type { Database } from '../../client';
import { freeLine } from './lines';

/** A call that no workflow ends any more. */
export interface LeftCall {
  callId: string;
  clinicId: string;
  voiceProvider: string;
  platformCallId: string | null;
  requestedAt: Date | null;
  requestedMsAgo: number | null;
  requestedAccount: string | null;
}

/**
 * Calls whose run has been over for a minute, reservations that are ten minutes old and were never dialled, calls
 * whose own run is in line for the next one: the records are from a backup, and do not know that they have ended; and trial calls
 * of two minutes ago, which have no run. The clinics take turns, and a call that was looked at waits for its next look. Those that are
 * over whatever their platform says go first: a platform that does not reply keeps none of them.
 */
export const left = ({ sql }: Database, limit: number): Promise<LeftCall[]> => sql<LeftCall>`
  with due as (
    select k.*, coalesce(k.next_look_at, k.created_at) as look_at,
      row_number() over (
        partition by k.clinic_id
        order by coalesce(k.requested_at, k.created_at) > now() - make_interval(secs => ${MAX_CALL_MS / 1_000}),
          coalesce(k.next_look_at, k.created_at), k.id
      ) as turn
    from calls k left join workflow_runs r on r.clinic_id = k.clinic_id and r.id = k.workflow_id
    where k.state <> 'ENDED' and (k.next_look_at is null or k.next_look_at <= now()) and case when k.is_test
      then k.direction = 'outbound' and k.created_at < now() - interval '2 minutes'
      else (r.status <> 'started' and r.completed_at < now() - interval '1 minute')
      or (k.direction = 'outbound' and k.requested_at is null and k.created_at < now() - interval '10 minutes')
      or (k.platform_call_id is not null and exists (
        select 1 from line_tickets t
        where t.workflow_id = k.workflow_id and (t.not_after is null or t.not_after > now()))) end
  )
  select k.id as "callId", k.clinic_id as "clinicId", c.voice_provider as "voiceProvider",
    k.platform_call_id as "platformCallId", k.requested_at as "requestedAt",
    (extract(epoch from now() - k.requested_at) * 1000)::float8 as "requestedMsAgo",
    k.requested_account as "requestedAccount"
  from due k join clinics c on c.id = k.clinic_id
  order by k.turn, k.look_at limit ${limit}`;

/** The older a call is that goes on, or cannot be asked about, the more rarely it is looked at: from a minute up to an hour. */
export async function lookLater({ sql }: Database, clinicId: string, callId: string): Promise<void> {
  await sql`
    update calls set next_look_at = now() + least(interval '1 hour', greatest(interval '1 minute', (now() - created_at) / 10))
    where clinic_id = ${clinicId} and id = ${callId} and state <> 'ENDED'`;
}

/** Ends a call that nobody has begun to dial. Returns false for any other. */
export const withdrawUnrequested = ({ transaction }: Database, clinicId: string, callId: string): Promise<boolean> =>
  transaction(async (tx) => {
    const [call] = await tx`
    update calls set state = 'ENDED', ended_at = now(), ended_reason = 'withdrawn', withdrawn_because = 'never_dialled'
    where clinic_id = ${clinicId} and id = ${callId} and state <> 'ENDED' and requested_at is null returning id`;
    if (call) await freeLine(tx, clinicId);
    return call !== undefined;
  });

/** The platform does not know the call. Returns how often in a row that was so, counting once in 90 seconds. */
export async function markNotFound({ sql }: Database, clinicId: string, callId: string): Promise<number> {
  const [call] = await sql<{ times: number }>`
    update calls set
      not_found_count = not_found_count + (not_found_at is null or not_found_at < now() - interval '90 seconds')::int,
      not_found_at = case when not_found_at >= now() - interval '90 seconds' then not_found_at else now() end
    where clinic_id = ${clinicId} and id = ${callId} returning not_found_count as times`;
  return call?.times ?? 0;
}

/** The platform knows the call. */
export async function markFound({ sql }: Database, clinicId: string, callId: string): Promise<void> {
  await sql`
    update calls set not_found_count = 0, not_found_at = null
    where clinic_id = ${clinicId} and id = ${callId} and not_found_count > 0`;
}

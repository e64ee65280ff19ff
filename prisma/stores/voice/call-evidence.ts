import type { CallEvidence } from '@clinic/shared/domain/voice/report';
import type { Sql } from '../../sql';

/** Keeps what a report brought, its cost and length with the call itself; what an earlier one brought stays where this one says nothing. */
export async function keepEvidence(
  tx: Sql,
  { clinicId, callId, evidence }: { clinicId: string; callId: string; evidence: CallEvidence },
): Promise<void> {
  const { transcript, recordingUrl, costUsd, durationSeconds, success } = evidence;
  await tx`
    update calls set cost_usd = coalesce(${costUsd}, cost_usd), duration_seconds = coalesce(${durationSeconds}, duration_seconds)
    where clinic_id = ${clinicId} and id = ${callId}
      and (${costUsd}::float8 is not null or ${durationSeconds}::int is not null)`;
  await tx`
    insert into call_evidence (clinic_id, call_id, transcript, recording_url, success)
    values (${clinicId}, ${callId}, ${transcript}, ${recordingUrl}, ${success})
    on conflict (clinic_id, call_id) do update set transcript = coalesce(excluded.transcript, call_evidence.transcript),
      recording_url = coalesce(excluded.recording_url, call_evidence.recording_url),
      success = coalesce(excluded.success, call_evidence.success)`;
}

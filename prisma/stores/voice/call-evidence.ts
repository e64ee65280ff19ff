import type { CallEvidence } from '@clinic/shared/domain/voice/report';
import type { Sql } from '../../sql';

/** Keeps what a report brought; what an earlier one brought stays where this one says nothing. */
export async function keepEvidence(
  tx: Sql,
  { clinicId, callId, evidence }: { clinicId: string; callId: string; evidence: CallEvidence },
): Promise<void> {
  const { transcript, recordingUrl, costUsd, durationSeconds, success } = evidence;
  await tx`
    insert into call_evidence (clinic_id, call_id, transcript, recording_url, cost_usd, duration_seconds, success)
    values (${clinicId}, ${callId}, ${transcript}, ${recordingUrl}, ${costUsd}, ${durationSeconds}, ${success})
    on conflict (clinic_id, call_id) do update set transcript = coalesce(excluded.transcript, call_evidence.transcript),
      recording_url = coalesce(excluded.recording_url, call_evidence.recording_url),
      cost_usd = coalesce(excluded.cost_usd, call_evidence.cost_usd),
      duration_seconds = coalesce(excluded.duration_seconds, call_evidence.duration_seconds),
      success = coalesce(excluded.success, call_evidence.success)`;
}

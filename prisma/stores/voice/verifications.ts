import {
  type CallerStanding,
  isLocked,
  type VerificationOutcome,
  verificationOutcome,
} from '@clinic/shared/domain/voice/caller-trust';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { applyProposalOf } from '../patients/proposals';
import { openTask } from '../tasks/tasks';

/** A date of birth that somebody stated in a call. */
export interface StatedInCall {
  /** That of the tool call: one that is run again counts once. */
  id: string;
  clinicId: string;
  callId: string;
  patientId: string;
  tool: VerifyingTool;
  /** YYYY-MM-DD; null for what is no date. */
  stated: string | null;
  /** The one that the clinic's EHR has, which goes before ours. */
  birthDateThere?: string | null;
}

/** Only `verify_patient` says what came of it, so that only its caller has failed; a right date counts for every tool that asked for it. */
export type VerifyingTool = 'verify_patient' | 'resolve_patient_identity' | 'submit_intake';

export const createVerificationStores = (database: Database) => bound(database, { check, isOnFile });

/**
 * Compares a stated date of birth with the one on file and keeps how that went. Once too many were wrong nothing is
 * compared, and staff have a task. A right one writes what its caller had said before (`record_proposals`).
 */
const check = (
  { transaction }: Database,
  { id, clinicId, callId, patientId, tool, stated, birthDateThere = null }: StatedInCall,
): Promise<VerificationOutcome | 'nothing_on_file'> =>
  transaction(async (tx) => {
    // One at a time for a patient: many at once would all be compared before any is counted.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`verifications:${clinicId}:${patientId}`}, 0))`;
    const [facts] = await tx<{
      onFile: string | null;
      earlier: VerificationOutcome | null;
      wrongInCall: number;
      wrongInHour: number;
      wrongInDay: number;
    }>`
      select coalesce(${birthDateThere}::text, p.birth_date) as "onFile", e.outcome as earlier,
        (select count(*)::int from verification_attempts a
          where a.clinic_id = ${clinicId} and a.call_id = ${callId} and a.outcome = 'mismatched'
            and a.at > now() - interval '1 hour' and a.at > coalesce((select max(m.at) from verification_attempts m
              where m.clinic_id = ${clinicId} and m.call_id = ${callId} and m.outcome = 'matched'), '-infinity')) as "wrongInCall",
        (select count(*)::int from verification_attempts a
          where a.clinic_id = ${clinicId} and a.patient_id = ${patientId} and a.outcome = 'mismatched'
            and a.at > now() - interval '1 hour') as "wrongInHour",
        (select count(*)::int from verification_attempts a
          where a.clinic_id = ${clinicId} and a.patient_id = ${patientId} and a.outcome = 'mismatched'
            and a.at > now() - interval '1 day') as "wrongInDay"
      from patients p left join verification_attempts e on e.clinic_id = p.clinic_id and e.id = ${id}
      where p.clinic_id = ${clinicId} and p.id = ${patientId}`;
    if (!facts || facts.onFile === null) return 'nothing_on_file';
    const { onFile, earlier, wrongInCall, wrongInHour, wrongInDay } = facts;
    if (earlier !== null) return earlier;
    const outcome = verificationOutcome({ stated, onFile, wrongInCall, wrongInHour, wrongInDay });
    await tx`
      insert into verification_attempts (id, clinic_id, patient_id, call_id, tool, outcome)
      values (${id}, ${clinicId}, ${patientId}, ${callId}, ${tool}, ${outcome})`;
    if (outcome === 'matched') await applyProposalOf(tx, { clinicId, callId, patientId });
    if (outcome === 'mismatched') {
      const wrong = { wrongInCall: wrongInCall + 1, wrongInHour: wrongInHour + 1, wrongInDay: wrongInDay + 1 };
      const cause = `verification_locked:${callId}`;
      if (isLocked(wrong)) {
        await openTask(tx, { clinicId, reason: 'verification_locked', cause, patientId, callId, detail: wrong });
      }
    }
    return outcome;
  });

/** How the caller of a call stands, within a transaction that acts on it. */
export async function standingOf(
  tx: Sql,
  { clinicId, callId }: { clinicId: string; callId: string },
): Promise<CallerStanding> {
  const [row] = await tx<{ standing: CallerStanding }>`select standing from caller_standing(${clinicId}, ${callId})`;
  if (!row) throw new Error('a function returns a row');
  return row.standing;
}

/** Whether our own record of the patient has a date of birth. */
async function isOnFile(
  { sql }: Database,
  { clinicId, patientId }: { clinicId: string; patientId: string },
): Promise<boolean> {
  const [patient] = await sql<{ isOnFile: boolean }>`
    select birth_date is not null as "isOnFile" from patients where clinic_id = ${clinicId} and id = ${patientId}`;
  return patient?.isOnFile ?? false;
}

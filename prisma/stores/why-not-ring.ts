import type { CallState } from '@clinic/shared/domain/call-state';
import type { CaseState } from '@clinic/shared/domain/case-state';
import type { WithdrawalReason } from '@clinic/shared/domain/dialling';
import type { RunStatus } from '@clinic/shared/domain/run-status';
import type { Sql } from '../sql';

/**
 * Whether the phone of an intent may ring now: everything that the call was decided by, looked at again with the
 * database's clock. Whoever stops a call by then waits for this transaction, or is seen by it.
 */
export async function whyNotRing(
  tx: Sql,
  clinicId: string,
  callId: string,
): Promise<{ because: WithdrawalReason | null; requests: number }> {
  await tx`select share_dialling(${clinicId})::text`;
  await tx`
    select 1 from workflow_runs r join calls k on k.clinic_id = r.clinic_id and k.workflow_id = r.id
    where k.clinic_id = ${clinicId} and k.id = ${callId} for share of r`;
  await tx`
    select 1 from recovery_cases c join calls k on k.clinic_id = c.clinic_id and k.case_id = c.id
    where k.clinic_id = ${clinicId} and k.id = ${callId} for share of c`;
  const [facts] = await tx<RingFacts>`
    select k.state, k.requests, r.status as "runStatus", c.status as "caseStatus",
      c.form_completed_at is not null as "isFormCompleted",
      coalesce(k.not_after <= clock_timestamp(), false) as "isWindowOver",
      exists (select 1 from opt_outs o where o.clinic_id = k.clinic_id and o.phone = k.phone) as "isOptedOut",
      coalesce(k.appointment_starts_at <= clock_timestamp(), false) or exists (
        select 1 from appointments a
        where k.appointment_starts_at is not null and r.context ? 'appointment' and a.clinic_id = r.clinic_id
          and (a.id = r.context #>> '{appointment,appointmentId}'
            or a.external_id = r.context #>> '{appointment,appointmentId}')
          and (a.status <> 'booked' or a.starts_at <> k.appointment_starts_at)) as "isAppointmentChanged",
      coalesce(had.day >= p.calls_per_patient_per_day, false)
        or coalesce(had.week >= p.calls_per_patient_per_week, false) as "hadItsCalls"
    from calls k
    left join workflow_runs r on r.clinic_id = k.clinic_id and r.id = k.workflow_id
    left join recovery_cases c on c.clinic_id = k.clinic_id and c.id = k.case_id
    left join calling_policies p on p.clinic_id = k.clinic_id
    left join lateral (
      select count(*) filter (where f.requested_at > now() - interval '1 day') as day, count(*) as week
      from calls f
      where f.clinic_id = k.clinic_id and f.phone = k.phone and f.id <> k.id and not f.is_test
        and f.platform_call_id is not null and (f.state <> 'ENDED' or f.rang_at is not null)
        and f.requested_at > now() - interval '7 days'
    ) had on true
    where k.clinic_id = ${clinicId} and k.id = ${callId} for update of k`;
  if (!facts) return { because: 'call_over', requests: 0 };
  return { because: ruleAgainst(facts), requests: facts.requests };
}

interface RingFacts {
  state: CallState;
  requests: number;
  runStatus: RunStatus | null;
  caseStatus: CaseState | null;
  isFormCompleted: boolean;
  isWindowOver: boolean;
  isOptedOut: boolean;
  isAppointmentChanged: boolean;
  hadItsCalls: boolean;
}

function ruleAgainst(facts: RingFacts): WithdrawalReason | null {
  if (facts.state === 'ENDED') return 'call_over';
  if (facts.runStatus !== null && facts.runStatus !== 'started') return 'run_over';
  if (facts.isFormCompleted) return 'form_completed';
  if (facts.caseStatus !== null && facts.caseStatus !== 'CALLING') return 'case_over';
  if (facts.isOptedOut) return 'opted_out';
  if (facts.isWindowOver) return 'window_over';
  if (facts.isAppointmentChanged) return 'appointment_changed';
  return facts.hadItsCalls ? 'patient_limits' : null;
}

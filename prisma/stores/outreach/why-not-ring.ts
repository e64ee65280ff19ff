import { checked } from '@clinic/shared/domain/outreach/call-decisions';
import { type CallingPolicy, windowsOf } from '@clinic/shared/domain/outreach/calling-policy';
import type { DialFacts } from '@clinic/shared/domain/outreach/dialling';
import type { PreferredCallHours } from '@clinic/shared/domain/outreach/preferred-hours';
import { type ErasedKeys, erasedOptOut } from '../patients/erased-keys';
import type { Sql } from '../../sql';
import { patientZonesOf } from './calling-rules';

/**
 * Whether the phone of an intent may ring now: everything that the call was decided by, looked at again with the
 * database's clock. Who is being erased has opted out. Anyone who stops a call by then waits for this transaction, or is seen by it. Null for an unknown call.
 */
export async function whyNotRing(
  tx: Sql,
  { clinicId, callId }: { clinicId: string; callId: string },
  erasedKeys: ErasedKeys,
): Promise<{ decision: ReturnType<typeof checked>; requests: number; workflowId: string | null } | null> {
  await tx`select share_dialling(${clinicId})::text`;
  // By a value, not a join: a plan that was made when the tables were small would read all cases of the clinic.
  await tx`
    select 1 from workflow_runs where clinic_id = ${clinicId}
      and id = (select workflow_id from calls where clinic_id = ${clinicId} and id = ${callId}) for share`;
  await tx`
    select 1 from recovery_cases where clinic_id = ${clinicId}
      and id = (select case_id from calls where clinic_id = ${clinicId} and id = ${callId}) for share`;
  const hours = await hoursOf(tx, clinicId, callId);
  // One dial of a clinic at a time, so that its numbers of the day are counted exactly: what need not wait for others is read before.
  await tx`select pg_advisory_xact_lock(hashtextextended(${`numbers:${clinicId}`}, 0))`;
  const [facts] = await tx<RingFacts>`
    select clock_timestamp() as at, k.state, k.requests, k.workflow_id as "workflowId", r.status as "runStatus", c.status as "caseStatus",
      c.form_completed_at is not null as "isFormCompleted", n.phone is distinct from k.phone as "isNumberChanged",
      coalesce(k.not_after <= clock_timestamp(), false) as "isWindowOver",
      k.workflow_type as "workflowType",
      case when exists (select 1 from erasures e where e.clinic_id = k.clinic_id and e.patient_id = k.patient_id and e.state <> 'DONE')
        then 'all' else o.scope end as "optOutScope",
      outreach_pause(k.clinic_id, k.workflow_type) is not null as "isPaused",
      coalesce(k.appointment_starts_at <= clock_timestamp(), false) or exists (
        select 1 from appointments a
        where k.appointment_starts_at is not null and r.context ? 'appointment' and a.clinic_id = r.clinic_id
          and (a.id = r.context #>> '{appointment,appointmentId}'
            or a.external_id = r.context #>> '{appointment,appointmentId}')
          and (a.status <> 'booked' or a.starts_at <> k.appointment_starts_at)) or exists (
        select 1 from waitlist_offers w
        where r.workflow_type = 'waitlist-offer' and w.clinic_id = r.clinic_id and w.workflow_id = r.id and w.status <> 'open'
      ) as "isAppointmentChanged",
      coalesce(is_superseded(r), false) as "isSuperseded",
      coalesce(had.day >= p.calls_per_patient_per_day, false)
        or coalesce(had.week >= p.calls_per_patient_per_week, false) as "hadItsCalls",
      numbers_used_until(k.clinic_id, k.phone) is not null as "isClinicAtLimit",
      exists (
        select from phones_in_call t where t.clinic_id = k.clinic_id and t.phone = k.phone and t.call_id <> k.id
      ) as "isTalking"
    from calls k
    left join patients n on n.clinic_id = k.clinic_id and n.id = k.patient_id
    left join workflow_runs r on r.clinic_id = k.clinic_id and r.id = k.workflow_id
    left join recovery_cases c on c.clinic_id = k.clinic_id and c.id = k.case_id
    left join opt_outs o on o.clinic_id = k.clinic_id and o.phone = k.phone
    left join calling_policies p on p.clinic_id = k.clinic_id
    left join lateral (
      select count(*) filter (where f.requested_at > now() - interval '1 day') as day, count(*) as week
      from calls f
      where f.clinic_id = k.clinic_id and f.phone = k.phone and f.id <> k.id and not f.is_test
        and f.platform_call_id is not null and (f.state <> 'ENDED' or f.rang_at is not null)
        and f.requested_at > now() - interval '7 days'
    ) had on true
    where k.clinic_id = ${clinicId} and k.id = ${callId} for update of k`;
  if (!facts) return null;
  const { requests, workflowId, at, ...about } = facts;
  // Read after the opt-outs: an erasure that ended meanwhile took one from there to here.
  const optOutScope =
    about.optOutScope ?? (await erasedOptOut(tx, erasedKeys, { clinicId, phone: hours?.phone ?? null }));
  const hasCalledMeanwhile = hours?.hasCalledMeanwhile ?? false;
  const windows = hours && { ...windowsOf({ ...hours, patientZones: patientZonesOf(hours) }), at: at.toISOString() };
  return { decision: checked({ ...about, optOutScope, hasCalledMeanwhile, windows }), requests, workflowId };
}

/** What says when the phone of a call may ring; null for an unknown call. */
async function hoursOf(tx: Sql, clinicId: string, callId: string): Promise<HourFacts | null> {
  const [facts] = await tx<HourFacts>`
    select k.phone, f.address, f.voice_provider as "voiceProvider", f.clinic_zone as "clinicZone",
      f.preferred_hours as "preferredHours", f.policy,
      coalesce(f.own_call_at > k.created_at, false) as "hasCalledMeanwhile"
    from calls k join calling_facts f on f.clinic_id = k.clinic_id and f.patient_id = k.patient_id
    where k.clinic_id = ${clinicId} and k.id = ${callId}`;
  return facts ?? null;
}

interface HourFacts {
  phone: string | null;
  address: string | null;
  voiceProvider: string;
  clinicZone: string;
  preferredHours: PreferredCallHours | null;
  policy: CallingPolicy;
  hasCalledMeanwhile: boolean;
}

interface RingFacts extends Omit<DialFacts, 'windows' | 'hasCalledMeanwhile'> {
  at: Date;
  requests: number;
  workflowId: string | null;
}

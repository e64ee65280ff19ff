import { bookingTools, type RecordedFact, recordedFacts } from '@clinic/shared/domain/outreach/evidence';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { hasRealPatients } from '@clinic/shared/domain/patients/real-patients';
import type { Sql } from '../../sql';

export interface Held {
  workflowType: WorkflowType;
  facts: RecordedFact[];
}

/**
 * What the records hold for and against the outcome of a run, in the transaction that ends it; null for an unknown run. Where nobody is
 * real, a tool that cannot be used, as before the sandbox is on, says nothing against a word.
 */
export async function heldFor(
  tx: Sql,
  { clinicId, workflowId }: { clinicId: string; workflowId: string },
): Promise<Held | null> {
  const [found] = await tx<{ workflowType: WorkflowType; facts: string[]; isDemo: boolean; voiceProvider: string }>`
    with run as (
      select clinic_id, id, workflow_type, patient_id, started_at, context from workflow_runs
      where clinic_id = ${clinicId} and id = ${workflowId}
    ), used as (
      select t.tool, t.fact, t.is_success, t.detail, t.reply from calls k join tool_calls t on t.clinic_id = k.clinic_id and t.call_id = k.id
      where k.clinic_id = ${clinicId} and k.workflow_id = ${workflowId}
    ), visit as (
      select b.status, b.starts_at from run r join appointments b on b.clinic_id = r.clinic_id
        and (b.id = r.context #>> '{appointment,appointmentId}' or b.external_id = r.context #>> '{appointment,appointmentId}')
      where b.held_until is null
    ), held as (
      select u.fact from used u left join appointments a on a.clinic_id = ${clinicId} and a.id = u.detail ->> 'appointmentId'
      where u.fact is not null and not (u.fact in ('booked', 'rescheduled') and coalesce(a.status = 'cancelled', false))
        and not (u.fact = 'cancelled' and coalesce(a.status = 'booked', false))
      union select 'booking_refused' where exists (select from used where not is_success and tool = any(${bookingTools}))
        and not exists (select from used where fact in ('booked', 'rescheduled'))
      union select case when bool_or(reply::jsonb ? 'verified') then 'not_verified' else ${UNTRIED}::text end
        from used where tool = 'verify_patient'
        having count(*) > 0 and not coalesce(bool_or(reply::jsonb @> '{"verified": true}'), false)
      union select 'appointment_booked' where exists (
        select from run r join appointments b on b.clinic_id = r.clinic_id and b.patient_id = r.patient_id
        where b.status = 'booked' and b.starts_at > now() and b.updated_at > r.started_at)
      union select case v.status when 'cancelled' then 'appointment_cancelled' when 'arrived' then 'appointment_arrived' end
        from visit v where v.status in ('cancelled', 'arrived')
      union select 'appointment_moved' from visit v join lateral (
        select appointment_starts_at as told from calls where clinic_id = ${clinicId} and workflow_id = ${workflowId}
          and direction = 'outbound' and platform_call_id is not null and not is_test order by dial desc limit 1) k on v.starts_at <> k.told
        where v.status = 'booked'
      union select 'offer_accepted' where exists (
        select from waitlist_offers o where o.clinic_id = ${clinicId} and o.workflow_id = ${workflowId} and o.status = 'accepted')
      union select 'escalated' where exists (
        select from calls where clinic_id = ${clinicId} and workflow_id = ${workflowId} and said = 'escalated')
      union select 'form_completed' where exists (
        select from recovery_cases where clinic_id = ${clinicId} and workflow_id = ${workflowId} and form_completed_at is not null)
    )
    select r.workflow_type as "workflowType", array(select fact from held) as facts, c.is_demo as "isDemo",
      c.voice_provider as "voiceProvider"
    from run r join clinics c on c.id = r.clinic_id`;
  if (!found) return null;
  const { workflowType, ...about } = found;
  const held = about.facts.map((fact) => (fact === UNTRIED && hasRealPatients(about) ? 'not_verified' : fact));
  return { workflowType, facts: recordedFacts.filter((known) => held.includes(known)) };
}

/** Somebody was to be verified by a tool that could not be used. */
const UNTRIED = 'verification_untried';

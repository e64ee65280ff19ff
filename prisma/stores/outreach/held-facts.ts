import { bookingTools, type RecordedFact, recordedFacts } from '@clinic/shared/domain/outreach/evidence';
import { SIMULATOR } from '@clinic/shared/domain/voice/platforms';
import type { Sql } from '../../sql';

/**
 * What the records hold for and against the outcome of a run, in the transaction that ends it. Where nobody is real, a tool that
 * cannot be used, as before the sandbox is on, says nothing against a word.
 */
export async function heldFor(
  tx: Sql,
  { clinicId, workflowId }: { clinicId: string; workflowId: string },
): Promise<RecordedFact[]> {
  const rows = await tx<{ fact: string | null }>`
    with run as (
      select clinic_id, id, patient_id, started_at, context from workflow_runs where clinic_id = ${clinicId} and id = ${workflowId}
    ), used as (
      select t.tool, t.fact, t.is_success, t.detail, t.reply from calls k join tool_calls t on t.clinic_id = k.clinic_id and t.call_id = k.id
      where k.clinic_id = ${clinicId} and k.workflow_id = ${workflowId}
    )
    select u.fact from used u left join appointments a on a.clinic_id = ${clinicId} and a.id = u.detail ->> 'appointmentId'
    where u.fact is not null and not (u.fact in ('booked', 'rescheduled') and coalesce(a.status = 'cancelled', false))
      and not (u.fact = 'cancelled' and coalesce(a.status = 'booked', false))
    union select 'booking_refused' where exists (select from used where not is_success and tool = any(${bookingTools}))
      and not exists (select from used where fact in ('booked', 'rescheduled'))
    union select 'not_verified' where exists (
      select from used u join clinics c on c.id = ${clinicId}
      where u.tool = 'verify_patient' and (u.reply::jsonb ? 'verified' or not (c.is_demo or c.voice_provider = ${SIMULATOR})))
      and not exists (select from used where tool = 'verify_patient' and reply::jsonb @> '{"verified": true}')
    union select 'appointment_booked' where exists (
      select from run r join appointments b on b.clinic_id = r.clinic_id and b.patient_id = r.patient_id
      where b.status = 'booked' and b.starts_at > now() and b.updated_at > r.started_at)
    union select 'appointment_cancelled' where exists (
      select from run r join appointments b on b.clinic_id = r.clinic_id and (b.id = r.context #>> '{appointment,appointmentId}'
        or b.external_id = r.context #>> '{appointment,appointmentId}')
      where b.status = 'cancelled' and b.held_until is null)
    union select 'offer_accepted' where exists (
      select from waitlist_offers o where o.clinic_id = ${clinicId} and o.workflow_id = ${workflowId} and o.status = 'accepted')`;
  return recordedFacts.filter((known) => rows.some(({ fact }) => fact === known));
}

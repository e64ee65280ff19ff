import type { RunContext } from '@clinic/shared/contracts/outreach/run-context';
import type { CallState } from '@clinic/shared/domain/outreach/call-state';
import type { WithdrawalReason } from '@clinic/shared/domain/outreach/dialling';
import type { CallLanguage } from '@clinic/shared/domain/patients/languages';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { saysItRang } from '@clinic/shared/domain/voice/ended-reason';
import type { Database } from '../../client';
import type { ErasedKeys } from '../patients/erased-keys';
import { recordDecision } from './call-decisions';
import { freeLine } from './lines';
import { whyNotRing } from './why-not-ring';

/** What placing a call needs, read once the intent is stored. */
export interface CallToPlace {
  callId: string;
  clinicId: string;
  clinicName: string;
  voiceProvider: string;
  workflowType: WorkflowType;
  phone: string;
  firstName: string;
  /** What the patient asked to be called in; null where they asked for none. */
  language: CallLanguage | null;
  attempt: number;
  earlierFaults: number;
  clinicZone: string;
  /** The clinic has calls open with a sentence that says that they are automated. */
  disclosesAutomation: boolean;
  /** What the call is about; an appointment of our own records as it is now, its provider by the name that is spoken. */
  context: RunContext;
  /** The form that was left unfinished; null where the call is about something else. */
  form: UnfinishedForm | null;
  platformCallId: string | null;
  requestedAt: Date | null;
  /** By the database's clock, which all processes share. */
  requestedMsAgo: number | null;
  /** The account at the platform that was asked: a request without an answer can be looked up at no other. */
  requestedAccount: string | null;
  /** How often the platform was asked to place it. */
  requests: number;
  state: CallState;
}

/** A form as its event told of it; what it did not tell is null. */
export interface UnfinishedForm {
  formName: string | null;
  lastPageReached: number | null;
  totalPages: number | null;
  completionPercentage: number | null;
  abandonedAtCheckout: boolean | null;
  selectedProducts: { productName: string; unitPrice: number }[] | null;
}

export type BegunRequest =
  | { kind: 'begun' }
  /** A rule no longer holds: the call is over, and nobody rings. */
  | { kind: 'withdrawn'; because: WithdrawalReason }
  /** Somebody else has begun a request since the call was read. */
  | { kind: 'overtaken' };

export async function toPlace({ sql }: Database, clinicId: string, callId: string): Promise<CallToPlace | null> {
  const [call] = await sql<CallToPlace>`
    select k.id as "callId", k.clinic_id as "clinicId", c.name as "clinicName", c.voice_provider as "voiceProvider",
      k.workflow_type as "workflowType", k.phone, p.first_name as "firstName",
      p.preferred_language as language, k.attempt, c.timezone as "clinicZone",
      coalesce(case when a.starts_at is null then r.context
        else jsonb_set(r.context, '{appointment}', r.context -> 'appointment' || jsonb_build_object(
          'startsAt', a.starts_at, 'providerName', a.provider, 'visitType', a.visit_type)) end, '{}'::jsonb) as context,
      case when rc.id is not null then json_build_object('formName', rc.form_name,
        'lastPageReached', rc.last_page_reached, 'totalPages', rc.total_pages,
        'completionPercentage', rc.completion_percentage, 'abandonedAtCheckout', rc.abandoned_at_checkout,
        'selectedProducts', rc.selected_products) end as form,
      (select count(*)::int from calls f where f.workflow_id = k.workflow_id and f.dial < k.dial
        and f.attempt = k.attempt and not f.is_test) as "earlierFaults",
      k.platform_call_id as "platformCallId", k.requested_at as "requestedAt", k.requests, k.state,
      (extract(epoch from now() - k.requested_at) * 1000)::float8 as "requestedMsAgo",
      k.requested_account as "requestedAccount",
      coalesce(cp.discloses_automation, true) as "disclosesAutomation"
    from calls k
    join clinics c on c.id = k.clinic_id
    left join calling_policies cp on cp.clinic_id = k.clinic_id
    join patients p on p.clinic_id = k.clinic_id and p.id = k.patient_id
    left join workflow_runs r on r.clinic_id = k.clinic_id and r.id = k.workflow_id
    left join recovery_cases rc on rc.clinic_id = k.clinic_id and rc.id = k.case_id
    left join lateral (
      select b.starts_at, b.visit_type, v.display_name as provider
      from appointments b join providers v on v.clinic_id = b.clinic_id and v.id = b.provider_id
      where b.clinic_id = r.clinic_id and (b.id = r.context #>> '{appointment,appointmentId}'
        or b.external_id = r.context #>> '{appointment,appointmentId}')
      limit 1
    ) a on true
    where k.clinic_id = ${clinicId} and k.id = ${callId} and k.workflow_type is not null and k.phone is not null`;
  return call ?? null;
}

/**
 * Marks that the platform is about to be asked, once by those who know of `requests` requests before. Everything that
 * the call was decided by is checked again in the same transaction; what no longer holds ends the call as withdrawn.
 */
export const beginRequest = (
  { transaction, erasedKeys }: Database & { erasedKeys: ErasedKeys },
  {
    clinicId,
    callId,
    requests,
    account = null,
  }: { clinicId: string; callId: string; requests: number; account?: string | null },
): Promise<BegunRequest> =>
  transaction(async (tx) => {
    const found = await whyNotRing(tx, { clinicId, callId }, erasedKeys);
    if (!found) return { kind: 'withdrawn', because: 'call_over' };
    const { decision, workflowId } = found;
    if (workflowId !== null && (decision.decided.kind === 'withdrawn' || found.requests === requests)) {
      await recordDecision(tx, { id: `dial-${callId}-${requests}`, clinicId, workflowId, callId, decision });
    }
    if (decision.decided.kind === 'withdrawn') {
      const { because } = decision.decided;
      await tx`
        update calls set state = 'ENDED', ended_at = now(), ended_reason = 'withdrawn', withdrawn_because = ${because}
        where clinic_id = ${clinicId} and id = ${callId} and state <> 'ENDED'`;
      await freeLine(tx, clinicId);
      return { kind: 'withdrawn', because };
    }
    if (found.requests !== requests) return { kind: 'overtaken' };
    await tx`
      update calls set requested_at = clock_timestamp(), requests = requests + 1, requested_account = ${account}
      where clinic_id = ${clinicId} and id = ${callId}`;
    return { kind: 'begun' };
  });

/**
 * The platform took the call: from now on it counts as an attempt. The run is locked before the call, as by whoever else is about to
 * request it: in the other order the two would wait for each other.
 */
export async function placed(
  { sql }: Database,
  { clinicId, callId, platformCallId }: { clinicId: string; callId: string; platformCallId: string },
): Promise<void> {
  await sql`
    with run as materialized (
      select id from workflow_runs where clinic_id = ${clinicId}
        and id = (select workflow_id from calls where clinic_id = ${clinicId} and id = ${callId}) for no key update
    ), placed as (
      update calls set platform_call_id = coalesce(platform_call_id, ${platformCallId})
      where clinic_id = ${clinicId} and id = ${callId} and (select count(*) from run) >= 0
      returning workflow_id, attempt
    )
    update workflow_runs r set attempts = greatest(r.attempts, placed.attempt)
    from placed where r.clinic_id = ${clinicId} and r.id = placed.workflow_id`;
}

/**
 * Ends a call that never was, or that only we can end. Says nothing to its workflow, which knows. What was refused to a
 * request ends the call only while no later one was begun.
 */
export const close = (
  { transaction }: Database,
  {
    clinicId,
    callId,
    reason,
    ofRequest = null,
  }: { clinicId: string; callId: string; reason: string; ofRequest?: number | null },
): Promise<void> =>
  transaction(async (tx) => {
    await tx`
    update calls set state = 'ENDED', ended_at = now(), ended_reason = ${reason},
      rang_at = coalesce(rang_at, case when ${saysItRang(reason)}::boolean then now() end)
    where clinic_id = ${clinicId} and id = ${callId} and state <> 'ENDED'
      and (${ofRequest}::int is null or (requests = ${ofRequest} and platform_call_id is null))`;
    await freeLine(tx, clinicId);
  });

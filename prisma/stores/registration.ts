import type { Consent } from '@clinic/shared/domain/consent';
import type { TaskReason } from '@clinic/shared/domain/task';
import { newId } from '@clinic/shared/crypto';
import { missingFields, type PatientType, type RegistrationRecord } from '@clinic/shared/domain/registration';
import type { Database } from '../client';

/** A patient of a call: whose record its tools may write, and which call writes it. */
export interface OfCall {
  clinicId: string;
  patientId: string;
  callId: string;
}

/** What a caller says of themselves. */
export interface StatedIdentity {
  name: string | null;
  /** E.164. */
  phone: string | null;
}

export interface Insurance {
  payerName: string;
  memberId: string;
  groupId: string | null;
  subscriberName: string | null;
  status: string;
  copayCents: number | null;
  errorMessage: string | null;
  source: 'clinic_api' | 'sandbox' | 'nobody';
}

export interface Intake {
  firstName: string;
  lastName: string;
  birthDate: string;
  phone: string;
  email: string;
  address: string;
  reasonForVisit: string;
}

export interface RegistrationStores {
  /**
   * Writes what was given and returns what is on file. A placeholder becomes a real, visible patient once every field is.
   */
  update(patient: OfCall, given: RegistrationRecord): Promise<RegistrationRecord>;
  /**
   * Compares what a caller states with the clinic's patients. Whom it may be is recorded for staff, with a task; nothing
   * is merged. EXISTING when somebody matches everything that was stated.
   */
  resolveIdentity(patient: OfCall, stated: StatedIdentity): Promise<PatientType>;
  saveInsurance(patient: OfCall, insurance: Insurance): Promise<void>;
  saveSelfPay(
    patient: OfCall,
    decision: { decision: 'self_pay_continue' | 'billing_escalation'; priceCents: number | null },
  ): Promise<void>;
  /** Attaches everything known about the call to the patient's record, once per call, and opens a task for staff. */
  escalateBilling(patient: OfCall, reason: string | null): Promise<void>;
  /** Writes the intake form's answers. A date of birth that is on file stays: callers are verified by it. */
  saveIntake(patient: OfCall, intake: Intake): Promise<void>;
  markSynced(patient: OfCall): Promise<void>;
  birthDate(clinicId: string, patientId: string): Promise<string | null>;
}

const saidInCall = ({ callId }: OfCall, isGiven: boolean): Consent => ({
  isGiven,
  basis: 'said in a call',
  at: new Date().toISOString(),
  source: `call:${callId}`,
});

/** What a call may write to its own patient's record. */
const identityMatch: TaskReason = 'identity_match';
const billingEscalation: TaskReason = 'billing_escalation';

export function createRegistrationStores({ sql }: Database): RegistrationStores {
  const reveal = async ({ clinicId, patientId }: OfCall) => {
    await sql`
      update patients set is_placeholder = false, updated_at = now()
      where clinic_id = ${clinicId} and id = ${patientId} and is_placeholder`;
  };

  return {
    async update(patient, given) {
      const consent =
        typeof given.commsConsent === 'boolean' ? JSON.stringify(saidInCall(patient, given.commsConsent)) : null;
      const [row] = await sql<Required<RegistrationRecord> & { isPlaceholder: boolean }>`
        update patients set first_name = coalesce(${given.firstName}, first_name), last_name = coalesce(${given.lastName}, last_name),
          phone = coalesce(${given.phone}, phone), email = coalesce(${given.email}, email),
          preferred_location = coalesce(${given.preferredLocation}, preferred_location),
          medicare_status = coalesce(${given.medicareStatus}, medicare_status),
          health_plan_name = coalesce(${given.healthPlanName}, health_plan_name),
          referral_source = coalesce(${given.referralSource}, referral_source),
          comms_consent = coalesce(${given.commsConsent}, comms_consent),
          consent = coalesce(${consent}::jsonb, consent), updated_at = now()
        where clinic_id = ${patient.clinicId} and id = ${patient.patientId}
        returning first_name as "firstName", last_name as "lastName", phone, email, preferred_location as "preferredLocation",
          medicare_status as "medicareStatus", health_plan_name as "healthPlanName", referral_source as "referralSource",
          comms_consent as "commsConsent", is_placeholder as "isPlaceholder"`;
      const { isPlaceholder = false, ...record } = row ?? {};
      if (isPlaceholder && missingFields(record).length === 0) await reveal(patient);
      return record;
    },

    async resolveIdentity({ clinicId, patientId, callId }, { name, phone }) {
      const stated = [name, phone].filter((part) => part !== null).length;
      // One statement, task included, because a caller waits for the answer.
      const [found] = await sql<{ patientType: PatientType }>`
        with candidates as (
          select id, array_remove(array[
            case when phone = ${phone} then 'phone' end,
            case when lower(first_name || ' ' || last_name) = lower(${name}) then 'name' end], null) as matched_on
          from patients
          where clinic_id = ${clinicId} and not is_placeholder
            and (phone = ${phone} or lower(first_name || ' ' || last_name) = lower(${name}))
          order by id = ${patientId} desc, created_at limit 10
        ), others as (
          select * from candidates where id <> ${patientId}
        ), recorded as (
          insert into identity_matches (id, clinic_id, patient_id, call_id, matched_on)
          select gen_random_uuid()::text, ${clinicId}, id, ${callId}, matched_on from others
          on conflict (call_id, patient_id) do update set matched_on = excluded.matched_on
        ), task as (
          insert into staff_tasks (id, clinic_id, reason, cause, patient_id, call_id, detail)
          select ${newId()}, ${clinicId}, ${identityMatch}, ${`${identityMatch}:${callId}`}, ${patientId}, ${callId},
            jsonb_build_object('matches', (select jsonb_agg(jsonb_build_object('patientId', id, 'matchedOn', matched_on)) from others))
          where exists (select from others)
          on conflict (clinic_id, cause) do update set detail = excluded.detail
        )
        update patients set patient_type = case
          when exists (select from candidates where cardinality(matched_on) = ${stated}) then 'EXISTING' else 'NEW' end
        where clinic_id = ${clinicId} and id = ${patientId}
        returning patient_type as "patientType"`;
      return found?.patientType ?? 'NEW';
    },

    async saveInsurance({ clinicId, patientId, callId }, insurance) {
      const kept = { ...insurance, callId, checkedAt: new Date().toISOString() };
      await sql`
        update patients set insurance = ${JSON.stringify(kept)}::jsonb, updated_at = now()
        where clinic_id = ${clinicId} and id = ${patientId}`;
    },

    async saveSelfPay({ clinicId, patientId, callId }, decision) {
      const kept = { ...decision, callId, decidedAt: new Date().toISOString() };
      await sql`
        update patients set self_pay = ${JSON.stringify(kept)}::jsonb, updated_at = now()
        where clinic_id = ${clinicId} and id = ${patientId}`;
    },

    async escalateBilling({ clinicId, patientId, callId }, reason) {
      // One statement, task included, because a caller waits for the answer.
      await sql`
        with task as (
          insert into staff_tasks (id, clinic_id, reason, cause, patient_id, call_id, case_id, workflow_id, detail)
          select ${newId()}, ${clinicId}, ${billingEscalation}, ${`${billingEscalation}:${callId}`}, ${patientId}, id, case_id,
            workflow_id, ${JSON.stringify({ reason })}::jsonb
          from calls where clinic_id = ${clinicId} and id = ${callId}
          on conflict (clinic_id, cause) do update set
            detail = case when excluded.detail ->> 'reason' is null then staff_tasks.detail else excluded.detail end
        )
        update patients p set updated_at = now(), billing_notes =
          jsonb_path_query_array(coalesce(p.billing_notes, '[]'::jsonb), '$[*] ? (@.callId != $call)', jsonb_build_object('call', ${callId}::text))
          || jsonb_build_array(jsonb_build_object(
            'callId', k.id, 'at', now(), 'reason', ${reason}::text, 'workflowType', k.workflow_type, 'direction', k.direction,
            'phone', k.phone, 'recoveryCaseId', k.case_id,
            'patient', jsonb_build_object('firstName', p.first_name, 'lastName', p.last_name, 'phone', p.phone, 'email', p.email,
              'dateOfBirth', p.birth_date, 'address', p.address, 'reasonForVisit', p.reason_for_visit,
              'preferredLocation', p.preferred_location, 'medicareStatus', p.medicare_status, 'healthPlanName', p.health_plan_name,
              'referralSource', p.referral_source, 'commsConsent', p.comms_consent, 'patientType', p.patient_type),
            'insurance', p.insurance, 'selfPay', p.self_pay,
            'toolCalls', (select coalesce(jsonb_agg(jsonb_build_object('at', t.started_at, 'tool', t.tool, 'arguments', t.arguments,
                'reply', t.reply) order by t.started_at), '[]'::jsonb)
              from tool_calls t where t.clinic_id = k.clinic_id and t.call_id = k.id and t.reply is not null)))
        from calls k
        where p.clinic_id = ${clinicId} and p.id = ${patientId} and k.clinic_id = ${clinicId} and k.id = ${callId}`;
    },

    async saveIntake(patient, { firstName, lastName, birthDate, phone, email, address, reasonForVisit }) {
      const [row] = await sql<Required<RegistrationRecord>>`
        update patients set first_name = ${firstName}, last_name = ${lastName}, phone = ${phone}, email = ${email},
          address = ${address}, reason_for_visit = ${reasonForVisit}, birth_date = coalesce(birth_date, ${birthDate}),
          updated_at = now()
        where clinic_id = ${patient.clinicId} and id = ${patient.patientId}
        returning first_name as "firstName", last_name as "lastName", phone, email, preferred_location as "preferredLocation",
          medicare_status as "medicareStatus", health_plan_name as "healthPlanName", referral_source as "referralSource",
          comms_consent as "commsConsent"`;
      if (row && missingFields(row).length === 0) await reveal(patient);
    },

    async markSynced({ clinicId, patientId }) {
      await sql`update patients set crm_synced_at = now() where clinic_id = ${clinicId} and id = ${patientId}`;
    },

    async birthDate(clinicId, patientId) {
      const [found] = await sql<{ birthDate: string | null }>`
        select birth_date as "birthDate" from patients where clinic_id = ${clinicId} and id = ${patientId}`;
      return found?.birthDate ?? null;
    },
  };
}

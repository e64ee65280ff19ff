import type { Consent } from '@clinic/shared/domain/patients/consent';
import type { TaskReason } from '@clinic/shared/domain/tasks/task';
import { newId } from '@clinic/shared/crypto';
import {
  missingFields,
  type PatientType,
  registrationFields,
  type RegistrationRecord,
} from '@clinic/shared/domain/patients/registration';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { type Proposed, propose } from './proposals';
import { standingOf } from '../voice/verifications';

/** A patient of a call: whose record its tools may write, and which call writes it. */
export interface OfCall {
  clinicId: string;
  patientId: string;
  callId: string;
  /**
   * The clinic knows the patient, and the caller was matched with them by the number alone: until the date of birth was
   * right, what the caller says of themselves is kept as a proposal for staff, and the record stays as it is.
   */
  isMatchedByNumber: boolean;
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
  /** Null leaves what is on file. */
  birthDate: string | null;
  phone: string;
  email: string;
  address: string;
  reasonForVisit: string;
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

export const createRegistrationStores = (database: Database) =>
  bound(contextOf(database), {
    update,
    resolveIdentity,
    saveInsurance,
    saveSelfPay,
    escalateBilling,
    saveIntake,
    markSynced,
  });

function contextOf({ sql, transaction }: Database) {
  const isTrusted = async (patient: OfCall) =>
    !patient.isMatchedByNumber || (await standingOf(sql, patient)) === 'verified';

  const reveal = async ({ clinicId, patientId }: OfCall) => {
    await sql`
      update patients set is_placeholder = false, updated_at = now()
      where clinic_id = ${clinicId} and id = ${patientId} and is_placeholder`;
  };
  return { sql, transaction, isTrusted, reveal };
}

type Context = ReturnType<typeof contextOf>;

/**
 * Writes what was given and returns what is on file, with what is proposed of this call. A placeholder becomes a real, visible patient once every field is.
 */
async function update(
  { isTrusted, transaction, sql, reveal }: Context,
  patient: OfCall,
  given: RegistrationRecord,
): Promise<RegistrationRecord> {
  const said = typeof given.commsConsent === 'boolean' ? saidInCall(patient, given.commsConsent) : null;
  if (!(await isTrusted(patient))) return transaction((tx) => proposeFields(tx, patient, { ...given, consent: said }));
  const consent = said && JSON.stringify(said);
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
}

/**
 * Compares what a caller states with the clinic's patients. Whom it may be is recorded for staff, with a task; nothing
 * is merged. EXISTING when somebody matches everything that was stated. Never written over a patient matched by number.
 */
async function resolveIdentity(
  { sql }: Context,
  { clinicId, patientId, callId, isMatchedByNumber }: OfCall,
  { name, phone }: StatedIdentity,
): Promise<PatientType> {
  const stated = [name, phone].filter((part) => part !== null).length;
  // One statement, task included, because a caller waits for the answer.
  const [found] = await sql<{ patientType: PatientType }>`
    with candidates as (
      select id, array_remove(array[
        case when phone = ${phone} then 'phone' end,
        case when lower(first_name || ' ' || last_name) = lower(${name}) then 'name' end], null) as matched_on
      from patients
      where clinic_id = ${clinicId} and not is_placeholder and replaced_by is null
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
    ), verdict as (
      select case when exists (select from candidates where cardinality(matched_on) = ${stated})
        then 'EXISTING' else 'NEW' end as patient_type
    ), written as (
      update patients set patient_type = verdict.patient_type from verdict
      where clinic_id = ${clinicId} and id = ${patientId} and not ${isMatchedByNumber}::boolean
    )
    select patient_type as "patientType" from verdict`;
  return found?.patientType ?? 'NEW';
}

async function saveInsurance(
  { isTrusted, transaction, sql }: Context,
  patient: OfCall,
  insurance: Insurance,
): Promise<void> {
  const { clinicId, patientId, callId } = patient;
  const kept = { ...insurance, callId, checkedAt: new Date().toISOString() };
  if (!(await isTrusted(patient))) {
    await transaction((tx) => propose(tx, patient, { insurance: kept }));
    return;
  }
  await sql`
    update patients set insurance = ${JSON.stringify(kept)}::jsonb, updated_at = now()
    where clinic_id = ${clinicId} and id = ${patientId}`;
}

async function saveSelfPay(
  { isTrusted, transaction, sql }: Context,
  patient: OfCall,
  decision: { decision: 'self_pay_continue' | 'billing_escalation'; priceCents: number | null },
): Promise<void> {
  const { clinicId, patientId, callId } = patient;
  const kept = { ...decision, callId, decidedAt: new Date().toISOString() };
  if (!(await isTrusted(patient))) {
    await transaction((tx) => propose(tx, patient, { selfPay: kept }));
    return;
  }
  await sql`
    update patients set self_pay = ${JSON.stringify(kept)}::jsonb, updated_at = now()
    where clinic_id = ${clinicId} and id = ${patientId}`;
}

/** Attaches everything known about the call to the patient's record, once per call, and opens a task for staff. */
async function escalateBilling(
  { sql }: Context,
  { clinicId, patientId, callId }: OfCall,
  reason: string | null,
): Promise<void> {
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
}

/**
 * Writes the intake form's answers. A date of birth that is on file stays: callers are verified by it. `proposed`: they
 * wait for staff.
 */
async function saveIntake(
  { isTrusted, transaction, sql, reveal }: Context,
  patient: OfCall,
  intake: Intake,
): Promise<'saved' | 'proposed'> {
  if (!(await isTrusted(patient))) {
    await transaction((tx) => propose(tx, patient, { ...intake }));
    return 'proposed';
  }
  const { firstName, lastName, birthDate, phone, email, address, reasonForVisit } = intake;
  const [row] = await sql<Required<RegistrationRecord>>`
    update patients set first_name = ${firstName}, last_name = ${lastName}, phone = ${phone}, email = ${email},
      address = ${address}, reason_for_visit = ${reasonForVisit}, birth_date = coalesce(birth_date, ${birthDate}),
      updated_at = now()
    where clinic_id = ${patient.clinicId} and id = ${patient.patientId}
    returning first_name as "firstName", last_name as "lastName", phone, email, preferred_location as "preferredLocation",
      medicare_status as "medicareStatus", health_plan_name as "healthPlanName", referral_source as "referralSource",
      comms_consent as "commsConsent"`;
  if (row && missingFields(row).length === 0) await reveal(patient);
  return 'saved';
}

async function markSynced(
  { sql }: Context,
  { clinicId, patientId }: Pick<OfCall, 'clinicId' | 'patientId'>,
): Promise<void> {
  await sql`update patients set crm_synced_at = now() where clinic_id = ${clinicId} and id = ${patientId}`;
}

/** The record as it would be if what the caller says were true. */
async function proposeFields(tx: Sql, patient: OfCall, given: Proposed): Promise<RegistrationRecord> {
  const proposed = await propose(tx, patient, given);
  const [onFile] = await tx<Required<RegistrationRecord>>`
    select first_name as "firstName", last_name as "lastName", phone, email, preferred_location as "preferredLocation",
      medicare_status as "medicareStatus", health_plan_name as "healthPlanName", referral_source as "referralSource",
      comms_consent as "commsConsent"
    from patients where clinic_id = ${patient.clinicId} and id = ${patient.patientId}`;
  return Object.fromEntries(registrationFields.map((name) => [name, proposed[name] ?? onFile?.[name]]));
}

import type { CallState } from '@clinic/shared/domain/outreach/call-state';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import type { Database } from '../../client';

/** A call as a live tool sees it: whose data it may touch. */
export interface LiveCall {
  callId: string;
  clinicId: string;
  clinicZone: string;
  /** ISO 3166, to read phone numbers that callers say without a country. */
  clinicCountry: string;
  isSandboxEnabled: boolean;
  /** The clinic's own calendar takes what calls ask: that of its sandbox, or the one that a clinic without a sandbox has chosen. */
  isOwnCalendarOn: boolean;
  /** Calls about a cancelled or a missing visit may book one for a patient who has none. */
  booksFollowUps: boolean;
  /** A booking of a caller whom nobody has verified is a request that staff confirm. */
  confirmsBookings: boolean;
  /** The clinic has chosen that its calls act on the appointments of its own server; never in a simulated call, and in a test call for the EHR's test patient alone. */
  isLiveEhr: boolean;
  /** A clinic of the local stack and of rehearsals: what the sandbox invents is good enough for it. */
  isDemo: boolean;
  /** Who plays or rings the clinic's calls. */
  voiceProvider: string;
  patientId: string;
  /** The number that rang or called; null for a test call. */
  phone: string | null;
  /** A caller whom the clinic knows, matched by the number alone. */
  isMatchedByNumber: boolean;
  workflowType: WorkflowType | null;
  workflowId: string | null;
  caseId: string | null;
  isTest: boolean;
  state: CallState;
}

/** The call that a tool request points at, by the platform's id or, for a test call, our own. */
export async function live({ sql }: Database, pointer: string): Promise<LiveCall | null> {
  const [call] = await sql<LiveCall>`
    select k.id as "callId", k.clinic_id as "clinicId", c.timezone as "clinicZone",
      c.default_country as "clinicCountry", c.sandbox_enabled as "isSandboxEnabled",
      c.sandbox_enabled or coalesce(y.books_in_own_calendar, false) as "isOwnCalendarOn",
      coalesce(y.books_follow_ups, false) as "booksFollowUps",
      coalesce(y.confirms_bookings, false) as "confirmsBookings", c.is_demo as "isDemo",
      c.voice_provider as "voiceProvider", exists (
        select 1 from approved_apis a where a.clinic_id = c.id and a.kind = 'fhir-r4'
          and a.fhir @> '{"isOn": true, "isLive": true}'
          and case when k.is_test then a.fhir ->> 'testPatient' = (
              select 'Patient/' || external_id from patients where clinic_id = k.clinic_id and id = k.patient_id)
            else c.voice_provider <> 'simulator' end) as "isLiveEhr",
      k.patient_id as "patientId", k.phone, k.is_matched_by_number as "isMatchedByNumber",
      k.workflow_type as "workflowType", k.workflow_id as "workflowId",
      k.case_id as "caseId", k.is_test as "isTest", k.state
    from calls k join clinics c on c.id = k.clinic_id left join calling_policies y on y.clinic_id = c.id
    where k.platform_call_id = ${pointer}`;
  return call ?? null;
}

/** A call of the clinic as live tools saw it, ended or not: staff finish what it left open. Null for one that no platform took. */
export async function liveOf(database: Database, clinicId: string, callId: string): Promise<LiveCall | null> {
  const [call] = await database.sql<{ pointer: string | null }>`
    select platform_call_id as pointer from calls where clinic_id = ${clinicId} and id = ${callId}`;
  return call?.pointer ? live(database, call.pointer) : null;
}

/** The local stack's call for requests that point at none. It never acts at an EHR. */
export async function defaultTestCall(database: Database): Promise<LiveCall | null> {
  const [call] = await database.sql<{ pointer: string }>`
    select k.platform_call_id as pointer
    from calls k join clinics c on c.id = k.clinic_id
    where k.is_test and k.state <> 'ENDED' and k.workflow_type is null and k.platform_call_id is not null and c.is_demo
    order by c.created_at, k.created_at limit 1`;
  const found = call ? await live(database, call.pointer) : null;
  return found && { ...found, isLiveEhr: false };
}

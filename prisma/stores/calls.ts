import type { RunContext } from '@clinic/shared/contracts/run-context';
import { type CallState, callStates } from '@clinic/shared/domain/call-state';
import type { Said } from '@clinic/shared/domain/conversation';
import { checkedForLine, type Decision } from '@clinic/shared/domain/call-decisions';
import type { CallingFacts } from '@clinic/shared/domain/calling-policy';
import { type LineFacts, whyNoLine, type WithdrawalReason } from '@clinic/shared/domain/dialling';
import type { CallEnded } from '@clinic/shared/contracts/signals';
import type { WorkflowType } from '@clinic/shared/domain/workflow-types';
import { newId } from '@clinic/shared/crypto';
import type { CallEvidence } from '@clinic/shared/voice/message';
import { classifyEndedReason, saysItWasAnswered } from '@clinic/shared/voice/ended-reason';
import type { Database } from '../client';
import type { ErasedKeys } from '../erased-keys';
import type { Sql } from '../sql';
import type { Call } from '../generated/client';
import { recordDecision } from './call-decisions';
import { keepEvidence } from './call-evidence';
import { type Cursors, olderThan, type PageOf } from './cursor';
import { dropTicket, grantLines, lineState, lockLines, takeTicket, USUAL_PRIORITY } from './lines';
import { type Message, tell } from './messages';
import type { ToolChange } from './tool-calls';
import { optOutOfCall } from './opt-outs';
import { createTurns } from '../turns';
import { whyNotRing } from './why-not-ring';

export type CallRecord = Call;

/** A call as a live tool sees it: whose data it may touch. */
export interface LiveCall {
  callId: string;
  clinicId: string;
  clinicZone: string;
  /** ISO 3166, to read phone numbers that callers say without a country. */
  clinicCountry: string;
  isSandboxEnabled: boolean;
  /** The clinic has chosen that its calls act on the appointments of its own server; never in a test or a simulated call. */
  isLiveEhr: boolean;
  /** A clinic of the local stack and of rehearsals: what the sandbox invents is good enough for it. */
  isDemo: boolean;
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

/** What placing a call needs, read once the intent is stored. */
export interface CallToPlace {
  callId: string;
  clinicId: string;
  clinicName: string;
  voiceProvider: string;
  workflowType: WorkflowType;
  phone: string;
  firstName: string;
  attempt: number;
  earlierFaults: number;
  clinicZone: string;
  /** The clinic has calls open with a sentence that says that they are automated. */
  disclosesAutomation: boolean;
  /** What the call is about; an appointment of our own records at the time it has now. */
  context: RunContext;
  /** The form that was left unfinished; null where the call is about something else. */
  form: UnfinishedForm | null;
  platformCallId: string | null;
  requestedAt: Date | null;
  /** By the database's clock, which all processes share. */
  requestedMsAgo: number | null;
  /** The clinic has changed its account at the platform since: a request without an answer cannot be looked up any more. */
  hasAccountMoved: boolean;
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

export type Reservation =
  | { kind: 'reserved'; callId: string }
  /**
   * No line is free, others are due before, this phone is in another call, or outreach is paused: the run is told when it
   * gets a line, or when outreach goes on.
   */
  | { kind: 'queued' }
  /** The patient has had their calls of the day or week. */
  | { kind: 'limited' }
  /** The case has ended: nobody is called. */
  | { kind: 'withdrawn' };

export interface CallIntent {
  clinicId: string;
  workflowId: string;
  workflowType: WorkflowType;
  caseId: string | null;
  patientId: string;
  /** E.164 */
  phone: string;
  attempt: number;
  /** Counts requests to ring, also those that were no attempt. */
  dial: number;
  /** Since when it has been due, as an instant; now unless given. */
  dueAt?: string;
  /** Among those who wait for a line, 1 goes before 2, which is usual. */
  priority?: number;
  maxConcurrentCalls: number;
  callsPerPatientPerDay?: number | null;
  callsPerPatientPerWeek?: number | null;
  /** The end of what it was decided for, as an instant: from then on it does not ring. */
  notAfter?: string | null;
  /** When the appointment it is about begins, as known when it was decided. */
  appointmentStartsAt?: string | null;
  /** What it was decided by. Left out in histories from before. */
  inputs?: CallingFacts;
}

/** A call that no workflow ends any more. */
export interface LeftCall {
  callId: string;
  clinicId: string;
  voiceProvider: string;
  platformCallId: string | null;
  requestedAt: Date | null;
  requestedMsAgo: number | null;
}

/** What is known of a call that is over, beside how it ended. */
export interface CallOutcome {
  /** What its tools changed, in order. */
  changes: ToolChange[];
  /** What the platform's analysis heard; null where it heard nothing, or has not come. */
  said: Said | null;
}

export interface CallStores {
  /**
   * Writes the intent to call before anything rings, and moves the case to CALLING. One call per workflow and dial,
   * whoever asks again; never two at once to one phone; never more at once, or to one patient, than the clinic allows; and
   * none once a pause was acknowledged.
   */
  reserve(intent: CallIntent): Promise<Reservation>;
  toPlace(clinicId: string, callId: string): Promise<CallToPlace | null>;
  /**
   * Marks that the platform is about to be asked, once by those who know of `requests` requests before. Everything that
   * the call was decided by is checked again in the same transaction; what no longer holds ends the call as withdrawn.
   */
  beginRequest(call: { clinicId: string; callId: string; requests: number }): Promise<BegunRequest>;
  /** The platform took the call: from now on it counts as an attempt. */
  placed(input: { clinicId: string; callId: string; platformCallId: string }): Promise<void>;
  /** Ends a call that never was, or that only we can end. Says nothing to its workflow, which knows. */
  close(input: { clinicId: string; callId: string; reason: string }): Promise<void>;
  /**
   * Calls whose run has been over for a minute, reservations that are ten minutes old and were never dialled, and calls
   * whose own run is in line for the next one: the records are from a backup, and do not know that they have ended.
   */
  left(limit: number): Promise<LeftCall[]>;
  /** Ends a call that nobody has begun to dial. Returns false for any other. */
  withdrawUnrequested(clinicId: string, callId: string): Promise<boolean>;
  /** The platform does not know the call. Returns how often in a row that was so, counting once in 90 seconds. */
  markNotFound(clinicId: string, callId: string): Promise<number>;
  /** The platform knows the call. */
  markFound(clinicId: string, callId: string): Promise<void>;
  find(clinicId: string, callId: string): Promise<CallRecord | null>;
  list(
    clinicId: string,
    filter: { state?: CallState; caseId?: string; patientId?: string; limit: number; cursor?: string },
  ): Promise<PageOf<CallRecord>>;
  /** The call that a tool request points at, by the platform's id or, for a test call, our own. */
  live(pointer: string): Promise<LiveCall | null>;
  /** The local stack's call for requests that point at none. */
  defaultTestCall(): Promise<LiveCall | null>;
  /**
   * What the platform reported. States only move forward. The end of a workflow's call stores the message for its
   * workflow, and so does the platform's analysis of a call whose outcome no tool decides. Returns the ids of these
   * messages; null when the call is not ours.
   */
  report(input: {
    platformCallId: string;
    /** Our own id as the platform hands it back, for events that overtake the answer to our request. */
    intentId: string | null;
    state: CallState | null;
    endedReason: string | null;
    summary: string | null;
    /** The analysis, which comes last; `said` is null where it came to no conclusion. */
    analysis?: { said: Said | null; wantsNoCalls?: boolean } | null;
    /** Transcript, recording and what it cost, where the report brings them. */
    evidence?: CallEvidence | null;
    /** The only clinic whose call it may be; any unless given. */
    clinicId?: string | null;
  }): Promise<{ clinicId: string; callId: string; messageIds: string[] } | null>;
  /** Null for an unknown call. */
  review(clinicId: string, callId: string): Promise<CallOutcome | null>;
  /** Ends test calls on cases that were left open for an hour, and has their workflows told. */
  expireTestCalls(): Promise<void>;
  /** Ends an open test call without a phone, and has its workflow told. False when the clinic has no such call. */
  closeTestCall(clinicId: string, callId: string): Promise<boolean>;
  openTestCall(input: {
    clinicId: string;
    workflowType: WorkflowType | null;
    patientId: string;
    workflowId: string | null;
    caseId: string | null;
  }): Promise<string>;
  /**
   * Writes the intent to ring a number of the clinic's own people, as a test call. Returns its id; null where the clinic
   * has had its three of ten minutes.
   */
  openTrialCall(input: {
    clinicId: string;
    workflowType: WorkflowType;
    patientId: string;
    phone: string;
  }): Promise<string | null>;
}

const TRIALS_IN_TEN_MINUTES = 3;

export function createCallStores(
  { sql, transaction, prisma }: Database,
  cursors: Cursors,
  erasedKeys: ErasedKeys,
): CallStores {
  const turns = createTurns();
  /** A burst of one clinic waits for the lock on its lines without holding connections that other clinics need. */
  const inTurn = <T>(clinicId: string, work: (tx: Sql) => Promise<T>): Promise<T> =>
    turns(clinicId, () => transaction(work));

  /** Moves an open case to CALLING. Returns false for one that has ended. */
  const markCalling = async (tx: Sql, clinicId: string, caseId: string) => {
    const [open] = await tx`
      update recovery_cases set status = 'CALLING'
      where clinic_id = ${clinicId} and id = ${caseId} and status in ('PENDING', 'CALLING') returning id`;
    return open !== undefined;
  };

  return {
    reserve: ({ clinicId, workflowId, workflowType, caseId, patientId, phone, attempt, dial, inputs, ...limits }) =>
      inTurn(clinicId, async (tx) => {
        // Before any other lock: it waits for a pause that is being written, and so is seen by it or sees it.
        await tx`select share_dialling(${clinicId})::text`;
        // One reservation at a time per clinic, so that counting and inserting are one step.
        await lockLines(tx, clinicId);
        const [existing] = await tx<{ callId: string; state: CallState }>`
          select id as "callId", state from calls where workflow_id = ${workflowId} and dial = ${dial} and not is_test`;
        if (existing) return { kind: 'reserved', callId: existing.callId };
        const [{ day, week, isTalking, isPaused, isClinicAtLimit } = noCalls] = await tx<PatientCalls>`
          select count(*) filter (where platform_call_id is not null and rang_at is not null
              and requested_at > now() - interval '1 day')::int as day,
            count(*) filter (where platform_call_id is not null and rang_at is not null
              and requested_at > now() - interval '7 days')::int as week,
            coalesce(bool_or(state <> 'ENDED'), false) as "isTalking",
            outreach_pause(${clinicId}, ${workflowType}) is not null as "isPaused",
            numbers_used_until(${clinicId}, ${phone}) is not null as "isClinicAtLimit"
          from calls where clinic_id = ${clinicId} and phone = ${phone} and not is_test
            and (state <> 'ENDED' or requested_at > now() - interval '7 days')`;
        const facts: LineFacts = {
          callsInDay: day,
          callsInWeek: week,
          callsPerPatientPerDay: limits.callsPerPatientPerDay ?? null,
          callsPerPatientPerWeek: limits.callsPerPatientPerWeek ?? null,
          isClinicAtLimit,
          isCaseOver: false,
        };
        const refusal = { clinicId, workflowId, id: `line-${workflowId}-${dial}-${inputs?.now ?? ''}` };
        if (whyNoLine(facts) !== null) {
          await recordDecision(tx, { ...refusal, callId: null, decision: checkedForLine(facts) });
          await dropTicket(tx, workflowId);
          await grantLines(tx, { clinicId });
          return { kind: 'limited' };
        }
        const lines = limits.maxConcurrentCalls;
        const { used, waiting, isGranted } = await lineState(tx, { clinicId, workflowId });
        const isFree = used < lines && !isTalking;
        if (isPaused || !isFree || (waiting > 0 && !isGranted)) {
          const { dueAt = new Date().toISOString(), priority = USUAL_PRIORITY, notAfter = null } = limits;
          await takeTicket(tx, { clinicId, workflowId, phone, priority, dueAt, notAfter });
          // It keeps its place for when outreach goes on, and the line that it was given goes to the next.
          if (isPaused) {
            if (isGranted) await grantLines(tx, { clinicId, lines });
            return { kind: 'queued' };
          }
          const granted = used < lines ? await grantLines(tx, { clinicId, lines }) : [];
          if (!granted.some((message) => message.workflowId === workflowId)) return { kind: 'queued' };
        }
        if (isGranted || waiting > 0) await dropTicket(tx, workflowId);
        const [call] = await tx<{ id: string }>`
          insert into calls (id, clinic_id, patient_id, workflow_type, workflow_id, case_id, direction, phone, attempt, dial,
            not_after, appointment_starts_at)
          values (${newId()}, ${clinicId}, ${patientId}, ${workflowType}, ${workflowId}, ${caseId}, 'outbound', ${phone}, ${attempt}, ${dial},
            ${limits.notAfter ?? null}, ${limits.appointmentStartsAt ?? null})
          on conflict (clinic_id, phone) where direction = 'outbound' and not is_test and state <> 'ENDED' do nothing
          returning id`;
        if (!call) return { kind: 'queued' };
        if (inputs) {
          const decision: Decision = { stage: 'plan', inputs, decided: { kind: 'call', attempt } };
          await recordDecision(tx, { id: `plan-${call.id}`, clinicId, workflowId, callId: call.id, decision });
        }
        if (caseId && !(await markCalling(tx, clinicId, caseId))) {
          const decision = checkedForLine({ ...facts, isCaseOver: true });
          await recordDecision(tx, { ...refusal, callId: call.id, decision });
          await tx`update calls set state = 'ENDED', ended_at = now(), ended_reason = 'withdrawn', withdrawn_because = 'case_over'
            where id = ${call.id}`;
          await grantLines(tx, { clinicId });
          return { kind: 'withdrawn' };
        }
        return { kind: 'reserved', callId: call.id };
      }),

    async toPlace(clinicId, callId) {
      const [call] = await sql<CallToPlace>`
        select k.id as "callId", k.clinic_id as "clinicId", c.name as "clinicName", c.voice_provider as "voiceProvider",
          k.workflow_type as "workflowType", k.phone, p.first_name as "firstName", k.attempt, c.timezone as "clinicZone",
          coalesce(case when a.starts_at is null then r.context
            else jsonb_set(r.context, '{appointment,startsAt}', to_jsonb(a.starts_at)) end, '{}'::jsonb) as context,
          case when rc.id is not null then json_build_object('formName', rc.form_name,
            'lastPageReached', rc.last_page_reached, 'totalPages', rc.total_pages,
            'completionPercentage', rc.completion_percentage, 'abandonedAtCheckout', rc.abandoned_at_checkout,
            'selectedProducts', rc.selected_products) end as form,
          (select count(*)::int from calls f where f.workflow_id = k.workflow_id and f.dial < k.dial
            and f.attempt = k.attempt and not f.is_test) as "earlierFaults",
          k.platform_call_id as "platformCallId", k.requested_at as "requestedAt", k.requests, k.state,
          (extract(epoch from now() - k.requested_at) * 1000)::float8 as "requestedMsAgo",
          coalesce(v.account_changed_at > k.requested_at, false) as "hasAccountMoved",
          coalesce(cp.discloses_automation, true) as "disclosesAutomation"
        from calls k
        join clinics c on c.id = k.clinic_id
        left join calling_policies cp on cp.clinic_id = k.clinic_id
        left join voice_settings v on v.clinic_id = k.clinic_id
        join patients p on p.clinic_id = k.clinic_id and p.id = k.patient_id
        left join workflow_runs r on r.clinic_id = k.clinic_id and r.id = k.workflow_id
        left join recovery_cases rc on rc.clinic_id = k.clinic_id and rc.id = k.case_id
        left join lateral (
          select starts_at from appointments
          where clinic_id = r.clinic_id and (id = r.context #>> '{appointment,appointmentId}'
            or external_id = r.context #>> '{appointment,appointmentId}')
          limit 1
        ) a on true
        where k.clinic_id = ${clinicId} and k.id = ${callId} and k.workflow_type is not null and k.phone is not null`;
      return call ?? null;
    },

    beginRequest: ({ clinicId, callId, requests }) =>
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
          update calls set requested_at = clock_timestamp(), requests = requests + 1
          where clinic_id = ${clinicId} and id = ${callId}`;
        return { kind: 'begun' };
      }),

    async placed({ clinicId, callId, platformCallId }) {
      await sql`
        with placed as (
          update calls set platform_call_id = coalesce(platform_call_id, ${platformCallId})
          where clinic_id = ${clinicId} and id = ${callId} returning workflow_id, attempt
        )
        update workflow_runs r set attempts = greatest(r.attempts, placed.attempt)
        from placed where r.clinic_id = ${clinicId} and r.id = placed.workflow_id`;
    },

    left: (limit) => sql<LeftCall>`
      select k.id as "callId", k.clinic_id as "clinicId", c.voice_provider as "voiceProvider",
        k.platform_call_id as "platformCallId", k.requested_at as "requestedAt",
        (extract(epoch from now() - k.requested_at) * 1000)::float8 as "requestedMsAgo"
      from calls k
      join clinics c on c.id = k.clinic_id
      join workflow_runs r on r.clinic_id = k.clinic_id and r.id = k.workflow_id
      where k.state <> 'ENDED' and not k.is_test and (
        (r.status <> 'started' and r.completed_at < now() - interval '1 minute')
        or (k.direction = 'outbound' and k.requested_at is null and k.created_at < now() - interval '10 minutes')
        or (k.platform_call_id is not null and exists (select 1 from line_tickets t where t.workflow_id = k.workflow_id)))
      order by k.created_at limit ${limit}`,

    withdrawUnrequested: (clinicId, callId) =>
      transaction(async (tx) => {
        const [call] = await tx`
        update calls set state = 'ENDED', ended_at = now(), ended_reason = 'withdrawn', withdrawn_because = 'never_dialled'
        where clinic_id = ${clinicId} and id = ${callId} and state <> 'ENDED' and requested_at is null returning id`;
        if (call) await freeLine(tx, clinicId);
        return call !== undefined;
      }),

    async markNotFound(clinicId, callId) {
      const [call] = await sql<{ times: number }>`
        update calls set
          not_found_count = not_found_count + (not_found_at is null or not_found_at < now() - interval '90 seconds')::int,
          not_found_at = case when not_found_at >= now() - interval '90 seconds' then not_found_at else now() end
        where clinic_id = ${clinicId} and id = ${callId} returning not_found_count as times`;
      return call?.times ?? 0;
    },

    async markFound(clinicId, callId) {
      await sql`
        update calls set not_found_count = 0, not_found_at = null
        where clinic_id = ${clinicId} and id = ${callId} and not_found_count > 0`;
    },

    close: ({ clinicId, callId, reason }) =>
      transaction(async (tx) => {
        await tx`
        update calls set state = 'ENDED', ended_at = now(), ended_reason = ${reason},
          rang_at = coalesce(rang_at, case when ${didRing(reason)}::boolean then now() end)
        where clinic_id = ${clinicId} and id = ${callId} and state <> 'ENDED'`;
        await freeLine(tx, clinicId);
      }),

    find: (clinicId, callId) => prisma.call.findFirst({ where: { clinicId, id: callId } }),

    async list(clinicId, { state, caseId, patientId, limit, cursor }) {
      const rows = await prisma.call.findMany({
        where: { clinicId, state, caseId, patientId, ...olderThan('createdAt', cursors.decode(cursor, clinicId)) },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
      });
      return cursors.page(clinicId, rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    async live(pointer) {
      const [call] = await sql<LiveCall>`
        select k.id as "callId", k.clinic_id as "clinicId", c.timezone as "clinicZone",
          c.default_country as "clinicCountry", c.sandbox_enabled as "isSandboxEnabled", c.is_demo as "isDemo",
          not k.is_test and c.voice_provider <> 'simulator' and exists (
            select 1 from approved_apis a where a.clinic_id = c.id and a.kind = 'fhir-r4'
              and a.fhir @> '{"isOn": true, "isLive": true}') as "isLiveEhr",
          k.patient_id as "patientId", k.phone, k.is_matched_by_number as "isMatchedByNumber",
          k.workflow_type as "workflowType", k.workflow_id as "workflowId",
          k.case_id as "caseId", k.is_test as "isTest", k.state
        from calls k join clinics c on c.id = k.clinic_id
        where k.platform_call_id = ${pointer}`;
      return call ?? null;
    },

    async defaultTestCall() {
      const [call] = await sql<LiveCall>`
        select k.id as "callId", k.clinic_id as "clinicId", c.timezone as "clinicZone",
          c.default_country as "clinicCountry", c.sandbox_enabled as "isSandboxEnabled", c.is_demo as "isDemo",
          false as "isLiveEhr", k.patient_id as "patientId", k.phone, k.is_matched_by_number as "isMatchedByNumber",
          k.workflow_type as "workflowType", k.workflow_id as "workflowId",
          k.case_id as "caseId", k.is_test as "isTest", k.state
        from calls k join clinics c on c.id = k.clinic_id
        where k.is_test and k.state <> 'ENDED' and k.workflow_type is null and c.is_demo
        order by c.created_at, k.created_at limit 1`;
      return call ?? null;
    },

    report: ({ platformCallId, intentId, state, endedReason, summary, analysis = null, ...about }) =>
      transaction(async (tx) => {
        const { evidence = null, clinicId: only = null } = about;
        // Before any other lock: it waits for the dials of the clinic that are just beginning.
        if (analysis?.wantsNoCalls) {
          const [heard] = await tx<{ clinicId: string; callId: string }>`
            select clinic_id as "clinicId", id as "callId" from calls
            where platform_call_id = ${platformCallId} and (${only}::text is null or clinic_id = ${only})`;
          if (heard) await optOutOfCall(tx, { ...heard, scope: 'all', source: 'analysis' });
        }
        const [call] = await tx<ReportedCall>`
          select id, clinic_id as "clinicId", workflow_id as "workflowId", case_id as "caseId", is_test as "isTest", state,
            started_at is not null as "wasAnswered", attempt, platform_call_id is null as "isFirstHeardOf"
          from calls
          where (platform_call_id = ${platformCallId}
              or (id = ${intentId} and platform_call_id is null and requested_at is not null))
            and (${only}::text is null or clinic_id = ${only})
          for update`;
        if (!call) return null;
        const { id: callId, clinicId, workflowId, isTest } = call;
        const moves = state !== null && callStates.indexOf(state) > callStates.indexOf(call.state);
        if (moves || summary !== null || analysis) {
          await tx`
            update calls set
              state = ${moves ? state : call.state},
              platform_call_id = coalesce(platform_call_id, ${platformCallId}),
              started_at = case when ${moves && state === 'IN_PROGRESS'}::boolean then now() else started_at end,
              rang_at = coalesce(rang_at, case when ${moves && rings(state, endedReason)}::boolean then now() end),
              ended_at = case when ${moves && state === 'ENDED'}::boolean then now() else ended_at end,
              ended_reason = coalesce(ended_reason, ${state === 'ENDED' ? (endedReason ?? 'unknown') : null}),
              summary = coalesce(${summary}, summary),
              said = case when analysed_at is null then ${analysis?.said ?? null} else said end,
              analysed_at = coalesce(analysed_at, case when ${analysis !== null}::boolean then now() end)
            where id = ${callId}`;
        }
        if (evidence) await keepEvidence(tx, { clinicId, callId, evidence });
        // What the platform reports may come before its answer to our request, or instead of it.
        if (workflowId && call.isFirstHeardOf) {
          await tx`
            update workflow_runs set attempts = greatest(attempts, ${call.attempt})
            where clinic_id = ${clinicId} and id = ${workflowId}`;
        }
        const messages: Message[] = [];
        if (workflowId && moves && state === 'ENDED') {
          const reason = endedReason ?? 'unknown';
          const wasAnswered = call.wasAnswered || saysItWasAnswered(reason);
          messages.push(endOf({ callId, clinicId, workflowId, reason, wasAnswered, isTest }));
        }
        // A recovery case has a tool of its own for how the call went.
        if (workflowId && !call.caseId && analysis) {
          const { said } = analysis;
          const id = `call-analysed-${callId}`;
          messages.push({ id, clinicId, workflowId, signal: 'callAnalysed', payload: { callId, said } });
        }
        const messageIds: string[] = [];
        for (const message of messages) if (await tell(tx, message)) messageIds.push(message.id);
        if (moves && state === 'ENDED' && !isTest) {
          messageIds.push(...(await freeLine(tx, clinicId)).map(({ id }) => id));
        }
        return { clinicId, callId, messageIds };
      }),

    async review(clinicId, callId) {
      const [review] = await sql<CallOutcome>`
        select k.said,
          coalesce((select json_agg(json_build_object('fact', t.fact, 'detail', coalesce(t.detail, '{}'::jsonb))
              order by t.completed_at, t.id)
            from tool_calls t where t.clinic_id = k.clinic_id and t.call_id = k.id and t.fact is not null), '[]'::json) as changes
        from calls k where k.clinic_id = ${clinicId} and k.id = ${callId}`;
      return review ?? null;
    },

    async expireTestCalls() {
      await transaction(async (tx) => {
        const reason = 'expired';
        const expired = await tx<{ callId: string; clinicId: string; workflowId: string | null }>`
          update calls set state = 'ENDED', ended_at = now(), ended_reason = ${reason}
          where is_test and (workflow_id is not null or direction = 'outbound') and state <> 'ENDED'
            and created_at < now() - interval '1 hour'
          returning id as "callId", clinic_id as "clinicId", workflow_id as "workflowId"`;
        for (const { workflowId, ...call } of expired) {
          if (workflowId !== null) await tell(tx, endOf({ ...call, workflowId, reason, isTest: true }));
        }
      });
    },

    closeTestCall: (clinicId, callId) =>
      transaction(async (tx) => {
        const reason = 'closed';
        const [closed] = await tx<{ workflowId: string | null }>`
          update calls set state = 'ENDED', ended_at = now(), ended_reason = ${reason}
          where clinic_id = ${clinicId} and id = ${callId} and is_test and direction = 'inbound' and state <> 'ENDED'
          returning workflow_id as "workflowId"`;
        const { workflowId = null } = closed ?? {};
        if (workflowId !== null) await tell(tx, endOf({ callId, clinicId, workflowId, reason, isTest: true }));
        return closed !== undefined;
      }),

    async openTestCall({ clinicId, workflowType, patientId, workflowId, caseId }) {
      const callId = newId();
      await sql`
        insert into calls (id, clinic_id, patient_id, workflow_type, workflow_id, case_id, direction, is_test, state, platform_call_id, started_at)
        values (${callId}, ${clinicId}, ${patientId}, ${workflowType}, ${workflowId}, ${caseId}, 'inbound', true, 'IN_PROGRESS', ${callId}, now())`;
      return callId;
    },

    openTrialCall: ({ clinicId, workflowType, patientId, phone }) =>
      transaction(async (tx) => {
        await tx`select pg_advisory_xact_lock(hashtextextended(${`trials:${clinicId}`}, 0))`;
        const [trials] = await tx<{ count: number }>`
          select count(*)::int as count from calls
          where clinic_id = ${clinicId} and is_test and direction = 'outbound' and created_at > now() - interval '10 minutes'`;
        if ((trials?.count ?? 0) >= TRIALS_IN_TEN_MINUTES) return null;
        const callId = newId();
        await tx`
          insert into calls (id, clinic_id, patient_id, workflow_type, direction, is_test, state, phone, requested_at, requests)
          values (${callId}, ${clinicId}, ${patientId}, ${workflowType}, 'outbound', true, 'QUEUED', ${phone}, now(), 1)`;
        return callId;
      }),
  };
}

/** A call has ended: whoever is next gets its line. */
async function freeLine(tx: Sql, clinicId: string): Promise<Message[]> {
  await lockLines(tx, clinicId);
  return grantLines(tx, { clinicId });
}

interface PatientCalls {
  day: number;
  week: number;
  isTalking: boolean;
  isPaused: boolean;
  isClinicAtLimit: boolean;
}

const noCalls: PatientCalls = { day: 0, week: 0, isTalking: false, isPaused: false, isClinicAtLimit: false };

interface ReportedCall {
  id: string;
  clinicId: string;
  workflowId: string | null;
  caseId: string | null;
  isTest: boolean;
  wasAnswered: boolean;
  state: CallState;
  attempt: number;
  /** The platform's id of it was not known before. */
  isFirstHeardOf: boolean;
}

/** Whether a report says that the phone has rung. */
function rings(state: CallState | null, endedReason: string | null): boolean {
  return state === 'ENDED' ? didRing(endedReason ?? 'unknown') : state === 'RINGING' || state === 'IN_PROGRESS';
}

/** A platform that failed says nothing of a ring, unless it says that somebody had answered. */
function didRing(reason: string): boolean {
  return saysItWasAnswered(reason) || classifyEndedReason(reason) !== 'platform_fault';
}

/** The message that a call of a workflow is over. */
function endOf({
  callId,
  clinicId,
  workflowId,
  reason,
  wasAnswered,
  isTest,
}: CallEnded & { clinicId: string; workflowId: string }): Message {
  return {
    id: `call-ended-${callId}`,
    clinicId,
    workflowId,
    signal: 'callEnded',
    payload: { callId, reason, isTest, ...(wasAnswered !== undefined && { wasAnswered }) },
  };
}

import { type CallState, callStates } from '@clinic/shared/domain/outreach/call-state';
import type { Said } from '@clinic/shared/domain/outreach/conversation';
import { saysItRang, saysItWasAnswered } from '@clinic/shared/domain/voice/ended-reason';
import type { CallEvidence } from '@clinic/shared/domain/voice/report';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { keepEvidence } from '../voice/call-evidence';
import type { ToolChange } from '../voice/tool-calls';
import { freeLine, lockLines } from './lines';
import { endOfCall, type Message, tell } from './messages';
import { optOutOfCall } from './opt-outs';

/** What is known of a call that is over, beside how it ended. */
export interface CallOutcome {
  /** What its tools changed, in order. */
  changes: ToolChange[];
  /** What the platform's analysis heard; null where it heard nothing, or has not come. */
  said: Said | null;
}

/** What the platform says of a call. */
export interface CallReport {
  platformCallId: string;
  /** Our own id as the platform hands it back, for events that overtake the answer to our request. */
  intentId: string | null;
  state: CallState | null;
  endedReason: string | null;
  /** When it ended, where the platform was asked about it later; now where this is left out. */
  endedAt?: string | null;
  summary: string | null;
  /** The analysis, which comes last; `said` is null where it came to no conclusion. */
  analysis?: { said: Said | null; wantsNoCalls?: boolean } | null;
  /** Transcript, recording and what it cost, where the report brings them. */
  evidence?: CallEvidence | null;
  /** The only clinic whose call it may be; any unless given. */
  clinicId?: string | null;
}

interface HeardOf {
  clinicId: string;
  callId: string;
  messageIds: string[];
}

/**
 * What the platform reported. States only move forward. The end of a workflow's call stores the message for its
 * workflow, and so does the platform's analysis of a call whose outcome no tool decides. Returns the ids of these
 * messages; null when the call is not ours.
 */
export const report = ({ transaction }: Database, told: CallReport): Promise<HeardOf | null> =>
  transaction(async (tx) => {
    const { state, endedReason, summary, analysis = null, evidence = null } = told;
    const heard = await callOf(tx, told);
    if (!heard) return null;
    // Before any other lock: it waits for the dials of the clinic that are just beginning.
    if (analysis?.wantsNoCalls) await optOutOfCall(tx, { ...heard, scope: 'all', source: 'analysis' });
    const call = await locked(tx, told, heard.callId);
    if (!call) return null;
    const { callId, clinicId, workflowId, isTest } = call;
    const moves = state !== null && callStates.indexOf(state) > callStates.indexOf(call.state);
    const endedAt = moves || summary !== null || analysis ? await write(tx, told, call) : null;
    if (evidence) await keepEvidence(tx, { clinicId, callId, evidence });
    const reason = endedReason ?? 'unknown';
    const isAnsweredByEnd = state === 'ENDED' && !call.wasAnswered && saysItWasAnswered(reason, evidence);
    if (isAnsweredByEnd) await noteAnswered(tx, callId);
    const wasAnswered = call.wasAnswered || isAnsweredByEnd;
    // What the platform reports may come before its answer to our request, or instead of it.
    if (workflowId && call.isFirstHeardOf) {
      await tx`
        update workflow_runs set attempts = greatest(attempts, ${call.attempt})
        where clinic_id = ${clinicId} and id = ${workflowId}`;
    }
    const messages: Message[] = [];
    if (workflowId && moves && state === 'ENDED') {
      const at = told.endedAt && endedAt ? { endedAt: endedAt.toISOString() } : {};
      messages.push(endOfCall({ callId, clinicId, workflowId, reason, wasAnswered, isTest, ...at }));
    }
    // A recovery case has a tool of its own for how the call went.
    if (workflowId && !call.caseId && analysis) {
      const { said } = analysis;
      const id = `call-analysed-${callId}`;
      messages.push({ id, clinicId, workflowId, signal: 'callAnalysed', payload: { callId, said } });
    }
    const messageIds: string[] = [];
    for (const message of messages) if (await tell(tx, message)) messageIds.push(message.id);
    if (state === 'ENDED' && !isTest) {
      const isOwnCall = call.direction === 'inbound' && wasAnswered && (moves || isAnsweredByEnd);
      if (isOwnCall) messageIds.push(...(await tellOwnCall(tx, call)));
      if (moves) messageIds.push(...(await freeLine(tx, clinicId)).map(({ id }) => id));
    }
    return { clinicId, callId, messageIds };
  });

/**
 * The patient has called us: their other open runs decide again. Those that stand in line give way until then, as their line would not be
 * used. Returns the ids of the messages.
 */
async function tellOwnCall(tx: Sql, { clinicId, callId, workflowId, patientId }: ReportedCall): Promise<string[]> {
  // Whoever gives lines holds this before the tickets: in the other order the two would wait for each other.
  await lockLines(tx, clinicId);
  const told = await tx<{ id: string }>`
    with told as (
      insert into workflow_messages (id, clinic_id, workflow_id, signal, payload)
      select ${`own-call-${callId}-`}::text || id, clinic_id, id, 'rulesChanged', '{}'::jsonb from workflow_runs
      where clinic_id = ${clinicId} and patient_id = ${patientId} and status = 'started' and id is distinct from ${workflowId}
      on conflict (id) do nothing returning id, workflow_id
    ), leaving as (
      update line_tickets t set not_after = now() from told where t.workflow_id = told.workflow_id and t.granted_at is null
    )
    select id from told`;
  return told.map(({ id }) => id);
}

/** Whose call a report is about, by the platform's id or, where it is the first word of the call, by our own. Every use of a report finds it here. */
async function callOf(
  tx: Sql,
  { platformCallId, intentId, clinicId: only = null }: CallReport,
): Promise<{ clinicId: string; callId: string } | null> {
  const [call] = await tx<{ clinicId: string; callId: string }>`
    select clinic_id as "clinicId", id as "callId" from calls
    where (platform_call_id = ${platformCallId}
        or (id = ${intentId} and platform_call_id is null and requested_at is not null))
      and (${only}::text is null or clinic_id = ${only})
    order by platform_call_id is null limit 1`;
  return call ?? null;
}

/** The same call, where it has got no other id at the platform meanwhile. */
async function locked(tx: Sql, { platformCallId }: CallReport, callId: string): Promise<ReportedCall | null> {
  const [call] = await tx<ReportedCall>`
    select id as "callId", clinic_id as "clinicId", workflow_id as "workflowId", case_id as "caseId", is_test as "isTest",
      patient_id as "patientId", direction, state, started_at is not null as "wasAnswered", attempt, platform_call_id is null as "isFirstHeardOf"
    from calls where id = ${callId} and (platform_call_id = ${platformCallId} or platform_call_id is null) for update`;
  return call ?? null;
}

/** Returns when the call ended; null while it goes on. */
async function write(
  tx: Sql,
  { platformCallId, state, endedReason, endedAt = null, summary, analysis = null }: CallReport,
  call: ReportedCall,
): Promise<Date | null> {
  const moves = state !== null && callStates.indexOf(state) > callStates.indexOf(call.state);
  const [written] = await tx<{ endedAt: Date | null }>`
    update calls set
      state = ${moves ? state : call.state},
      platform_call_id = coalesce(platform_call_id, ${platformCallId}),
      started_at = case when ${moves && state === 'IN_PROGRESS'}::boolean then now() else started_at end,
      rang_at = coalesce(rang_at, case when ${moves && rings(state, endedReason)}::boolean then now() end),
      ended_at = case when ${moves && state === 'ENDED'}::boolean
        then greatest(requested_at, started_at, least(now(), coalesce(${endedAt}::timestamptz, now()))) else ended_at end,
      ended_reason = coalesce(ended_reason, ${state === 'ENDED' ? (endedReason ?? 'unknown') : null}),
      summary = coalesce(${summary}, summary),
      said = case when analysed_at is null then ${analysis?.said ?? null} else said end,
      analysed_at = coalesce(analysed_at, case when ${analysis !== null}::boolean then now() end)
    where id = ${call.callId} returning ended_at as "endedAt"`;
  return written?.endedAt ?? null;
}

/** Of a call that is over: that it was answered was not reported while it went on. */
async function noteAnswered(tx: Sql, callId: string): Promise<void> {
  await tx`
    update calls set rang_at = coalesce(rang_at, ended_at),
      started_at = greatest(requested_at, ended_at - make_interval(secs => coalesce(duration_seconds, 0)))
    where id = ${callId} and started_at is null`;
}

/** Null for an unknown call. */
export async function reviewCall({ sql }: Database, clinicId: string, callId: string): Promise<CallOutcome | null> {
  const [review] = await sql<CallOutcome>`
    select k.said,
      coalesce((select json_agg(json_build_object('fact', t.fact, 'detail', coalesce(t.detail, '{}'::jsonb))
          order by t.completed_at, t.id)
        from tool_calls t where t.clinic_id = k.clinic_id and t.call_id = k.id and t.fact is not null), '[]'::json) as changes
    from calls k where k.clinic_id = ${clinicId} and k.id = ${callId}`;
  return review ?? null;
}

interface ReportedCall {
  callId: string;
  clinicId: string;
  workflowId: string | null;
  caseId: string | null;
  patientId: string;
  direction: string;
  isTest: boolean;
  wasAnswered: boolean;
  state: CallState;
  attempt: number;
  /** The platform's id of it was not known before. */
  isFirstHeardOf: boolean;
}

/** Whether a report says that the phone has rung. */
function rings(state: CallState | null, endedReason: string | null): boolean {
  return state === 'ENDED' ? saysItRang(endedReason ?? 'unknown') : state === 'RINGING' || state === 'IN_PROGRESS';
}

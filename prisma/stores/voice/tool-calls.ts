import type { ToolFact } from '@clinic/shared/domain/outreach/conversation';
import type { CallerStanding } from '@clinic/shared/domain/voice/caller-trust';
import type { Signals } from '@clinic/shared/contracts/outreach/signals';
import { newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { ToolCall } from '../../generated/client';

/**
 * How long a claim lasts; its process renews it while it works. A retry may take over from a process that has died, and
 * still reply in time: the platform gives up on a tool after 20 s.
 */
const CLAIM_SECONDS = 5;
/** How often a claim is renewed. */
export const RENEW_CLAIM_MS = 1_500;

/** How long the same request under a new id counts as the same (docs/contract.md, 5). */
const SAME_MEANING_SECONDS = 60;

export type ToolCallRecord = ToolCall;

export interface ToolCallToClaim {
  clinicId: string;
  callId: string;
  toolCallId: string;
  family: string;
  tool: string;
  arguments: unknown;
  meaning: string;
  /** For a write: the tools that change the same things. Any of them in between makes the same words a new request. */
  rivals: readonly string[] | null;
}

/** A tool call that is one's own to run. What is written with an older token comes too late: another has taken over. */
export interface Claimed {
  id: string;
  token: string;
}

export type Claim =
  /**
   * The caller's to run. `since`: an earlier try of it began then, and nobody knows how far it came. `standing`: that of who is on
   * the phone, told here because nearly every tool asks for it.
   */
  | ({ kind: 'claimed'; since: Date | null; standing: CallerStanding } & Claimed)
  /** Answered before: this very id, or the same meaning a moment ago. */
  | { kind: 'answered'; reply: string }
  /** Its twin is at work. */
  | { kind: 'running' };

/** What a tool call changed, as outcomes are decided by it. */
export interface ToolChange {
  fact: ToolFact;
  /** Ids and times. No patient data. */
  detail: Record<string, string>;
}

/** A tool call in the audit: whose data it was about, and the request that it came in. */
export interface AuditedToolCall {
  patientId: string;
  isRead: boolean;
  /** As the registry knows it, so that nothing that a model made up stands there. */
  tool: string;
  requestId: string;
  address: string;
}

/** A change as a tool reports it: it may have no detail. */
type NewChange = Pick<ToolChange, 'fact'> & Partial<ToolChange>;

export const createToolCallStores = (database: Database) =>
  bound(database, { claim, renew, complete, release, hasToldOf, ofCall });

/** By its id alone: a read may be done twice for two ids. */
async function claimById({ sql }: Database, input: ToolCallToClaim): Promise<Claim> {
  const { clinicId, callId, toolCallId, family, tool, meaning } = input;
  const token = newId();
  const [claimed] = await sql<{ id: string; standing: CallerStanding | null }>`
    insert into tool_calls (id, clinic_id, call_id, tool_call_id, family, tool, arguments, meaning, claim_token, claimed_until)
    values (${token}, ${clinicId}, ${callId}, ${toolCallId}, ${family}, ${tool}, ${JSON.stringify(input.arguments)}::jsonb, ${meaning},
      ${token}, now() + make_interval(secs => ${CLAIM_SECONDS}))
    on conflict (call_id, tool_call_id) do update set started_at = now(), claim_token = excluded.claim_token,
      claimed_until = excluded.claimed_until
      where tool_calls.reply is null and coalesce(tool_calls.claimed_until <= now(), true)
    returning id, (select c.standing from caller_standing(clinic_id, call_id) c) as standing`;
  if (claimed) return toClaimed({ ...claimed, token, since: null });
  const [twin] = await sql<{ reply: string | null }>`
    select reply from tool_calls where call_id = ${callId} and tool_call_id = ${toolCallId}`;
  return twin?.reply ? { kind: 'answered', reply: twin.reply } : { kind: 'running' };
}

function toClaimed({
  id,
  token,
  since,
  standing,
}: Claimed & { since: Date | null; standing: CallerStanding | null }): Claim {
  if (standing === null) throw new Error('a claim must tell how the caller stands');
  return { kind: 'claimed', id, token, since, standing };
}

async function claimByMeaning({ sql }: Database, input: ToolCallToClaim, rivals: readonly string[]): Promise<Claim> {
  const { clinicId, callId, toolCallId, family, tool, meaning } = input;
  const token = newId();
  const [row] = await sql<{
    kind: Claim['kind'];
    id: string;
    since: Date | null;
    reply: string | null;
    standing: CallerStanding | null;
  }>`
    select kind, id, since, reply, standing from claim_tool_call(${token}, ${clinicId}, ${callId}, ${toolCallId}, ${family}, ${tool},
      ${JSON.stringify(input.arguments)}::jsonb, ${meaning}, ${rivals}::text[],
      make_interval(secs => ${CLAIM_SECONDS}), make_interval(secs => ${SAME_MEANING_SECONDS}))`;
  switch (row?.kind) {
    case 'claimed':
      return toClaimed({ ...row, token });
    case 'answered':
      if (row.reply === null) throw new Error('a tool call that was answered must have its reply');
      return { kind: 'answered', reply: row.reply };
    case 'running':
    case undefined:
      return { kind: 'running' };
  }
}

/** Takes a tool call for execution exactly once. A write also joins a request that means the same under another id. */
const claim = (database: Database, input: ToolCallToClaim): Promise<Claim> =>
  input.rivals ? claimByMeaning(database, input, input.rivals) : claimById(database, input);

/** Makes a claim last: its process is still at work. */
async function renew({ sql }: Database, { id, token }: Claimed): Promise<void> {
  await sql`
    update tool_calls set claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
    where id = ${id} and claim_token = ${token} and reply is null`;
}

/**
 * Stores the reply, what the tool changed and what the audit is told, once. `messageId` tells the call's workflow of the change; null when
 * there is nothing to tell or nobody to tell it to. `overtaken`: the claim is another's by now, and nothing was stored.
 */
async function complete(
  { sql }: Database,
  {
    id,
    token,
    reply,
    isSuccess,
    change,
    audited,
  }: Claimed & { reply: string; isSuccess: boolean; change: NewChange | null; audited: AuditedToolCall },
): Promise<{ kind: 'stored'; messageId: string | null } | { kind: 'overtaken' }> {
  const signal: keyof Signals = 'toolUsed';
  // One statement, because a caller waits for the reply: `tell` would take a transaction.
  const [done] = await sql<{ messageId: string | null }>`
    with completed as (
      update tool_calls set reply = ${reply}, is_success = ${isSuccess}, completed_at = now(), claimed_until = null,
        fact = ${change?.fact ?? null}, detail = ${change?.detail ? JSON.stringify(change.detail) : null}::jsonb
      where id = ${id} and reply is null and claim_token = ${token}
      returning id, clinic_id, call_id, tool, family, fact, detail
    ), told as (
      insert into workflow_messages (id, clinic_id, workflow_id, signal, payload)
      select 'tool-used-' || t.id, t.clinic_id, k.workflow_id, ${signal},
        jsonb_strip_nulls(jsonb_build_object('callId', t.call_id, 'tool', t.tool, 'fact', t.fact, 'detail', t.detail))
      from completed t join calls k on k.clinic_id = t.clinic_id and k.id = t.call_id
      where t.fact is not null and k.workflow_id is not null
      returning id
    ), noted as (
      insert into audit_requests (id, clinic_id, actor, action, request_id, address, is_read, route, subjects)
      select ${newId()}, t.clinic_id, 'call:' || t.call_id, 'tool.' || ${audited.tool}::text, ${audited.requestId}, ${audited.address},
        ${audited.isRead}, t.family || '/' || ${audited.tool}::text, array[${audited.patientId}::text]
      from completed t
    )
    select (select id from told) as "messageId" from completed`;
  return done ? { kind: 'stored', messageId: done.messageId } : { kind: 'overtaken' };
}

/** Gives up a claim after a failure of ours, so that the same request can be tried again at once. */
async function release({ sql }: Database, { id, token }: Claimed): Promise<void> {
  await sql`update tool_calls set claimed_until = null where id = ${id} and claim_token = ${token} and reply is null`;
}

/** Whether a successful reply of this call carried this appointment. */
async function hasToldOf({ sql }: Database, callId: string, appointmentId: string): Promise<boolean> {
  const [told] = await sql`
    select 1 from tool_calls
    where call_id = ${callId} and is_success and reply::jsonb ->> 'appointmentId' = ${appointmentId} limit 1`;
  return told !== undefined;
}

const ofCall = ({ prisma }: Database, clinicId: string, callId: string): Promise<ToolCallRecord[]> =>
  prisma.toolCall.findMany({ where: { clinicId, callId }, orderBy: { startedAt: 'asc' } });

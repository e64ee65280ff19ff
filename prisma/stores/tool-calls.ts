import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';
import type { ToolCall } from '../generated/client';

/** A running tool call whose process has died is taken over after this long. */
const ABANDONED_SECONDS = 30;

/** How long the same request under a new id counts as the same (decisions, section 5). */
const SAME_MEANING_SECONDS = 60;

export type ToolCallRecord = ToolCall;

export type Claim =
  /** Ours to run. */
  | { kind: 'claimed'; id: string }
  /** Answered before: this very id, or the same meaning a moment ago. */
  | { kind: 'answered'; reply: string }
  /** Its twin is at work. */
  | { kind: 'running' };

export interface ToolCallStores {
  /** Takes a tool call for execution exactly once. `isWrite` also joins requests that mean the same under another id. */
  claim(input: {
    clinicId: string;
    callId: string;
    toolCallId: string;
    family: string;
    tool: string;
    arguments: unknown;
    meaning: string;
    isWrite: boolean;
  }): Promise<Claim>;
  complete(input: { id: string; reply: string; isSuccess: boolean }): Promise<void>;
  /** Gives up a claim after a failure of ours, so that the same request can be tried again. */
  release(id: string): Promise<void>;
  ofCall(clinicId: string, callId: string): Promise<ToolCallRecord[]>;
}

export function createToolCallStores({ sql, transaction, prisma }: Database): ToolCallStores {
  const insert: ToolCallStores['claim'] = async (input) => {
    const { clinicId, callId, toolCallId, family, tool, meaning } = input;
    const [claimed] = await sql<{ id: string }>`
      insert into tool_calls (id, clinic_id, call_id, tool_call_id, family, tool, arguments, meaning)
      values (${newId()}, ${clinicId}, ${callId}, ${toolCallId}, ${family}, ${tool}, ${JSON.stringify(input.arguments)}::jsonb, ${meaning})
      on conflict (call_id, tool_call_id) do update set started_at = now()
        where tool_calls.reply is null and tool_calls.started_at < now() - make_interval(secs => ${ABANDONED_SECONDS})
      returning id`;
    if (claimed) return { kind: 'claimed', id: claimed.id };
    const [twin] = await sql<{ reply: string | null }>`
      select reply from tool_calls where call_id = ${callId} and tool_call_id = ${toolCallId}`;
    return twin?.reply ? { kind: 'answered', reply: twin.reply } : { kind: 'running' };
  };

  const insertUnlessMeant: ToolCallStores['claim'] = (input) =>
    transaction(async (tx) => {
      const { clinicId, callId, toolCallId, family, tool, meaning } = input;
      await tx`select pg_advisory_xact_lock(hashtextextended(${`${callId}:${meaning}`}, 0))`;
      const [twin] = await tx<{ reply: string | null; isSame: boolean; isAbandoned: boolean }>`
        select reply, tool_call_id = ${toolCallId} as "isSame",
          reply is null and started_at < now() - make_interval(secs => ${ABANDONED_SECONDS}) as "isAbandoned"
        from tool_calls
        where call_id = ${callId} and (tool_call_id = ${toolCallId} or (meaning = ${meaning}
          and started_at > now() - make_interval(secs => ${SAME_MEANING_SECONDS}) and is_success is distinct from false))
        order by tool_call_id = ${toolCallId} desc, started_at limit 1`;
      if (twin?.reply) {
        if (!twin.isSame) {
          // The second id gets a row of its own, so that its own repetition is answered for ever.
          await tx`
            insert into tool_calls (id, clinic_id, call_id, tool_call_id, family, tool, arguments, meaning, reply, is_success, completed_at)
            values (${newId()}, ${clinicId}, ${callId}, ${toolCallId}, ${family}, ${tool}, ${JSON.stringify(input.arguments)}::jsonb,
              ${meaning}, ${twin.reply}, true, now())`;
        }
        return { kind: 'answered', reply: twin.reply };
      }
      if (twin && !twin.isAbandoned) return { kind: 'running' };
      const [claimed] = await tx<{ id: string }>`
        insert into tool_calls (id, clinic_id, call_id, tool_call_id, family, tool, arguments, meaning)
        values (${newId()}, ${clinicId}, ${callId}, ${toolCallId}, ${family}, ${tool}, ${JSON.stringify(input.arguments)}::jsonb, ${meaning})
        on conflict (call_id, tool_call_id) do update set started_at = now()
        returning id`;
      if (!claimed) throw new Error('an insert that returns its row returned none');
      return { kind: 'claimed', id: claimed.id };
    });

  return {
    claim: (input) => (input.isWrite ? insertUnlessMeant(input) : insert(input)),

    async complete({ id, reply, isSuccess }) {
      await sql`
        update tool_calls set reply = ${reply}, is_success = ${isSuccess}, completed_at = now()
        where id = ${id} and reply is null`;
    },

    async release(id) {
      await sql`delete from tool_calls where id = ${id} and reply is null`;
    },

    ofCall: (clinicId, callId) =>
      prisma.toolCall.findMany({ where: { clinicId, callId }, orderBy: { startedAt: 'asc' } }),
  };
}

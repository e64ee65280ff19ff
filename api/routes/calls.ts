import { Instant, Page } from '@clinic/shared/contracts/primitives';
import { callStates } from '@clinic/shared/domain/call-state';
import { AppError } from '@clinic/shared/errors';
import type { Stores } from '@clinic/prisma/stores';
import type { CallWithPatient, CallWithTools } from '@clinic/prisma/stores/call-records';
import { z } from 'zod';
import { Flag, Id, pageOf, Person } from '../http/listing';
import { route, type Route } from '../http/route';

const tag = 'Calls';
const CallState = z.enum(callStates);

export const CallView = z
  .object({
    id: z.string(),
    platformCallId: z.string().nullable(),
    workflowType: z.string().nullable(),
    workflowId: z.string().nullable(),
    recoveryCaseId: z.string().nullable(),
    patient: Person,
    phone: z.string().nullable(),
    direction: z.enum(['inbound', 'outbound']),
    isTest: z.boolean(),
    state: CallState,
    attempt: z.int().describe('Counts how often the patient was reached out to; 0 for an inbound or test call'),
    endedReason: z.string().nullable(),
    summary: z.string().nullable(),
    createdAt: Instant,
    startedAt: Instant.nullable(),
    endedAt: Instant.nullable(),
  })
  .meta({ id: 'Call' });

const ToolView = z
  .object({
    toolCallId: z.string(),
    family: z.string(),
    tool: z.string(),
    arguments: z.unknown(),
    result: z.unknown().describe('What the agent was told; null while the tool is at work'),
    success: z.boolean().nullable(),
    startedAt: Instant,
    completedAt: Instant.nullable(),
  })
  .meta({ id: 'ToolCall' });

export const CallDetail = CallView.extend({ tools: z.array(ToolView) }).meta({ id: 'CallDetail' });

/** Calls, live and past, with what their tools did (decisions, section 11). */
export function callRoutes({ stores }: { stores: Stores }): Route[] {
  return [
    route({
      method: 'get',
      path: '/calls',
      access: 'clinic',
      tag,
      summary: 'List calls, newest first',
      query: Page.extend({
        state: CallState.optional(),
        live: Flag.optional().describe('true: calls that have not ended; false: calls that have'),
        recoveryCaseId: Id.optional(),
        patientId: Id.optional(),
        workflowId: Id.optional(),
      }),
      responses: { 200: { description: 'A page of calls', schema: pageOf(CallView) } },
      async handle({ caller, query: { recoveryCaseId: caseId, ...filter } }) {
        const { items, nextCursor } = await stores.callRecords.list(caller.clinicId, { ...filter, caseId });
        return { body: { items: items.map(toCall), nextCursor } };
      },
    }),
    route({
      method: 'get',
      path: '/calls/:callId',
      access: 'clinic',
      tag,
      summary: 'One call with its tool calls, their results, and its summary',
      params: z.object({ callId: z.string() }),
      responses: { 200: { description: 'The call', schema: CallDetail }, 404: { description: 'No such call' } },
      async handle({ caller, params: { callId } }) {
        const call = await stores.callRecords.find(caller.clinicId, callId);
        if (!call) throw new AppError('not_found', `Call ${callId} not found`);
        return { body: toCallDetail(call) };
      },
    }),
  ];
}

export function toCall(call: CallWithPatient): z.input<typeof CallView> {
  const { id, platformCallId, workflowType, workflowId, caseId, patient, phone, isTest, attempt } = call;
  return {
    id,
    platformCallId,
    workflowType,
    workflowId,
    recoveryCaseId: caseId,
    patient,
    phone,
    isTest,
    attempt,
    direction: call.direction === 'inbound' ? 'inbound' : 'outbound',
    state: CallState.parse(call.state),
    endedReason: call.endedReason,
    summary: call.summary,
    createdAt: call.createdAt.toISOString(),
    startedAt: call.startedAt?.toISOString() ?? null,
    endedAt: call.endedAt?.toISOString() ?? null,
  };
}

export function toCallDetail(call: CallWithTools): z.input<typeof CallDetail> {
  const tools = call.toolCalls.map(({ toolCallId, family, tool, arguments: args, reply, ...about }) => ({
    toolCallId,
    family,
    tool,
    arguments: args,
    result: readReply(reply),
    success: about.isSuccess,
    startedAt: about.startedAt.toISOString(),
    completedAt: about.completedAt?.toISOString() ?? null,
  }));
  return { ...toCall(call), tools };
}

/** A reply is kept as it was spoken: JSON, or a sentence. */
function readReply(reply: string | null): unknown {
  if (reply === null) return null;
  try {
    return JSON.parse(reply);
  } catch {
    return reply;
  }
}

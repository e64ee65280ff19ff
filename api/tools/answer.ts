import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '@clinic/shared/errors';
import type { Logger } from '@clinic/shared/log';
import { idOf, readEnvelope, type ToolRequest } from '@clinic/shared/voice/envelope';
import { CALL_ID } from '@clinic/shared/voice/headers';
import type { Stores } from '@clinic/prisma/stores';
import type { LiveCall } from '@clinic/prisma/stores/calls';
import { z } from 'zod';
import { contradictions } from './contradictions';
import { type AskedTool, MAX_TOOL_CALLS, NOT_RECOGNISED, TOO_MANY, type ToolRunner } from './run-tool';

export interface ToolPost {
  body: unknown;
  headers: IncomingHttpHeaders;
  requestId: string;
  /** The client's address. */
  address: string;
  log: Logger;
  /** The only clinic whose calls it may be about; null for any. */
  clinicId: string | null;
}

/** A platform's tool calls in, its replies out, in the envelope that they came in. */
export type AnswerToolCalls = (
  post: ToolPost,
  /** Which tool a request is for. */
  toolOf: (request: ToolRequest) => { family: string; name: string },
) => Promise<{ result: string | undefined } | { results: { toolCallId: string; result: string }[] }>;

export interface AnswerDeps {
  stores: Stores;
  runner: ToolRunner;
  /** In the local stack a request that points at no call belongs to its first clinic's test call. */
  hasDefaultTestCall: boolean;
}

/** The call is looked up by the platform's id of it; whose data may be touched comes from its record alone. */
export function createToolAnswers({ stores, runner, hasDefaultTestCall }: AnswerDeps): AnswerToolCalls {
  const callFor = async (pointer: string | null, clinicId: string | null): Promise<LiveCall | null> => {
    const call = pointer
      ? await stores.calls.live(pointer)
      : hasDefaultTestCall
        ? await stores.calls.defaultTestCall()
        : null;
    return clinicId === null || call?.clinicId === clinicId ? call : null;
  };

  /** After the end of its call no tool begins; a request that came before the end gets its reply, or is finished. */
  const recognisedOf = async ({ clinicId, callId, state }: LiveCall, asked: AskedTool[]): Promise<AskedTool[]> => {
    if (state !== 'ENDED') return asked;
    const begun = new Set((await stores.toolCalls.ofCall(clinicId, callId)).map(({ toolCallId }) => toolCallId));
    return asked.filter(({ request }) => begun.has(request.id));
  };

  return async ({ body, headers, requestId, address, log, clinicId }, toolOf) => {
    const envelope = readEnvelope(body);
    if (!envelope) throw noToolCalls(body);
    const { requests } = envelope;
    const call = await callFor(envelope.callPointer ?? idOf(headers[CALL_ID]), clinicId);
    const fields = call ? contradictions(body, envelope, call) : [];
    if (call && fields.length > 0) {
      await stores.audit.write({
        clinicId: call.clinicId,
        actor: `call:${call.callId}`,
        requestId,
        address,
        action: 'tool-call.contradiction',
        subject: call.callId,
        detail: { fields },
      });
    }
    const asked = requests.slice(0, MAX_TOOL_CALLS).map((request) => ({ ...toolOf(request), request }));
    const recognised = call ? await recognisedOf(call, asked) : [];
    const replies = call ? await runner.run(call, recognised, { requestId, address, log }) : [];
    const results = asked.map((each) => {
      const result = replies[recognised.indexOf(each)] ?? NOT_RECOGNISED;
      return { toolCallId: each.request.id, result };
    });
    const tooMany = call ? TOO_MANY : NOT_RECOGNISED;
    results.push(...requests.slice(MAX_TOOL_CALLS).map(({ id }) => ({ toolCallId: id, result: tooMany })));
    return envelope.isLegacy ? { result: results[0]?.result } : { results };
  };
}

const WithMessage = z.looseObject({ message: z.looseObject({}) });

/** Refuses a body that is no envelope, and names the field that is missing or wrong. */
function noToolCalls(body: unknown): AppError {
  const detail = WithMessage.safeParse(body).success
    ? { path: 'message.toolCalls', message: 'must be a list of tool calls, each with an id' }
    : { path: 'message', message: 'must be an object' };
  return new AppError('bad_request', 'The body holds no message with tool calls', [detail]);
}

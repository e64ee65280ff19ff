import type { IncomingHttpHeaders } from 'node:http';
import { CALL_ID } from '@clinic/shared/domain/voice/headers';
import { isStorable } from '@clinic/shared/domain/storable';
import type { Stores } from '@clinic/prisma/stores';
import type { LiveCall } from '@clinic/prisma/stores/outreach/live-calls';
import { contradictions } from './contradictions';
import type { AskedTool } from './answer-once';
import type { AnswerToolCalls } from './tool-post';
import { MAX_TOOL_CALLS, NOT_RECOGNISED, TOO_MANY, type ToolRunner } from './run-tool';

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

  return async ({ calls, headers, requestId, address, log, clinicId }, toolOf) => {
    const { callPointer, requests, claims, reply } = calls;
    const call = await callFor(callPointer ?? pointerIn(headers), clinicId);
    const fields = call ? contradictions(claims, call) : [];
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
    return reply(results);
  };
}

const MAX_POINTER = 1_000;

function pointerIn({ [CALL_ID]: given }: IncomingHttpHeaders): string | null {
  return typeof given === 'string' && given !== '' && given.length <= MAX_POINTER && isStorable(given) ? given : null;
}

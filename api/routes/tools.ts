import { AppError } from '@clinic/shared/errors';
import type { Stores } from '@clinic/prisma/stores';
import type { LiveCall } from '@clinic/prisma/stores/calls';
import { z } from 'zod';
import { route, type Route } from '../http/route';
import { readEnvelope } from '../tools/envelope';
import { NOT_RECOGNISED, type ToolRunner } from '../tools/run-tool';
import { toolFamilies } from '../tools/tool';

const tag = 'Live-call tools';

const ToolEnvelope = z
  .looseObject({
    message: z.looseObject({
      call: z.looseObject({ id: z.string() }).optional(),
      toolCalls: z
        .array(z.looseObject({ id: z.string(), function: z.looseObject({ arguments: z.unknown() }) }))
        .optional(),
    }),
  })
  .meta({ id: 'ToolEnvelope' });

const ToolReplies = z
  .object({ results: z.array(z.object({ toolCallId: z.string(), result: z.string() })) })
  .meta({ id: 'ToolReplies' });

/** The four tool routes, one envelope (contract, "Live-call tools"; decisions, section 5). */
export function toolRoutes({
  stores,
  runner,
  hasDefaultTestCall,
}: {
  stores: Stores;
  runner: ToolRunner;
  /** The local stack answers requests that point at no call with its first clinic's test call. */
  hasDefaultTestCall: boolean;
}): Route[] {
  const callFor = async (pointer: string | null): Promise<LiveCall | null> => {
    const call = pointer
      ? await stores.calls.live(pointer)
      : hasDefaultTestCall
        ? await stores.calls.defaultTestCall()
        : null;
    return call && call.state !== 'ENDED' ? call : null;
  };

  return toolFamilies.map((family) =>
    route({
      method: 'post',
      path: `/${family}/:toolName`,
      access: 'voice',
      tag,
      summary: `Call a tool of the family ${family} in the middle of a phone call`,
      params: z.object({ toolName: z.string() }),
      body: z.unknown(),
      documentedBody: ToolEnvelope,
      limit: '2mb',
      responses: { 200: { description: 'One result per tool call, in the order asked', schema: ToolReplies } },
      async handle({ params, body, headers, log }) {
        const envelope = readEnvelope(body);
        if (!envelope) throw new AppError('bad_request', 'The body holds no message with tool calls');
        const header = headers['x-call-id'];
        const call = await callFor(envelope.callPointer ?? (typeof header === 'string' ? header : null));
        const results: { toolCallId: string; result: string }[] = [];
        for (const request of envelope.requests) {
          const result = call ? await runner.run(call, family, params.toolName, request, log) : NOT_RECOGNISED;
          results.push({ toolCallId: request.id, result });
        }
        return { body: envelope.isLegacy ? { result: results[0]?.result } : { results } };
      },
    }),
  );
}

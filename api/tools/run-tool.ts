import { setTimeout as delay } from 'node:timers/promises';
import { sha256Hex } from '@clinic/shared/crypto';
import { describeError, type Logger } from '@clinic/shared/log';
import type { Stores } from '@clinic/prisma/stores';
import type { LiveCall } from '@clinic/prisma/stores/calls';
import { toDetail, toSentence } from '../http/parse';
import type { Metrics } from '../metrics';
import type { Temporal } from '../temporal';
import type { ToolRequest } from './envelope';
import { findTool } from './registry';
import type { Tool, ToolResult } from './tool';

/** The agent hears something after this long; the work goes on (decisions, section 5). */
const DEADLINE_MS = 8_000;
const TWIN_POLL_MS = 40;

export const NOT_RECOGNISED = JSON.stringify({ success: false, error: 'call not recognised' });
const STILL_WORKING = JSON.stringify({
  success: false,
  error: 'This is taking a moment. Tell the caller that it is being finished and will be confirmed.',
});
const FAILED = JSON.stringify({ success: false, error: 'Something went wrong. Apologise and try once more.' });

export interface ToolRunner {
  /** The reply to one tool call as single-line JSON: stored on first answer, repeated for the same id, never thrown. */
  run(call: LiveCall, family: string, name: string, request: ToolRequest, log: Logger): Promise<string>;
}

export function createToolRunner({
  stores,
  temporal,
  metrics,
  deadlineMs = DEADLINE_MS,
}: {
  stores: Stores;
  temporal: Temporal;
  metrics: Metrics;
  deadlineMs?: number;
}): ToolRunner {
  const execute = async (call: LiveCall, tool: Tool | null, request: ToolRequest): Promise<ToolResult> => {
    if (!tool) return { success: false, error: 'unknown tool' };
    if (!isAvailable(tool, call)) return { success: false, error: 'tool not available for this call' };
    if (request.isUnreadable)
      return { success: false, error: 'The arguments could not be read; please send them again.' };
    const parsed = tool.arguments.safeParse(request.arguments);
    if (!parsed.success) {
      const sentences = parsed.error.issues.map((issue) => toSentence(toDetail(issue)));
      return { success: false, error: `${[...new Set(sentences)].slice(0, 3).join('. ')}.` };
    }
    return tool.handle(parsed.data, { call, toolCallId: request.id, stores, temporal, now: new Date() });
  };

  const answer = async (call: LiveCall, family: string, name: string, request: ToolRequest): Promise<string> => {
    const tool = findTool(family, name);
    for (;;) {
      const claim = await stores.toolCalls.claim({
        ...{ clinicId: call.clinicId, callId: call.callId, toolCallId: request.id, family, tool: name },
        arguments: request.arguments,
        meaning: sha256Hex(JSON.stringify([name, meaningOf(tool, request)])),
        isWrite: tool?.isWrite ?? false,
      });
      if (claim.kind === 'answered') return claim.reply;
      if (claim.kind === 'claimed') {
        try {
          const result = await execute(call, tool, request);
          const reply = JSON.stringify(result);
          const isSuccess = result.success !== false;
          await stores.toolCalls.complete({ id: claim.id, reply, isSuccess });
          return reply;
        } catch (error) {
          await stores.toolCalls.release(claim.id).catch(() => undefined);
          throw error;
        }
      }
      await delay(TWIN_POLL_MS);
    }
  };

  return {
    async run(call, family, name, request, log) {
      const startedAt = performance.now();
      const observe = (result: string) =>
        metrics.tools.observe(
          { tool: findTool(family, name) ? name : 'unknown', result },
          (performance.now() - startedAt) / 1_000,
        );
      const work = answer(call, family, name, request).then(
        (reply) => {
          observe('answered');
          return reply;
        },
        (error: unknown) => {
          observe('failed');
          log.error({ ...describeError(error), tool: name, callId: call.callId }, 'a tool failed');
          return FAILED;
        },
      );
      const timeout = new AbortController();
      const late = delay(deadlineMs, STILL_WORKING, { signal: timeout.signal }).catch(() => STILL_WORKING);
      const reply = await Promise.race([work, late]);
      timeout.abort();
      if (reply === STILL_WORKING) observe('deadline');
      return reply;
    },
  };
}

/** The contract's table of tool availability, with what decisions, section 5, add to it. */
function isAvailable(tool: Tool, call: LiveCall): boolean {
  if (tool.family === 'emr-tools' && !call.isSandboxEnabled) return false;
  if (call.workflowType === null) return call.isTest;
  return tool.workflowTypes.includes(call.workflowType) || (call.isTest && tool.family === 'emr-tools');
}

function meaningOf(tool: Tool | null, request: ToolRequest): unknown {
  const parsed = tool?.arguments.safeParse(request.arguments);
  if (!tool || !parsed?.success) return request.arguments;
  return tool.meaning ? tool.meaning(parsed.data) : parsed.data;
}

import { setTimeout as delay } from 'node:timers/promises';
import { sha256Hex } from '@clinic/shared/crypto';
import { describeError, type Logger } from '@clinic/shared/log';
import { noResult, type ToolRequest } from '@clinic/shared/voice/envelope';
import type { LiveCall } from '@clinic/prisma/stores/calls';
import { type AuditedToolCall, type Claimed, RENEW_CLAIM_MS } from '@clinic/prisma/stores/tool-calls';
import { whyDatabaseFailed } from '@clinic/prisma/failures';
import type { z } from 'zod';
import { toDetail, toSentence } from '../http/parse';
import type { RouteDeps } from '../route-deps';
import { findTool, rivalsOf } from './registry';
import { refusal, type Tool, type ToolAnswer, type ToolContext } from './tool';

/** The agent gets a sentence to say after this long; the work goes on (decisions, section 5). */
const DEADLINE_MS = 8_000;
const TWIN_POLL_MS = 40;
/** A database that restarts is back within seconds: the caller need not hear of it. */
const AGAIN_MS = 250;

export const NOT_RECOGNISED = JSON.stringify({ success: false, error: 'call not recognised' });
/** One after the other within the deadline: more than these would hardly get their turn. */
export const MAX_TOOL_CALLS = 32;

export const TOO_MANY = JSON.stringify({
  success: false,
  error: `A request holds at most ${MAX_TOOL_CALLS} tool calls. Send this one again in another request.`,
});
const STILL_WORKING = JSON.stringify({ success: false, error: noResult.stillWorking });
const FAILED = JSON.stringify({ success: false, error: noResult.failed });

/** A request and the tool it is for. */
export interface AskedTool {
  family: string;
  name: string;
  request: ToolRequest;
}

export interface ToolRunner {
  /**
   * The replies to the tool calls of one request, as single-line JSON, in order: run one after the other, each stored
   * the first time and repeated for the same id, never thrown. Nobody waits longer than the deadline for any of them.
   */
  run(call: LiveCall, asked: AskedTool[], from: ToolPoster): Promise<string[]>;
}

/** The request that brings tool calls. */
export interface ToolPoster {
  requestId: string;
  /** The client's. */
  address: string;
  log: Logger;
}

export interface ToolRunnerDeps extends Pick<RouteDeps, 'stores' | 'systems' | 'temporal' | 'metrics'> {
  deadlineMs?: number;
}

export function createToolRunner(deps: ToolRunnerDeps): ToolRunner {
  const { stores, systems, temporal, metrics, deadlineMs = DEADLINE_MS } = deps;

  /** Stored with the reply, told afterwards: a workflow that cannot be reached is told by the relay. */
  const complete = async (
    { id, token, clinicId }: Claimed & { clinicId: string },
    { result, fact, detail }: ToolAnswer,
    audited: AuditedToolCall,
  ) => {
    const reply = JSON.stringify(result);
    const completed = await stores.toolCalls.complete({
      id,
      token,
      reply,
      isSuccess: result.success !== false,
      change: fact ? { fact, detail } : null,
      audited,
    });
    // Another has taken over while this process slept: its reply is the one.
    if (completed.kind === 'overtaken') return null;
    if (completed.messageId) temporal.tell({ clinicId, messageId: completed.messageId });
    return reply;
  };

  /** Keeps the claim while the tool works, and gives it up when that fails: a retry may run it at once. */
  const whileRenewed = async <T>(claim: Claimed, work: () => Promise<T>): Promise<T> => {
    const timer = setInterval(() => void stores.toolCalls.renew(claim).catch(() => undefined), RENEW_CLAIM_MS);
    timer.unref();
    try {
      return await work();
    } catch (error) {
      await stores.toolCalls.release(claim).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(timer);
    }
  };

  const answer = async (call: LiveCall, { family, name, request }: AskedTool, from: ToolPoster): Promise<string> => {
    const tool = findTool(family, name);
    const parsed = tool?.arguments.safeParse(given(request)) ?? null;
    const claiming = {
      clinicId: call.clinicId,
      callId: call.callId,
      toolCallId: request.id,
      family,
      tool: name,
      arguments: request.arguments,
      // Only a write is joined by its meaning.
      meaning: tool?.isWrite ? meaningOf(tool, { request, parsed, call }) : name,
      rivals: tool?.isWrite ? rivalsOf(tool) : null,
    };
    for (;;) {
      const claim = await stores.toolCalls.claim(claiming);
      if (claim.kind === 'answered') return claim.reply;
      if (claim.kind === 'claimed') {
        const reply = await whileRenewed(claim, async () => {
          const { id: recordId, since: triedAt } = claim;
          const context = {
            call,
            toolCallId: request.id,
            recordId,
            triedAt,
            stores,
            systems,
            temporal,
            now: await nowFor(tool, call, stores),
          };
          const { clinicId, patientId } = call;
          const { requestId, address } = from;
          const audited = { patientId, requestId, address, isRead: !tool?.isWrite, tool: tool?.name ?? 'unknown' };
          return complete({ ...claim, clinicId }, await execute(tool, { request, parsed }, context), audited);
        });
        if (reply !== null) return reply;
      }
      await delay(TWIN_POLL_MS);
    }
  };

  const answerSafely = async (call: LiveCall, asked: AskedTool, from: ToolPoster) => {
    const { family, name } = asked;
    const startedAt = performance.now();
    const observe = (result: string) =>
      metrics.tools.observe(
        { tool: findTool(family, name) ? name : 'unknown', result },
        (performance.now() - startedAt) / 1_000,
      );
    for (;;) {
      try {
        const reply = await answer(call, asked, from);
        observe('answered');
        return reply;
      } catch (error) {
        const about = { ...describeError(error), tool: name, callId: call.callId };
        const isPassing = whyDatabaseFailed(error) !== null && performance.now() - startedAt + AGAIN_MS < deadlineMs;
        if (!isPassing) {
          observe('failed');
          from.log.error(about, 'a tool failed');
          return FAILED;
        }
        from.log.warn(about, 'a tool is tried again: the database did not reply');
        await delay(AGAIN_MS);
      }
    }
  };

  return {
    async run(call, asked, from) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<string>((resolve) => {
        timer = setTimeout(resolve, deadlineMs, STILL_WORKING);
      });
      let before: Promise<unknown> = Promise.resolve();
      const replies = asked.map((each) => {
        const reply = before.then(() => answerSafely(call, each, from));
        before = reply;
        return Promise.race([reply, late]);
      });
      const answered = await Promise.all(replies);
      clearTimeout(timer);
      if (answered.includes(STILL_WORKING))
        metrics.tools.observe({ tool: 'any', result: 'deadline' }, deadlineMs / 1_000);
      return answered;
    },
  };
}

type Parsed = z.ZodSafeParseResult<unknown> | null;

async function execute(
  tool: Tool | null,
  { request, parsed }: { request: ToolRequest; parsed: Parsed },
  context: ToolContext,
): Promise<ToolAnswer> {
  if (!tool || !parsed) return refusal('unknown tool');
  if (!isAvailable(tool, context.call) || (tool.isForHolding && !(await mayHold(context)))) {
    return refusal('tool not available for this call');
  }
  if (request.isUnreadable) return refusal('The arguments could not be read; please send them again.');
  if (parsed.success) return (await refusedCaller(tool, context)) ?? tool.handle(parsed.data, context);
  const sentences = parsed.error.issues.map((issue) => toSentence(toDetail(issue)));
  return refusal(`${[...new Set(sentences)].slice(0, 3).join('. ')}.`);
}

/** Tools on the sandbox's appointments go by its clock, all others by the real time. */
const nowFor = async (tool: Tool | null, call: LiveCall, stores: ToolContext['stores']): Promise<Date> =>
  tool?.family === 'emr-tools' && !call.isLiveEhr ? stores.agendas.now(call.clinicId) : new Date();

/** Who has stated a wrong date of birth, and no right one since, sees and changes no appointment. */
async function refusedCaller({ ifCallerFailed }: Tool, { call, stores }: ToolContext): Promise<ToolAnswer | null> {
  if (!ifCallerFailed || (await stores.verifications.standing(call)) !== 'failed') return null;
  const error =
    'The caller is not verified. Use verify_patient with the date of birth before anything of their appointments.';
  return { result: { ...ifCallerFailed, success: false, error } };
}

/** The contract's table of tool availability, with what decisions, section 5, add to it. */
function isAvailable(tool: Tool, call: LiveCall): boolean {
  if (tool.family === 'emr-tools' && !call.isSandboxEnabled && !call.isLiveEhr) return false;
  if (call.workflowType === null) return call.isTest;
  return tool.workflowTypes.includes(call.workflowType) || (call.isTest && tool.family === 'emr-tools');
}

/** Times are held in the sandbox EMR alone, where the clinic has chosen it. */
async function mayHold({ call, stores }: ToolContext): Promise<boolean> {
  if (!call.isSandboxEnabled || call.isLiveEhr) return false;
  const agenda = await stores.agendas.of(call.clinicId);
  return agenda !== null && agenda.callHoldMinutes > 0;
}

/** A voice model writes null for what it does not know. */
const given = ({ arguments: args }: ToolRequest) =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));

function meaningOf(
  tool: Tool,
  { request, parsed, call }: { request: ToolRequest; parsed: Parsed; call: LiveCall },
): string {
  const args = parsed?.success ? parsed.data : request.arguments;
  const meant = parsed?.success && tool.meaning ? tool.meaning(parsed.data, call) : args;
  return sha256Hex(JSON.stringify([tool.name, meant]));
}

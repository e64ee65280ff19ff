import { setTimeout as delay } from 'node:timers/promises';
import { calendarOf } from '@clinic/gateways/calendar/calendar-of';
import type { LiveCall } from '@clinic/prisma/stores/outreach/live-calls';
import { type AuditedToolCall, type Claim, type Claimed, RENEW_CLAIM_MS } from '@clinic/prisma/stores/voice/tool-calls';
import { sha256Hex } from '@clinic/shared/crypto';
import type { ToolRequest } from '@clinic/shared/domain/voice/tool-request';
import type { Logger } from '@clinic/shared/log';
import type { RouteDeps } from '../route-deps';
import { executeTool, meaningOf, parseArguments, timeFor } from './execute-tool';
import { findTool, rivalsOf } from './registry';
import type { ToolAnswer } from './tool';

const TWIN_POLL_MS = 40;

/** A request and the tool it is for. */
export interface AskedTool {
  family: string;
  name: string;
  request: ToolRequest;
}

/** The request that brings tool calls. */
export interface ToolPoster {
  requestId: string;
  /** The client's. */
  address: string;
  log: Logger;
}

export type AnswerOnceDeps = Pick<RouteDeps, 'stores' | 'systems' | 'temporal'>;

/** The reply to one tool call as single-line JSON: stored the first time, and repeated for the same id. */
export async function answerOnce(
  deps: AnswerOnceDeps,
  { call, asked, from }: { call: LiveCall; asked: AskedTool; from: ToolPoster },
): Promise<string> {
  const { stores, systems, temporal } = deps;
  const { family, name, request } = asked;
  const { clinicId, patientId, callId } = call;
  const tool = findTool(family, name);
  const parsed = parseArguments(tool, request);
  const isWrite = tool?.isWrite ?? false;
  const claiming = {
    clinicId,
    callId,
    toolCallId: request.id,
    family,
    tool: name,
    arguments: request.arguments,
    // Only a write is joined by its meaning.
    meaning: tool && isWrite ? digestOf(tool.name, meaningOf(tool, { request, parsed }, call)) : name,
    rivals: tool && isWrite ? rivalsOf(tool) : null,
  };
  const { requestId, address } = from;
  const audited = { patientId, requestId, address, isRead: !isWrite, tool: tool?.name ?? 'unknown' };

  const work = async (claim: Extract<Claim, { kind: 'claimed' }>): Promise<string | null> => {
    const { id: recordId, since: triedAt, standing } = claim;
    const calendar = calendarOf(call, { stores, systems });
    const now = await timeFor(tool, { calendar });
    const context = {
      call,
      calendar,
      toolCallId: request.id,
      recordId,
      triedAt,
      standing,
      stores,
      systems,
      temporal,
      now,
    };
    const answer = await executeTool(tool, { request, parsed }, context);
    return complete(deps, { id: recordId, token: claim.token, clinicId }, { answer, audited });
  };

  for (;;) {
    const claim = await stores.toolCalls.claim(claiming);
    if (claim.kind === 'answered') return claim.reply;
    if (claim.kind === 'claimed') {
      const reply = await whileRenewed(deps, claim, () => work(claim));
      if (reply !== null) return reply;
    }
    await delay(TWIN_POLL_MS);
  }
}

const digestOf = (name: string, meaning: unknown): string => sha256Hex(JSON.stringify([name, meaning]));

/** Stored with the reply, told afterwards: a workflow that cannot be reached is told by the relay. */
async function complete(
  { stores, temporal }: AnswerOnceDeps,
  { id, token, clinicId }: Claimed & { clinicId: string },
  { answer, audited }: { answer: ToolAnswer; audited: AuditedToolCall },
): Promise<string | null> {
  const { result, fact, detail } = answer;
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
}

/** Keeps the claim while the tool works, and gives it up when that fails: a retry may run it at once. */
async function whileRenewed<T>(
  { stores }: Pick<AnswerOnceDeps, 'stores'>,
  claim: Claimed,
  work: () => Promise<T>,
): Promise<T> {
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
}

import type { LiveCall } from '@clinic/prisma/stores/outreach/live-calls';
import type { ToolRequest } from '@clinic/shared/domain/voice/tool-request';
import type { z } from 'zod';
import { asked, toDetail, toSentence } from '@clinic/shared/contracts/parse';
import { isForCallsOf, refusal, type Tool, type ToolAnswer, type ToolContext } from './tool';
import { refusedCaller } from './verify-caller';

type Parsed = z.ZodSafeParseResult<unknown> | null;

/** Reads a request's arguments as its tool takes them; null where there is no such tool. A voice model writes null for what it does not know. */
export function parseArguments(tool: Tool | null, { arguments: args }: ToolRequest): Parsed {
  if (!tool) return null;
  return tool.arguments.safeParse(
    Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)),
    asked,
  );
}

/** Runs a tool where the call may use it; every refusal is an answer. */
export async function executeTool(
  tool: Tool | null,
  { request, parsed }: { request: ToolRequest; parsed: Parsed },
  context: ToolContext,
): Promise<ToolAnswer> {
  if (!tool || !parsed) return refusal('unknown tool');
  if (!isAvailable(tool, context) || (tool.needs === 'holding' && (await context.calendar.holdMinutes()) === 0)) {
    return refusal('tool not available for this call');
  }
  if (request.isUnreadable) return refusal('The arguments could not be read; please send them again.');
  if (parsed.success) return (await refusedCaller(tool, context)) ?? tool.handle(parsed.data, context);
  const sentences = parsed.error.issues.map((issue) => toSentence(toDetail(issue)));
  return refusal(`${[...new Set(sentences)].slice(0, 3).join('. ')}.`);
}

/** Tools on the calendar go by its clock, all others by the real time. */
export const timeFor = async (tool: Tool | null, { calendar }: Pick<ToolContext, 'calendar'>): Promise<Date> =>
  tool?.family === 'emr-tools' ? calendar.now() : new Date();

/** The contract's table of tool availability, with what docs/contract.md, 5, add to it. */
function isAvailable(tool: Tool, { call, calendar }: ToolContext): boolean {
  const isOnCalendar = tool.family === 'emr-tools';
  if (isOnCalendar && !calendar.isOn) return false;
  if (call.workflowType === null) return call.isTest;
  return isForCallsOf(tool, call.workflowType, call) || (call.isTest && isOnCalendar);
}

/** What makes two requests the same: the tool's own measure where the arguments can be read, else the arguments themselves. */
export function meaningOf(tool: Tool, { request, parsed }: { request: ToolRequest; parsed: Parsed }, call: LiveCall) {
  if (!parsed?.success) return request.arguments;
  return tool.meaning ? tool.meaning(parsed.data, call) : parsed.data;
}

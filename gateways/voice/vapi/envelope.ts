import { z } from 'zod';
import { type Fields, fieldsOf, isFields } from '@clinic/shared/domain/json';
import { isStorable } from '@clinic/shared/domain/storable';
import type { ToolRequest } from '@clinic/shared/domain/voice/tool-request';
import { AppError } from '@clinic/shared/errors';
import type { Claim, ToolCallPost } from '../port';

export interface Envelope {
  /** The platform's id of the call, or null when the body names none. A pointer only: it is looked up. */
  callPointer: string | null;
  requests: ToolRequest[];
  /** The platform's older form of a single call, whose reply is `{ result }`. */
  isLegacy: boolean;
}

/** A longer id cannot be stored. */
const MAX_ID_LENGTH = 1_000;

/**
 * Reads every envelope the voice platform is known to send: `toolCalls`, `toolCallList`, `toolWithToolCallList`, or the
 * legacy `functionCall`. Null when it is none of them, so that no result can be returned for anything.
 */
export function readEnvelope(body: unknown): Envelope | null {
  const message = fieldsOf(fieldsOf(body).message);
  const callPointer = idOf(fieldsOf(message.call).id);
  const entries = firstList(message);
  if (entries) {
    const requests = entries.map(readRequest).filter((request) => request !== null);
    if (requests.length === 0 && entries.length > 0) return null;
    return { callPointer, requests: uniqueById(requests), isLegacy: false };
  }
  if (!isFields(message.functionCall)) return null;
  const { functionCall } = message;
  const id = idOf(functionCall.id) ?? 'function-call';
  const read = readArguments([functionCall.parameters, functionCall.arguments]);
  return { callPointer, requests: [{ id, name: idOf(functionCall.name), ...read }], isLegacy: true };
}

/** The same for the tools. Throws `bad_request` where nobody can be answered. */
export function readToolCalls(body: unknown): ToolCallPost {
  const envelope = readEnvelope(body);
  if (!envelope) throw noToolCalls(body);
  const { callPointer, requests, isLegacy } = envelope;
  return {
    callPointer,
    requests,
    claims: claimsIn(body, requests),
    reply: (results) => (isLegacy ? { result: results[0]?.result } : { results }),
  };
}

function claimsIn(body: unknown, requests: readonly ToolRequest[]): Claim[] {
  const message = fieldsOf(fieldsOf(body).message);
  const about = fieldsOf(message.call);
  const ids: [place: string, fields: unknown][] = [
    ['body', body],
    ['message', message],
    ['message.metadata', message.metadata],
    ['call.metadata', about.metadata],
    ['call.assistantOverrides.metadata', fieldsOf(about.assistantOverrides).metadata],
    ['call.assistant.metadata', fieldsOf(about.assistant).metadata],
    ['assistant.metadata', fieldsOf(message.assistant).metadata],
    ...requests.map((request): [string, unknown] => ['arguments', request.arguments]),
  ];
  return [
    ...ids.map(([place, fields]): Claim => ({ place, of: 'ids', fields })),
    { place: 'customer', of: 'number', fields: message.customer },
    { place: 'call.customer', of: 'number', fields: about.customer },
  ];
}

const WithMessage = z.looseObject({ message: z.looseObject({}) });

/** Refuses a body that is no envelope, and names the field that is missing or wrong. */
function noToolCalls(body: unknown): AppError {
  const detail = WithMessage.safeParse(body).success
    ? { path: 'message.toolCalls', message: 'must be a list of tool calls, each with an id' }
    : { path: 'message', message: 'must be an object' };
  return new AppError('bad_request', 'The body holds no message with tool calls', [detail]);
}

/** The first list that holds something; an empty one only when there is no other. */
function firstList({ toolCalls, toolCallList, toolWithToolCallList }: Fields): unknown[] | null {
  const wrapped = Array.isArray(toolWithToolCallList)
    ? toolWithToolCallList.map((entry) => fieldsOf(entry).toolCall)
    : undefined;
  const lists = [toolCalls, toolCallList, wrapped].filter((list) => Array.isArray(list));
  return lists.find((list) => list.length > 0) ?? lists[0] ?? null;
}

function readRequest(entry: unknown): ToolRequest | null {
  const call = fieldsOf(entry);
  const id = idOf(call.id) ?? idOf(call.toolCallId);
  if (id === null) return null;
  const details = fieldsOf(call.function);
  const read = readArguments([details.arguments, details.parameters, call.arguments, call.parameters]);
  return { id, name: idOf(details.name) ?? idOf(call.name), ...read };
}

/** An object, or a string that holds one; nothing at all is `{}`. */
function readArguments(candidates: unknown[]): Pick<ToolRequest, 'arguments' | 'isUnreadable'> {
  const given = candidates.find((value) => !isNothing(value));
  const read = typeof given === 'string' ? parsed(given) : given;
  if (isNothing(read)) return { arguments: {}, isUnreadable: false };
  // What PostgreSQL cannot store counts as unreadable.
  if (!isFields(read) || !isStorable(read)) return { arguments: {}, isUnreadable: true };
  return { arguments: read, isUnreadable: false };
}

/** A model writes broken JSON at times, and JSON within JSON. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' && !isNothing(value) ? JSON.parse(value) : value;
  } catch {
    return UNREADABLE;
  }
}

const UNREADABLE = Symbol('unreadable');

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** A text that can be an id; null for anything else. */
const idOf = (value: unknown): string | null =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_ID_LENGTH && isStorable(value) ? value : null;

/** The first of each id, in the order asked. */
function uniqueById(requests: ToolRequest[]): ToolRequest[] {
  const ids = new Set<string>();
  return requests.filter(({ id }) => !ids.has(id) && ids.add(id));
}

import { isStorable } from '../domain/storable';

/** A tool call as the rest of the service knows it, whatever envelope it came in. */
export interface ToolRequest {
  id: string;
  /** The tool's name where the body says it. The route's own name wins over it. */
  name: string | null;
  arguments: Record<string, unknown>;
  /** Set when the arguments could not be read; the agent is asked to try again. */
  isUnreadable: boolean;
}

export interface Envelope {
  /** The platform's id of the call, or null when the body names none. A pointer only: it is looked up. */
  callPointer: string | null;
  requests: ToolRequest[];
  /** The platform's older form of a single call, whose reply is `{ result }`. */
  isLegacy: boolean;
}

/** What the agent is told of a tool that gave no result of its own. The same tool call may be sent again: what it does is done once. */
export const noResult = {
  stillWorking: 'This is taking a moment. Tell the caller that it is being finished and will be confirmed.',
  failed: 'Something went wrong. Apologise and try once more.',
} as const;

type Fields = Record<string, unknown>;

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
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** A text that can be an id; null for anything else. */
export const idOf = (value: unknown): string | null =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_ID_LENGTH && isStorable(value) ? value : null;

/** The first of each id, in the order asked. */
function uniqueById(requests: ToolRequest[]): ToolRequest[] {
  const ids = new Set<string>();
  return requests.filter(({ id }) => !ids.has(id) && ids.add(id));
}

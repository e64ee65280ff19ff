/** A tool call as the rest of the service knows it, whatever envelope it came in. */
export interface ToolRequest {
  id: string;
  arguments: Record<string, unknown>;
  /** Set when the arguments could not be read; the agent is asked to try again. */
  isUnreadable: boolean;
}

export interface Envelope {
  /** The platform's id of the call, or null when the body names none. A pointer only: it is looked up. */
  callPointer: string | null;
  requests: ToolRequest[];
  /** The platform's older single call: answered as `{ result }`. */
  isLegacy: boolean;
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const textOf = (value: unknown): string | null => (typeof value === 'string' && value.length > 0 ? value : null);

/**
 * Reads every envelope the voice platform is known to send: `toolCalls`, `toolCallList`, `toolWithToolCallList`, or the
 * legacy `functionCall`. Null when it is none of them: there is nobody to answer.
 */
export function readEnvelope(body: unknown): Envelope | null {
  const message = fieldsOf(fieldsOf(body).message);
  const callPointer = textOf(fieldsOf(message.call).id);
  const entries = firstList(message);
  if (entries) {
    const requests = entries.map(readRequest).filter((request) => request !== null);
    if (requests.length === 0 && entries.length > 0) return null;
    return { callPointer, requests: uniqueById(requests), isLegacy: false };
  }
  if (!isFields(message.functionCall)) return null;
  const id = textOf(message.functionCall.id) ?? 'function-call';
  const read = readArguments([message.functionCall.parameters, message.functionCall.arguments]);
  return { callPointer, requests: [{ id, ...read }], isLegacy: true };
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
  const id = textOf(call.id) ?? textOf(call.toolCallId);
  if (id === null || id.length > 200) return null;
  const details = fieldsOf(call.function);
  return { id, ...readArguments([details.arguments, details.parameters, call.arguments, call.parameters]) };
}

/** An object, or a string that holds one; nothing at all is `{}`. */
function readArguments(candidates: unknown[]): Omit<ToolRequest, 'id'> {
  const given = candidates.find((value) => value !== undefined && value !== null && value !== '');
  if (given === undefined) return { arguments: {}, isUnreadable: false };
  if (isFields(given)) return { arguments: given, isUnreadable: false };
  try {
    const parsed: unknown = typeof given === 'string' ? JSON.parse(given) : given;
    if (isFields(parsed)) return { arguments: parsed, isUnreadable: false };
  } catch {
    // A model wrote broken JSON: the agent is told so.
  }
  return { arguments: {}, isUnreadable: true };
}

function uniqueById(requests: ToolRequest[]): ToolRequest[] {
  return [...new Map(requests.toReversed().map((request) => [request.id, request])).values()].toReversed();
}

import type { ServerResponse } from 'node:http';
import type { Vapi } from '@vapi-ai/server-sdk';
import { startHttpReceiver, type HttpReceiver, type ReceivedRequest } from './http-receiver';

export interface VapiCall {
  id: string;
  type?: string;
  status: string;
  createdAt: string;
  endedReason?: string;
  name?: string;
  assistantId?: string;
  phoneNumberId?: string;
  customer?: { number: string };
  assistantOverrides?: {
    metadata?: Record<string, unknown>;
    variableValues?: Record<string, unknown>;
    server?: { url: string; headers?: Record<string, string> };
  };
}

/**
 * - `ok`: the call is placed.
 * - `refuse`, `bad_number`, `unauthorized`, `no_credit`, `unknown_assistant`, `rate_limit`, `at_limit`: a definite no.
 * - `error`: a 500, nothing placed.
 * - `accept_late`: placed, and the answer takes a second and a half.
 * - `accept_then_hang`, `accept_then_reset`, `accept_then_garble`: placed, but the answer never arrives, is cut, or is no JSON.
 */
export type VapiMode =
  | 'ok'
  | 'refuse'
  | 'bad_number'
  | 'unauthorized'
  | 'no_credit'
  | 'unknown_assistant'
  | 'rate_limit'
  | 'at_limit'
  | 'error'
  | 'accept_late'
  | 'accept_then_hang'
  | 'accept_then_reset'
  | 'accept_then_garble';

/** What the vendor's own types say of an assistant and of a number, as far as a service reads them. */
export type VapiAssistant = Pick<Vapi.Assistant, 'id' | 'orgId' | 'createdAt' | 'updatedAt'> &
  Partial<Pick<Vapi.Assistant, 'name' | 'server' | 'voicemailMessage' | 'metadata'>> & {
    model?: { provider: 'openai'; model: string; tools?: Vapi.OpenAiModelToolsItem[] };
  };
export type VapiNumber = Vapi.GetPhoneNumbersResponse.Vapi;

export interface VapiServer {
  url: string;
  /** Every phone that rings. */
  calls: VapiCall[];
  /** What the account has; any assistant and number is good enough for a call. */
  assistants: VapiAssistant[];
  numbers: VapiNumber[];
  requests: ReceivedRequest[];
  /** How the requests from now on are answered. */
  mode: VapiMode;
  /** How long an answer takes. */
  delayMs: number;
  /** How far its clock is ahead of this machine's. */
  clockAheadMs: number;
  /** Hears of each phone as it begins to ring. */
  onCall: (call: VapiCall) => void;
  /** How many connections are open. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

const LATE_MS = 1_500;

const REFUSALS: Partial<Record<VapiMode, { status: number; message: string | string[] }>> = {
  refuse: { status: 400, message: ['assistantId must be a UUID'] },
  bad_number: { status: 400, message: ['customer.number must be a valid phone number in the E.164 format'] },
  unauthorized: { status: 401, message: 'Invalid Key' },
  no_credit: { status: 402, message: 'Wallet Balance is -0.01. Purchase More Credits' },
  // A platform may quote what it was sent.
  unknown_assistant: { status: 400, message: "Couldn't Get Assistant for Zoë +15005550001" },
  at_limit: { status: 400, message: 'Over Concurrency Limit' },
  rate_limit: { status: 429, message: 'Over Concurrency Limit' },
  error: { status: 500, message: 'Internal server error' },
};

/** Vapi's call API on the wire, as far as a gateway uses it. */
export async function startVapiServer(apiKey: string): Promise<VapiServer> {
  const receiver: HttpReceiver = await startHttpReceiver((request, response) => {
    setTimeout(() => answer(request, response), server.delayMs);
  });
  const server: VapiServer = {
    url: receiver.url,
    calls: [],
    assistants: [],
    numbers: [],
    requests: receiver.received,
    mode: 'ok',
    delayMs: 0,
    clockAheadMs: 0,
    onCall: () => undefined,
    connections: () => receiver.connections(),
    close: () => receiver.close(),
  };

  const now = () => new Date(Date.now() + server.clockAheadMs);

  const answer = (request: ReceivedRequest, response: ServerResponse) => {
    response.setHeader('date', now().toUTCString());
    const refusal =
      request.headers.authorization === `Bearer ${apiKey}` ? REFUSALS[server.mode] : REFUSALS['unauthorized'];
    if (refusal) {
      reply(response, refusal.status, { message: refusal.message, error: 'Refused', statusCode: refusal.status });
      return;
    }
    const url = new URL(request.path, receiver.url);
    const [, kind, id = ''] = url.pathname.split('/');
    if (kind === 'assistant' && request.method === 'POST') make(request, response);
    else if (kind === 'assistant' && request.method === 'PATCH') change(request, response, id);
    else if (kind === 'assistant' && id === '') reply(response, 200, listed(server.assistants, url.searchParams));
    else if (kind === 'phone-number' && id === '') reply(response, 200, listed(server.numbers, url.searchParams));
    else if (kind === 'assistant') show(response, { kind: 'Assistant', id, among: server.assistants });
    else if (kind === 'phone-number') show(response, { kind: 'Phone Number', id, among: server.numbers });
    else if (request.method === 'POST' && url.pathname === '/call') place(request, response);
    else if (url.pathname === '/call') reply(response, 200, list(server.calls, url.searchParams));
    else describe(response, url.pathname.slice('/call/'.length));
  };

  const make = (request: ReceivedRequest, response: ServerResponse) => {
    const body = JSON.parse(request.body) as Vapi.CreateAssistantDto;
    const wrong = unknownIn(body);
    if (wrong.length > 0) return reply(response, 400, refusal(400, wrong));
    const id = `40000000-0000-4000-8000-${String(server.assistants.length + 1).padStart(12, '0')}`;
    const assistant = { ...made, ...body, id, createdAt: new Date().toISOString() } as VapiAssistant;
    server.assistants.push(assistant);
    return reply(response, 201, assistant);
  };

  const change = (request: ReceivedRequest, response: ServerResponse, id: string) => {
    const body = JSON.parse(request.body) as Vapi.CreateAssistantDto;
    const found = server.assistants.find((each) => each.id === id);
    const wrong = unknownIn(body);
    if (!found) return reply(response, 404, refusal(404, `Assistant ${id} Does Not Exist`));
    if (wrong.length > 0) return reply(response, 400, refusal(400, wrong));
    return reply(response, 200, Object.assign(found, body));
  };

  const place = (request: ReceivedRequest, response: ServerResponse) => {
    const id = `vapi-${server.calls.length + 1}`;
    const call: VapiCall = { ...JSON.parse(request.body), id, status: 'queued', createdAt: now().toISOString() };
    server.calls.push(call);
    server.onCall(call);
    if (server.mode === 'accept_then_reset') response.socket?.resetAndDestroy();
    else if (server.mode === 'accept_late') setTimeout(() => reply(response, 201, call), LATE_MS);
    else if (server.mode === 'accept_then_garble') response.end('<html>');
    else if (server.mode !== 'accept_then_hang') reply(response, 201, call);
  };

  const describe = (response: ServerResponse, id: string) => {
    const call = server.calls.find((known) => known.id === id);
    if (call) reply(response, 200, call);
    else reply(response, 404, { message: 'Call not found', statusCode: 404 });
  };

  return server;
}

/** One of an account's own things; its ids are UUIDs, and anything else is a bad request. */
function show(
  response: ServerResponse,
  { kind, id, among }: { kind: string; id: string; among: readonly { id: string }[] },
): void {
  const found = among.find((each) => each.id === id);
  if (found) reply(response, 200, found);
  else if (UUID.test(id)) reply(response, 404, refusal(404, `${kind} ${id} Does Not Exist`));
  else reply(response, 400, refusal(400, ['id must be a UUID']));
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const refusal = (statusCode: number, message: string | string[]) => ({ message, error: 'Refused', statusCode });

/** What the vendor's type of a tool's schema does not know, as the platform refuses it. */
function unknownIn({ model }: Vapi.CreateAssistantDto): string[] {
  const tools = (model as { tools?: { function?: Vapi.OpenAiFunction }[] } | undefined)?.tools ?? [];
  return tools.flatMap(({ function: definition }) =>
    unknownKeys((definition?.parameters ?? {}) as Vapi.JsonSchema).map(
      (key) => `model.tools.${definition?.name} property ${key} should not exist`,
    ),
  );
}

const known: (keyof Vapi.JsonSchema)[] = [
  'type',
  'items',
  'properties',
  'description',
  'pattern',
  'format',
  'required',
  'enum',
  'title',
];
const schemaKeys = new Set<string>(known);

const unknownKeys = (schema: Vapi.JsonSchema): string[] => [
  ...Object.keys(schema).filter((key) => !schemaKeys.has(key)),
  ...Object.values(schema.properties ?? {}).flatMap(unknownKeys),
  ...(schema.items ? unknownKeys(schema.items) : []),
];

/** Newest first, as many as asked for. */
const listed = <Item extends { createdAt: string }>(items: readonly Item[], query: URLSearchParams): Item[] =>
  items
    .filter(({ createdAt }) => createdAt <= (query.get('createdAtLe') ?? '9'))
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))
    .slice(0, Number(query.get('limit') ?? 100));

/** An assistant and a number as the platform shows them, with nothing in them but what is told. */
export const anAssistant = (about: Partial<VapiAssistant> & { id: string }): VapiAssistant => ({ ...made, ...about });
export const aNumber = (about: Partial<VapiNumber> & { id: string }): VapiNumber => ({
  ...made,
  provider: 'vapi',
  status: 'active',
  ...about,
});

const made = { orgId: 'org-1', createdAt: '2026-11-20T10:00:00.000Z', updatedAt: '2026-11-20T10:00:00.000Z' };

function list(calls: VapiCall[], query: URLSearchParams): VapiCall[] {
  const [from, until] = [query.get('createdAtGe') ?? '', query.get('createdAtLe') ?? '9'];
  return calls
    .filter(({ createdAt }) => createdAt >= from && createdAt <= until)
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
    .slice(0, Number(query.get('limit') ?? 100));
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

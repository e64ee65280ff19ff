import { z } from 'zod';
import type { ApprovedApi, ClinicAction, PermittedAction } from '../contracts/approved-api';
import type { ClinicCall, ClinicHttp } from './clinic-http';
import { authorization, type TokenCache } from './clinic-api-auth';
import { OutboundError, type OutboundErrorCode, type OutboundResponse } from './safe-http';

export interface ClinicApiInput {
  /** What fills the `{names}` of the path. */
  params?: Record<string, string>;
  body?: unknown;
  /** Sent as `Idempotency-Key`, for an API that knows it. */
  idempotencyKey?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export type ClinicApiResult =
  /** The clinic did not permit this action: nothing was sent. */
  | { kind: 'not_permitted' }
  /** The path cannot be filled in with these parameters: nothing was sent. */
  | { kind: 'unusable'; reason: string }
  /** `body` is the parsed JSON, or null. It is another system's word: parse it before use. */
  | { kind: 'answered'; status: number; body: unknown }
  /**
   * Something is wrong with the request or the settings. `fault` says so in words of our own; `body` is for a person who
   * tries the settings, and nothing is decided by it.
   */
  | { kind: 'refused'; status: number; fault: string; body: unknown }
  /** Asking later may help. */
  | { kind: 'unavailable'; error: OutboundErrorCode | `http_${number}` };

export interface ClinicApi {
  call(action: ClinicAction, input?: ClinicApiInput): Promise<ClinicApiResult>;
}

export interface ClinicApiOptions {
  http: ClinicHttp;
  clinicId: string;
  settings: ApprovedApi;
  /** Shared by the clients of a process, so that a token is asked for once. */
  tokens: TokenCache;
}

/** A clinic's own approved API. An action that is not permitted is never called. */
export function createClinicApi({ http, clinicId, settings, tokens }: ClinicApiOptions): ClinicApi {
  const credentials = authorization({ http, clinicId, auth: settings.auth, tokens });

  const send = async (
    call: Omit<ClinicCall, 'headers'>,
    headers: Record<string, string>,
  ): Promise<OutboundResponse> => {
    const authorized = async () => http.call({ ...call, headers: { ...headers, ...(await credentials.headers()) } });
    const response = await authorized();
    // A 401 did nothing yet, so that even a booking may be sent again with a fresh token.
    if (response.status !== 401 || !credentials.renew()) return response;
    return authorized();
  };

  return {
    call: async (action, input = {}) => {
      const permitted = settings.actions[action];
      if (permitted === undefined) return { kind: 'not_permitted' };
      const path = fillIn(permitted.path, input.params ?? {});
      if (path.kind === 'unusable') return path;
      try {
        const call = toCall({ clinicId, action, settings, permitted, path: path.path, input });
        return toResult(await send(call, headersOf(input)));
      } catch (error) {
        if (error instanceof OutboundError) return { kind: 'unavailable', error: error.code };
        throw error;
      }
    },
  };
}

interface CallParts {
  clinicId: string;
  action: ClinicAction;
  settings: ApprovedApi;
  permitted: PermittedAction;
  path: string;
  input: ClinicApiInput;
}

function toCall({ clinicId, action, settings, permitted, path, input }: CallParts): Omit<ClinicCall, 'headers'> {
  const { body, timeoutMs, signal } = input;
  const hasBody = body !== undefined && permitted.method !== 'GET';
  return {
    clinicId,
    system: 'clinic_api',
    action,
    method: permitted.method,
    baseUrl: settings.baseUrl,
    url: `${settings.baseUrl.replace(/\/+$/, '')}${path}`,
    pathTemplate: permitted.path,
    timeoutMs,
    signal,
    body: hasBody ? JSON.stringify(body) : undefined,
  };
}

function headersOf({ body, idempotencyKey }: ClinicApiInput): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'clinic-workflows/1' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  return headers;
}

type FilledIn = { kind: 'path'; path: string } | { kind: 'unusable'; reason: string };

/**
 * A parameter never leaves its place: it is encoded, and one that would climb the path is refused, also for a server that
 * decodes `%2F` before it looks at the path.
 */
function fillIn(template: string, given: Record<string, string>): FilledIn {
  // Only what was given: `{constructor}` names nothing.
  const params: Record<string, string> = Object.assign(Object.create(null), given);
  const names = [...template.matchAll(/\{([A-Za-z]+)\}/g)].map(([, name = '']) => name);
  const missing = names.find((name) => !params[name]);
  if (missing !== undefined) return { kind: 'unusable', reason: `the path needs ${missing}` };
  const path = template.replaceAll(/\{([A-Za-z]+)\}/g, (_match, name: string) => encodeParam(params[name] ?? ''));
  const [pathname = ''] = path.split('?');
  if (pathname.split(/\/|%2f|\\|%5c/i).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    return { kind: 'unusable', reason: 'a parameter would leave its path' };
  }
  return { kind: 'path', path };
}

function encodeParam(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

function toResult({ status, body }: OutboundResponse): ClinicApiResult {
  if (status >= 500 || status === 429) return { kind: 'unavailable', error: `http_${status}` };
  const answer = parseJson(body);
  if (status < 200 || status >= 300) return { kind: 'refused', status, fault: `http ${status}`, body: answer };
  const issue = failureIn(answer);
  if (issue === null) return { kind: 'answered', status, body: answer };
  return { kind: 'refused', status, fault: `http ${status} with an OperationOutcome of ${issue}`, body: answer };
}

/** FHIR's way to say that something went wrong. */
const OperationOutcome = z.object({
  resourceType: z.literal('OperationOutcome'),
  issue: z.array(
    z.object({
      severity: z.string(),
      // One of FHIR's codes; anything else may quote a patient.
      code: z
        .string()
        .regex(/^[a-z][a-z-]{0,39}$/)
        .catch('an unknown kind'),
    }),
  ),
});

/** The kind of failure that an answer tells of, whatever its status says; null for an answer that tells of none. */
function failureIn(answer: unknown): string | null {
  const outcome = OperationOutcome.safeParse(answer).data;
  return outcome?.issue.find(({ severity }) => ['fatal', 'error'].includes(severity))?.code ?? null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

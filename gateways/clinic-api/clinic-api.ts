import type {
  ApprovedApi,
  ClinicAction,
  FhirCapabilities,
  FhirSettings,
  PermittedAction,
} from '@clinic/shared/contracts/events/approved-api';
import type { ApiFinding } from '@clinic/shared/contracts/events/approved-api-check';
import type { Stores } from '@clinic/prisma/stores';
import { authorization, type ClientKeySource, type TokenCache } from './clinic-api-auth';
import type { ClinicCall, ClinicHttp } from '../http/clinic-http';
import { parseJson } from '@clinic/shared/domain/json';
import { type ApiChecked, checkFhir, type NamesHere } from '../calendar/fhir/check';
import type { SendFhir } from '../calendar/fhir/exchange';
import { createFhirApi } from '../calendar/fhir/fhir-api';
import { createLiveEhr } from '../calendar/fhir/live-ehr';
import { faultIn } from '../calendar/fhir/outcome';
import type { TakenTimes } from '../calendar/fhir/taken-times';
import type { CheckAsked, ClinicApi } from './port';
import { fillMappings, readVisitTypes } from '../calendar/fhir/fill-mappings';
import { type ClinicApiInput, type ClinicApiResult, unavailable } from './result';
import { OutboundError, type OutboundResponse } from '../http/safe-http';

export interface ClinicApiOptions {
  http: ClinicHttp;
  clinicId: string;
  settings: ApprovedApi;
  /** Shared by the clients of a process, so that a token is asked for once. */
  tokens: TokenCache;
  keys: ClientKeySource;
  ehrTimes: Pick<Stores['ehrTimes'], 'take' | 'giveBack'>;
  now?: () => Date;
}

/** A clinic's own approved API. An action that is not permitted is never called. */
export function createClinicApi({
  http,
  clinicId,
  settings,
  tokens,
  keys,
  ehrTimes,
  now,
}: ClinicApiOptions): ClinicApi {
  const { auth, baseUrl, clientCertificate } = settings;
  const credentials = authorization({ http, clinicId, baseUrl, auth, tokens, keys, clientCertificate });
  const fixed = Object.fromEntries(settings.headers.map(({ name, value }) => [name.toLowerCase(), value]));

  const send = async (
    call: Omit<ClinicCall, 'headers'>,
    headers: Record<string, string>,
  ): Promise<OutboundResponse> => {
    const authorized = async () =>
      http.call({ ...call, clientCertificate, headers: { ...fixed, ...headers, ...(await credentials.headers()) } });
    const response = await authorized();
    // A 401 did nothing yet, so that even a booking may be sent again with a fresh token.
    if (response.status !== 401 || !credentials.renew()) return response;
    return authorized();
  };
  const sendFor =
    (action: ClinicCall['action'], within: Pick<ClinicApiInput, 'timeoutMs' | 'signal' | 'callId'>): SendFhir =>
    ({ headers, ...call }) => {
      const { timeoutMs, signal, callId } = within;
      return send({ ...call, clinicId, callId, system: 'clinic_api', action, baseUrl, timeoutMs, signal }, headers);
    };

  const callJson: ClinicApi['call'] = async (action, input = {}) => {
    const permitted = settings.actions[action];
    if (permitted === undefined) return { kind: 'not_permitted' };
    const path = fillIn(permitted.path, input.params ?? {});
    if (path.kind === 'unusable') return path;
    try {
      const call = toCall({ clinicId, action, settings, permitted, path: path.path, input });
      return toResult(await send(call, headersOf(input)));
    } catch (error) {
      if (error instanceof OutboundError) return unavailable(error);
      throw error;
    }
  };

  /** What keeps us from having a token, where one is needed. */
  const tokenFinding = async (): Promise<ApiFinding | null> => {
    try {
      await credentials.headers();
      return null;
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { path: 'auth', code: 'no_credentials', message: error.message, isProblem: true };
    }
  };

  const { fhir, capabilities = nothingDeclared } = settings;
  if (!fhir) {
    const check = async () => ({ findings: [(await tokenFinding()) ?? jsonFinding], ...nothingSaid });
    return {
      kind: 'json',
      call: callJson,
      live: null,
      check,
      fillMappings: async () => null,
      visitTypes: async () => null,
    };
  }
  const askedOf = ({ known, signal }: CheckAsked = {}) => ({
    send: sendFor('check', { timeoutMs: CHECK_TIMEOUT_MS, signal }),
    sendPatiently: sendFor('check', { timeoutMs: STATEMENT_TIMEOUT_MS, signal }),
    known,
    baseUrl,
    now,
  });
  const checkWith = async (suggested: FhirSettings, names: NamesHere, asked?: CheckAsked): Promise<ApiChecked> => {
    const refusal = await tokenFinding();
    if (refusal) return { findings: [refusal], ...nothingSaid };
    return checkFhir({ ...askedOf(asked), settings: suggested, names });
  };
  const times: TakenTimes = {
    take: (visit, time) => ehrTimes.take(clinicId, { ...visit, ...time }),
    giveBack: (holder) => ehrTimes.giveBack(clinicId, holder),
  };
  const server = { sendFor, baseUrl, settings: fhir, capabilities, times };
  return {
    kind: settings.kind,
    ...createFhirApi({ ...server, now }),
    live: fhir.isOn && fhir.isLive ? createLiveEhr(server) : null,
    check: (names, asked) => checkWith(fhir, names, asked),
    fillMappings: async (names, asked) => {
      const filled = await fillMappings({ ...askedOf(asked), settings: fhir, names });
      const { settings: suggested, choices, gaps } = filled;
      const { findings, ...checked } = await checkWith(suggested, names, asked);
      return { settings: suggested, choices, findings: [...findings, ...gaps], ...checked };
    },
    visitTypes: async (asked) => {
      const refusal = await tokenFinding();
      return refusal ? { visitTypes: [], gaps: [refusal] } : readVisitTypes(askedOf(asked));
    },
  };
}

const jsonFinding: ApiFinding = {
  path: 'actions',
  code: 'not_tried',
  message: 'are tried one by one, as only you know what may be sent',
  isProblem: false,
};
const nothingSaid = { capabilities: null, declared: null };
const CHECK_TIMEOUT_MS = 8_000;
/** HAPI writes 2.5 MB of statement, which took 75 s on a busy machine. */
const STATEMENT_TIMEOUT_MS = 120_000;
const nothingDeclared: FhirCapabilities = { canBook: false, canHold: false, hasSlots: false, findsAppointments: false };

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
  const fault = faultIn(answer);
  if (fault === null) return { kind: 'answered', status, body: answer };
  return { kind: 'refused', status, fault: `http ${status} with an OperationOutcome of ${fault.words}`, body: answer };
}

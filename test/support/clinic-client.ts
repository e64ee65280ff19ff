import { setTimeout as delay } from 'node:timers/promises';
import type { DevClinic } from '@clinic/accounts/seed';
import type { InboundPath } from '@clinic/shared/contracts/events/inbound-events';
import { VOICE_SECRET } from '@clinic/shared/domain/voice/headers';
import { aCompletedForm, anAbandonedForm, anEnvelope, type Form } from './builders';

/** How to reach a running service, in this process or another. */
/** For what asks for a sign-in of the last five minutes (`stepUp` of a route). */
const FRESH_MS = 4 * 60_000;

export interface Reach {
  /** Ends in /api. */
  baseUrl: string;
  voiceSecret: string;
  /** The one that is meant where none is named. */
  clinic: DevClinic;
  /** Sees each answer, and throws where it is none that may be. */
  check?: (asked: { method: string; path: string }, answer: Answer) => void;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The text as JSON; null where it is none. */
  // eslint-disable-next-line typescript/no-explicit-any
  body: any;
}

export interface Ask {
  body?: unknown;
  headers?: Record<string, string>;
  bearer?: string;
}

export type ClinicClient = ReturnType<typeof createClinicClient>;

/** The service as a clinic's platform, the voice platform and the dashboard see it: over HTTP. */
export function createClinicClient({ baseUrl, voiceSecret, clinic: first, check }: Reach) {
  const tokens = new Map<string, { token: Promise<string>; at: number }>();

  const request = async (method: string, path: string, { body, headers, bearer }: Ask = {}): Promise<Answer> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(bearer && { authorization: `Bearer ${bearer}` }),
        ...headers,
      },
      body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const answer = { status: response.status, headers: response.headers, text, body: parse(text) };
    check?.({ method, path }, answer);
    return answer;
  };

  const inbound = (path: InboundPath, body: unknown, clinic = first) =>
    request('POST', `/automation/webhook/${clinic.clinicId}/${path}`, {
      body,
      headers: { 'x-automation-secret': clinic.inboundSecrets[path] },
    });

  const signIn = ({ email, password }: { email: string; password: string }): Promise<string> => {
    const known = tokens.get(email);
    if (known && Date.now() - known.at < FRESH_MS) return known.token;
    const token = signInFresh(email, password);
    tokens.set(email, { token, at: Date.now() });
    return token;
  };
  const signInFresh = async (email: string, password: string): Promise<string> => {
    const { body } = await request('POST', '/auth/sign-in/email', { body: { email, password } });
    return body.token;
  };

  const asVoice = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    request('POST', path, { body, headers: { [VOICE_SECRET]: voiceSecret, ...headers } });

  const workflow = (workflowId: string, { wait = 0, clinic = first } = {}) =>
    request('GET', `/workflows/${workflowId}${wait > 0 ? `?wait=${wait}` : ''}`, { bearer: clinic.apiKey });

  return {
    request,
    inbound,
    asVoice,
    workflow,
    signIn,
    /** The next sign-in of this account opens a session of its own. */
    forgetSignIn: ({ email }: { email: string }) => void tokens.delete(email),
    admin: () => signIn(first),
    staff: () => signIn(first.staff),

    abandon: (form: Form = {}, clinic = first) => inbound('forms-abandoned', anAbandonedForm(form), clinic),
    complete: (sessionId: string, clinic = first) => inbound('forms-completed', aCompletedForm(sessionId), clinic),
    start: (body: unknown, clinic = first) => request('POST', '/workflows/start', { body, bearer: clinic.apiKey }),

    /** The workflow once it is terminal; `within` is in seconds. */
    async ended(workflowId: string, clinic = first, { within = 60 } = {}) {
      for (const deadline = Date.now() + within * 1_000; ;) {
        const { status, body } = await workflow(workflowId, { wait: 60, clinic });
        // Of a machine that is busy it is asked again, as any client asks.
        if (status !== 503 && body.status !== 'started') return body;
        if (Date.now() > deadline) throw new Error(`${workflowId} has not ended within ${within} s`);
        if (status === 503) await delay(1_000);
      }
    },

    /** The decoded result of one tool. */
    async tool(path: string, callId: string | null, args: unknown = {}, id?: string) {
      const { body } = await asVoice(`/${path}`, anEnvelope(callId, [{ id, arguments: args }]));
      return JSON.parse(body.results[0].result);
    },
    voiceEvent: (message: Record<string, unknown>) => asVoice('/voice/events', { message }),

    async openTestCall(about: Record<string, unknown> = {}): Promise<string> {
      const bearer = await signIn(first);
      const { status, text, body } = await request('POST', '/voice/test-calls', { body: about, bearer });
      if (status !== 200) throw new Error(`no test call: ${status} ${text}`);
      return body.callId;
    },
  };
}

function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

import { VapiClient, VapiError, type Vapi } from '@vapi-ai/server-sdk';
import { createSafeFetch } from '@clinic/shared/outbound/safe-fetch';
import { OutboundError, type SafeHttp } from '@clinic/shared/outbound/safe-http';
import { type ClinicVoice, whyNoCalls } from '@clinic/shared/outbound/vapi/clinic-voice';
import { createCallBody } from '@clinic/shared/outbound/vapi/create-call';
import { callStateOf } from '@clinic/shared/voice/call-status';
import { readCallAnalysis } from '@clinic/shared/voice/message';
import { notStarted, numberRefused } from '@clinic/shared/voice/ended-reason';
import { type PlaceCall, type PlacedCall, VoiceUnavailable, VoiceUnknownOutcome, type VoiceGateway } from './port';
import { notConfigured } from './unset';

const TIMEOUT_MS = 10_000;
/** A call that is over carries its whole conversation. */
const MAX_BYTES = 32 * 1024 * 1024;
/** A request may wait on its way for longer than anybody waits for its answer: one was seen to arrive after 17 s. */
const SETTLE_MS = 180_000;
/** Vapi lists 1,000 at most; calls that are over come with their conversations, so a page of that many may be too long. */
const PAGE_SIZE = 100;
/** The platform's clock may be behind ours, and a request before this one may have come late. */
const EARLIEST_MS = 300_000;
/** For how long a request may be on its way. */
const LATEST_MS = 600_000;
/** Of an account that places more calls than a page holds within this time, no call can be said not to exist. */
const NARROWEST_MS = 10;

/** Errors that come before there is a connection, so nothing was sent. */
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

export interface VapiGatewayOptions {
  http: SafeHttp;
  apiKey: string;
  baseUrl: string;
  /** Who talks from which number, and how; what is incomplete places no call. */
  voice: ClinicVoice;
  timeoutMs?: number;
}

/** Vapi, over its own SDK. Its `POST /call` knows no idempotency key, so the SDK's retries are off. */
export function createVapiGateway(options: VapiGatewayOptions): VoiceGateway {
  const { http, apiKey, baseUrl, voice, timeoutMs = TIMEOUT_MS } = options;
  const { calls } = new VapiClient({
    token: apiKey,
    baseUrl,
    maxRetries: 0,
    timeoutInSeconds: timeoutMs / 1000,
    fetch: createSafeFetch(http, { timeoutMs, maxBytes: MAX_BYTES }),
  });

  /** A page that is full may hide the call, so its time is looked through in two halves, the later one first. */
  const findIn = async (
    { from, to }: Stretch,
    callId: string,
    abortSignal?: AbortSignal,
  ): Promise<Vapi.Call | null> => {
    const window = { createdAtGe: new Date(from).toISOString(), createdAtLe: new Date(to).toISOString() };
    const page = await ask(() => calls.list({ ...window, limit: PAGE_SIZE }, { abortSignal }));
    const found = page.find((call) => carriesIntent(call, callId));
    if (found || page.length < PAGE_SIZE) return found ?? null;
    if (to - from <= NARROWEST_MS) {
      throw new VoiceUnavailable('the voice platform shows too many calls of that time to be sure');
    }
    const middle = Math.floor((from + to) / 2);
    return (
      (await findIn({ from: middle, to }, callId, abortSignal)) ?? findIn({ from, to: middle }, callId, abortSignal)
    );
  };

  return {
    settleMs: SETTLE_MS,

    async place(call, abortSignal) {
      if (whyNoCalls(voice, call.workflowType) !== null) return notConfigured(voice, call.workflowType);
      try {
        const body: Vapi.CreateCallDto = createCallBody({ ...call, now: new Date().toISOString() }, voice);
        const created: unknown = await calls.create(body, { abortSignal });
        return { kind: 'placed', platformCallId: idOf(created) };
      } catch (error) {
        const refusal = refusalOf(error, call);
        if (refusal) return refusal;
        throw new VoiceUnknownOutcome(`whether call ${call.callId} was placed is unknown: ${faultOf(error)}`);
      }
    },

    async findByIntent(callId, placedAfter, abortSignal) {
      const at = Date.parse(placedAfter);
      const found = await findIn({ from: at - EARLIEST_MS, to: at + LATEST_MS }, callId, abortSignal);
      return found?.id ?? null;
    },

    async lookUp(platformCallId, abortSignal) {
      const call = await ask(() => calls.get({ id: platformCallId }, { abortSignal })).catch(nullIfUnknown);
      if (call === null || call.status === 'not-found') return null;
      const endedReason = call.endedReason ?? null;
      // A status that is new to us leaves the call going, so that it is asked about again.
      const state = endedReason === null ? (callStateOf(call.status) ?? 'IN_PROGRESS') : 'ENDED';
      return { state, endedReason, ...(state === 'ENDED' && readCallAnalysis(call)) };
    },
  };
}

/** A stretch of time, in milliseconds since 1970. */
interface Stretch {
  from: number;
  to: number;
}

// The metadata holds the whole id; the name is what a person sees at the platform, and may be cut.
function carriesIntent({ name, assistantOverrides }: Vapi.Call, callId: string): boolean {
  const carried = assistantOverrides?.metadata?.['callId'];
  return carried === undefined ? name === callId : carried === callId;
}

// The SDK hands over whatever a 2xx or 3xx held, parsed or not.
function idOf(created: unknown): string {
  if (typeof created === 'object' && created !== null && 'id' in created && typeof created.id === 'string') {
    return created.id;
  }
  throw new Error('the answer holds no call id');
}

function refusalOf(error: unknown, call: PlaceCall): PlacedCall | null {
  if (!(error instanceof VapiError)) return null;
  const { statusCode, cause } = error;
  if (cause instanceof OutboundError && isNeverSent(cause)) {
    return { kind: 'refused', reason: notStarted(cause.reason ?? cause.code), isBadNumber: false };
  }
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500 || statusCode === 408) return null;
  if (isAboutTheNumber(error)) return { kind: 'refused', reason: numberRefused, isBadNumber: true };
  const sentence = sentenceOf(error, call);
  // A limit passes by itself, unlike everything else that is wrong with a request.
  const why = LIMIT.test(sentence ?? '') && statusCode === 400 ? 'limit-reached' : `http-${statusCode}`;
  return {
    kind: 'refused',
    reason: notStarted(why),
    isBadNumber: false,
    ...(sentence !== null && { said: sentence }),
  };
}

const LIMIT = /\bconcurren|\blimit\b/i;
const SENTENCE_LENGTH = 300;
const PHONES_AND_EMAILS = /\+?\d[\d\s().-]{5,}\d|\S+@\S+/g;

/** What the platform says is wrong, without anything that it quotes of the patient. */
function sentenceOf({ body }: VapiError, { phone, firstName, subject }: PlaceCall): string | null {
  const told = typeof body === 'object' && body !== null && 'message' in body ? body.message : null;
  const message = Array.isArray(told) ? told.join('; ') : told;
  if (typeof message !== 'string' || message.trim() === '') return null;
  const quoted = [phone, firstName ?? '', ...Object.values(subject)].filter((text) => text.length > 1);
  const clean = quoted.reduce((text, quote) => text.replaceAll(quote, '…'), message);
  return clean.replaceAll(PHONES_AND_EMAILS, '…').slice(0, SENTENCE_LENGTH).toWellFormed();
}

function isNeverSent({ code, reason }: OutboundError): boolean {
  return code === 'private_target' || code === 'bad_url' || NEVER_SENT.includes(reason ?? '');
}

function isAboutTheNumber({ statusCode, body }: VapiError): boolean {
  return statusCode === 400 && /\bcustomer\.number\b|E\.164/i.test(JSON.stringify(body) ?? '');
}

/** A question that changes nothing. Its failure says so, in words without the platform's answer, which quotes patients. */
async function ask<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof VapiError && error.statusCode === 404) throw error;
    throw new VoiceUnavailable(`the voice platform did not answer: ${faultOf(error)}`);
  }
}

function nullIfUnknown(error: unknown): null {
  if (error instanceof VapiError) return null;
  throw error;
}

function faultOf(error: unknown): string {
  if (!(error instanceof VapiError)) return 'no usable answer';
  if (error.statusCode !== undefined) return `http ${error.statusCode}`;
  return error.cause instanceof OutboundError ? error.cause.code : 'no usable answer';
}

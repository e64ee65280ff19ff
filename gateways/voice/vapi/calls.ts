import { z } from 'zod';
import type { Vapi } from '@vapi-ai/server-sdk';
import { sha256Hex } from '@clinic/shared/crypto';
import { notStarted, numberRefused } from '@clinic/shared/domain/voice/ended-reason';
import type { OutboundError } from '../../http/safe-http';
import { type ClinicVoice, whyNoCalls } from '../clinic-voice';
import {
  type FoundCall,
  type PlaceCall,
  type PlacedCall,
  type VoiceGateway,
  VoiceUnavailable,
  VoiceUnknownOutcome,
} from '../port';
import { notConfigured } from '../unset';
import { createCallBody } from './call-body';
import { callStateOf } from './call-status';
import { createVapiClient, faultIn, sentenceIn, type VapiAccess, type VapiFault } from './client';
import { readCallAnalysis } from './messages';

/** Activities that ask it outlast this (workflows/timeouts.ts). */
export const TIMEOUT_MS = 10_000;
/** Somebody may be on the line, and the platform waits for our answer to what it reported. */
const FIND_TIMEOUT_MS = 5_000;
/** A request may wait on its way for longer than anybody waits for its answer: one was seen to arrive after 17 s. */
const SETTLE_MS = 180_000;
/** Vapi lists 1,000 at most; calls that are over come with their conversations, so a page of that many may be too long. */
const PAGE_SIZE = 100;
/** A request before this one may have come late, and the platform's clock is known by the second. */
const EARLIEST_MS = 300_000;
/** For how long a request may be on its way. */
const LATEST_MS = 600_000;
/** Of an account that places more calls than a page holds within this time, no call can be said not to exist. */
const NARROWEST_MS = 10;

/** Errors that come before there is a connection, so nothing was sent. */
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

export interface VapiGatewayOptions extends VapiAccess {
  /** Who talks from which number, and how; what is incomplete places no call. */
  voice: ClinicVoice;
  timeoutMs?: number;
}

/** A clinic's calls at Vapi. */
export function createVapiGateway({ voice, timeoutMs = TIMEOUT_MS, ...access }: VapiGatewayOptions): VoiceGateway {
  const { calls } = createVapiClient(access, { timeoutMs });

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

  /** By the platform's own clock, as its answers say: it tells its calls' times by none of ours. */
  const platformNow = async (abortSignal?: AbortSignal): Promise<number> => {
    const { rawResponse } = await ask(() => calls.list({ limit: 1 }, { abortSignal }).withRawResponse());
    const said = Date.parse(rawResponse.headers.get('date') ?? '');
    return Number.isNaN(said) ? Date.now() : said;
  };

  return {
    account: sha256Hex(access.apiKey).slice(0, 16),
    settleMs: SETTLE_MS,

    async place(call, abortSignal) {
      if (whyNoCalls(voice, call.workflowType) !== null) return notConfigured(voice, call.workflowType);
      try {
        const body: Vapi.CreateCallDto = createCallBody({ ...call, now: new Date().toISOString() }, voice);
        const { sendBefore } = call;
        const created: unknown = await createVapiClient(access, { timeoutMs, sendBefore }).calls.create(body, {
          abortSignal,
        });
        return { kind: 'placed', platformCallId: idOf(created) };
      } catch (error) {
        const fault = faultIn(error);
        const refusal = refusalOf(fault, call);
        if (refusal) return refusal;
        throw new VoiceUnknownOutcome(`whether call ${call.callId} was placed is unknown: ${wordFor(fault)}`);
      }
    },

    async findByIntent(callId, requestedMsAgo, abortSignal) {
      const at = (await platformNow(abortSignal)) - requestedMsAgo;
      const found = await findIn({ from: at - EARLIEST_MS, to: at + LATEST_MS }, callId, abortSignal);
      return found?.id ?? null;
    },

    async lookUp(platformCallId, abortSignal) {
      const call = await askFor(() => calls.get({ id: platformCallId }, { abortSignal }));
      if (call === null || call.status === 'not-found') return null;
      const endedReason = call.endedReason ?? null;
      // A status that is new to us leaves the call going, so that it is asked about again.
      const state = endedReason === null ? (callStateOf(call.status) ?? 'IN_PROGRESS') : 'ENDED';
      if (state !== 'ENDED') return { state, endedReason };
      return { state, endedReason, endedAt: instantIn(call.endedAt), ...readCallAnalysis(call) };
    },
  };
}

const instantIn = (text: string | undefined): string | null => {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
};

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

function refusalOf(fault: VapiFault, call: PlaceCall): PlacedCall | null {
  const { status, outbound } = fault;
  if (outbound && isNeverSent(outbound)) {
    return { kind: 'refused', reason: notStarted(outbound.reason ?? outbound.code), isBadNumber: false };
  }
  if (status === null || status < 400 || status >= 500 || status === 408) return null;
  if (status === 400 && ABOUT_THE_NUMBER.test(JSON.stringify(fault.body))) {
    return { kind: 'refused', reason: numberRefused, isBadNumber: true };
  }
  const said = withoutPatient(fault, call);
  // A limit passes by itself, unlike everything else that is wrong with a request.
  const why = LIMIT.test(said) && status === 400 ? 'limit-reached' : `http-${status}`;
  return { kind: 'refused', reason: notStarted(why), isBadNumber: false, ...(said !== '' && { said }) };
}

// Vapi gives no code for either: its sentence is all that tells them from other bad requests.
const LIMIT = /\bconcurren|\blimit\b/i;
const ABOUT_THE_NUMBER = /\bcustomer\.number\b|E\.164/i;
const PHONES_AND_EMAILS = /\+?\d[\d\s().-]{5,}\d|\S+@\S+/g;

/** What the platform says is wrong, without anything that it quotes of the patient. */
function withoutPatient(fault: VapiFault, { phone, firstName, subject }: PlaceCall): string {
  const quoted = [phone, firstName ?? '', ...Object.values(subject)].filter((text) => text.length > 1);
  return sentenceIn(fault, (said) =>
    quoted.reduce((text, quote) => text.replaceAll(quote, '…'), said).replaceAll(PHONES_AND_EMAILS, '…'),
  );
}

function isNeverSent({ code, reason }: OutboundError): boolean {
  return code === 'private_target' || code === 'bad_url' || NEVER_SENT.includes(reason ?? '');
}

/** A question that changes nothing. Its failure says so, in words without the platform's answer, which quotes patients. */
async function ask<T>(question: () => Promise<T>): Promise<T> {
  return question().catch((error: unknown) => {
    throw new VoiceUnavailable(`the voice platform did not answer: ${wordFor(faultIn(error))}`);
  });
}

/** The same for one thing: null where the platform does not know it. */
const askFor = <T>(question: () => Promise<T>): Promise<T | null> =>
  ask(() =>
    question().catch((error: unknown) => {
      if (faultIn(error).status === 404) return null;
      throw error;
    }),
  );

function wordFor({ status, outbound }: VapiFault): string {
  return status === null ? (outbound?.code ?? 'no usable answer') : `http ${status}`;
}

/** What Vapi itself says of a call. */
export async function findVapiCall(access: VapiAccess, id: string): Promise<FoundCall> {
  const { calls } = createVapiClient(access, { timeoutMs: FIND_TIMEOUT_MS });
  try {
    const call = Found.parse(await calls.get({ id }));
    if (call.id !== id) return { kind: 'unavailable' };
    return {
      kind: 'found',
      isInbound: call.type === 'inboundPhoneCall',
      platformNumberId: call.phoneNumberId ?? null,
      callerNumber: call.customer?.number ?? null,
    };
  } catch (error) {
    const { status } = faultIn(error);
    // An id that is none of the platform's form is a 400 there.
    return { kind: status === 404 || status === 400 ? 'unknown' : 'unavailable' };
  }
}

const Found = z.object({
  id: z.string(),
  type: z.string().nullish(),
  phoneNumberId: z.string().nullish(),
  customer: z.object({ number: z.string().nullish() }).nullish(),
});

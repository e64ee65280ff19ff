import { ApplicationFailure } from '@temporalio/activity';
import type { Stores } from '@clinic/prisma/stores';
import type { CallRecord } from '@clinic/prisma/stores/outreach/calls';
import type { CallToPlace } from '@clinic/prisma/stores/outreach/placed-calls';
import type { CallIntent, Reservation } from '@clinic/prisma/stores/outreach/reserved-calls';
import type { Ticket } from '@clinic/prisma/stores/outreach/lines';
import { openingSentence } from '@clinic/shared/domain/outreach/opening';
import { endedReasons, keyUnreadable } from '@clinic/shared/domain/voice/ended-reason';
import { MAX_CALL_MS } from '@clinic/shared/domain/voice/longest-call';
import { type PlacedCall, type PlatformCall, SEND_WITHIN_MS, type VoiceGateway } from '@clinic/gateways/voice/port';
import { findRequested, isAccountOf } from '@clinic/gateways/voice/requested-call';
import { formOf, subjectOf } from './call-subject';
import { withHeartbeat } from './heartbeat';

/** How soon after a request without an answer the platform is asked about it; then later and later, to once a minute. */
const FIRST_LOOK_MS = 2_000;
const LAST_LOOKS_MS = 60_000;

/** How often the platform must not know a call of ours, minutes apart, before nobody waits for its end any more. */
const LOST_AFTER = 4;

export type Placement =
  | { kind: 'placed' }
  /** It was placed or refused before, and is over: anyone who asks for it again is told how and when it ended. */
  | { kind: 'over'; end: CallEnd }
  | { kind: 'refused'; reason: string; said?: string }
  /** Nobody must ring any more. */
  | { kind: 'withdrawn' };

export interface CallActivityDeps {
  stores: Stores;
  /** The platform that a clinic's calls go through, as the clinic has set it at this moment; `account`: that one, where its key is kept. */
  voice: (provider: string, clinicId: string, account?: string | null) => VoiceGateway | Promise<VoiceGateway>;
  publicUrl: string;
  /** Hears of every call that a fault of configuration has kept from being placed. */
  onSetupFault?: (fault: SetupFault) => void;
}

/** A call that only a person's change of settings would let through. */
export interface SetupFault {
  clinicId: string;
  /** Left out where it is of every call of the clinic. */
  workflowId?: string;
  callId: string;
  /** The platform's word for it. */
  reason: string;
  /** The platform's own sentence, without patient data; null where it said none. */
  said: string | null;
}

/** Calls: an intent first, one request, and a look-up before any second one. No patient is called twice for one attempt. */
export function createCallActivities({ stores, voice, publicUrl, onSetupFault }: CallActivityDeps) {
  const refuse = async (
    { clinicId, callId }: CallToPlace,
    { reason, said }: Refusal,
    ofRequest?: number,
  ): Promise<Placement> => {
    await stores.calls.close({ clinicId, callId, reason, ofRequest });
    return { kind: 'refused', reason, ...(said !== undefined && { said }) };
  };

  const adopt = async ({ clinicId, callId }: CallToPlace, platformCallId: string): Promise<Placement> => {
    await stores.calls.placed({ clinicId, callId, platformCallId });
    return { kind: 'placed' };
  };

  /** Staff and those who watch hear of a key that nobody can read, once a day: the calls that wait for it go on by themselves. */
  const tellOfKey = async ({ clinicId, callId }: CallToPlace, { reason, said }: Refusal): Promise<void> => {
    const cause = `${KEY_TASK}:${new Date().toISOString().slice(0, 10)}`;
    await stores.tasks.open({ clinicId, reason: KEY_TASK, cause });
    onSetupFault?.({ clinicId, callId, reason, said: said ?? null });
  };

  const lookUpCall = createLookUpCall({ stores, voice });

  const overBefore = async (clinicId: string, callId: string): Promise<Placement> => {
    const call = await stores.calls.find(clinicId, callId);
    if (!call || call.endedReason === 'withdrawn') return { kind: 'withdrawn' };
    return { kind: 'over', end: endOf(call) };
  };

  return {
    reserveCall: (intent: CallIntent): Promise<Reservation> => stores.calls.reserve(intent),

    /** Takes the run's place in line while its outreach is paused. */
    standInLine: (ticket: Ticket): Promise<'in_line' | 'not_paused'> => stores.lines.standWhilePaused(ticket),

    placeCall: ({ clinicId, callId }: { clinicId: string; callId: string }): Promise<Placement> =>
      withHeartbeat(async (signal) => {
        const call = await stores.calls.toPlace(clinicId, callId);
        if (!call) throw ApplicationFailure.nonRetryable(`call ${callId} is unknown`, 'not_found');
        if (call.state === 'ENDED') return overBefore(clinicId, callId);
        if (call.platformCallId) return { kind: 'placed' };

        if (call.requestedAt) {
          const asked = await voice(call.voiceProvider, clinicId, call.requestedAccount);
          const found = await findRequested(asked, call, signal);
          if (found.kind === 'found') return adopt(call, found.platformCallId);
          if (found.kind === 'open') throw mayHaveRung(untilNextLook(call.requestedMsAgo ?? 0, found.forMs));
          // Nobody is called twice.
          if (found.kind === 'unsaid') return refuse(call, notFound);
        }
        const gateway = await voice(call.voiceProvider, clinicId);
        const { requests } = call;
        const sendBefore = Date.now() + SEND_WITHIN_MS;
        const request = await stores.calls.beginRequest({ clinicId, callId, requests, account: gateway.account });
        if (request.kind === 'withdrawn') return { kind: 'withdrawn' };
        if (request.kind === 'overtaken') throw mayHaveRung(FIRST_LOOK_MS);
        const subject = { ...subjectOf(call.context, call.clinicZone, new Date().toISOString()), ...formOf(call.form) };
        const opening = call.disclosesAutomation ? openingSentence(call.clinicName, call.language) : null;
        const answer = await gateway.place({ ...call, opening, subject, serverUrl: publicUrl, sendBefore }, signal);
        if (answer.kind === 'placed') return adopt(call, answer.platformCallId);
        if (answer.reason === keyUnreadable) await tellOfKey(call, answer);
        return refuse(call, answer, requests + 1);
      }),

    /** Staff, the log and the metrics hear what keeps this service from calling. One task for each run. */
    async reportSetupFault({ patientId, caseId, ...fault }: SetupFault & RunOfCall): Promise<void> {
      const { clinicId, workflowId, callId, reason, said } = fault;
      const cause = `${SETUP_TASK}:${caseId ?? workflowId}`;
      const detail = { reason, ...(said !== null && { said }) };
      await stores.tasks.open({ clinicId, reason: SETUP_TASK, cause, patientId, callId, caseId, workflowId, detail });
      onSetupFault?.(fault);
    },

    lookUpCall: (call: { clinicId: string; callId: string }): Promise<LookedUp> =>
      withHeartbeat((signal) => lookUpCall(call, signal)),
  };
}

/** Asks the platform about a call that has been silent. What it says is written like an event of its own. */
export function createLookUpCall({ stores, voice }: Pick<CallActivityDeps, 'stores' | 'voice'>) {
  return async (
    { clinicId, callId }: { clinicId: string; callId: string },
    signal?: AbortSignal,
  ): Promise<LookedUp> => {
    const [call, clinic] = await Promise.all([stores.calls.find(clinicId, callId), stores.clinics.find(clinicId)]);
    if (!call || !clinic) throw ApplicationFailure.nonRetryable(`call ${callId} is unknown`, 'not_found');
    if (call.state === 'ENDED') return endOf(call);
    const gateway = await voice(clinic.voiceProvider, clinicId, call.requestedAccount);
    const beganAt = call.startedAt ?? call.requestedAt ?? call.createdAt;
    const isOverdue = Date.now() - beganAt.getTime() >= MAX_CALL_MS;
    const said = await saidOf(call, gateway, { isOverdue, signal });
    if (call.platformCallId !== null && said?.state === 'ENDED') {
      // The report of it was lost; what it would have told is read like the report.
      const { endedReason, endedAt, summary = null, analysis, evidence } = said;
      await stores.calls.report({
        platformCallId: call.platformCallId,
        intentId: null,
        state: 'ENDED',
        endedReason: endedReason ?? endedReasons.lost,
        endedAt,
        summary,
        analysis,
        evidence,
      });
    } else if (isOverdue || (said === null && (await isGivenUp(call, gateway, stores)))) {
      const reason = call.direction === 'outbound' ? endedReasons.notFound : endedReasons.lost;
      await stores.calls.close({ clinicId, callId, reason });
    } else {
      if (said && call.notFoundCount > 0) await stores.calls.markFound(clinicId, callId);
      return { kind: 'going_on' };
    }
    return endOf((await stores.calls.find(clinicId, callId)) ?? call);
  };
}

/**
 * Null where the platform does not know the call. One that does not reply is asked again, as long as that may be of use. A key
 * that is another since may be of the same account: what it shows counts, and nothing else that comes of asking with it.
 */
const saidOf = async (
  call: CallRecord,
  gateway: VoiceGateway,
  { isOverdue, signal }: { isOverdue: boolean; signal: AbortSignal | undefined },
): Promise<PlatformCall | null> =>
  call.platformCallId === null
    ? null
    : gateway.lookUp(call.platformCallId, signal).catch((error: unknown) => {
        if (isAccountOf(call, gateway) && !isOverdue) throw error;
        return null;
      });

/**
 * That the platform does not know a call once is no proof that nobody is talking in it; and a caller whom it does not know may be
 * talking to somebody who plays it.
 */
const isGivenUp = async (call: CallRecord, gateway: VoiceGateway, { calls }: Stores): Promise<boolean> =>
  call.direction === 'outbound' &&
  isAccountOf(call, gateway) &&
  (await calls.markNotFound(call.clinicId, call.id)) >= LOST_AFTER;

const notFound: Refusal = { kind: 'refused', reason: endedReasons.notFound, isBadNumber: false };

type Refusal = Extract<PlacedCall, { kind: 'refused' }>;

/** Whom the call would have been for. */
interface RunOfCall {
  workflowId: string;
  patientId: string;
  caseId: string | null;
}

const KEY_TASK = 'voice_key_unreadable';
const SETUP_TASK = 'voice_setup_fault';

type LookedUp = { kind: 'going_on' } | CallEnd;

type CallEnd =
  | { kind: 'ended'; reason: string; wasAnswered?: boolean; endedAt?: string }
  /** The platform no longer knows the call: how it went, nobody can say. */
  | { kind: 'lost' };

function endOf({ endedReason, startedAt, endedAt }: CallRecord): CallEnd {
  const reason = endedReason ?? 'unknown';
  if (reason === endedReasons.notFound) return { kind: 'lost' };
  return { kind: 'ended', reason, wasAnswered: startedAt !== null, endedAt: endedAt?.toISOString() };
}

/** Later and later, for as long as the call may show up. */
const untilNextLook = (requestedMsAgo: number, openForMs: number): number =>
  Math.min(Math.max(FIRST_LOOK_MS, requestedMsAgo), LAST_LOOKS_MS, openForMs);

const mayHaveRung = (nextRetryDelay: number) =>
  ApplicationFailure.create({
    message: 'the platform may still show the call that was requested',
    type: 'unknown_outcome',
    nextRetryDelay: Math.ceil(nextRetryDelay),
  });

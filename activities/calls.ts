import { ApplicationFailure } from '@temporalio/activity';
import type { Stores } from '@clinic/prisma/stores';
import type { CallToPlace } from '@clinic/prisma/stores/outreach/placed-calls';
import type { CallIntent, Reservation } from '@clinic/prisma/stores/outreach/reserved-calls';
import type { Ticket } from '@clinic/prisma/stores/outreach/lines';
import { openingSentence } from '@clinic/shared/domain/outreach/opening';
import { endedReasons, keyUnreadable, saysItWasAnswered } from '@clinic/shared/domain/voice/ended-reason';
import { SIMULATOR } from '@clinic/shared/domain/voice/platforms';
import { MAX_CALL_MS } from '@clinic/shared/domain/voice/longest-call';
import { type PlacedCall, SEND_WITHIN_MS, type VoiceGateway } from '@clinic/gateways/voice/port';
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
  | { kind: 'over'; end: Exclude<LookedUp, { kind: 'going_on' }>; endedAt: string | null }
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

  const overBefore = async (clinicId: string, callId: string): Promise<Placement> => {
    const call = await stores.calls.find(clinicId, callId);
    if (!call || call.endedReason === 'withdrawn') return { kind: 'withdrawn' };
    const end = endedFor(call.endedReason ?? 'unknown', call.startedAt !== null);
    return { kind: 'over', end, endedAt: call.endedAt?.toISOString() ?? null };
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

    lookUpCall: createLookUpCall({ stores, voice }),
  };
}

/** Asks the platform about a call that has been silent. What it says is written like an event of its own. */
export function createLookUpCall({ stores, voice }: Pick<CallActivityDeps, 'stores' | 'voice'>) {
  return async ({ clinicId, callId }: { clinicId: string; callId: string }): Promise<LookedUp> => {
    const call = await stores.calls.find(clinicId, callId);
    if (!call) throw ApplicationFailure.nonRetryable(`call ${callId} is unknown`, 'not_found');
    const wasAnswered = call.startedAt !== null;
    if (call.state === 'ENDED') return endedFor(call.endedReason ?? 'unknown', wasAnswered, call.endedAt);
    const { voiceProvider } = (await stores.calls.toPlace(clinicId, callId)) ?? { voiceProvider: SIMULATOR };
    const gateway = await voice(voiceProvider, clinicId, call.requestedAccount);
    const canBeAsked = isAccountOf(call, gateway);
    const beganAt = call.startedAt ?? call.requestedAt ?? call.createdAt;
    const isYoung = Date.now() - beganAt.getTime() < MAX_CALL_MS;
    const said = canBeAsked && call.platformCallId ? await askedFor(gateway, call.platformCallId, isYoung) : null;
    // After so long it is over, though the platform says that it goes on, or nothing.
    const isOverdue = said === UNSAID || (said !== null && said.state !== 'ENDED' && !isYoung);
    const found = said === UNSAID || isOverdue ? null : said;
    if (found && call.notFoundCount > 0) await stores.calls.markFound(clinicId, callId);
    if (found && found.state !== 'ENDED') return { kind: 'going_on' };
    // A caller whom the platform does not know may still be talking to somebody who plays it.
    if (!found && (call.direction === 'inbound' || !canBeAsked) && isYoung) return { kind: 'going_on' };
    // That the platform does not know a call is no proof that nobody is talking in it.
    const isOurs = !found && call.direction === 'outbound';
    if (isOurs && canBeAsked && !isOverdue && (await stores.calls.markNotFound(clinicId, callId)) < LOST_AFTER)
      return { kind: 'going_on' };
    const reason = isOurs ? endedReasons.notFound : (found?.endedReason ?? 'call-lost-providerfault');
    if (found && call.platformCallId) {
      // The report of it was lost; what it would have told is read like the report.
      const { endedAt = null, summary = null, analysis = null, evidence = null } = found;
      const told = {
        state: 'ENDED',
        endedReason: reason,
        endedAt,
        intentId: null,
        summary,
        analysis,
        evidence,
      } as const;
      await stores.calls.report({ platformCallId: call.platformCallId, ...told });
    } else {
      await stores.calls.close({ clinicId, callId, reason });
    }
    const over = await stores.calls.find(clinicId, callId);
    return endedFor(reason, wasAnswered, over?.endedAt);
  };
}

const askedFor = (gateway: VoiceGateway, platformCallId: string, isYoung: boolean) =>
  gateway.lookUp(platformCallId).catch(unsaid(isYoung));

/** Nobody can say what became of a call, which is over by now. */
const UNSAID = Symbol('unsaid');

/** A platform that does not reply is asked again, as long as that may be of use. */
const unsaid =
  (isAskedAgain: boolean) =>
  (error: unknown): typeof UNSAID => {
    if (isAskedAgain) throw error;
    return UNSAID;
  };

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

type LookedUp =
  | { kind: 'going_on' }
  | { kind: 'ended'; reason: string; wasAnswered?: boolean; endedAt?: string }
  /** The platform no longer knows the call: how it went, nobody can say. */
  | { kind: 'lost' };

function endedFor(
  reason: string,
  wasAnswered: boolean,
  endedAt: Date | null = null,
): Exclude<LookedUp, { kind: 'going_on' }> {
  if (reason === endedReasons.notFound) return { kind: 'lost' };
  const end = { kind: 'ended', reason, wasAnswered: wasAnswered || saysItWasAnswered(reason) } as const;
  return endedAt ? { ...end, endedAt: endedAt.toISOString() } : end;
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

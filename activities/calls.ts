import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Stores } from '@clinic/prisma/stores';
import type { CallIntent, CallToPlace, Reservation } from '@clinic/prisma/stores/calls';
import type { VoiceGateway } from './gateways/voice/port';
import { subjectOf } from './call-subject';
import { withHeartbeat } from './heartbeat';

/** How long a call whose request got no answer may take to show up at the platform before it is dialled again. */
const SETTLE_MS = 15_000;

/** An inbound call that nobody ends is over after this long. */
const MAX_INBOUND_MS = 3_600_000;

const LINE_WAIT_MS = 6_000;
const LINE_POLL_MS = 200;

export type Placement =
  | { kind: 'placed' }
  | { kind: 'refused'; reason: string }
  /** Nobody must ring any more. */
  | { kind: 'withdrawn' };

/** A patient who has had their calls is like a line in use: the workflow decides anew, and then waits as long as it must. */
export type ReservedLine = Exclude<Reservation, { kind: 'limited' }>;

export interface CallActivityDeps {
  stores: Stores;
  /** The gateway a clinic's calls go through: `simulator` or `vapi`. */
  voice: (provider: string) => VoiceGateway;
  publicUrl: string;
}

/** Calls: an intent first, one request, and a look-up before any second one. No patient is rung twice for one attempt. */
export function createCallActivities({ stores, voice, publicUrl }: CallActivityDeps) {
  const refuse = async (call: CallToPlace, reason: string): Promise<Placement> => {
    await stores.calls.close({ clinicId: call.clinicId, callId: call.callId, reason });
    return reason === 'withdrawn' ? { kind: 'withdrawn' } : { kind: 'refused', reason };
  };

  const adopt = async ({ clinicId, callId }: CallToPlace, platformCallId: string): Promise<Placement> => {
    await stores.calls.placed({ clinicId, callId, platformCallId });
    return { kind: 'placed' };
  };

  return {
    /** Waits a little for a free line here, where waiting is cheap, before the workflow waits longer and decides anew. */
    reserveCall: (intent: CallIntent): Promise<ReservedLine> => patiently(() => stores.calls.reserve(intent)),

    placeCall: ({ clinicId, callId }: { clinicId: string; callId: string }): Promise<Placement> =>
      withHeartbeat(async (signal) => {
        const call = await stores.calls.toPlace(clinicId, callId);
        if (!call) throw ApplicationFailure.nonRetryable(`call ${callId} is unknown`, 'not_found');
        if (call.platformCallId) return { kind: 'placed' };
        if (call.state === 'ENDED') return { kind: 'withdrawn' };

        const gateway = voice(call.voiceProvider);
        if (call.requestedAt) {
          const found = await gateway.findByIntent(callId, call.requestedAt.toISOString(), signal);
          if (found) return adopt(call, found);
          const settledInMs = call.requestedAt.getTime() + SETTLE_MS - Date.now();
          if (settledInMs > 0) {
            throw ApplicationFailure.create({
              message: 'the platform may still show the call that was requested',
              type: 'unknown_outcome',
              nextRetryDelay: settledInMs,
            });
          }
        }
        if (!(await stores.calls.beginRequest(clinicId, callId))) return refuse(call, 'withdrawn');
        const subject = subjectOf(call.context, call.clinicZone, new Date().toISOString());
        const answer = await gateway.place({ ...call, subject, serverUrl: publicUrl }, signal);
        return answer.kind === 'placed' ? adopt(call, answer.platformCallId) : refuse(call, answer.reason);
      }),

    /** Asks the platform about a call that has been silent. What it says is written like an event of its own. */
    async lookUpCall({ clinicId, callId }: { clinicId: string; callId: string }): Promise<LookedUp> {
      const call = await stores.calls.find(clinicId, callId);
      if (!call) throw ApplicationFailure.nonRetryable(`call ${callId} is unknown`, 'not_found');
      if (call.state === 'ENDED') return { kind: 'ended', reason: call.endedReason ?? 'unknown' };
      const { voiceProvider } = (await stores.calls.toPlace(clinicId, callId)) ?? { voiceProvider: 'simulator' };
      const found = call.platformCallId ? await voice(voiceProvider).lookUp(call.platformCallId) : null;
      if (found && found.state !== 'ENDED') return { kind: 'going_on' };
      // A caller whom the platform does not know may still be talking to somebody who plays it.
      const isYoung = Date.now() - call.createdAt.getTime() < MAX_INBOUND_MS;
      if (!found && call.direction === 'inbound' && isYoung) return { kind: 'going_on' };
      const reason = found?.endedReason ?? 'call-lost-providerfault';
      await stores.calls.close({ clinicId, callId, reason });
      return { kind: 'ended', reason };
    },
  };
}

async function patiently(reserve: () => Promise<Reservation>): Promise<ReservedLine> {
  const deadline = Date.now() + LINE_WAIT_MS;
  for (;;) {
    const reservation = await reserve();
    if (reservation.kind === 'limited') return { kind: 'busy' };
    if (reservation.kind !== 'busy' || Date.now() > deadline) return reservation;
    await delay(LINE_POLL_MS, undefined, { signal: Context.current().cancellationSignal });
  }
}

type LookedUp = { kind: 'going_on' } | { kind: 'ended'; reason: string };

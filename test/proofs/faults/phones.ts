import { setTimeout as delay } from 'node:timers/promises';
import { createCaller, type Caller } from '@clinic/gateways/voice/simulator/caller';
import { VOICE_SECRET } from '@clinic/shared/domain/voice/headers';
import { endedReasons } from '@clinic/shared/domain/voice/ended-reason';
import { type Line, use } from '@clinic/gateways/voice/simulator/talk';
import type { Ring } from './evidence';
import { startVapiServer, type VapiCall } from '../../support/outside/vapi-server';

/** What happens when a phone rings. */
export interface Scene {
  isAnswered: boolean;
  /** The agent uses a tool again and again for as long as the call lasts. */
  usesTools?: boolean;
  /** How the agent settles the case at the end of the call; null where it settles nothing. */
  resolves: string | null;
  /** How long the call lasts; it is over at once where nothing is said. */
  lasts?: () => Promise<void>;
}

/** A voice platform outside of the service: what it knows is lost with none of the service's own parts. */
export interface Phones {
  /** What a service needs in order to place its calls here. */
  env: NodeJS.ProcessEnv;
  /** What happens when this phone rings, the first time and later; any other phone is answered, and its patient agrees. */
  plan(phone: string, scenes: Scene[]): void;
  /** Every phone that rang. */
  rings(): Ring[];
  /** How many calls are going on, and in how many of them a tool is being asked. */
  live(): { calls: number; inTool: number };
  /** How long the platform takes over its answers. */
  answerAfter(ms: number): void;
  close(): Promise<void>;
}

/** What no further try changes: after a restore, nobody knows the call. */
const DEFINITE = /not recognised|no active recovery case/;
const MAX_REFUSALS = 5;
const API_KEY = 'vapi-key-of-the-drills';
const agrees: Scene = { isAnswered: true, resolves: 'RECOVERED' };
const tool = (name: string, args: Record<string, unknown> = {}) => use('abandonment-recovery-tools', name, args);

/** Plays every call to its end: what the service does not take is told again until it does, as a platform's queue would do. */
export async function startPhones(): Promise<Phones> {
  const server = await startVapiServer(API_KEY);
  const scenes = new Map<string, Scene[]>();
  const playing = new Set<Promise<void>>();
  let isClosed = false;
  let inTool = 0;

  const untilTaken = async <T>(tell: () => Promise<T>, isTaken: (answer: T) => boolean = () => true) => {
    while (!isClosed) {
      const answer = await tell().catch(() => null);
      if (answer !== null && isTaken(answer)) return;
      await delay(400);
    }
  };

  const play = async (call: VapiCall, scene: Scene): Promise<void> => {
    const caller = callerOf(call);
    let lines = 0;
    const say = async (line: Line) => {
      const index = lines;
      lines += 1;
      inTool += 1;
      let refusals = 0;
      // A result that is no success asks to try once more; the same tool call is done once.
      await untilTaken(
        () => caller.say(line, index),
        ({ success, error }) => {
          if (success !== true && DEFINITE.test(String(error))) refusals += 1;
          return success === true || refusals > MAX_REFUSALS;
        },
      );
      inTool -= 1;
    };
    await untilTaken(() => caller.report('ringing'));
    if (scene.isAnswered) {
      Object.assign(call, { status: 'in-progress' });
      await untilTaken(() => caller.report('in-progress'));
    }
    let isOver = false;
    const last = async () => {
      await scene.lasts?.();
      isOver = true;
    };
    const over = last();
    while (scene.usesTools && !isOver && !isClosed) {
      await say(tool('check_recovery_session_status'));
      await Promise.race([over, delay(1_000)]);
    }
    await over;
    if (scene.resolves !== null) {
      await say(tool('record_abandonment_barrier', { primaryBarrier: 'ran out of time' }));
      await say(tool('resolve_recovery_outcome', { recoveryStatus: scene.resolves, resumeLinkSent: false }));
    }
    const endedReason = scene.isAnswered ? endedReasons.agentSaidGoodbye : endedReasons.noAnswer;
    Object.assign(call, { status: 'ended', endedReason });
    await untilTaken(() => caller.say({ say: 'end', reason: endedReason, summary: 'The call is over.' }, lines));
  };

  server.onCall = (call) => {
    const planned = scenes.get(call.customer?.number ?? '') ?? [agrees];
    const earlier = server.calls.filter(({ customer }) => customer?.number === call.customer?.number).length - 1;
    const watched = play(call, planned[Math.min(earlier, planned.length - 1)] ?? agrees).finally(() =>
      playing.delete(watched),
    );
    playing.add(watched);
  };

  return {
    env: {
      VAPI_API_KEY: API_KEY,
      VAPI_BASE_URL: server.url,
      VAPI_ASSISTANT_ID: 'assistant-1',
      VAPI_PHONE_NUMBER_ID: 'number-1',
    },
    plan: (phone, given) => void scenes.set(phone, given),
    rings: () =>
      server.calls.map((call) => ({
        callId: callIdOf(call),
        phone: call.customer?.number ?? null,
        attempt: Number(call.assistantOverrides?.metadata?.attempt),
      })),
    live: () => ({ calls: playing.size, inTool }),
    answerAfter(ms) {
      server.delayMs = ms;
    },
    async close() {
      isClosed = true;
      await server.close();
    },
  };
}

const callIdOf = ({ assistantOverrides }: VapiCall): string => String(assistantOverrides?.metadata?.callId);

function callerOf(call: VapiCall): Caller {
  const { url = '', headers = {} } = call.assistantOverrides?.server ?? {};
  return createCaller({
    baseUrl: url.replace(/\/voice\/events$/, ''),
    voiceSecret: headers[VOICE_SECRET] ?? '',
    call: { id: call.id, assistantOverrides: { metadata: { callId: callIdOf(call) } } },
  });
}

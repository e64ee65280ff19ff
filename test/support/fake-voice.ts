import type { WorkflowHandle } from '@temporalio/client';
import { callEnded, lineFreed } from '@clinic/workflows/messages';
import { activityTime, type Fakes, untilActivitiesAreDone, type WorkflowBench } from './workflow-bench';

/** What happens when a phone is dialled: the platform refuses, or somebody acts on the call. */
export type Script = { refused: string; said?: string } | ((call: PlacedCall) => Promise<void>);

export interface PlacedCall {
  callId: string;
  attempt: number;
  workflow: WorkflowHandle;
  /** The call ends, and the platform reports it. */
  hangUp(reason: string, how?: { wasAnswered?: boolean }): Promise<void>;
  /** The call ends, and nobody hears of it. */
  endUnreported(reason: string): void;
  /** The form that the call is about is completed. */
  completeForm(): Promise<void>;
}

export interface DialledCall {
  callId: string;
  attempt: number;
  dial: number;
  phone: string;
  /** When the intent was stored. */
  at: string;
  wasPlaced: boolean;
}

export interface FakeVoice {
  activities: Required<Pick<Fakes, 'reserveCall' | 'standInLine' | 'placeCall' | 'lookUpCall' | 'reportSetupFault'>>;
  /** Every reservation, oldest first. */
  dialled: DialledCall[];
  lookUps: string[];
  /** Since when a call has been due, as each request for a line says. */
  dueTimes: (string | undefined)[];
  /** The places that were taken in a pause. */
  places: Parameters<NonNullable<Fakes['standInLine']>>[0][];
  /** What the platform said of settings that it refuses. */
  setupFaults: (string | null)[];
  /** How often no line is free before one is; Infinity for never. */
  busy: number;
  /** Somebody's phone rings, or somebody talks. */
  isInCall(): boolean;
  /** Throws what went wrong in a script. */
  check(): Promise<void>;
}

/**
 * The records of calls and the voice platform, for workflows under test: each dialled call plays the next script while
 * time stands. `isWithdrawn` is what a store would know: nobody must ring any more.
 */
export function createFakeVoice({
  bench,
  workflow,
  scripts,
  isWithdrawn,
  completeForm = async () => undefined,
}: {
  bench: WorkflowBench;
  workflow: () => WorkflowHandle;
  scripts: Script[];
  isWithdrawn: () => boolean;
  completeForm?: () => Promise<void>;
}): FakeVoice {
  const waiting = [...scripts];
  const endedReasons = new Map<string, string>();
  const played: Promise<void>[] = [];

  const play = async (script: (call: PlacedCall) => Promise<void>, { callId, attempt }: DialledCall) => {
    try {
      await untilActivitiesAreDone(workflow());
      await script({
        callId,
        attempt,
        workflow: workflow(),
        async hangUp(reason, { wasAnswered = false } = {}) {
          endedReasons.set(callId, reason);
          await workflow().signal(callEnded, { callId, reason, wasAnswered, isTest: false });
        },
        completeForm,
        endUnreported: (reason) => void endedReasons.set(callId, reason),
      });
    } finally {
      await bench.releaseTime();
    }
  };

  const freeLine = async () => {
    try {
      await untilActivitiesAreDone(workflow());
      await workflow().signal(lineFreed, {});
    } finally {
      await bench.releaseTime();
    }
  };

  const voice: FakeVoice = {
    dialled: [],
    lookUps: [],
    dueTimes: [],
    places: [],
    setupFaults: [],
    busy: 0,
    isInCall: () => voice.dialled.some(({ callId, wasPlaced }) => wasPlaced && !endedReasons.has(callId)),
    async check() {
      await Promise.all(played);
    },
    activities: {
      async reserveCall({ workflowId, phone, attempt, dial, dueAt, inputs }) {
        voice.dueTimes.push(dueAt);
        if (voice.busy > 0) {
          voice.busy -= 1;
          if (voice.busy !== Infinity) {
            // Before this activity ends: the run then waits, and time would go on.
            await bench.holdTime();
            played.push(freeLine());
          }
          return { kind: 'queued' };
        }
        const callId = `${workflowId}-call-${dial}`;
        if (isWithdrawn()) return { kind: 'withdrawn' };
        if (!voice.dialled.some((call) => call.callId === callId)) {
          voice.dialled.push({ callId, phone, attempt, dial, at: inputs?.now ?? activityTime(), wasPlaced: false });
        }
        return { kind: 'reserved', callId };
      },

      async standInLine(ticket) {
        voice.places.push(ticket);
        return 'in_line';
      },

      async placeCall({ callId }) {
        const call = voice.dialled.find((dialled) => dialled.callId === callId);
        if (!call) throw new Error(`${callId} was never reserved`);
        if (isWithdrawn()) return { kind: 'withdrawn' };
        const script = waiting.shift();
        if (!script) throw new Error(`nobody expected call ${call.dial}`);
        if ('refused' in script) return { kind: 'refused', reason: script.refused, said: script.said };
        call.wasPlaced = true;
        await bench.holdTime();
        played.push(play(script, call));
        return { kind: 'placed' };
      },

      async reportSetupFault({ said }) {
        voice.setupFaults.push(said);
      },

      async lookUpCall({ callId }) {
        voice.lookUps.push(callId);
        const reason = endedReasons.get(callId);
        return reason === undefined ? { kind: 'going_on' } : { kind: 'ended', reason };
      },
    },
  };
  return voice;
}

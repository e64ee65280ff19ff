import { Context, heartbeat } from '@temporalio/activity';
import { setTimeout as delay } from 'node:timers/promises';
import { createCaller } from '@clinic/gateways/voice/simulator/caller';
import { noResult } from '@clinic/shared/domain/voice/tool-request';
import type { Stores } from '@clinic/prisma/stores';
import type { SimulatedCall } from '@clinic/shared/domain/voice/simulated-call';
import { anyCaller, type Caller, perform, type Reply } from '@clinic/gateways/voice/simulator/talk';
import { playOf } from '@clinic/gateways/voice/simulator/scenes';

export interface SimulatedCallDeps {
  stores: Stores;
  voiceSecret: string;
  /** How long the caller takes over each line. */
  pauseMs: number;
}

/** Plays a call's scene over the service's public routes, in the voice platform's own wire format. */
export function createSimulatedCallActivities({ stores, voiceSecret, pauseMs }: SimulatedCallDeps) {
  /** Patients know when they were born. */
  const callerOf = async ({ clinicId, callId }: SimulatedCall): Promise<Caller> => {
    const patient = await stores.callSubjects.patient(clinicId, callId);
    return { dateOfBirth: patient?.dateOfBirth ?? anyCaller.dateOfBirth };
  };
  return {
    /**
     * Resumes where a killed worker stopped. The last line may be said again: it has the same id as before, so nothing
     * happens twice. A request that fails fails the activity, which is then tried again, as a platform's queue would do
     * and as an agent does whose tool asks for it.
     */
    async playScene(call: SimulatedCall): Promise<void> {
      const { cancellationSignal: signal, info } = Context.current();
      // One for each line that is over.
      const replies = (info.heartbeatDetails as Reply[] | undefined) ?? [];
      const keepAlive = setInterval(() => heartbeat(replies), 2_000);
      const caller = createCaller({
        baseUrl: `${call.serverUrl}/api`,
        voiceSecret,
        call: describe(call),
        signal,
      });
      const pause = async () => {
        if (pauseMs > 0) await delay(pauseMs, undefined, { signal });
      };
      try {
        const { isAnswered, talk } = playOf(call);
        if (replies.length === 0) {
          await pause();
          await caller.report('ringing');
          if (isAnswered) {
            await pause();
            await caller.report('in-progress');
          }
        }
        await perform(
          talk,
          async (line, index) => {
            const earlier = replies[index];
            if (earlier) return earlier;
            await pause();
            const reply = await caller.say(line, index);
            if (isToBeTriedAgain(reply)) throw new Error('the tool has no result yet, and is used once more');
            replies[index] = reply;
            heartbeat(replies);
            return reply;
          },
          await callerOf(call),
        );
      } finally {
        clearInterval(keepAlive);
      }
    },
  };
}

const isToBeTriedAgain = ({ success, error }: Reply): boolean =>
  success === false && Object.values<unknown>(noResult).includes(error);

/** The call as the platform would describe it in each of its messages. */
const describe = ({ platformCallId, callId, phone }: SimulatedCall) => ({
  id: platformCallId,
  type: 'outboundPhoneCall',
  name: callId,
  metadata: { callId },
  customer: { number: phone },
});

import type { LeftCall } from '@clinic/prisma/stores/calls';
import { type CallActivityDeps, createCallActivities } from './calls';

const BATCH = 200;

export interface LeftCalls {
  /** One pass over the calls that nobody waits for any more, until `signal` is aborted. Returns how many it ended. */
  close(signal: AbortSignal): Promise<number>;
}

/**
 * Frees the lines of calls that no workflow ends any more: of runs that are over, and reservations that came too late for
 * their workflow. Where a phone may be ringing, the platform is asked first.
 */
export function createLeftCalls(deps: CallActivityDeps): LeftCalls {
  const { stores, voice } = deps;
  const { lookUpCall } = createCallActivities(deps);

  const close = async (call: LeftCall): Promise<boolean> => {
    const { clinicId, callId, requestedAt, platformCallId } = call;
    if (requestedAt === null) return stores.calls.withdrawUnrequested(clinicId, callId);
    if (platformCallId === null) {
      const gateway = await voice(call.voiceProvider, clinicId);
      const found = await gateway.findByIntent(callId, requestedAt.toISOString());
      if (!found) {
        if ((call.requestedMsAgo ?? 0) < gateway.settleMs) return false;
        await stores.calls.close({ clinicId, callId, reason: 'withdrawn' });
        return true;
      }
      await stores.calls.placed({ clinicId, callId, platformCallId: found });
    }
    return (await lookUpCall({ clinicId, callId })).kind !== 'going_on';
  };

  return {
    async close(signal) {
      const calls = await stores.calls.left(BATCH);
      const failures: unknown[] = [];
      let closed = 0;
      for (const call of calls) {
        if (signal.aborted) break;
        try {
          if (await close(call)) closed += 1;
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
      return closed;
    },
  };
}

import type { LeftCall } from '@clinic/prisma/stores/outreach/left-calls';
import { endedReasons } from '@clinic/shared/domain/voice/ended-reason';
import { findRequested } from '@clinic/gateways/voice/requested-call';
import { type CallActivityDeps, createLookUpCall } from './calls';

const BATCH = 200;
/** A platform that answers slowly for one clinic holds up none of the others. */
const CLINICS_AT_ONCE = 10;
/** What fails so often for a clinic fails for its other calls too: they have their turn in a later pass. */
const MAX_FAILURES_OF_CLINIC = 3;

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
  const lookUpCall = createLookUpCall(deps);

  const isClosed = async (call: LeftCall): Promise<boolean> => {
    const { clinicId, callId, requestedAt, platformCallId } = call;
    if (requestedAt === null) return stores.calls.withdrawUnrequested(clinicId, callId);
    if (platformCallId === null) {
      const found = await findRequested(await voice(call.voiceProvider, clinicId, call.requestedAccount), call);
      if (found.kind === 'open') return false;
      if (found.kind !== 'found') {
        const reason = found.kind === 'unsaid' ? endedReasons.notFound : 'withdrawn';
        await stores.calls.close({ clinicId, callId, reason });
        return true;
      }
      await stores.calls.placed({ clinicId, callId, platformCallId: found.platformCallId });
    }
    return (await lookUpCall({ clinicId, callId })).kind !== 'going_on';
  };

  return {
    async close(signal) {
      const clinics = byClinic(await stores.calls.left(BATCH));
      const failures: unknown[] = [];
      let closed = 0;
      const closeOf = async (calls: LeftCall[]) => {
        let failed = 0;
        for (const call of calls) {
          if (signal.aborted || failed === MAX_FAILURES_OF_CLINIC) return;
          const isOver = await isClosed(call).catch((error: unknown) => {
            failures.push(error);
            failed += 1;
            return false;
          });
          if (isOver) closed += 1;
          else await stores.calls.lookLater(call.clinicId, call.callId);
        }
      };
      const lane = async () => {
        for (let calls = clinics.shift(); calls; calls = clinics.shift()) await closeOf(calls);
      };
      await Promise.all(Array.from({ length: CLINICS_AT_ONCE }, lane));
      if (failures.length > 0) throw failures[0];
      return closed;
    },
  };
}

function byClinic(calls: LeftCall[]): LeftCall[][] {
  const clinics = new Map<string, LeftCall[]>();
  for (const call of calls) clinics.set(call.clinicId, [...(clinics.get(call.clinicId) ?? []), call]);
  return [...clinics.values()];
}

import { setMaxListeners } from 'node:events';
import type { ClinicApiFailure, ClinicApiInput } from './result';

/** All that is asked of a clinic's EHR for one tool call; the rest of the eight seconds is for our records and the way. */
export const EHR_WAIT_MS = 6_500;

/** Work at a clinic's own system while a caller waits: retries and all, it takes no longer than so many milliseconds. */
export async function whileCallerWaits<Answer>(
  timeoutMs: number,
  work: (within: Required<Pick<ClinicApiInput, 'timeoutMs' | 'signal'>>) => Promise<Answer>,
): Promise<Answer | ClinicApiFailure> {
  const signal = AbortSignal.timeout(timeoutMs);
  // Several requests at once listen to it; Node takes more than ten for a leak.
  setMaxListeners(0, signal);
  try {
    return await work({ timeoutMs, signal });
  } catch (error) {
    if (signal.aborted) return { kind: 'unavailable', error: 'timeout' };
    throw error;
  }
}

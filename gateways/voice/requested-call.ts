import { MAX_CALL_MS } from '@clinic/shared/domain/voice/longest-call';
import type { VoiceGateway } from './port';

/** A call that a platform was asked to place, which has not said what came of it. */
export interface RequestedCall {
  callId: string;
  /** The account that was asked; null where that is not on record. */
  requestedAccount: string | null;
  /** By the database's clock, which all processes share. */
  requestedMsAgo: number | null;
}

export type Requested =
  | { kind: 'found'; platformCallId: string }
  /** It may still show up, or ring where nobody can see it: its phone counts as in a call for so long. */
  | { kind: 'open'; forMs: number }
  /** It was not placed, and it never will be. */
  | { kind: 'not_placed' }
  /** Nobody can say whether it was placed; it is over by now. */
  | { kind: 'unsaid' };

/**
 * What became of a request that got no answer. Only the account that was asked can say that there is no such call; one with another
 * key may be the same, so what it shows counts. Throws where that account does not reply, as long as the call may go on.
 */
export async function findRequested(
  gateway: VoiceGateway,
  call: RequestedCall,
  signal?: AbortSignal,
): Promise<Requested> {
  const requestedMsAgo = call.requestedMsAgo ?? 0;
  const canDeny = isAccountOf(call, gateway);
  const found = await gateway.findByIntent(call.callId, requestedMsAgo, signal).catch((error: unknown) => {
    if (canDeny && (requestedMsAgo < MAX_CALL_MS || signal?.aborted)) throw error;
    return UNSAID;
  });
  if (typeof found === 'string') return { kind: 'found', platformCallId: found };
  const isDenied = canDeny && found !== UNSAID;
  const forMs = (isDenied ? gateway.settleMs : MAX_CALL_MS) - requestedMsAgo;
  if (forMs > 0) return { kind: 'open', forMs };
  return { kind: isDenied ? 'not_placed' : 'unsaid' };
}

const UNSAID = Symbol('unsaid');

/** Whether a gateway is that of the account which was asked to place a call, as far as that is on record. */
export const isAccountOf = (
  { requestedAccount }: Pick<RequestedCall, 'requestedAccount'>,
  { account }: Pick<VoiceGateway, 'account'>,
): boolean => requestedAccount === null || requestedAccount === account;

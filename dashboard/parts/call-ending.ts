import type * as Api from '../http/client/types.gen';

/** How a call ended, as people say it. */
const words: Record<Api.CallEnding, string> = {
  conversation: 'A conversation',
  not_reached: 'Not reached',
  bad_number: 'The number cannot be reached',
  platform_fault: 'The voice platform failed',
  cancelled: 'Cancelled',
};

/** In the order in which a filter lists them. */
export const callEndings = Object.entries(words).map(([value, label]) => ({ value: value as Api.CallEnding, label }));

/** The voice platform's reasons that say more than that; there are hundreds, and always new ones. */
const reasonWords: Record<string, string> = {
  'assistant-ended-call': 'The agent said goodbye',
  'customer-ended-call': 'The patient hung up',
  'customer-did-not-answer': 'Nobody answered',
  'customer-busy': 'The line was busy',
  'customer-misdialed': 'Wrong number',
  voicemail: 'Voicemail answered',
  'silence-timed-out': 'Nobody spoke',
  'provider-refused': 'The platform refused the call',
  'not-opened': 'The call was not opened',
  'not-placed': 'The call was not placed',
};

/** Null until the call has ended. */
export function endingWords({ ending, endedReason }: Pick<Api.Call, 'ending' | 'endedReason'>): string | null {
  if (ending === null) return null;
  return reasonWords[endedReason ?? ''] ?? words[ending];
}

import type * as api from '#api';
import { t } from '#texts';
import { optionsOf } from '#words';

/** How a call ended, as people say it. */
const words: Record<api.CallEnding, string> = {
  conversation: t`A conversation`,
  not_reached: t`Not reached`,
  bad_number: t`The number cannot be reached`,
  platform_fault: t`The voice platform failed`,
  cancelled: t`Cancelled`,
};

/** In the order in which a filter lists them. */
export const callEndings = optionsOf(words);

/** The voice platform's reasons that say more than that; there are hundreds, and always new ones. */
const reasonWords: Record<string, string> = {
  'assistant-ended-call': t`The agent said goodbye`,
  'customer-ended-call': t`The patient hung up`,
  'customer-did-not-answer': t`Nobody answered`,
  'customer-busy': t`The line was busy`,
  'customer-misdialed': t`Wrong number`,
  voicemail: t`Voicemail answered`,
  'silence-timed-out': t`Nobody spoke`,
  'provider-refused': t`The platform refused the call`,
  'not-opened': t`The call was not opened`,
  'not-placed': t`The call was not placed`,
};

/** Null until the call has ended. */
export function endingWords({ ending, endedReason }: Pick<api.Call, 'ending' | 'endedReason'>): string | null {
  if (ending === null) return null;
  return reasonWords[endedReason ?? ''] ?? words[ending];
}

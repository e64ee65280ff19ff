/** What the end of a call means for the workflow it belongs to. */
export const callEndings = ['conversation', 'not_reached', 'bad_number', 'platform_fault', 'cancelled'] as const;
export type CallEnding = (typeof callEndings)[number];

const cancelled = ['manually-canceled', 'manually-cancelled', 'scheduled-call-deleted', 'call-deleted'];

const notReached = [
  'voicemail',
  'customer-did-not-answer',
  'customer-busy',
  'customer-did-not-give-microphone-permission',
  'silence-timed-out',
  'did-not-receive-customer-audio',
  'hungup-before-call-connect',
  'vonage-rejected',
];

const badNumber = ['customer-misdialed'];

/** A number that once could not be reached may be a bad moment; twice, it is the number. */
const noConnection = ['failed-to-connect'];

/** A person was on the line when a transfer failed, so the words `error` and `failed` do not make it the platform's. */
const transfer = ['error-transfer-failed', 'error-warm-transfer', 'returned-forwarding-phone-number'];

const platformFault = [
  'vapifault',
  'providerfault',
  'configfault',
  'pipeline-error-',
  'error-pipeline-',
  'call.start.',
  'call-start-error',
  'assistant-not-',
  'assistant-request-',
  'assistant-join-timed-out',
  'phone-call-provider-',
  'concurrency-limit-reached',
  'worker-shutdown',
];

/** In order of precedence: the more telling words first. */
const endings: readonly { words: readonly string[]; ending: CallEnding }[] = [
  { words: cancelled, ending: 'cancelled' },
  { words: badNumber, ending: 'bad_number' },
  { words: transfer, ending: 'conversation' },
  { words: noConnection, ending: 'not_reached' },
  { words: platformFault, ending: 'platform_fault' },
  { words: notReached, ending: 'not_reached' },
];

/**
 * Sorts the voice platform's ended reasons, of which there are hundreds and always new ones, by the words they hold.
 * An unknown reason counts as a conversation: the case then ends with a follow-up by staff, where any other guess
 * could ring a patient again who has already talked to us. `earlierReasons` are those of the case's calls before.
 */
export function classifyEndedReason(reason: string, earlierReasons: readonly string[] = []): CallEnding {
  if (holds(reason, noConnection) && earlierReasons.some((earlier) => holds(earlier, noConnection)))
    return 'bad_number';
  return endings.find(({ words }) => holds(reason, words))?.ending ?? 'conversation';
}

/** Whether what a reason means depends on how the calls before it ended. */
export const dependsOnEarlierCalls = (reason: string): boolean => holds(reason, noConnection);

/** Whether the agent said goodbye: the conversation came to its end, and nobody hung up in the middle of it. */
export function isEndedByAssistant(reason: string): boolean {
  return reason.startsWith('assistant-') && classifyEndedReason(reason) === 'conversation';
}

function holds(reason: string, words: readonly string[]): boolean {
  return words.some((word) => reason.includes(word));
}

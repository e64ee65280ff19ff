import type { CallEnding } from '../outreach/call-ending';
import type { CallEvidence } from './report';

/**
 * The reasons that this service itself writes, as its simulator and its refusals of a call do. They are in the words of the platform
 * that the contract was written for; another platform's adapter translates its own, and what it leaves counts by the words it holds.
 */
export const endedReasons = {
  agentSaidGoodbye: 'assistant-ended-call',
  patientHungUp: 'customer-ended-call',
  noAnswer: 'customer-did-not-answer',
  /** The platform says of a call that it is over, and not how it ended. */
  lost: 'call-lost-platformfault',
  /** The platform no longer knows the call, time and again: nobody can say how it went. */
  notFound: 'call-not-found',
} as const;

/** The platform refused to place a call, or could not be asked to: the platform's fault, unless it is about the number. */
export const notStarted = (cause: string): string => `call.start.error-${cause}`;
export const isNotStarted = (reason: string): boolean => reason.startsWith(notStarted(''));

/** The clinic's key cannot be decrypted. It may be again at any moment, by us or by the clinic: what waits goes on by itself then. */
export const keyUnreadable = notStarted('key-unreadable');

/** The refusal of a number that nobody can be called at. */
export const numberRefused = notStarted('customer-misdialed');

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

/** One failed connection may be a bad moment; two in a row mean that the number is wrong. */
const noConnection = ['failed-to-connect'];
export const unconnectedAgain: CallEnding = 'bad_number';

/** The platform's own line to the phone failed, whatever state it says that the call was in: an attempt, and nobody picked up. */
const noLine = ['-outbound-sip-', 'transport-never-connected'];

/** A person was on the line when a transfer failed, so these are conversations, although they hold `error` and `failed`. */
const transfer = ['error-transfer-failed', 'error-warm-transfer', 'returned-forwarding-phone-number'];

const platformFault = [
  // Of the platform, of one of its own providers, of its configuration: `…fault-…`, and no `default`.
  /(?<!de)fault(-|$)/,
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

/**
 * What only a person mends at the platform or in our settings: the key, the account's credit, the assistant, the number that
 * calls. A request that the platform finds wrong is as wrong an hour later.
 */
const setupFault = [
  ...[400, 401, 402, 403, 404, 422].map((status) => notStarted(`http-${status}`)),
  notStarted('platform-not-configured'),
  'subscription-frozen',
  'subscription-insufficient-credits',
  'subscription-wallet-does-not-exist',
  'subscription-upgrade-failed',
  'enterprise-feature-not-available',
  'get-resources-validation',
  'number-international',
  'neither-assistant-nor-server-set',
  'assistant-not-found',
  'assistant-not-valid',
  'assistant-not-provided',
];

/** In order of precedence: a reason may hold words of several endings, and the first one that matches counts. */
const endings: readonly { words: readonly Word[]; ending: CallEnding }[] = [
  { words: cancelled, ending: 'cancelled' },
  { words: badNumber, ending: 'bad_number' },
  { words: transfer, ending: 'conversation' },
  { words: [...noConnection, ...noLine], ending: 'not_reached' },
  { words: platformFault, ending: 'platform_fault' },
  { words: notReached, ending: 'not_reached' },
];

/**
 * What a reason of the platform means. There are hundreds of reasons and new ones all the time, so they are recognised by
 * the words they hold. An unknown reason counts as a conversation: the case then ends with a follow-up by staff, while any
 * other guess could ring a patient again who has already talked to us. `earlierReasons` are those of the earlier calls.
 */
export function classifyEndedReason(reason: string, earlierReasons: readonly string[] = []): CallEnding {
  if (holds(reason, noConnection) && earlierReasons.some((earlier) => holds(earlier, noConnection)))
    return unconnectedAgain;
  return endings.find(({ words }) => holds(reason, words))?.ending ?? 'conversation';
}

/** How a call that is over is shown: a voicemail that was spoken to reached nobody, whatever the platform's reason. */
export function endingOfCall({
  said,
  endedReason,
  earlierReasons,
}: {
  said: string | null;
  endedReason: string | null;
  earlierReasons: readonly string[];
}): CallEnding {
  return said === 'voicemail' ? 'not_reached' : classifyEndedReason(endedReason ?? 'unknown', earlierReasons);
}

/** Whether a fault of the platform is one of configuration, which no retry mends. */
export const isSetupFault = (reason: string): boolean =>
  classifyEndedReason(reason) === 'platform_fault' && holds(reason, setupFault);

/** Reasons for which nobody can have picked up, also where the platform measured for how long it rang. */
const unanswered = [
  ...noConnection,
  ...noLine,
  ...badNumber,
  'customer-did-not-answer',
  'customer-busy',
  'customer-did-not-give-microphone-permission',
  'hungup-before-call-connect',
  'vonage-rejected',
  'call.start.',
  'call.ringing.',
  'call-deleted',
];

/** Reasons for which somebody has. */
const answered = [
  'call.in-progress.',
  'customer-ended-call',
  'assistant-ended-call',
  'assistant-said-end-call-phrase',
  'assistant-forwarded-call',
  'exceeded-max-duration',
];

/**
 * Whether what a platform tells of a call that is over says that somebody, or a machine, had picked up: its word that they did may
 * have been lost.
 */
export const saysItWasAnswered = (
  reason: string,
  evidence: Pick<CallEvidence, 'transcript' | 'durationSeconds'> | null = null,
): boolean =>
  !holds(reason, unanswered) &&
  (holds(reason, answered) || Boolean(evidence?.transcript) || (evidence?.durationSeconds ?? 0) > 0);

/** Whether a reason says that the phone rang: a platform that failed says nothing of it, unless it says that somebody had answered. */
export const saysItRang = (reason: string): boolean =>
  saysItWasAnswered(reason) || classifyEndedReason(reason) !== 'platform_fault';

/** Whether what a reason means depends on how the calls before it ended. */
export const dependsOnEarlierCalls = (reason: string): boolean => holds(reason, noConnection);

/** Whether the agent said goodbye: the conversation came to its end, and nobody hung up in the middle of it. */
export function isEndedByAssistant(reason: string): boolean {
  return reason.startsWith('assistant-') && classifyEndedReason(reason) === 'conversation';
}

/** A part of a reason. */
type Word = string | RegExp;

function holds(reason: string, words: readonly Word[]): boolean {
  return words.some((word) => (typeof word === 'string' ? reason.includes(word) : word.test(reason)));
}

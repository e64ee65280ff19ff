import type { Exchange } from '../exchange';
import {
  after,
  before,
  type Behaviour,
  each,
  endOf,
  isUnknown,
  judged,
  notRepeated,
  type Occasion,
  unlessThen,
} from './judging';

/** Clocks tick in milliseconds, and a reply is on its way for some. */
const SLACK_MS = 50;
const MAX_TRIES = 6;
const emr = [
  'schedule',
  'slots',
  'upcoming',
  'read',
  'history',
  'book',
  'reschedule',
  'cancel',
  'match',
  'note',
] as const;

/** A search of which nothing could be read. */
const isUnread = (at: Exchange): boolean =>
  (at.operation === 'upcoming' || at.operation === 'slots') && (isUnknown(at) || at.facts.failure === 'invalid_json');

/** What is done by who believes that such a search has found nothing. */
const goesOn = (at: Exchange, { operation, facts }: Exchange): boolean =>
  at.operation === 'upcoming'
    ? operation === 'book' && facts.patient === at.facts.patient
    : operation === 'book' || operation === 'slots';

export const failureBehaviours: Behaviour[] = [
  {
    id: 'retry-after',
    area: 'Refusals and failures',
    title: 'Waits for as long as Retry-After says',
    howToCause: 'Choose the failure too_many_requests or unavailable, or send requests until one is 429.',
    judge: (exchanges) =>
      judged(
        exchanges
          .filter(({ status, retryAfterSeconds }) => (status === 429 || status === 503) && retryAfterSeconds !== null)
          .flatMap((at) => {
            const again = after(exchanges, at).find(({ request }) => request === at.request);
            if (!again) return [];
            const waitedMs = Date.parse(again.at) - endOf(at);
            const isKept = waitedMs >= (at.retryAfterSeconds ?? 0) * 1_000 - SLACK_MS;
            return [{ at: again, wrong: isKept ? null : 'It came again before the time that Retry-After had named' }];
          }),
      ),
  },
  {
    id: 'refused-once',
    area: 'Refusals and failures',
    title: 'Does not send a request again that was refused as wrong',
    howToCause: 'Book without a start: 400. Correct the request instead of sending it again.',
    judge: notRepeated(
      ({ status, operation }) => operation !== 'event' && (status === 400 || status === 413 || status === 422),
      'It sent a request again that had been refused as wrong',
    ),
  },
  {
    id: 'tries-end',
    area: 'Refusals and failures',
    title: 'Tries a failing request again, and gives up after five tries more',
    howToCause: 'Choose the failure server_error, or any other that goes by.',
    judge: (exchanges) =>
      judged(
        exchanges
          .filter((at) => at.operation !== 'event' && isUnknown(at))
          .flatMap((at): Occasion[] => {
            const same = exchanges.filter(({ request }) => request === at.request);
            if (same.filter(isUnknown).length > MAX_TRIES)
              return [{ at: same.at(-1) ?? at, wrong: 'It went on trying a request that had failed six times' }];
            return same.at(-1) === at ? [] : [{ at, wrong: null }];
          }),
      ),
  },
  {
    id: 'error-not-empty',
    area: 'Refusals and failures',
    title: 'Does not take a failed search, or a page of HTML, for "nothing found"',
    howToCause:
      'Choose the failure gateway_page or invalid_json for slots or appointments. Search again before going on.',
    judge: (exchanges) =>
      judged(
        exchanges.filter(isUnread).map((at) => {
          const rest = after(exchanges, at);
          const again = exchanges.find((other) => other !== at && other.request === at.request);
          const next = rest.find((other) => other.request === at.request || goesOn(at, other));
          const isTaken = next && next.request !== at.request && (at.operation === 'upcoming' || !again);
          return unlessThen(at, isTaken ? next : undefined, 'It went on as if a search that failed had found nothing');
        }),
      ),
  },
  {
    id: 'token-renewed',
    area: 'Refusals and failures',
    title: 'Signs in again when its token has expired, and sends the same request',
    howToCause:
      'Choose the failure token_expired, or end its session (POST /auth/sign-out with its token); then let it go on.',
    judge: (exchanges) =>
      judged(
        exchanges
          .filter(({ status, credential }) => status === 401 && credential !== null)
          .flatMap((at): Occasion[] => {
            const rest = after(exchanges, at);
            const again = rest.find(({ credential }) => credential !== null && credential !== at.credential);
            if (!again) return rest.length > 2 ? [{ at, wrong: 'It did not come back with a new token' }] : [];
            const isSame = rest.some(
              ({ credential, request }) => credential !== at.credential && request === at.request,
            );
            return [
              { at: again, wrong: isSame ? null : 'It signed in again, and left out the request that had failed' },
            ];
          }),
      ),
  },
  {
    id: 'old-token-dropped',
    area: 'Refusals and failures',
    title: 'Does not use a token again that was refused',
    howToCause: 'End its session (POST /auth/sign-out with its token), then let it go on.',
    judge: (exchanges) =>
      judged(
        exchanges
          .filter(({ status, credential }) => status === 401 && credential !== null)
          .map((at) => {
            const earlier = before(exchanges, at).find(
              (other) => other.status === 401 && other.credential === at.credential && endOf(other) < Date.parse(at.at),
            );
            return { at, wrong: earlier ? 'It used a token again that had been refused' : null };
          }),
      ),
  },
  {
    id: 'asks-for-fhir',
    area: 'Refusals and failures',
    title: 'Asks the EMR for application/fhir+json',
    howToCause: 'Send Accept: application/fhir+json.',
    judge: each(emr, ({ status, facts: { takesFhir } }) => {
      if (status === 401) return undefined;
      return takesFhir === true ? null : 'It did not say that it takes application/fhir+json';
    }),
  },
];

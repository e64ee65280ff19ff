import { parseSpokenTime } from '../../calendar/clinic-time';
import type { Exchange } from '../exchange';
import { after, before, type Behaviour, each, isOk, judged, msBetween, notRepeated, type Occasion } from './judging';

const FRESH_MS = 10 * 60_000;
const WEEK_MS = 7 * 24 * 3_600_000;

/** The newest search before an exchange that offered its time. */
export const offerOf = (exchanges: readonly Exchange[], at: Exchange): Exchange | undefined =>
  before(exchanges, at).findLast(
    ({ operation, facts: { provider, offered = [] } }) =>
      operation === 'slots' &&
      // A move names no practitioner.
      (at.facts.provider === undefined || provider === at.facts.provider) &&
      typeof at.facts.start === 'string' &&
      offered.includes(Date.parse(at.facts.start) / 60_000),
  );

const searches = (exchanges: readonly Exchange[]) => exchanges.filter(({ operation }) => operation === 'slots');

/** Both days of a clock change: a search across it, then a time of the week after it that was really on offer. */
const acrossChange =
  (name: 'forward' | 'back'): Behaviour['judge'] =>
  (exchanges, context) => {
    const change = context[name];
    if (change === null) return { verdict: 'not_seen' };
    return judged(
      exchanges.flatMap((at): Occasion[] => {
        const { start } = at.facts;
        if (at.operation !== 'book' || typeof start !== 'string') return [];
        const sinceMs = msBetween(change, start);
        if (sinceMs < 0 || sinceMs > WEEK_MS) return [];
        if (at.refusal === 'slot_unavailable')
          return [{ at, wrong: 'It booked a time after the change of the clocks that is not on offer' }];
        if (!isOk(at)) return [];
        const hasSearched = searches(before(exchanges, at)).some(
          ({ facts: { from = '', until = '' } }) => from !== '' && from <= change && until > change,
        );
        return hasSearched ? [{ at, wrong: null }] : [];
      }),
    );
  };

const howToChange = (when: string) =>
  `Search Slot with a start on the day before the clocks go ${when} (the run says when), and book a time of the week after it.`;

export const openTimeBehaviours: Behaviour[] = [
  {
    id: 'schedule-before-slots',
    area: 'Open times',
    title: "Reads a practitioner's Schedule before it searches its open times",
    howToCause: 'GET /Schedule?actor=Practitioner/<name>, then GET /Slot with the id in the reply.',
    judge: (exchanges) =>
      each('slots', (at) =>
        at.status === 404 ||
        before(exchanges, at).some(
          ({ operation, facts }) => operation === 'schedule' && facts.provider === at.facts.provider,
        )
          ? null
          : 'It searched open times of a practitioner whose Schedule it had not read',
      )(exchanges),
  },
  {
    id: 'search-before-book',
    area: 'Open times',
    title: 'Books starts that a search has offered',
    howToCause: 'Search Slot, and book a start exactly as the reply shows it.',
    judge: (exchanges) =>
      each('book', (at) => {
        if (!isOk(at) && at.refusal !== 'slot_taken') return undefined;
        return offerOf(exchanges, at) ? null : 'It booked a start that no search of this run had offered';
      })(exchanges),
  },
  {
    id: 'times-as-instants',
    area: 'Open times',
    title: "Sends times as instants, never the clinic's clock time as if it were UTC",
    howToCause: 'Search Slot, and book or move to a start of the reply, with Z or an offset.',
    judge: (exchanges, { zone }) =>
      each(['book', 'reschedule'], (at) => {
        const { start } = at.facts;
        if (typeof start !== 'string') return undefined;
        if (offerOf(exchanges, at)) return null;
        const meant = parseSpokenTime(start.replace('Z', ''), zone);
        const isLocal = meant !== start && offerOf(exchanges, { ...at, facts: { ...at.facts, start: meant } });
        return isLocal ? "It sent the clinic's clock time of an open time as if it were UTC" : undefined;
      })(exchanges),
  },
  {
    id: 'fresh-offer',
    area: 'Open times',
    title: 'Books from a search that is at most ten minutes old',
    howToCause: 'Search Slot, and book at once.',
    judge: (exchanges) =>
      each('book', (at) => {
        const offer = offerOf(exchanges, at);
        if (!offer) return undefined;
        return msBetween(offer.at, at.at) <= FRESH_MS
          ? null
          : 'It booked from a search of more than ten minutes before';
      })(exchanges),
  },
  {
    id: 'paging-to-the-end',
    area: 'Open times',
    title: 'Follows the link `next` of a Bundle to its last page',
    howToCause: 'Search Slot with _count=20 and follow `next` until there is none.',
    judge(exchanges) {
      const last = searches(exchanges).findLast(
        (at) => isOk(at) && at.facts.page !== undefined && at.facts.next === undefined,
      );
      if (last) return { verdict: 'passed', number: last.number };
      const [open] = searches(exchanges).filter(({ facts: { next } }) => next !== undefined);
      if (!open) return { verdict: 'not_seen' };
      return { verdict: 'failed', number: open.number, why: 'There was a next page, and no search went to its end' };
    },
  },
  {
    id: 'next-as-given',
    area: 'Open times',
    title: 'Uses the link `next` as it is given',
    howToCause: 'Search Slot with _count=20 and GET the url of the link `next`, unchanged.',
    judge: (exchanges) =>
      each('slots', (at) => {
        const { page } = at.facts;
        if (page === undefined) return undefined;
        const isGiven = searches(before(exchanges, at)).some(({ facts }) => facts.next === page);
        return isOk(at) && isGiven ? null : 'It changed the link to the next page, or made one up';
      })(exchanges),
  },
  {
    id: 'empty-slots',
    area: 'Open times',
    title: 'Takes an empty Bundle of open times for "none", and searches elsewhere',
    howToCause: 'Search Slot on a day on which the practitioner does not work; then another day or practitioner.',
    judge: (exchanges) =>
      judged(
        searches(exchanges)
          .filter((at) => isOk(at) && at.facts.total === 0)
          .flatMap((at): Occasion[] => {
            const next = after(exchanges, at).find(({ operation }) => ['slots', 'book'].includes(operation));
            if (!next) return [];
            if (next.operation === 'book' && !offerOf(exchanges, next))
              return [{ at: next, wrong: 'It booked a time although the search before had offered none' }];
            if (next.request === at.request)
              return [{ at: next, wrong: 'It sent the same empty search again at once' }];
            return [{ at, wrong: null }];
          }),
      ),
  },
  {
    id: 'clocks-forward',
    area: 'Open times',
    title: 'Books what is on offer after the clocks have gone forward',
    howToCause: howToChange('forward'),
    applies: ({ forward }) => forward !== null,
    judge: acrossChange('forward'),
  },
  {
    id: 'clocks-back',
    area: 'Open times',
    title: 'Books what is on offer after the clocks have gone back',
    howToCause: howToChange('back'),
    applies: ({ back }) => back !== null,
    judge: acrossChange('back'),
  },
  {
    id: 'unknown-practitioner-once',
    area: 'Open times',
    title: 'Does not send a request again whose practitioner is unknown',
    howToCause: 'GET /Schedule?actor=Practitioner/Dr.Nobody, which is 404.',
    judge: notRepeated(
      ({ refusal }) => refusal === 'unknown_practitioner',
      'It sent a request again whose practitioner is unknown',
    ),
  },
];

import type { EventProbe, Exchange } from '../exchange';
import { type Behaviour, isOk, judged, type Occasion } from './judging';

const QUICK_MS = 5_000;

const probesOf = (exchanges: readonly Exchange[], ...kinds: EventProbe[]) =>
  exchanges.filter(
    ({ operation, facts: { probe } }) => operation === 'event' && probe !== undefined && kinds.includes(probe),
  );

const handledOf = (exchanges: readonly Exchange[], webhookId: string | undefined) =>
  exchanges.filter(({ operation, facts }) => operation === 'handled' && facts.webhookId === webhookId);

const accepts =
  (wrong: string, ...kinds: EventProbe[]): Behaviour['judge'] =>
  (exchanges) =>
    judged(probesOf(exchanges, ...kinds).map((at) => ({ at, wrong: isOk(at) ? null : wrong })));

/** Neither accepted nor acted upon. */
const refuses =
  (wrong: string, ...kinds: EventProbe[]): Behaviour['judge'] =>
  (exchanges) =>
    judged(
      probesOf(exchanges, ...kinds).map((at) => {
        const [handled] = handledOf(exchanges, at.facts.webhookId);
        if (handled) return { at: handled, wrong: `${wrong}, and said that it acted upon it` };
        const isRefused = at.status !== null && at.status >= 400 && at.status < 500;
        return { at, wrong: isRefused ? null : wrong };
      }),
    );

const howTo =
  'Register an outbound URL, then POST /validation-runs/<id>/events: the run sends a series of events. Say of each that was acted upon POST /validation-runs/<id>/handled-events.';

export const eventBehaviours: Behaviour[] = [
  {
    id: 'event-accepted',
    area: 'Events',
    title: 'Accepts a genuine event',
    howToCause: howTo,
    judge: accepts('It did not accept a genuine event', 'genuine', 'outcome'),
  },
  {
    id: 'event-forged',
    area: 'Events',
    title: 'Refuses an event whose signature is of another secret',
    howToCause: howTo,
    judge: refuses('It accepted an event with a forged signature', 'forged'),
  },
  {
    id: 'event-stale',
    area: 'Events',
    title: 'Refuses an event that was signed more than five minutes ago',
    howToCause: howTo,
    judge: refuses('It accepted an event that was signed ten minutes before', 'stale'),
  },
  {
    id: 'event-rotated',
    area: 'Events',
    title: 'Accepts an event of which one of two signatures is right, as while a secret is rotated',
    howToCause: howTo,
    judge: accepts('It refused an event that carries the right signature beside another', 'rotated'),
  },
  {
    id: 'event-unknown',
    area: 'Events',
    title: 'Accepts an event of a name that it does not know, and passes over it',
    howToCause: howTo,
    judge: accepts('It refused an event because of its name', 'unknown_event'),
  },
  {
    id: 'event-duplicate',
    area: 'Events',
    title: 'Accepts an event that comes a second time',
    howToCause: howTo,
    judge: accepts('It refused an event that came a second time, so it would be sent again', 'duplicate'),
  },
  {
    id: 'event-handled-once',
    area: 'Events',
    title: 'Acts upon an event once, however often it comes',
    howToCause: howTo,
    judge: (exchanges) =>
      judged(
        probesOf(exchanges, 'duplicate').flatMap((at): Occasion[] => {
          const handled = handledOf(exchanges, at.facts.webhookId);
          const [, second] = handled;
          if (second) return [{ at: second, wrong: 'It acted twice upon one event' }];
          return handled.map((only) => ({ at: only, wrong: null }));
        }),
      ),
  },
  {
    id: 'events-in-order',
    area: 'Events',
    title: 'Acts upon the events of a case in the order in which they come',
    howToCause: howTo,
    judge: (exchanges) =>
      judged(
        probesOf(exchanges, 'outcome').flatMap((outcome) => {
          const created = probesOf(exchanges, 'genuine').findLast(({ number }) => number < outcome.number);
          const [last] = handledOf(exchanges, outcome.facts.webhookId);
          const [first] = created ? handledOf(exchanges, created.facts.webhookId) : [];
          if (!last) return [];
          const isInOrder = first !== undefined && first.number < last.number;
          return [{ at: last, wrong: isInOrder ? null : 'It acted upon the outcome of a case before its beginning' }];
        }),
      ),
  },
  {
    id: 'event-quickly',
    area: 'Events',
    title: 'Answers an event within five seconds, and works afterwards',
    howToCause: howTo,
    judge: (exchanges) =>
      judged(
        probesOf(exchanges, 'genuine', 'duplicate', 'outcome', 'rotated').map((at) => ({
          at,
          wrong: at.durationMs <= QUICK_MS ? null : 'It took more than five seconds to answer an event',
        })),
      ),
  },
];

import type { Exchange, Operation } from '../exchange';
import type { Leniency } from '../leniency';

export const areas = [
  'Patients',
  'Open times',
  'Booking',
  'Moving and cancelling',
  'Notes',
  'Refusals and failures',
  'Workflows',
  'Events',
] as const;
export type Area = (typeof areas)[number];

/** What a run gives its client to try, and what its clinic's calendar holds. */
export interface RunContext {
  /** Ids of the form that another clinic's have; this clinic has neither. */
  foreign: { appointment: string; patient: string };
  /** The midnights after the next changes of the clocks in the clinic's zone; null where there is none within 400 days. */
  forward: string | null;
  back: string | null;
  zone: string;
  /** How lenient the clinic's sandbox is. */
  leniency: Leniency;
}

/** `number` is that of the exchange which shows it. */
export type Finding =
  | { verdict: 'passed'; number: number }
  | { verdict: 'failed'; number: number; why: string }
  | { verdict: 'not_seen' };

/** One thing that a good client does. */
export interface Behaviour {
  id: string;
  area: Area;
  /** What a good client does, in one sentence. */
  title: string;
  /** How to bring it about where it was not seen. */
  howToCause: string;
  /** Whether it can be seen at this clinic at all. */
  applies?: (context: RunContext) => boolean;
  judge(exchanges: readonly Exchange[], context: RunContext): Finding;
}

/** One occasion on which it could be seen, and what was wrong; null where nothing was. */
export interface Occasion {
  at: Exchange;
  wrong: string | null;
}

/** An occasion that passed, unless there is what came of it and should not have. */
export const unlessThen = (at: Exchange, then: Exchange | undefined, wrong: string): Occasion =>
  then ? { at: then, wrong } : { at, wrong: null };

/** Anyone who fails once has failed; otherwise the last occasion shows that it passed. */
export function judged(occasions: readonly Occasion[]): Finding {
  const failed = occasions.find(({ wrong }) => wrong !== null);
  if (failed?.wrong) return { verdict: 'failed', number: failed.at.number, why: failed.wrong };
  const last = occasions.at(-1);
  return last ? { verdict: 'passed', number: last.at.number } : { verdict: 'not_seen' };
}

/** Judges each exchange of an operation by itself. */
export const each =
  (operation: Operation | readonly Operation[], wrong: (exchange: Exchange) => string | null | undefined) =>
  (exchanges: readonly Exchange[]): Finding =>
    judged(
      exchanges.flatMap((at) => {
        const found = [operation].flat().includes(at.operation) ? wrong(at) : undefined;
        return found === undefined ? [] : [{ at, wrong: found }];
      }),
    );

/** Passed once it was seen, and never failed. */
export const once =
  (sees: (exchange: Exchange) => boolean) =>
  (exchanges: readonly Exchange[]): Finding =>
    judged(exchanges.filter(sees).map((at) => ({ at, wrong: null })));

/** After an occasion a good client does not send the same request again. */
export const notRepeated =
  (isOccasion: (exchange: Exchange) => boolean, wrong: string) =>
  (exchanges: readonly Exchange[]): Finding =>
    judged(
      exchanges.flatMap((at, index) => {
        if (!isOccasion(at)) return [];
        const again = exchanges.slice(index + 1).find(({ request }) => request === at.request);
        return [unlessThen(at, again, wrong)];
      }),
    );

/** Shows an appointment as it is now. */
export const readsAppointment = ({ operation, facts }: Exchange, appointment: string | undefined): boolean =>
  appointment !== undefined &&
  (operation === 'history'
    ? facts.appointment === appointment
    : ['read', 'upcoming'].includes(operation) && (facts.appointments ?? []).includes(appointment));

export const isOk = ({ status }: Exchange): boolean => status !== null && status >= 200 && status < 300;

/** The client did not learn what became of it. */
export const isUnknown = ({ status }: Exchange): boolean => status === null || status >= 500;

export const msBetween = (from: string, until: string): number => Date.parse(until) - Date.parse(from);

/** When its response was complete. */
export const endOf = ({ at, durationMs }: Exchange): number => Date.parse(at) + durationMs;

/** Exchanges are numbered by their place, from 1. */
export const before = (exchanges: readonly Exchange[], { number }: Exchange): Exchange[] =>
  exchanges.slice(0, number - 1);

export const after = (exchanges: readonly Exchange[], { number }: Exchange): Exchange[] => exchanges.slice(number);

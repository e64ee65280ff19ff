import type * as api from '#api';
import { t } from '#texts';
import { formatPercent, type LocalDate, plusDays } from '#words';
import { locale } from '../../language';
import { noteInWords } from './result-notes';
import { moneyIn, moneyOnAxis } from './results-money';

/** The list of the cases that a number counts. */
export type CasesOf = (filters?: Record<string, string>) => string;

/** Those that were opened in the days of a result; without the simulated ones unless it counts them. */
export const casesIn =
  ({ from, until }: Pick<api.Results, 'from' | 'until'>, { simulated }: { simulated?: 'true' } = {}): CasesOf =>
  (filters = {}) =>
    `/cases?${new URLSearchParams({ from, until, ...(!simulated && { simulated: 'false' }), ...filters }).toString()}`;

export type Counts = Omit<api.Results['byDay'][number], 'date'>;

/** A day, or a week where days would be too many, beside the one that it is compared with. */
export interface Point {
  from: LocalDate;
  until: LocalDate;
  now: Counts;
  before: Counts | null;
  /** What it is compared with. */
  beforeDays: { from: LocalDate; until: LocalDate } | null;
  /** Why fewer patients were called. */
  notes: string[];
}

/** So many columns can still be told apart. */
const MAX_DAYS = 62;

export const isByWeek = ({ byDay }: api.Results): boolean => byDay.length > MAX_DAYS;

export const pointsOf = (results: api.Results): Point[] => pointsBy(isByWeek(results) ? 7 : 1, results);

export function pointsBy(size: number, { byDay, byDayBefore, notes }: api.Results): Point[] {
  return Array.from({ length: Math.ceil(byDay.length / size) }, (_, index) => {
    const [days, before] = [byDay, byDayBefore].map((each) => each.slice(index * size, (index + 1) * size));
    const [first, last] = [days?.[0], days?.at(-1)];
    return {
      from: first?.date ?? '',
      until: last?.date ?? '',
      now: sumOf(days ?? []),
      before: before && before.length > 0 ? sumOf(before) : null,
      beforeDays: before?.[0] ? { from: before[0].date, until: before.at(-1)?.date ?? before[0].date } : null,
      notes: [
        ...new Set(notes.filter(({ date }) => days?.some((day) => day.date === date)).map((note) => noteInWords(note))),
      ],
    };
  });
}

const sumOf = (days: Counts[]): Counts => ({
  opened: sum(days, ({ opened }) => opened),
  ended: sum(days, ({ ended }) => ended),
  recovered: sum(days, ({ recovered }) => recovered),
  alreadyCompleted: sum(days, ({ alreadyCompleted }) => alreadyCompleted),
  lost: sum(days, ({ lost }) => lost),
  called: sum(days, ({ called }) => called),
  reached: sum(days, ({ reached }) => reached),
  calls: sum(days, ({ calls }) => calls),
  valueRecovered: sum(days, ({ valueRecovered }) => valueRecovered),
  valueLost: sum(days, ({ valueLost }) => valueLost),
  callCostUsd: sum(days, ({ callCostUsd }) => callCostUsd),
  callSeconds: sum(days, ({ callSeconds }) => callSeconds),
});

const sum = (days: Counts[], valueOf: (day: Counts) => number): number =>
  days.reduce((total, day) => total + valueOf(day), 0);

export interface MeasureView {
  label: string;
  /** What a column is, in the legend. */
  key: string;
  valueOf: (counts: Counts) => number | null;
  /** What a column is a part of; itself where it is of nothing. */
  wholeOf: (counts: Counts) => number | null;
  format: (value: number) => string;
  /** The value and what it is made of, in words. */
  madeOf: (counts: Counts) => string;
  /** The same as columns of a table. */
  columns: { head: string; cell: (counts: Counts) => string | number }[];
  /** Up to what the axis goes at least. */
  least: number;
  /** What the clinic wants to reach in so many days. */
  targetOf?: (days: number) => number | null;
}

/** From where to where an axis goes that has room for nothing, all columns, what they are compared with, and the goal. */
export function axisOf(
  points: Point[],
  { valueOf, wholeOf, least }: MeasureView,
  target: number | null,
): [from: number, to: number] {
  const values = points.flatMap(({ now, before }) => [wholeOf(now) ?? 0, (before && valueOf(before)) ?? 0]);
  return [Math.min(0, ...values), Math.max(least, target ?? 0, ...values)];
}

/** A figure that cannot be known has a dash. */
export const orDash = (figure: number | null, format: (figure: number) => string): string =>
  figure === null ? '–' : format(figure);

export const percent = (share: number | null) => orDash(share, formatPercent);

export const rateOf = ({ recovered, lost }: Counts) => (recovered + lost === 0 ? null : recovered / (recovered + lost));

/** What a day brought beside what its calls cost, by what a US dollar costs in the clinic's currency. */
export const netIn =
  (usdRate: number | null) =>
  ({ valueRecovered, callCostUsd }: Counts): number | null =>
    usdRate === null ? null : valueRecovered - callCostUsd * usdRate;

export const measureNames = ['cases', 'rate', 'value', 'net'] as const;
export type Measure = (typeof measureNames)[number];

const DAYS_IN_MONTH = 365.25 / 12;

/** What a goal for a month comes to in the days of a result; that of a month itself in one. */
export function recoveriesDue({ targets: { recoveries }, from, until, days }: api.Results): number | null {
  if (recoveries === null || isMonth(from, until)) return recoveries;
  return Math.round((recoveries / DAYS_IN_MONTH) * days);
}

export const isMonth = (from: LocalDate, until: LocalDate): boolean =>
  from.endsWith('-01') && plusDays(until, 1).endsWith('-01') && from.slice(0, 7) === until.slice(0, 7);

/** What a chart can show of each day. */
export function measuresOf({ currency, usdRate, targets }: api.Results): Record<Measure, MeasureView> {
  const money = moneyIn(currency);
  const netOf = netIn(usdRate);
  const costOf = ({ callCostUsd }: Counts) =>
    usdRate === null ? moneyIn('USD')(callCostUsd) : money(callCostUsd * usdRate);
  const net = (counts: Counts) => orDash(netOf(counts), money);
  const columns = {
    recovered: {
      head: t({ message: 'Recovered', context: 'how many cases' }),
      cell: (counts: Counts) => counts.recovered,
    },
    lost: { head: t`Not recovered`, cell: ({ lost }: Counts) => lost },
    value: { head: t`Value recovered`, cell: ({ valueRecovered }: Counts) => money(valueRecovered) },
  };
  return {
    cases: {
      label: t({ message: 'Cases', context: 'how many' }),
      key: t`of these recovered`,
      valueOf: ({ recovered }) => recovered,
      wholeOf: ({ opened }) => opened,
      format: (count) => (Number.isInteger(count) ? count.toLocaleString(locale) : ''),
      madeOf: (counts) => t`${counts.opened} opened, ${counts.recovered} recovered`,
      columns: [
        { head: t({ message: 'Opened', context: 'how many cases' }), cell: ({ opened }) => opened },
        columns.recovered,
        columns.lost,
      ],
      least: 1,
      targetOf: (days) => (targets.recoveries === null ? null : (targets.recoveries / DAYS_IN_MONTH) * days),
    },
    rate: {
      label: t`Recovery rate`,
      key: t`recovery rate`,
      valueOf: rateOf,
      wholeOf: rateOf,
      format: formatPercent,
      madeOf: (counts) => t`${percent(rateOf(counts))} (${counts.recovered} of ${counts.recovered + counts.lost})`,
      columns: [{ head: t`Recovery rate`, cell: (counts) => percent(rateOf(counts)) }, columns.recovered, columns.lost],
      least: 0.1,
      targetOf: () => targets.recoveryRate,
    },
    value: {
      label: t`Value recovered`,
      key: t`value recovered`,
      valueOf: ({ valueRecovered }) => valueRecovered,
      wholeOf: ({ valueRecovered }) => valueRecovered,
      format: moneyOnAxis(currency),
      madeOf: (counts) => t`${money(counts.valueRecovered)} (${counts.recovered} recovered)`,
      columns: [columns.value, columns.recovered],
      least: 1,
    },
    net: {
      label: t`Net`,
      key: t`value less the cost of calls`,
      valueOf: netOf,
      wholeOf: netOf,
      format: moneyOnAxis(currency),
      madeOf: (counts) => t`${net(counts)} (${money(counts.valueRecovered)} recovered, calls ${costOf(counts)})`,
      columns: [{ head: t`Net`, cell: net }, columns.value, { head: t`Cost of calls`, cell: costOf }],
      least: 1,
    },
  };
}

import type * as api from '#api';
import { t } from '#texts';
import { type Counts, netIn, type Point, pointsBy, rateOf } from './results-measures';

export const daysOf = (results: api.Results): Point[] => pointsBy(1, results);

/** The days of a result as a spreadsheet reads them, each beside the day that it is compared with. */
export function columnsIn({ currency, usdRate }: api.Results): Record<string, (day: Point) => string | number | null> {
  const netOf = netIn(usdRate);
  const reachOf = ({ reached, called }: Counts) => (called === 0 ? null : reached / called);
  return {
    [t`Day`]: ({ from }) => from,
    [t({ message: 'Opened', context: 'how many cases' })]: ({ now }) => now.opened,
    [t`Called`]: ({ now }) => now.called,
    [t`Reached`]: ({ now }) => now.reached,
    [t`Reach rate`]: ({ now }) => rate(reachOf(now)),
    [t({ message: 'Recovered', context: 'how many cases' })]: ({ now }) => now.recovered,
    [t`Not recovered`]: ({ now }) => now.lost,
    [t`Finished before a call`]: ({ now }) => now.alreadyCompleted,
    [t`Recovery rate`]: ({ now }) => rate(rateOf(now)),
    [t`Calls`]: ({ now }) => now.calls,
    [t`Minutes of calls`]: ({ now }) => (now.callSeconds / 60).toFixed(1),
    [t`Value recovered (${currency})`]: ({ now }) => money(now.valueRecovered),
    [t`Value not recovered (${currency})`]: ({ now }) => money(now.valueLost),
    [t`Cost of calls (${usdRate === null ? 'USD' : currency})`]: ({ now }) => money(now.callCostUsd * (usdRate ?? 1)),
    [t`Net (${currency})`]: ({ now }) => money(netOf(now)),
    [t`Compared with`]: ({ beforeDays }) => beforeDays && beforeDays.from,
    [t`Opened before`]: ({ before }) => before && before.opened,
    [t`Recovered before`]: ({ before }) => before && before.recovered,
    [t`Recovery rate before`]: ({ before }) => before && rate(rateOf(before)),
    [t`Value recovered before (${currency})`]: ({ before }) => before && money(before.valueRecovered),
    [t`Net before (${currency})`]: ({ before }) => before && money(netOf(before)),
    [t`Notes`]: ({ notes }) => notes.join('; '),
  };
}

const money = (amount: number | null) => (amount === null ? null : amount.toFixed(2));

const rate = (share: number | null) => (share === null ? null : `${(100 * share).toFixed(1)}%`);

import { Paper, SimpleGrid } from '@mantine/core';
import { Fragment } from 'react';
import { Link } from 'react-router';
import type * as api from '#api';
import { useMay } from '#parts';
import { t } from '#texts';
import { formatDuration, formatPercent } from '#words';
import { locale } from '../../language';
import { type CasesOf, orDash, percent } from './results-measures';
import { moneyIn } from './results-money';
import classes from './results.module.css';

/** The numbers of a period, what each was made of, and what it was in the period before. */
export const Figures = ({
  results: { current, before, currency, usdRate },
  casesOf,
}: {
  results: api.Results;
  casesOf: CasesOf;
}) => {
  const may = useMay();
  const money = moneyIn(currency);
  // Who may change how they are read is led to what is said of them there.
  const prices = {
    text: t`the prices in their forms, whether or not a visit was booked`,
    to: may('settings') ? '/clinic/results' : undefined,
  };
  const priced = { text: t`${current.recoveredWithPrice} of ${current.recovered} had a price` };
  const costOfCalls = current.callCost ?? current.callCostUsd;
  const moneyOfCalls = current.callCost === null ? moneyIn('USD') : money;
  const recovered = { text: t`${current.recovered} recovered`, to: casesOf({ status: 'RECOVERED' }) };
  const lost = { text: t`${current.lost} not recovered`, to: casesOf({ lost: 'true' }) };
  const called = { text: t`${current.called} called`, to: casesOf({ called: 'true' }) };
  const reached = { text: t`${current.reached} reached`, to: casesOf({ reached: 'true' }) };
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <Figure
        label={t`Recovery rate`}
        value={percent(current.recoveryRate)}
        of={[recovered, lost]}
        change={changeOf(current.recoveryRate, before.recoveryRate, formatPercent)}
      />
      <Figure
        label={t`Reach rate`}
        value={percent(current.reachRate)}
        of={[reached, called]}
        change={changeOf(current.reachRate, before.reachRate, formatPercent)}
      />
      <Figure
        label={t`Calls per recovery`}
        value={orDash(current.callsPerRecovery, oneDecimal)}
        of={[{ text: t`${current.calls} calls in ${current.called} cases`, to: called.to }]}
        change={changeOf(current.callsPerRecovery, before.callsPerRecovery, oneDecimal)}
      />
      <Figure
        label={t`Time to outcome`}
        value={duration(current.medianSecondsToOutcome)}
        of={[{ text: t`half of ${current.ended} took less`, to: casesOf({ show: 'ended' }) }]}
        change={changeOf(current.medianSecondsToOutcome, before.medianSecondsToOutcome, duration)}
      />
      <Figure
        label={t`Value recovered`}
        value={money(current.valueRecovered)}
        of={[recovered, ...(current.recovered > 0 ? [priced] : []), prices]}
        change={changeOf(current.valueRecovered, before.valueRecovered, money)}
      />
      <Figure
        label={t`Cost of calls`}
        value={moneyOfCalls(costOfCalls)}
        of={[
          { text: t`${formatDuration(1_000 * current.callSeconds)} in ${current.called} cases`, to: called.to },
          ...(current.calls > 0 ? [{ text: t`${moneyOfCalls(costOfCalls / current.calls)} a call` }] : []),
        ]}
        change={
          current.callCost === null
            ? changeOf(current.callCostUsd, before.callCostUsd, moneyIn('USD'))
            : changeOf(current.callCost, before.callCost, money)
        }
      />
      <Figure
        label={t`Net`}
        value={orDash(current.net, money)}
        of={[{ text: t`value recovered less the cost of calls`, to: recovered.to }]}
        change={
          usdRate === null
            ? t`What a dollar costs is set at Clinic, Results.`
            : changeOf(current.net, before.net, money)
        }
      />
      <Figure
        label={t`Net per recovered patient`}
        value={orDash(current.netPerRecovered, money)}
        of={[
          current.costPerRecovered === null
            ? recovered
            : { text: t`calls cost ${money(current.costPerRecovered)} for each of them`, to: recovered.to },
          ...(current.recovered > 0 ? [priced] : []),
        ]}
        change={changeOf(current.netPerRecovered, before.netPerRecovered, money)}
      />
    </SimpleGrid>
  );
};

interface FigureProps {
  label: string;
  value: string;
  /** What it was made of. The first are the cases that the number itself leads to. */
  of: { text: string; to?: string }[];
  change: string | null;
}

const Figure = ({ label, value, of, change }: FigureProps) => (
  <Paper className={classes.figure}>
    <Link to={of[0]?.to ?? ''} className={classes.main}>
      <span className={classes.quiet}>{label}</span>
      <span className={classes.value}>{value}</span>
    </Link>
    <div className={classes.small}>
      {of.map(({ text, to }, index) => (
        <Fragment key={text}>
          {index > 0 && ' · '}
          {to === undefined ? text : <Link to={to}>{text}</Link>}
        </Fragment>
      ))}
    </div>
    <span className={classes.change}>{change ?? t`nothing to compare with`}</span>
  </Paper>
);

const duration = (seconds: number | null) => (seconds === null ? '–' : formatDuration(seconds * 1_000));

const oneDecimal = (value: number) =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: 1, minimumFractionDigits: 1 }).format(value);

/** `was 38%`, or that it reads as before; null where the earlier figure is not known. */
export function changeOf(now: number | null, before: number | null, words: (figure: number) => string): string | null {
  if (before === null) return null;
  const was = words(before);
  return now !== null && words(now) === was ? t`as before` : t`was ${was}`;
}

import { Group, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import * as api from '#api';
import { t } from '#texts';
import { PageLink, Quiet, Small, TextLink } from '#words';
import { Chart, Legend } from './results-chart';
import { changeOf } from './results-figures';
import { type CasesOf, casesIn, measuresOf, pointsOf } from './results-measures';
import { moneyIn } from './results-money';
import classes from './results-hero.module.css';

/** What recovery came to in thirty days and how that differs from the thirty before: what a manager looks for first. */
export function Hero() {
  const query = { days: '30' } as const;
  const results = useQuery({ ...api.getResultsOptions({ query }), staleTime: 30_000, refetchInterval: 60_000 });
  if (results.isPending) return <Paper className={classes.hero} aria-busy />;
  // Why it cannot be read, the page of results says.
  if (!results.data) return null;
  const { current, before } = results.data;
  if (current.opened + before.opened > 0) return <Shown results={results.data} casesOf={casesIn(results.data)} />;
  if (current.simulated === 0) return null;
  return (
    <Quiet>
      {t`The simulator played the patients of all ${current.simulated} cases of the last 30 days: no real person was reached.`}{' '}
      <TextLink to="/results?simulated=true">{t`Show simulated cases`}</TextLink>
    </Quiet>
  );
}

function Shown({ results, casesOf }: { results: api.Results; casesOf: CasesOf }) {
  const { current, before, currency } = results;
  const money = moneyIn(currency);
  const measure = measuresOf(results).cases;
  const recovered = casesOf({ status: 'RECOVERED' });
  return (
    <Paper component="section" aria-label={t`The last 30 days`} className={classes.hero}>
      <div className={classes.figures}>
        <Figure
          label={t`Recovered patients`}
          value={String(current.recoveredPatients)}
          change={changeOf(current.recoveredPatients, before.recoveredPatients, String)}
          to={recovered}
          isFirst
        />
        {current.valueRecovered + before.valueRecovered > 0 && (
          <Figure
            label={t`Value recovered`}
            value={money(current.valueRecovered)}
            change={changeOf(current.valueRecovered, before.valueRecovered, money)}
            to={recovered}
          />
        )}
        {current.net !== null && current.valueRecovered + before.valueRecovered > 0 && (
          <Figure
            label={t`Net`}
            value={money(current.net)}
            change={changeOf(current.net, before.net, money)}
            to="/results"
          />
        )}
      </div>
      <div className={classes.trend}>
        <Group justify="space-between" gap="xs" mb={4}>
          <Small>{t`The last 30 days`}</Small>
          <Small>
            <Legend isOfCases measure={measure} />
          </Small>
          <PageLink to="/results" size="xs">{t`All results`}</PageLink>
        </Group>
        <Chart
          label={t`Cases of each day`}
          height={150}
          measure={measure}
          isOfCases
          points={pointsOf(results)}
          casesOf={casesOf}
        />
      </div>
    </Paper>
  );
}

interface FigureProps {
  label: string;
  value: string;
  change: string | null;
  to: string;
  /** The one that is seen first. */
  isFirst?: true;
}

const Figure = ({ label, value, change, to, isFirst }: FigureProps) => (
  <Link to={to} className={classes.figure} data-first={isFirst}>
    <Text size="sm" c="dimmed" component="span">
      {label}
    </Text>
    <span className={classes.value}>{value}</span>
    <Text size="xs" component="span">
      {change}
    </Text>
  </Link>
);

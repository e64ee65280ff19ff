import { Alert, Paper, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import * as api from '#api';
import { type Column, ExportButton, Records, useFilter } from '#lists';
import { caseStates, Empty, labelOf, Loaded, Page, Section } from '#parts';
import { t } from '#texts';
import { formatDuration, formatPercent, Quiet } from '#words';
import { capitalised, locale } from '../../language';
import { ByDay, ByHour } from './results-charts';
import classes from './results.module.css';

const spans = ['7', '30', '90'] as const;
type Days = (typeof spans)[number];

/** How recovery went, for anyone who answers for it: each number leads to its cases. */
export function Results() {
  const [given, setDays] = useFilter('days');
  const days = spans.find((each) => each === given) ?? '30';
  const results = useQuery({
    ...api.getResultsOptions({ query: { days } }),
    staleTime: 30_000,
    refetchInterval: 60_000,
  });
  return (
    <Page
      title={t`Results`}
      lead={t`What became of the recovery cases that were opened in these days, compared with as many days before.`}
      actions={<Export days={days} />}
    >
      <SegmentedControl
        aria-label={t`Days`}
        value={days}
        onChange={setDays}
        data={spans.map((value) => ({ value, label: t`${value} days` }))}
        className={classes.days}
      />
      <Loaded query={results} rows={8}>
        {(data) => <Shown results={data} />}
      </Loaded>
    </Page>
  );
}

function Export({ days }: { days: Days }) {
  const file = async () => {
    const { data } = await api.getResultsExport({ query: { days }, throwOnError: true, parseAs: 'text' });
    return { name: `results-${days}-days.csv`, text: data, type: 'text/csv' };
  };
  return <ExportButton label={t`Export as CSV`} file={file} />;
}

function Shown({ results }: { results: api.Results }) {
  const { current, before, barriers, forms, from, until } = results;
  if (current.opened + before.opened === 0) {
    return (
      <Empty title={t`No recovery case in these days`}>
        {t`A case opens when your platform reports an abandoned form.`}
      </Empty>
    );
  }
  const casesOf = (filters: Record<string, string> = {}) =>
    `/cases?${new URLSearchParams({ from, until, ...filters }).toString()}`;
  return (
    <Stack gap="lg">
      {current.simulated > 0 && <Simulated current={current} />}
      <Figures current={current} before={before} casesOf={casesOf} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Section title={t`From the form to the recovery`}>
          <Bars
            rows={[
              { label: t({ message: 'Opened', context: 'how many cases' }), count: current.opened, to: casesOf() },
              { label: t`Rung`, count: current.called, to: casesOf({ called: 'true' }) },
              { label: t`Reached`, count: current.reached, to: casesOf({ reached: 'true' }) },
              { label: recovered, count: current.recovered, to: casesOf({ status: 'RECOVERED' }) },
            ]}
            whole={current.opened}
          />
        </Section>
        <Section title={t`How they stand`}>
          <Bars
            rows={caseStates
              .map((status) => ({
                label: labelOf(status),
                count: current.byStatus[status] ?? 0,
                to: casesOf({ status }),
              }))
              .filter(({ count }) => count > 0)}
            whole={current.opened}
          />
        </Section>
      </SimpleGrid>
      <ByDay results={results} />
      <ByHour results={results} casesOf={casesOf} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Table
          title={t`Why patients stopped`}
          none={t`No call has found out yet.`}
          rows={barriers}
          keyOf={({ barrier }) => barrier}
          to={({ barrier }) => casesOf({ barrier })}
          first={{ head: t`Barrier`, cell: ({ barrier }) => capitalised(barrier), isLong: true }}
          shareOf={({ cases }) => cases}
        />
        <Table
          title={t`By form`}
          none={t`These cases came without a form.`}
          rows={forms}
          keyOf={({ formName }) => formName}
          to={({ formName }) => casesOf({ form: formName })}
          first={{ head: t`Form`, cell: ({ formName }) => formName, isLong: true }}
          shareOf={({ ended }) => ended}
        />
      </SimpleGrid>
    </Stack>
  );
}

const recovered = t({ message: 'Recovered', context: 'how many cases' });

type CasesOf = (filters?: Record<string, string>) => string;
type Span = api.Results['current'];

const Simulated = ({ current: { simulated, opened } }: { current: Span }) => (
  <Alert color="gray">
    {simulated === opened
      ? t`The simulator played all of these ${opened} cases: nobody was reached in them.`
      : t`The simulator played ${simulated} of these ${opened} cases: nobody was reached in them.`}
  </Alert>
);

const Figures = ({ current, before, casesOf }: { current: Span; before: Span; casesOf: CasesOf }) => (
  <SimpleGrid cols={{ base: 2, md: 3, lg: 5 }} spacing="sm">
    <Figure
      to={casesOf({ status: 'RECOVERED' })}
      label={t`Recovery rate`}
      value={percent(current.recoveryRate)}
      note={t`${current.recovered} of ${current.ended - current.alreadyCompleted} that ended`}
      change={pointsOf(current.recoveryRate, before.recoveryRate)}
    />
    <Figure
      to={casesOf({ reached: 'true' })}
      label={t`Reach rate`}
      value={percent(current.reachRate)}
      note={t`${current.reached} of ${current.called} that were called`}
      change={pointsOf(current.reachRate, before.reachRate)}
    />
    <Figure
      to={casesOf({ called: 'true' })}
      label={t`Calls per recovery`}
      value={current.callsPerRecovery === null ? '–' : oneDecimal(current.callsPerRecovery)}
      note={t`${current.calls} calls`}
      change={changeOf(current.callsPerRecovery, before.callsPerRecovery, oneDecimal)}
    />
    <Figure
      to={casesOf({ show: 'ended' })}
      label={t`Time to outcome`}
      value={duration(current.medianSecondsToOutcome)}
      note={t`half of the cases took less`}
      change={changeOf(current.medianSecondsToOutcome, before.medianSecondsToOutcome, duration)}
    />
    <Figure
      to={casesOf({ status: 'RECOVERED' })}
      label={t`Value recovered`}
      value={amount(current.valueRecovered)}
      note={t`unit prices of the forms`}
      change={changeOf(current.valueRecovered, before.valueRecovered, amount)}
    />
  </SimpleGrid>
);

interface TableProps<Row extends { cases: number; recovered: number }> {
  title: string;
  none: string;
  rows: Row[];
  first: Column<Row>;
  /** Of how many the recovered ones are a share. */
  shareOf: (row: Row) => number;
  keyOf: (row: Row) => string;
  to: (row: Row) => string;
}

/** Cases by what they have in common, each with how many of them were recovered. */
function Table<Row extends { cases: number; recovered: number }>({
  title,
  none,
  rows,
  first,
  shareOf,
  ...records
}: TableProps<Row>) {
  const recoveredOf = (row: Row) =>
    shareOf(row) === 0 ? '–' : `${row.recovered} (${percent(row.recovered / shareOf(row))})`;
  return (
    <Section title={title} flush={rows.length > 0}>
      {rows.length === 0 ? (
        <Quiet>{none}</Quiet>
      ) : (
        <Records
          label={title}
          minWidth={320}
          rows={rows}
          columns={[first, { head: t`Cases`, cell: ({ cases }) => cases }, { head: recovered, cell: recoveredOf }]}
          {...records}
        />
      )}
    </Section>
  );
}

interface FigureProps {
  to: string;
  label: string;
  value: string;
  note: ReactNode;
  change: string | null;
}

/** A number, what it was made of, and by how much it differs from the days before. */
const Figure = ({ to, label, value, note, change }: FigureProps) => (
  <Paper component={Link} to={to} className={classes.figure}>
    <Text size="sm" c="dimmed" component="span">
      {label}
    </Text>
    <span className={classes.value}>{value}</span>
    <Text size="xs" c="dimmed" component="span">
      {note}
    </Text>
    <Text size="xs" component="span">
      {change ?? t`nothing to compare with`}
    </Text>
  </Paper>
);

const Bars = ({ rows, whole }: { rows: { label: string; count: number; to: string }[]; whole: number }) => (
  <ul className={classes.bars}>
    {rows.map(({ label, count, to }) => (
      <li key={label}>
        <Link to={to} className={classes.row}>
          <span className={classes.label}>{label}</span>
          <span className={classes.track} aria-hidden>
            <span className={classes.bar} style={{ width: `${(100 * count) / Math.max(1, whole)}%` }} />
          </span>
          <span className={classes.count}>{count}</span>
        </Link>
      </li>
    ))}
  </ul>
);

const percent = (share: number | null) => (share === null ? '–' : formatPercent(share));

const duration = (seconds: number | null) => (seconds === null ? '–' : formatDuration(seconds * 1_000));

const oneDecimal = (value: number) =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: 1, minimumFractionDigits: 1 }).format(value);

const amount = (value: number) =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: 2, minimumFractionDigits: value % 1 === 0 ? 0 : 2 }).format(
    value,
  );

const pointsOf = (now: number | null, before: number | null) =>
  changeOf(now, before, (size) => t`${oneDecimal(100 * size)} points`);

/** `12 more than before`; null where one of both is not known. */
function changeOf(now: number | null, before: number | null, words: (size: number) => string): string | null {
  if (now === null || before === null) return null;
  if (now === before) return t`as before`;
  const size = words(Math.abs(now - before));
  return now > before ? t`${size} more than before` : t`${size} less than before`;
}

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Group, Paper, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { getResultsOptions } from '../http/client/@tanstack/react-query.gen';
import { getResultsExport } from '../http/client/sdk.gen';
import type * as Api from '../http/client/types.gen';
import { ExportButton } from '../parts/export-button';
import { useFilter } from '../parts/filters';
import { formatDuration } from '../parts/moment';
import { Page } from '../parts/page';
import { formatPercent } from '../parts/percent';
import { Records } from '../parts/record-list';
import { capitalised } from '../parts/said-facts';
import { Section } from '../parts/section';
import { Empty, Loaded } from '../parts/states';
import { caseStates, labelOf } from '../parts/status';
import { formatDate, formatHour, weekdayName } from '../parts/week';
import classes from './results.module.css';
import { locale } from '../language';

type Results = Api.Results;

const spans = ['7', '30', '90'] as const;
type Days = (typeof spans)[number];

/** How recovery went, for whoever answers for it: each number leads to its cases. */
export function Results() {
  const [given, setDays] = useFilter('days');
  const days = spans.find((each) => each === given) ?? '30';
  const results = useQuery({ ...getResultsOptions({ query: { days } }), staleTime: 30_000, refetchInterval: 60_000 });
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
    const { data } = await getResultsExport({ query: { days }, throwOnError: true, parseAs: 'text' });
    return { name: `results-${days}-days.csv`, text: data, type: 'text/csv' };
  };
  return <ExportButton label={t`Export as CSV`} file={file} />;
}

function Shown({ results }: { results: Results }) {
  const { current, before, barriers, forms, from, until } = results;
  if (current.opened + before.opened === 0) {
    return (
      <Empty title={t`No recovery case in these days`}>
        <Trans>A case opens when your platform reports an abandoned form.</Trans>
      </Empty>
    );
  }
  const casesOf = (filters: Record<string, string> = {}) =>
    `/cases?${new URLSearchParams({ from, until, ...filters }).toString()}`;
  return (
    <Stack gap="lg">
      {current.simulated > 0 && (
        <Alert color="gray">
          {current.simulated === current.opened ? (
            <Trans>The simulator played all of these {current.opened} cases: nobody was reached in them.</Trans>
          ) : (
            <Trans>
              The simulator played {current.simulated} of these {current.opened} cases: nobody was reached in them.
            </Trans>
          )}
        </Alert>
      )}
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
          note={t`${current.reached} of ${current.called} that were rung`}
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
          change={changeOf(current.medianSecondsToOutcome, before.medianSecondsToOutcome, (size) => duration(size))}
        />
        <Figure
          to={casesOf({ status: 'RECOVERED' })}
          label={t`Value recovered`}
          value={amount(current.valueRecovered)}
          note={t`unit prices of the forms`}
          change={changeOf(current.valueRecovered, before.valueRecovered, amount)}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Section title={t`From the form to the recovery`}>
          <Bars
            rows={[
              { label: t({ message: 'Opened', context: 'how many cases' }), count: current.opened, to: casesOf() },
              { label: t`Rung`, count: current.called, to: casesOf({ called: 'true' }) },
              { label: t`Reached`, count: current.reached, to: casesOf({ reached: 'true' }) },
              {
                label: t({ message: 'Recovered', context: 'how many cases' }),
                count: current.recovered,
                to: casesOf({ status: 'RECOVERED' }),
              },
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
        <Section title={t`Why patients stopped`} flush={barriers.length > 0}>
          {barriers.length === 0 ? (
            <Text size="sm" c="dimmed">
              <Trans>No call has found out yet.</Trans>
            </Text>
          ) : (
            <Records
              label={t`Why patients stopped`}
              minWidth={320}
              rows={barriers}
              keyOf={({ barrier }) => barrier}
              to={({ barrier }) => casesOf({ barrier })}
              columns={[
                { head: t`Barrier`, cell: ({ barrier }) => capitalised(barrier), isLong: true },
                { head: t`Cases`, cell: ({ cases }) => cases },
                {
                  head: t({ message: 'Recovered', context: 'how many cases' }),
                  cell: ({ recovered, cases }) => `${recovered} (${percent(recovered / cases)})`,
                },
              ]}
            />
          )}
        </Section>
        <Section title={t`By form`} flush={forms.length > 0}>
          {forms.length === 0 ? (
            <Text size="sm" c="dimmed">
              <Trans>These cases came without a form.</Trans>
            </Text>
          ) : (
            <Records
              label={t`By form`}
              minWidth={320}
              rows={forms}
              keyOf={({ formName }) => formName}
              to={({ formName }) => casesOf({ form: formName })}
              columns={[
                { head: t`Form`, cell: ({ formName }) => formName, isLong: true },
                { head: t`Cases`, cell: ({ cases }) => cases },
                {
                  head: t({ message: 'Recovered', context: 'how many cases' }),
                  cell: ({ recovered, ended }) => (ended === 0 ? '–' : `${recovered} (${percent(recovered / ended)})`),
                },
              ]}
            />
          )}
        </Section>
      </SimpleGrid>
    </Stack>
  );
}

/** A number, what it was made of, and by how much it differs from the days before. */
function Figure({
  to,
  label,
  value,
  note,
  change,
}: {
  to: string;
  label: string;
  value: string;
  note: ReactNode;
  change: string | null;
}) {
  return (
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
}

function Bars({ rows, whole }: { rows: { label: string; count: number; to: string }[]; whole: number }) {
  return (
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
}

/** Opened and recovered cases of each day; a day leads to its cases. */
function ByDay({ results: { byDay } }: { results: Results }) {
  const largest = Math.max(1, ...byDay.map(({ opened }) => opened));
  const height = (count: number) => ({ height: `${(100 * count) / largest}%` });
  const [first, last] = [byDay[0], byDay.at(-1)];
  return (
    <Section
      title={t`By day`}
      lead={
        <Group gap="lg">
          <Key kind="opened" text={t`opened`} />
          <Key kind="recovered" text={t`of these recovered`} />
        </Group>
      }
    >
      <ol className={classes.chart} aria-label={t`Cases by day`}>
        {byDay.map(({ date, opened, recovered }) => {
          const said = t`${formatDate(date, { weekday: 'short', day: 'numeric', month: 'short' })}: ${opened} opened, ${recovered} recovered`;
          return (
            <li key={date} className={classes.day}>
              <Link
                to={`/cases?from=${date}&until=${date}`}
                className={classes.column}
                aria-label={said}
                title={said}
                data-empty={opened === 0 || undefined}
              >
                <span className={classes.opened} style={height(opened)} />
                <span className={classes.recovered} style={height(recovered)} />
              </Link>
            </li>
          );
        })}
      </ol>
      <Group justify="space-between" mt={4}>
        {[first, last].map(
          (day) =>
            day && (
              <Text key={day.date} size="xs" c="dimmed">
                {formatDate(day.date, { day: 'numeric', month: 'short', year: 'numeric' })}
              </Text>
            ),
        )}
      </Group>
    </Section>
  );
}

/** When cases were opened that ended in a recovery: weekday by hour, on the clinic's clock. Each field leads to its cases. */
function ByHour({
  results: { byHour, timezone },
  casesOf,
}: {
  results: Results;
  casesOf: (filters: Record<string, string>) => string;
}) {
  const hours = byHour.map(({ hour }) => hour);
  const [first, last] = [Math.min(...hours), Math.max(...hours)];
  const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  const largest = Math.max(1, ...byHour.map(({ opened }) => opened));
  const found = new Map(byHour.map((each) => [`${each.weekday} ${each.hour}`, each]));
  if (byHour.length === 0) return null;
  return (
    <Section
      title={t`By weekday and hour`}
      lead={t`When cases were opened (${timezone.replaceAll('_', ' ')}), and how many of them were recovered. A stronger colour means more cases.`}
    >
      <div className={classes.hoursScroll}>
        <table className={classes.hours}>
          <caption className={classes.unseen}>
            <Trans>Cases by weekday and hour: recovered of opened</Trans>
          </caption>
          <thead>
            <tr>
              <td />
              {shown.map((hour) => (
                <th key={hour} scope="col">
                  {formatHour(hour * 60)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[1, 2, 3, 4, 5, 6, 7].map((weekday) => (
              <tr key={weekday}>
                <th scope="row">{weekdayName(weekday, 'short')}</th>
                {shown.map((hour) => {
                  const counts = found.get(`${weekday} ${hour}`);
                  if (!counts) return <td key={hour} className={classes.noHour} />;
                  const { opened, recovered } = counts;
                  const when = `${weekdayName(weekday)}, ${formatHour(hour * 60)}`;
                  const said = t`${recovered}/${opened} on ${when}: ${opened} opened, ${recovered} recovered`;
                  return (
                    <td key={hour}>
                      <Link
                        to={casesOf({ weekday: String(weekday), hour: String(hour) })}
                        className={classes.hourCell}
                        data-level={Math.ceil((4 * opened) / largest)}
                        aria-label={said}
                        title={said}
                      >
                        {recovered}/{opened}
                      </Link>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

const Key = ({ kind, text }: { kind: 'opened' | 'recovered'; text: string }) => (
  <Group gap={6} component="span">
    <span className={`${classes.swatch} ${classes[kind]}`} aria-hidden />
    {text}
  </Group>
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

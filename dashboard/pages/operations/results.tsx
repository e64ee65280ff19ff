import { Anchor, Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import * as api from '#api';
import { ExportButton, spreadsheet } from '#lists';
import { caseStates, Empty, labelOf, leftOut, Loaded, Page, Section, useIsRestDue } from '#parts';
import { t } from '#texts';
import { formatDate, type LocalDate, Quiet } from '#words';
import { capitalised } from '../../language';
import { ByDay, daysTitle } from './results-chart';
import { Figures } from './results-figures';
import { Groups, groupTitles } from './results-groups';
import { ByHour, hoursTitle } from './results-hours';
import { Goals } from './results-goals';
import { casesIn, isMonth } from './results-measures';
import { ResultsByMail } from './results-mail';
import { PeriodChoice, usePeriod } from './results-period';
import classes from './results.module.css';

/** How recovery went, for anyone who answers for it: each number leads to its cases. */
export function Results() {
  const { query } = usePeriod();
  const results = useQuery({ ...api.getResultsOptions({ query }), staleTime: 30_000, refetchInterval: 60_000 });
  const isRestDue = useIsRestDue();
  return (
    <Page
      title={t`Results`}
      lead={t`What became of the recovery cases that were opened in a period. Recovered means that the patient agreed in a call to finish, or finished meanwhile; a visit need not be booked.`}
      actions={<Export />}
    >
      <PeriodChoice shown={results.data} />
      <Loaded query={results} rows={8}>
        {(data) => <Shown results={data} />}
      </Loaded>
      {isRestDue && <ResultsByMail />}
    </Page>
  );
}

function Export() {
  const { query } = usePeriod();
  const file = async () => {
    const { data } = await api.getResults({ query, throwOnError: true });
    const { columnsIn, daysOf } = await import('./results-file');
    return { name: 'results.csv', text: await spreadsheet(columnsIn(data), daysOf(data)), type: 'text/csv' };
  };
  return <ExportButton label={t`Export as CSV`} file={file} />;
}

function Shown({ results }: { results: api.Results }) {
  const { query, set } = usePeriod();
  const isRestDue = useIsRestDue();
  const { current, before, from, until, beforeFrom, beforeUntil } = results;
  if (current.opened + before.opened === 0) {
    return current.simulated > 0 ? (
      <Empty title={t`Only simulated cases in these days`}>
        <Stack align="center" gap="sm">
          {t`The simulator played the patients of all ${current.simulated}: no real person was reached.`}
          <Button variant="default" onClick={() => set({ simulated: 'true' })}>{t`Show simulated cases`}</Button>
        </Stack>
      </Empty>
    ) : (
      <Empty title={t`No recovery case in these days`}>
        {t`A case opens when your platform reports an abandoned form.`}
      </Empty>
    );
  }
  const casesOf = casesIn(results, query);
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="xs">
        <Quiet>
          {t`${periodName(from, until)}, compared with ${periodName(beforeFrom, beforeUntil)}.`}{' '}
          {simulatedIn(results, query)}
        </Quiet>
        <Goals results={results} />
      </Group>
      <OnThisPage
        titles={{
          days: daysTitle(results),
          ...titles,
          ...(current.ended > 0 && { hours: hoursTitle }),
          ...groupTitles,
        }}
      />
      <Figures results={results} casesOf={casesOf} />
      {isRestDue && (
        <>
          <ByDay results={results} casesOf={casesOf} id="days" />
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
            <Section id="steps" title={titles.steps}>
              <Bars
                rows={[
                  { label: t({ message: 'Opened', context: 'how many cases' }), count: current.opened, to: casesOf() },
                  { label: t`Called`, count: current.called, to: casesOf({ called: 'true' }) },
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
            <Section id="states" title={titles.states}>
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
          <ByHour results={results} casesOf={casesOf} id="hours" />
          <Groups results={results} casesOf={casesOf} />
        </>
      )}
    </Stack>
  );
}

/** The titles of what stands here, by the ids of their sections. */
const titles = { steps: t`From the form to the recovery`, states: t`How they stand` };

/** The way to each section, which is long by Tab. */
const OnThisPage = (shown: { titles: Record<string, string> }) => (
  <Group component="nav" aria-label={t`On this page`} gap="md">
    {Object.entries(shown.titles).map(([id, title]) => (
      <Anchor
        key={id}
        href={`#${id}`}
        size="sm"
        onClick={(event) => {
          // It is no other address: the way back leads off the page.
          event.preventDefault();
          const heading = document.getElementById(id);
          heading?.focus({ preventScroll: true });
          heading?.scrollIntoView();
        }}
      >
        {title}
      </Anchor>
    ))}
  </Group>
);

/** `October 2026`, or from when until when. */
function periodName(from: LocalDate, until: LocalDate): string {
  if (isMonth(from, until)) return capitalised(formatDate(from, { month: 'long', year: 'numeric' }));
  const dayName = (date: LocalDate) => formatDate(date, { day: 'numeric', month: 'short', year: 'numeric' });
  return from === until ? dayName(from) : t`${dayName(from)} to ${dayName(until)}`;
}

/** What is said of simulated cases, where there are any. */
function simulatedIn({ current: { simulated, opened } }: api.Results, { simulated: isWith }: { simulated?: 'true' }) {
  if (simulated === 0) return null;
  return isWith
    ? t`In ${simulated} of these ${opened} cases the simulator played the patient: their calls and outcomes count below, and no real person was reached in them.`
    : leftOut(simulated);
}

const Bars = ({ rows, whole }: { rows: { label: string; count: number; to: string }[]; whole: number }) => (
  <ul className={classes.bars}>
    {rows.map(({ label, count, to }) => (
      <li key={label}>
        <Link to={to} className={classes.row}>
          <span className={classes.label}>{label}</span>
          <span className={classes.share} aria-hidden>
            <span style={{ width: `${(100 * count) / Math.max(1, whole)}%` }} />
          </span>
          <span className={classes.count}>{count}</span>
        </Link>
      </li>
    ))}
  </ul>
);

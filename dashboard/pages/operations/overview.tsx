import { Box, Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense } from 'react';
import { Link } from 'react-router';
import * as api from '#api';
import { IconArrowRight, IconFlask, IconPhone } from '#icons';
import {
  type Asked,
  callSubject,
  caseStates,
  Empty,
  labelOf,
  leftOut,
  Loaded,
  onDemand,
  Page,
  Section,
  Simulated,
  Status,
  useAccount,
  useMay,
} from '#parts';
import { t, Trans } from '#texts';
import { ClockTime, formatDate, Moment, Name, nameOf, PageLink, Quiet, Small, TextLink, useToday } from '#words';
import { taskTitle } from '../tasks/task-reasons';
import { GettingStarted } from './getting-started';
import classes from './overview.module.css';

const Hero = onDemand(async () => (await import('./results-hero')).Hero);

/** What recovery comes to, what happened today, and what is going on now. */
export function Overview() {
  const { clinic } = useAccount();
  const maySeeResults = useMay()('results');
  const today = useToday();
  const overview = useQuery({ ...api.getOverviewOptions(), refetchInterval: 60_000 });
  return (
    <Page
      title={t`Overview`}
      lead={`${clinic.name}, ${formatDate(today, { weekday: 'short', day: 'numeric', month: 'short' })}`}
    >
      <GettingStarted />
      {maySeeResults && (
        <Suspense fallback={null}>
          <Hero />
        </Suspense>
      )}
      <Loaded query={overview}>{(data) => <Today overview={data} />}</Loaded>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <LatestCases />
        <Stack gap="lg">
          <RunningCalls />
          <OpenTasks />
        </Stack>
      </SimpleGrid>
    </Page>
  );
}

const Today = ({ overview: { cases, calls, deliveries, tasks, appointments } }: { overview: api.Overview }) => (
  <Stack gap="lg">
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
      <Tile
        to="/cases?show=today&simulated=false"
        label={t`Cases today`}
        value={cases.opened}
        note={t`${cases.ended} ended`}
      />
      <Tile
        to="/calls?show=live"
        label={t`Calls running`}
        value={calls.running}
        note={t`${calls.placed} placed today`}
        isLive
      />
      <Tile {...failing(deliveries)} isBad={deliveries.dead + deliveries.retrying > 0} />
      <Tile
        to="/tasks"
        label={t`Open tasks`}
        value={tasks.open}
        note={
          tasks.open === 0
            ? t`nothing to do`
            : tasks.unassigned > 0
              ? t`${tasks.unassigned} unassigned`
              : t`all assigned`
        }
      />
      <Tile
        to="/calendar?provider=*"
        label={t`Appointments today`}
        value={appointments.onTheDay}
        note={t`${appointments.booked} booked today`}
      />
    </SimpleGrid>
    <ByStatus counts={cases.byStatus} simulated={cases.simulated} />
  </Stack>
);

/** One tile counts what one list shows: those given up where there are any, those being tried again otherwise. */
const failing = ({ dead, retrying, delivered, failingSince }: api.Overview['deliveries']) =>
  dead > 0
    ? {
        to: '/deliveries?state=DEAD',
        label: t`Deliveries given up`,
        value: dead,
        note: failingSince ? (
          <TakesNothing since={failingSince} />
        ) : retrying > 0 ? (
          t`${retrying} more being tried again`
        ) : (
          t`no other is failing`
        ),
      }
    : {
        to: '/deliveries?state=RETRYING',
        label: t`Deliveries failing`,
        value: retrying,
        note: failingSince ? (
          <TakesNothing since={failingSince} />
        ) : retrying > 0 ? (
          t`being tried again`
        ) : (
          t`${delivered} delivered today`
        ),
      };

const TakesNothing = ({ since }: { since: string }) => (
  <Trans>
    nothing was received since <ClockTime at={since} />
  </Trans>
);

interface TileProps {
  to: string;
  label: string;
  value: number;
  note: ReactNode;
  isBad?: boolean;
  isLive?: boolean;
}

const Tile = ({ to, label, value, note, isBad = false, isLive = false }: TileProps) => (
  <Paper component={Link} to={to} className={classes.tile} data-bad={isBad || undefined}>
    <Text size="sm" c="dimmed" component="span">
      {label}
    </Text>
    <span className={classes.value}>
      {isLive && value > 0 && <span className={classes.pulse} aria-hidden />}
      {value}
    </span>
    <Text size="xs" c="dimmed" component="span">
      {note}
    </Text>
  </Paper>
);

/** Cases by status as bars; the numbers stand beside them. */
function ByStatus({ counts, simulated }: { counts: api.Overview['cases']['byStatus']; simulated: number }) {
  const mayTry = useMay()('sandbox');
  const known = caseStates.map((status) => ({ status, count: counts[status] ?? 0 })).filter(({ count }) => count > 0);
  const largest = Math.max(1, ...known.map(({ count }) => count));
  return (
    <Section
      title={t`Cases by status`}
      lead={
        <>
          {t`Open cases, and those that were opened or ended today.`}
          {simulated > 0 && (
            <>
              {' '}
              <TextLink to="/cases?show=current&simulated=true">{leftOut(simulated)}</TextLink>
            </>
          )}
        </>
      }
    >
      {known.length === 0 ? (
        <Empty title={t`No case yet today`} icon={IconFlask}>
          {t`Abandoned forms appear here as soon as your platform reports them.`}
          {mayTry && (
            <Box mt="sm">
              <Button
                component={Link}
                to="/try-it"
                variant="default"
                rightSection={<IconArrowRight size={16} aria-hidden />}
              >
                {t`Try one on the simulator`}
              </Button>
            </Box>
          )}
        </Empty>
      ) : (
        <ul className={classes.bars}>
          {known.map(({ status, count }) => (
            <li key={status}>
              <Link to={`/cases?status=${status}&show=current&simulated=false`} className={classes.barRow}>
                <span className={classes.barLabel}>{labelOf(status)}</span>
                <span className={classes.track}>
                  <span className={classes.bar} data-status={status} style={{ width: `${(100 * count) / largest}%` }} />
                </span>
                <span className={classes.barCount}>{count}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const LatestCases = () => (
  <Latest
    title={t`Latest cases`}
    all={{ to: '/cases', label: t`All cases` }}
    query={useQuery(api.getCasesOptions({ query: { limit: 8 } }))}
    empty={<Empty title={t`No recovery case yet`} />}
    rowOf={({ recoveryCaseId, patient, recoveryStatus, formName, createdAt, isSimulated }) => ({
      key: recoveryCaseId,
      to: `/cases/${recoveryCaseId}`,
      title: nameOf(patient),
      note: formName ?? t`Started over the API`,
      at: createdAt,
      aside: (
        <Group gap="xs" justify="flex-end">
          <Simulated of={{ isSimulated }} />
          <Status state={recoveryStatus} />
        </Group>
      ),
    })}
  />
);

const RunningCalls = () => (
  <Latest
    title={t`Calls running now`}
    all={{ to: '/calls', label: t`All calls` }}
    query={useQuery(api.getCallsOptions({ query: { live: 'true', limit: 50 } }))}
    // Test calls stay open until somebody closes them; they have a filter of their own on the page of calls.
    keep={({ isTest }) => !isTest}
    empty={<Empty title={t`No call is running`} icon={IconPhone} />}
    rowOf={({ id, patient, state, workflowType, formName, createdAt }) => ({
      key: id,
      to: `/calls/${id}`,
      title: nameOf(patient),
      note: callSubject(workflowType, formName),
      at: createdAt,
      aside: <Status state={state} />,
    })}
  />
);

const OpenTasks = () => (
  <Latest
    title={t`Open tasks`}
    all={{ to: '/tasks', label: t`All tasks` }}
    query={useQuery(api.getTasksOptions({ query: { state: 'OPEN', limit: 5 } }))}
    empty={<Empty title={t`Nothing to do`} />}
    rowOf={({ id, reason, patient, createdAt, assignee }) => ({
      key: id,
      to: `/tasks?task=${id}`,
      title: taskTitle(reason),
      note: patient && nameOf(patient),
      at: createdAt,
      aside: <Quiet>{assignee?.name ?? t`Unassigned`}</Quiet>,
    })}
  />
);

/** A record in two lines. */
interface Row {
  key: string;
  to: string;
  title: string;
  note: string | null;
  at: string;
  aside: ReactNode;
}

interface LatestProps<Item> {
  title: string;
  all: { to: string; label: string };
  query: Asked<{ items: Item[] }>;
  keep?: (item: Item) => boolean;
  empty: ReactNode;
  rowOf: (item: Item) => Row;
}

/** The newest records of a kind, and the way to all of them. A long note is cut, when it was is not. */
function Latest<Item>({ title, all, query, keep = () => true, empty, rowOf }: LatestProps<Item>) {
  const rows = (items: Item[]) =>
    items.map(rowOf).map(({ key, to, title: name, note, at, aside }) => (
      <li key={key}>
        <Link to={to} className={classes.row}>
          <Box miw={0}>
            <Name truncate>{name}</Name>
            <Small className={classes.note}>
              {note && <span title={note}>{note}</span>}
              <Moment at={at} />
            </Small>
          </Box>
          {aside}
        </Link>
      </li>
    ));
  return (
    <Section
      title={title}
      flush
      actions={
        <PageLink py={4} to={all.to}>
          {all.label}
        </PageLink>
      }
    >
      <Loaded query={query} rows={2}>
        {({ items }) => {
          const kept = items.filter(keep);
          return kept.length === 0 ? empty : <ul className={classes.rows}>{rows(kept)}</ul>;
        }}
      </Loaded>
    </Section>
  );
}

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Box, Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { type ReactNode } from 'react';
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import {
  getCallsOptions,
  getCasesOptions,
  getOverviewOptions,
  getTasksOptions,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { IconArrowRight, IconFlask, IconPhone } from '../icons';
import { ClockTime, formatDay, Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { nameOf } from '../parts/person';
import { Section } from '../parts/section';
import { Empty, Loaded } from '../parts/states';
import { caseStates, labelOf, Status } from '../parts/status';
import { taskTitle } from '../parts/task-reasons';
import { workflowName } from '../parts/workflow-name';
import { GettingStarted } from '../parts/getting-started';
import { useAccount, useZone } from '../shell/account';
import classes from './overview.module.css';

type Overview = Api.Overview;

/** What happened today, and what is going on now. */
export function Overview() {
  const { clinic } = useAccount();
  const zone = useZone();
  const overview = useQuery({ ...getOverviewOptions(), refetchInterval: 60_000 });
  return (
    <Page title={t`Overview`} lead={`${clinic.name}, ${formatDay(new Date().toISOString(), zone)}`}>
      <GettingStarted />
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

function Today({ overview: { cases, calls, deliveries, tasks, appointments } }: { overview: Overview }) {
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
        <Tile to="/cases?show=today" label={t`Cases today`} value={cases.opened} note={t`${cases.ended} ended`} />
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
                ? t`${tasks.unassigned} with nobody`
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
      <ByStatus counts={cases.byStatus} />
    </Stack>
  );
}

/** One tile counts what one list shows: those given up where there are any, those being tried again otherwise. */
const failing = ({ dead, retrying, delivered, failingSince }: Overview['deliveries']) =>
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

function Tile({
  to,
  label,
  value,
  note,
  isBad = false,
  isLive = false,
}: {
  to: string;
  label: string;
  value: number;
  note: ReactNode;
  isBad?: boolean;
  isLive?: boolean;
}) {
  return (
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
}

/** Cases by status as bars; the numbers stand beside them. */
function ByStatus({ counts }: { counts: Overview['cases']['byStatus'] }) {
  const known = caseStates.map((status) => ({ status, count: counts[status] ?? 0 })).filter(({ count }) => count > 0);
  const largest = Math.max(1, ...known.map(({ count }) => count));
  return (
    <Section title={t`Cases by status`} lead={t`Open cases, and those that were opened or ended today.`}>
      {known.length === 0 ? (
        <Empty title={t`No case yet today`} icon={IconFlask}>
          <Trans>Abandoned forms appear here as soon as your platform reports them.</Trans>
          <Box mt="sm">
            <Button
              component={Link}
              to="/try-it"
              variant="default"
              rightSection={<IconArrowRight size={16} aria-hidden />}
            >
              <Trans>Try one on the simulator</Trans>
            </Button>
          </Box>
        </Empty>
      ) : (
        <ul className={classes.bars}>
          {known.map(({ status, count }) => (
            <li key={status}>
              <Link to={`/cases?status=${status}&show=current`} className={classes.barRow}>
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

function LatestCases() {
  const cases = useQuery(getCasesOptions({ query: { limit: 8 } }));
  return (
    <Section title={t`Latest cases`} flush actions={<All to="/cases" label={t`All cases`} />}>
      <Loaded query={cases}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t`No recovery case yet`} />
          ) : (
            <Rows>
              {items.map(({ recoveryCaseId, patient, recoveryStatus, formName, createdAt }) => (
                <Row
                  key={recoveryCaseId}
                  to={`/cases/${recoveryCaseId}`}
                  title={nameOf(patient)}
                  note={formName ?? t`Started over the API`}
                  at={createdAt}
                  aside={<Status state={recoveryStatus} />}
                />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Section>
  );
}

function RunningCalls() {
  const calls = useQuery(getCallsOptions({ query: { live: 'true', limit: 50 } }));
  return (
    <Section title={t`Calls running now`} flush actions={<All to="/calls" label={t`All calls`} />}>
      <Loaded query={calls} rows={2}>
        {({ items }) => {
          // Test calls stay open until somebody closes them; they have a filter of their own on the page of calls.
          const running = items.filter(({ isTest }) => !isTest);
          return running.length === 0 ? (
            <Empty title={t`No call is running`} icon={IconPhone} />
          ) : (
            <Rows>
              {running.map(({ id, patient, state, workflowType, createdAt }) => (
                <Row
                  key={id}
                  to={`/calls/${id}`}
                  title={nameOf(patient)}
                  note={workflowName(workflowType)}
                  at={createdAt}
                  aside={<Status state={state} />}
                />
              ))}
            </Rows>
          );
        }}
      </Loaded>
    </Section>
  );
}

function OpenTasks() {
  const tasks = useQuery(getTasksOptions({ query: { state: 'OPEN', limit: 5 } }));
  return (
    <Section title={t`Open tasks`} flush actions={<All to="/tasks" label={t`All tasks`} />}>
      <Loaded query={tasks} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t`Nothing to do`} />
          ) : (
            <Rows>
              {items.map((task) => (
                <Row
                  key={task.id}
                  to="/tasks"
                  title={taskTitle(task.reason)}
                  note={task.patient && nameOf(task.patient)}
                  at={task.createdAt}
                  aside={
                    <Text size="sm" c="dimmed">
                      {task.assignee?.name ?? t`Nobody yet`}
                    </Text>
                  }
                />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Section>
  );
}

const All = ({ to, label }: { to: string; label: string }) => (
  <Anchor component={Link} to={to} size="sm" py={4}>
    {label}
  </Anchor>
);

const Rows = ({ children }: { children: ReactNode }) => <ul className={classes.rows}>{children}</ul>;

/** A record in two lines. A long note is cut, when it was is not. */
const Row = ({
  to,
  title,
  note,
  at,
  aside,
}: {
  to: string;
  title: string;
  note: string | null;
  at: string;
  aside: ReactNode;
}) => (
  <li>
    <Link to={to} className={classes.row}>
      <Box miw={0}>
        <Text size="sm" fw={500} truncate>
          {title}
        </Text>
        <Text size="xs" c="dimmed" component="div" className={classes.note}>
          {note && <span title={note}>{note}</span>}
          <Moment at={at} />
        </Text>
      </Box>
      <Group gap="xs" wrap="nowrap">
        {aside}
      </Group>
    </Link>
  </li>
);

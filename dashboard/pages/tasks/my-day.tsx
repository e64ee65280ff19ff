import { Badge, Box, Button, Kbd, SegmentedControl, Stack, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { useFilter, useIsNarrow } from '#lists';
import { type Asked, Loaded, Page, Section, useAccount, useIsRestDue, useZone } from '#parts';
import { plural, t, Trans } from '#texts';
import {
  formatDate,
  type LocalDate,
  nameOf,
  PageLink,
  Quiet,
  Small,
  Telephone,
  useAsTimePasses,
  useToday,
} from '#words';
import classes from './my-day.module.css';
import { callHours } from '../outreach/asked-hours';
import { CallsUnderWay } from '../outreach/calls-under-way';
import { DoNotCall, languages } from '../patients/call-wishes';
import { NextCalls, TodaysVisits } from './my-day-asides';
import type { Assignable } from './task-actions';
import { priorities } from './task-changes';
import { DueBadge, dueOf, isOverdue, outcomes } from './task-due';
import { knownOfTask } from './task-facts';
import { ResolveTask } from './task-outcomes';
import { TaskPanel } from './task-panel';
import { taskTitle, taskWhy } from './task-reasons';

/** So many of each kind; the rest is on the page of all tasks. */
const MAX_SHOWN = 25;
/** So many where all stand below each other, so that today's visits are near; and so many at once, for each takes its time. */
const MAX_AT_FIRST = 6;

const whose = [
  { value: '', label: t`Mine and unassigned` },
  { value: 'all', label: t`Everyone’s` },
];

/** What to do next: whom to call by today, today's visits and the service's calls, and then what can wait. */
export function MyDay() {
  const { accountId } = useAccount();
  const today = useToday();
  const [who, setWho] = useFilter('who');
  const [taskId, setTask] = useFilter('task');
  const staff = useQuery({ ...api.getStaffOptions(), staleTime: 60_000 });
  const people = (staff.data?.items ?? []).map(({ id, name }): Assignable => ({ value: id, label: name }));
  const query = {
    order: 'due',
    state: 'OPEN',
    assigneeId: who === 'all' ? undefined : `${accountId},none`,
    limit: MAX_SHOWN,
  } as const;
  const due = useQuery(api.getTasksOptions({ query: { ...query, dueUntil: today } }));
  const undated = useQuery(api.getTasksOptions({ query: { ...query, hasDueDate: 'false' } }));
  const row = { today, onOpen: (id: string) => setTask(id) };
  const isNarrow = useIsNarrow();
  const isRestDue = useIsRestDue();
  return (
    <Page
      title={t`My day`}
      lead={formatDate(today, { weekday: 'short', day: 'numeric', month: 'short' })}
      actions={
        <SegmentedControl
          aria-label={t`Whose tasks`}
          size="sm"
          data={whose}
          value={who === 'all' ? 'all' : ''}
          onChange={(value) => setWho(value || null)}
        />
      }
    >
      <CallsUnderWay />
      <div className={classes.day}>
        <Tasks
          title={t`Due by today`}
          query={due}
          none={t`Nothing is due today.`}
          all={`/tasks?due=today${who === 'all' ? '' : '&who=me'}`}
          {...row}
        />
        {(isRestDue || !isNarrow) && (
          <>
            <Stack gap="lg" className={classes.aside}>
              <TodaysVisits today={today} />
              <NextCalls />
            </Stack>
            <Stack gap="lg">
              <Tasks title={t`No due date`} query={undated} none={t`Nothing else to do.`} all="/tasks" {...row} />
              <Small visibleFrom="sm">
                <Trans>
                  <Kbd size="xs">j</Kbd> next, <Kbd size="xs">k</Kbd> previous, <Kbd size="xs">e</Kbd> resolve
                </Trans>
              </Small>
            </Stack>
          </>
        )}
      </div>
      <TaskPanel taskId={taskId ?? null} people={people} onClose={() => setTask(null)} />
    </Page>
  );
}

interface TasksProps {
  title: string;
  query: Asked<{ items: api.Task[]; nextCursor: string | null }>;
  none: string;
  /** Where all of them are. */
  all: string;
  today: LocalDate;
  onOpen: (id: string) => void;
}

function Tasks({ title, query, none, all, ...row }: TasksProps) {
  const isNarrow = useIsNarrow();
  const [isWhole, setIsWhole] = useState(false);
  const isFolded = isNarrow && !isWhole;
  const isRestDue = useIsRestDue();
  return (
    <Section
      title={title}
      flush
      actions={
        <PageLink to={all} py={4}>
          {t`All tasks`}
        </PageLink>
      }
    >
      <Loaded query={query} rows={3}>
        {({ items, nextCursor }) => {
          const shown = isFolded || !isRestDue ? items.slice(0, MAX_AT_FIRST) : items;
          return (
            <>
              {items.length === 0 && (
                <Quiet px="md" py="sm">
                  {none}
                </Quiet>
              )}
              <ul className={classes.tasks} aria-label={title}>
                {shown.map((task) => (
                  <li key={task.id} className={classes.task} data-row>
                    <Task task={task} {...row} />
                  </li>
                ))}
              </ul>
              {isFolded && shown.length < items.length ? (
                <Button variant="subtle" size="compact-sm" m="xs" onClick={() => setIsWhole(true)}>
                  {t`Show ${items.length - shown.length} more`}
                </Button>
              ) : (
                nextCursor && (
                  <Quiet px="md" py="sm">
                    <PageLink to={all}>{t`Show more`}</PageLink>
                  </Quiet>
                )
              )}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

/** A task in a line: when it is due, what it asks, whom to call, whose it is. */
function Task({ task, today, onOpen }: { task: api.Task; today: LocalDate; onOpen: (id: string) => void }) {
  const { accountId } = useAccount();
  const zone = useZone();
  const { id, reason, patient, assignee, priority, outcome, noteCount } = task;
  const due = dueOf(task);
  const isLate = useAsTimePasses(() => due !== null && isOverdue(due, zone));
  const title = taskTitle(reason);
  const known = knownOfTask(task) || taskWhy(reason);
  return (
    <>
      <Box className={classes.what}>
        <UnstyledButton
          className={classes.title}
          title={taskWhy(reason)}
          aria-label={t`Open: ${patient ? `${title}, ${nameOf(patient)}` : title}`}
          onClick={() => onOpen(id)}
        >
          {title}
        </UnstyledButton>
        {priority !== 'NORMAL' && (
          <Badge color={priority === 'HIGH' ? 'red' : 'gray'} className={classes.badge}>
            {priorities[priority]}
          </Badge>
        )}
        {due && <DueBadge due={due} today={today} isLate={isLate} />}
        <Small className={classes.known} title={known} truncate visibleFrom="sm">
          {known}
        </Small>
      </Box>
      <Box className={classes.whom}>
        {patient && (
          <PageLink to={`/patients/${patient.id}`} truncate>
            {nameOf(patient)}
          </PageLink>
        )}
        {patient?.phone && <Telephone number={patient.phone} />}
        {patient?.optOut && <DoNotCall scope={patient.optOut} />}
        <Small className={classes.said}>
          {[
            patient?.preferredCallHours && callHours(patient.preferredCallHours),
            patient?.preferredLanguage && languages[patient.preferredLanguage],
            outcome && outcomes[outcome],
            noteCount > 0 && plural(noteCount, { one: '# note', other: '# notes' }),
            assignee === null ? t`Unassigned` : assignee.id === accountId ? t`Yours` : assignee.name,
          ]
            .filter(Boolean)
            .join(' · ')}
        </Small>
      </Box>
      <ResolveTask task={task} />
    </>
  );
}

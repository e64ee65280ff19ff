import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Badge, Button, Checkbox, Group, Select, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { byCursor } from '../http/pages';
import {
  getStaffOptions,
  getTasksInfiniteOptions,
  postTasksByTaskIdRetryMutation,
} from '../http/client/@tanstack/react-query.gen';
import { getTasks } from '../http/client/sdk.gen';
import type * as Api from '../http/client/types.gen';
import { daysOf, FilterDay, Filters, FilterSelect, useFilter } from '../parts/filters';
import { ListExport } from '../parts/list-export';
import { Moment } from '../parts/moment';
import { NeverCall } from '../parts/never-call';
import { Page } from '../parts/page';
import { nameOf, Telephone } from '../parts/person';
import { Proposal } from '../parts/proposal';
import { type Column, RecordList } from '../parts/record-list';
import { useRefresh } from '../parts/refresh';
import { sayDone, sayFailed } from '../parts/say';
import { SavedViews } from '../parts/saved-views';
import { Panel } from '../parts/section';
import { changeFilters } from '../parts/states';
import {
  type Assignable,
  AssignTask,
  priorities,
  priorityOptions,
  ResolveTask,
  type TaskChange,
  useChangeTasks,
} from '../parts/task-actions';
import { factsOfTask, TaskPanel } from '../parts/task-panel';
import { taskReasons, taskTitle, taskWhy } from '../parts/task-reasons';
import { formatDate, instantAt, type LocalDate, plusDays, wallClock } from '../parts/week';
import { useAccount, useZone } from '../shell/account';
import classes from './tasks.module.css';

type Task = Api.Task;

const states = [
  { value: 'RESOLVED', label: t`Resolved` },
  { value: 'all', label: t`All` },
];

/** Due on the day so many days from today, or before. */
const dues = {
  overdue: { days: -1, label: t`Overdue` },
  today: { days: 0, label: t`Today or overdue` },
  week: { days: 6, label: t`In seven days` },
};

export function Tasks() {
  const { accountId } = useAccount();
  const today = useToday();
  const zone = useZone();
  const [show, setShow] = useFilter('show');
  const [who, setWho] = useFilter('who');
  const [given, setReason] = useFilter('reason');
  const [age, setAge] = useFilter('age');
  const [urgent, setPriority] = useFilter('priority');
  const [due, setDue] = useFilter('due');
  const [from, setFrom] = useFilter('from');
  const [lastDay, setLastDay] = useFilter('until');
  const [taskId, setTask] = useFilter('task');
  const reason = taskReasons.find((each) => each === given);
  const priority = priorityOptions.find(({ value }) => value === urgent)?.value as Api.TaskPriority | undefined;
  const staff = useQuery({ ...getStaffOptions(), staleTime: 60_000 });
  const state = show === 'all' ? undefined : show === 'RESOLVED' ? 'RESOLVED' : 'OPEN';
  const assigneeId = who === 'me' ? accountId : who;
  const days = daysOf(from, lastDay);
  // The address may hold both; what is older than the one and opened by the other is found.
  const olderThan = age && age in ages ? hourBefore(ages[age as Age].hours) : undefined;
  const until =
    days.until && (!olderThan || instantAt(`${days.until}T00:00`, zone) < olderThan) ? days.until : olderThan;
  const dueUntil = due && due in dues ? plusDays(today, dues[due as keyof typeof dues].days) : undefined;
  const query = { state, assigneeId, reason, from: days.from, until, priority, dueUntil } as const;
  const pages = useInfiniteQuery({
    ...getTasksInfiniteOptions({ query: { ...query, total: 'true', limit: 50 } }),
    ...byCursor,
  });
  const people = (staff.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const shown = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  const [chosenIds, setChosen] = useState<ReadonlySet<string>>(new Set());
  // What is resolved by somebody else meanwhile, or filtered away, is no longer meant.
  const chosen = shown.filter(({ id }) => chosenIds.has(id));
  const choose = (id: string, isChosen: boolean) =>
    setChosen((before) => new Set(isChosen ? [...before, id] : [...before].filter((each) => each !== id)));
  const isFiltered = Boolean(who || reason || age || priority || dueUntil || from || lastDay) || state !== 'OPEN';
  return (
    <Page
      title={t`Tasks`}
      lead={t`What the service leaves to people. Open to everybody of the clinic.`}
      actions={
        <ListExport
          name="tasks"
          read={(page) => getTasks({ query: { ...query, ...page }, throwOnError: true })}
          columns={exported}
        />
      }
    >
      <Panel>
        <SavedViews list="tasks" />
        <Filters>
          <FilterSelect label={t`State`} any={t`Open`} options={states} value={show} onChange={setShow} width={130} />
          <FilterSelect
            label={t`Assigned to`}
            any={t`Anybody`}
            options={[
              { value: 'me', label: t`Me` },
              { value: 'none', label: t`Nobody yet` },
              ...people.filter(({ value }) => value !== accountId),
            ]}
            value={who}
            onChange={setWho}
            width={160}
          />
          <FilterSelect
            label={t`About`}
            any={t`Anything`}
            options={taskReasons.map((value) => ({ value, label: taskTitle(value) }))}
            value={reason}
            onChange={setReason}
            width={220}
          />
          <FilterSelect
            label={t`Age`}
            any={t`Any`}
            options={optionsOf(ages)}
            value={age}
            onChange={setAge}
            width={180}
          />
          <FilterSelect
            label={t`Priority`}
            any={t`Any`}
            options={priorityOptions}
            value={priority}
            onChange={setPriority}
            width={130}
          />
          <FilterSelect
            label={t`Due`}
            any={t`Any time`}
            options={optionsOf(dues)}
            value={due}
            onChange={setDue}
            width={160}
          />
          <FilterDay label={t`Opened from`} value={from} onChange={setFrom} />
          <FilterDay label={t`Until`} value={lastDay} onChange={setLastDay} />
        </Filters>
        {shown.length > 0 && (
          <Bulk
            shown={shown}
            chosen={chosen}
            people={people}
            onChoose={(tasks) => setChosen(new Set(tasks.map(({ id }) => id)))}
          />
        )}
        <RecordList
          label={t`Tasks`}
          pages={pages}
          columns={columnsFor({ people, today, chosenIds, onChoose: choose, onOpen: setTask })}
          keyOf={({ id }) => id}
          empty={
            isFiltered
              ? { title: t`No task matches`, text: changeFilters }
              : { title: t`Nothing to do`, text: t`Tasks are opened when a case needs a person.` }
          }
        />
      </Panel>
      <TaskPanel taskId={taskId ?? null} people={people} onClose={() => setTask(null)} />
    </Page>
  );
}

const exported: Record<string, (task: Task) => string | number | null> = {
  task: ({ id }) => id,
  reason: ({ reason }) => reason,
  state: ({ state }) => state,
  patient: ({ patient }) => (patient ? nameOf(patient) : null),
  phone: ({ patient }) => patient?.phone ?? null,
  'assigned to': ({ assignee }) => assignee?.name ?? null,
  priority: ({ priority }) => priority,
  due: ({ dueOn }) => dueOn,
  notes: ({ noteCount }) => noteCount,
  case: ({ recoveryCaseId }) => recoveryCaseId,
  created: ({ createdAt }) => createdAt,
  resolved: ({ resolvedAt }) => resolvedAt,
};

const optionsOf = (words: Record<string, { label: string }>) =>
  Object.entries(words).map(([value, { label }]) => ({ value, label }));

/** Today by the clinic's calendar. */
function useToday(): LocalDate {
  return wallClock(new Date().toISOString(), useZone()).date;
}

/** As many as the service takes at a time. */
const mostChanged = 100;

/** What is done to several tasks at once. */
function Bulk({
  shown,
  chosen,
  people,
  onChoose,
}: {
  shown: Task[];
  chosen: Task[];
  people: Assignable[];
  onChoose: (tasks: Task[]) => void;
}) {
  const { accountId } = useAccount();
  const { apply, isPending } = useChangeTasks();
  const all = shown.slice(0, mostChanged);
  const isAny = chosen.length > 0;
  const change = (asked: TaskChange) => apply(chosen.slice(0, mostChanged), asked);
  return (
    <div className={classes.bulk}>
      <Checkbox
        label={isAny ? t`${chosen.length} chosen` : t`Choose all`}
        aria-label={isAny ? t`${chosen.length} chosen: choose all or none` : t`Choose all`}
        checked={isAny && chosen.length >= all.length}
        indeterminate={isAny && chosen.length < all.length}
        onChange={() => onChoose(isAny ? [] : all)}
      />
      {isAny && (
        <Group gap="xs" role="group" aria-label={t`For all that are chosen`}>
          <Button size="xs" variant="default" loading={isPending} onClick={() => change({ assigneeId: accountId })}>
            <Trans>Assign to me</Trans>
          </Button>
          <Select
            aria-label={t`Assign them to`}
            placeholder={t`Assign to …`}
            size="xs"
            w={150}
            data={people}
            value={null}
            onChange={(assigneeId) => change({ assigneeId })}
          />
          <Select
            aria-label={t`Set their priority`}
            placeholder={t`Priority …`}
            size="xs"
            w={120}
            data={priorityOptions}
            value={null}
            onChange={(priority) => change({ priority: priority as Api.TaskPriority })}
          />
          {chosen.some(({ state }) => state === 'OPEN') && (
            <Button size="xs" loading={isPending} onClick={() => change({ state: 'RESOLVED' })}>
              <Trans>Resolve</Trans>
            </Button>
          )}
        </Group>
      )}
    </div>
  );
}

type Age = keyof typeof ages;

/** Tasks that have waited for longer than this. */
const ages = {
  day: { hours: 24, label: t`Older than a day` },
  'three-days': { hours: 72, label: t`Older than three days` },
  week: { hours: 168, label: t`Older than a week` },
};

/** To the full hour, so that the list is the same one while somebody looks at it. */
function hourBefore(hours: number): string {
  const hour = 3_600_000;
  return new Date((Math.floor(Date.now() / hour) - hours) * hour).toISOString();
}

const columnsFor = ({
  people,
  ...row
}: {
  people: Assignable[];
  today: LocalDate;
  chosenIds: ReadonlySet<string>;
  onChoose: (id: string, isChosen: boolean) => void;
  onOpen: (id: string) => void;
}): Column<Task>[] => [
  { head: t`Task`, cell: (task) => <About task={task} {...row} />, width: '40%', isLong: true },
  {
    head: t`Patient`,
    cell: ({ patient }) =>
      patient ? (
        <Stack gap={2}>
          <Anchor component={Link} to={`/patients/${patient.id}`} size="sm" lineClamp={3}>
            {nameOf(patient)}
          </Anchor>
          {patient.phone && <Telephone number={patient.phone} />}
        </Stack>
      ) : (
        '–'
      ),
  },
  { head: t`Opened`, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { head: t`Assigned to`, cell: (task) => <AssignTask task={task} people={people} /> },
  { head: t`State`, cell: (task) => <ResolveTask task={task} /> },
];

function About({
  task,
  today,
  chosenIds,
  onChoose,
  onOpen,
}: {
  task: Task;
  today: LocalDate;
  chosenIds: ReadonlySet<string>;
  onChoose: (id: string, isChosen: boolean) => void;
  onOpen: (id: string) => void;
}) {
  const title = taskTitle(task.reason);
  const whose = task.patient ? `${title}, ${nameOf(task.patient)}` : title;
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Checkbox
        aria-label={t`Choose: ${whose}`}
        checked={chosenIds.has(task.id)}
        onChange={({ currentTarget }) => onChoose(task.id, currentTarget.checked)}
      />
      <Stack gap={2} miw={0}>
        <Anchor
          component="button"
          type="button"
          size="sm"
          fw={500}
          ta="start"
          c="var(--mantine-color-text)"
          aria-label={t`Open: ${whose}`}
          onClick={() => onOpen(task.id)}
        >
          {title}
        </Anchor>
        <Marks task={task} today={today} />
        <Text size="xs" c="dimmed" fw={400}>
          {taskWhy(task.reason)}
        </Text>
        {factsOfTask(task).map(([name, value]) => (
          <Text key={name} size="xs" fw={400} lineClamp={4} title={value}>
            {name}: {value}
          </Text>
        ))}
        <Group gap="md">
          {task.recoveryCaseId && (
            <Anchor component={Link} to={`/cases/${task.recoveryCaseId}`} size="sm" fw={400} py={2}>
              <Trans>Show the case</Trans>
            </Anchor>
          )}
          {task.callId && (
            <Anchor component={Link} to={`/calls/${task.callId}`} size="sm" fw={400} py={2}>
              <Trans>Show the call</Trans>
            </Anchor>
          )}
          {task.state === 'OPEN' && typeof task.detail.proposalId === 'string' && (
            <Proposal proposalId={task.detail.proposalId} />
          )}
          {task.canRetry && <TryAgain task={task} />}
          {task.patient && task.state === 'OPEN' && <NeverCall patient={task.patient} />}
        </Group>
      </Stack>
    </Group>
  );
}

/** What people have said of it: how urgent it is, until when, and whether there are notes. */
function Marks({ task: { priority, dueOn, noteCount, state }, today }: { task: Task; today: LocalDate }) {
  if (priority === 'NORMAL' && dueOn === null && noteCount === 0) return null;
  const isLate = dueOn !== null && dueOn < today && state === 'OPEN';
  return (
    <Group gap={6}>
      {priority !== 'NORMAL' && (
        <Badge color={priority === 'HIGH' ? 'red' : 'gray'}>
          <Trans>{priorities[priority]} priority</Trans>
        </Badge>
      )}
      {dueOn !== null && (
        <Badge color={isLate ? 'red' : 'gray'}>
          {isLate ? t`Overdue since` : t`Due`} {formatDate(dueOn, { weekday: 'short', day: 'numeric', month: 'short' })}
        </Badge>
      )}
      {noteCount > 0 && <Badge color="gray">{plural(noteCount, { one: '# note', other: '# notes' })}</Badge>}
    </Group>
  );
}

/** Tells the other system again what it did not take. */
function TryAgain({ task }: { task: Task }) {
  const refresh = useRefresh('tasks', 'overview');
  const retry = useMutation({
    ...postTasksByTaskIdRetryMutation(),
    onSuccess: ({ isDone, message }) => (isDone ? sayDone(message) : sayFailed({ message })),
    onError: sayFailed,
    onSettled: refresh,
  });
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      fw={400}
      py={2}
      disabled={retry.isPending}
      onClick={() => retry.mutate({ path: { taskId: task.id } })}
    >
      <Trans>Try again</Trans>
    </Anchor>
  );
}

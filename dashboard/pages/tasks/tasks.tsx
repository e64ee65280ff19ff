import { Badge, Button, Checkbox, Group, Select, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { byTime, type Column, daysOf, ListPage, useFilter, useFilters, useOrder } from '#lists';
import { PlainButton, useAccount, useZone } from '#parts';
import { plural, t } from '#texts';
import {
  instantAt,
  type LocalDate,
  Moment,
  nameOf,
  PageLink,
  plusDays,
  Small,
  Telephone,
  useAsTimePasses,
  useToday,
} from '#words';
import { DoNotCall } from '../patients/call-wishes';
import { type Assignable, AssignTask } from './task-actions';
import { priorities, priorityOptions, type TaskChange, useChangeTasks } from './task-changes';
import { ConfirmBooking } from './confirm-booking';
import { DueBadge, dueOf, isOverdue } from './task-due';
import { ResolveTask } from './task-outcomes';
import { factsOfTask, knownOfTask } from './task-facts';
import { TaskPanel } from './task-panel';
import { taskReasons, taskTitle, taskWhy } from './task-reasons';
import classes from './tasks.module.css';
import { TryAgain } from './try-again';

type Task = api.Task;

const states = [{ value: 'RESOLVED', label: t`Resolved` }];
/** Those that are done with are asked for. */
const openOnly = { label: t`Open`, liftedBy: 'all' };

/** Due on the day so many days from today, or before. */
const dues = {
  overdue: { days: -1, label: t`Overdue` },
  today: { days: 0, label: t`Today or overdue` },
  week: { days: 6, label: t`In seven days` },
};

export function Tasks() {
  const { accountId } = useAccount();
  const today = useToday();
  const filters = useFilters('show', 'who', 'reason', 'age', 'priority', 'due', 'from', 'until');
  const [taskId, setTask] = useFilter('task');
  const isAll = filters.given.show === 'all';
  const order = useOrder(isAll ? ['newest', 'oldest'] : ['newest', 'oldest', 'due', '-due']);
  const query = { ...useTaskQuery(filters.given, today), order };
  const staff = useQuery({ ...api.getStaffOptions(), staleTime: 60_000 });
  const people = (staff.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const [chosenIds, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = (id: string, isChosen: boolean) =>
    setChosen((before) => new Set(isChosen ? [...before, id] : [...before].filter((each) => each !== id)));
  const others = people.filter(({ value }) => value !== accountId);
  return (
    <ListPage
      title={t`Tasks`}
      lead={t`What needs a person. Everyone at the clinic sees it.`}
      name="tasks"
      area="tasks"
      read={api.getTasks}
      query={query}
      filters={filters}
      fields={[
        { kind: 'select', name: 'show', label: t`Status`, options: states, usual: openOnly },
        {
          kind: 'select',
          name: 'who',
          label: t`Assigned to`,
          options: [{ value: 'me', label: t`Me` }, { value: 'none', label: t`Unassigned` }, ...others],
        },
        { kind: 'select', name: 'reason', label: t`About`, options: reasonOptions },
        { kind: 'select', name: 'age', label: t`Age`, options: optionsOf(ages) },
        { kind: 'select', name: 'priority', label: t`Priority`, options: priorityOptions },
        { kind: 'select', name: 'due', label: t`Due`, options: optionsOf(dues) },
        { kind: 'day', name: 'from', label: t`Opened from` },
        { kind: 'day', name: 'until', label: t`Until` },
      ]}
      aboveRows={({ rows: shown = [] }) =>
        shown.length > 0 && (
          <Bulk
            shown={shown}
            // What is resolved by somebody else meanwhile, or filtered away, is no longer meant.
            chosen={shown.filter(({ id }) => chosenIds.has(id))}
            people={people}
            onChoose={(tasks) => setChosen(new Set(tasks.map(({ id }) => id)))}
          />
        )
      }
      columns={columnsFor({ people, isAll, today, chosenIds, onChoose: choose, onOpen: setTask })}
      exported={exported}
      keyOf={({ id }) => id}
      empty={{ title: t`Nothing to do`, text: t`Tasks are opened when a case needs a person.` }}
      noMatch={t`No task matches`}
    >
      <TaskPanel taskId={taskId ?? null} people={people} onClose={() => setTask(null)} />
    </ListPage>
  );
}

const reasonOptions = taskReasons.map((value) => ({ value, label: taskTitle(value) }));

/** The filters of the address as the service takes them. */
function useTaskQuery(
  given: Partial<Record<'show' | 'who' | 'reason' | 'age' | 'priority' | 'due' | 'from' | 'until', string>>,
  today: LocalDate,
) {
  const { accountId } = useAccount();
  const zone = useZone();
  const { show, who, age, due } = given;
  const days = daysOf(given.from, given.until);
  // The address may hold both; what is older than the one and opened by the other is found.
  const olderThan = age && age in ages ? hourBefore(ages[age as Age].hours) : undefined;
  const until =
    days.until && (!olderThan || instantAt(`${days.until}T00:00`, zone) < olderThan) ? days.until : olderThan;
  return {
    state: show === 'all' ? undefined : show === 'RESOLVED' ? 'RESOLVED' : 'OPEN',
    assigneeId: who === 'me' ? accountId : who,
    reason: taskReasons.find((each) => each === given.reason),
    from: days.from,
    until,
    priority: priorityOptions.find(({ value }) => value === given.priority)?.value,
    dueUntil: due && due in dues ? plusDays(today, dues[due as keyof typeof dues].days) : undefined,
  } as const;
}

const exported: Record<string, (task: Task) => string | number | null> = {
  reason: ({ reason }) => reason,
  state: ({ state }) => state,
  patient: ({ patient }) => (patient ? nameOf(patient) : null),
  phone: ({ patient }) => patient?.phone ?? null,
  'assigned to': ({ assignee }) => assignee?.name ?? null,
  priority: ({ priority }) => priority,
  due: ({ dueOn }) => dueOn,
  'due time': ({ dueTime }) => dueTime,
  outcome: ({ outcome }) => outcome,
  notes: ({ noteCount }) => noteCount,
  created: ({ createdAt }) => createdAt,
  resolved: ({ resolvedAt }) => resolvedAt,
  task: ({ id }) => id,
  case: ({ recoveryCaseId }) => recoveryCaseId,
};

const optionsOf = (words: Record<string, { label: string }>) =>
  Object.entries(words).map(([value, { label }]) => ({ value, label }));

/** As many as the service takes at a time. */
const mostChanged = 100;

interface BulkProps {
  shown: Task[];
  chosen: Task[];
  people: Assignable[];
  onChoose: (tasks: Task[]) => void;
}

/** What is done to several tasks at once. */
function Bulk({ shown, chosen, people, onChoose }: BulkProps) {
  const { accountId } = useAccount();
  const { apply, isPending } = useChangeTasks();
  const all = shown.slice(0, mostChanged);
  const isAny = chosen.length > 0;
  const change = (asked: TaskChange) => apply(chosen.slice(0, mostChanged), asked);
  return (
    <div className={classes.bulk}>
      <Checkbox
        label={isAny ? t`${chosen.length} selected` : t`Select all`}
        aria-label={isAny ? t`${chosen.length} selected: select all or none` : t`Select all`}
        checked={isAny && chosen.length >= all.length}
        indeterminate={isAny && chosen.length < all.length}
        onChange={() => onChoose(isAny ? [] : all)}
      />
      {isAny && (
        <Group gap="xs" role="group" aria-label={t`All selected`}>
          <PlainButton
            label={t`Assign to me`}
            size="xs"
            loading={isPending}
            onClick={() => change({ assigneeId: accountId })}
          />
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
            onChange={(priority) => change({ priority: priority as api.TaskPriority })}
          />
          {chosen.some(({ state }) => state === 'OPEN') && (
            <Button size="xs" loading={isPending} onClick={() => change({ state: 'RESOLVED' })}>
              {t`Resolve`}
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

const byDue = { ascending: 'due', descending: '-due' };

const columnsFor = ({
  people,
  isAll,
  ...row
}: {
  people: Assignable[];
  /** Open ones and resolved ones: only the open ones are in the order in which they are due. */
  isAll: boolean;
  today: LocalDate;
  chosenIds: ReadonlySet<string>;
  onChoose: (id: string, isChosen: boolean) => void;
  onOpen: (id: string) => void;
}): Column<Task>[] => [
  { head: t`Task`, cell: (task) => <About task={task} {...row} />, width: '38%', isRest: true },
  {
    head: t`Patient`,
    isLong: true,
    cell: ({ patient }) =>
      patient ? (
        <div className={classes.person}>
          <PageLink to={`/patients/${patient.id}`} truncate>
            {nameOf(patient)}
          </PageLink>
          {patient.optOut ? (
            <DoNotCall scope={patient.optOut} />
          ) : (
            patient.phone && <Telephone number={patient.phone} />
          )}
        </div>
      ) : (
        '–'
      ),
  },
  {
    head: t`Due`,
    cell: (task) => <Due task={task} today={row.today} />,
    sorted: isAll ? undefined : byDue,
  },
  { head: t`Opened`, cell: ({ createdAt }) => <Moment at={createdAt} />, sorted: byTime },
  { head: t`Assigned to`, cell: (task) => <AssignTask task={task} people={people} isInRow />, isActions: true },
  { head: t`Status`, cell: (task) => <ResolveTask task={task} />, isActions: true },
];

interface AboutProps {
  task: Task;
  today: LocalDate;
  chosenIds: ReadonlySet<string>;
  onChoose: (id: string, isChosen: boolean) => void;
  onOpen: (id: string) => void;
}

/** What is to be done, in a line: how urgent it is, and what is known of it as far as there is room. All of it is beside the list. */
function About({ task, chosenIds, onChoose, onOpen }: AboutProps) {
  const { id, reason, patient, priority, noteCount } = task;
  const title = taskTitle(reason);
  const whose = patient ? `${title}, ${nameOf(patient)}` : title;
  const known = knownOfTask(task) || taskWhy(reason);
  const named = factsOfTask(task)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  return (
    <div>
      <div className={classes.line}>
        <Checkbox
          aria-label={t`Select: ${whose}`}
          checked={chosenIds.has(id)}
          onChange={({ currentTarget }) => onChoose(id, currentTarget.checked)}
        />
        <UnstyledButton className={classes.title} aria-label={t`Open: ${whose}`} onClick={() => onOpen(id)}>
          {title}
        </UnstyledButton>
        {task.canConfirm && <ConfirmBooking task={task} />}
        {task.canRetry && <TryAgain task={task} />}
      </div>
      <div className={classes.rest}>
        {priority !== 'NORMAL' && (
          <Badge color={priority === 'HIGH' ? 'red' : 'gray'} title={t`Priority`}>
            {priorities[priority]}
          </Badge>
        )}
        {noteCount > 0 && <Badge color="gray">{plural(noteCount, { one: '# note', other: '# notes' })}</Badge>}
        <Small className={classes.known} title={named || known}>
          {known}
        </Small>
      </div>
    </div>
  );
}

function Due({ task, today }: { task: Task; today: LocalDate }) {
  const zone = useZone();
  const due = dueOf(task);
  const isLate = useAsTimePasses(() => task.state === 'OPEN' && due !== null && isOverdue(due, zone));
  return due === null ? '–' : <DueBadge due={due} today={today} isLate={isLate} />;
}

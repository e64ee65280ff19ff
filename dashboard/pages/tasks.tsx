import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { byCursor } from '../http/pages';
import {
  getStaffOptions,
  getTasksInfiniteOptions,
  postTasksByTaskIdRetryMutation,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { Filters, FilterSelect, useFilter } from '../parts/filters';
import { Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { Proposal } from '../parts/proposal';
import { NeverCall } from '../parts/never-call';
import { nameOf, Telephone } from '../parts/person';
import { type Column, RecordList } from '../parts/record-list';
import { useRefresh } from '../parts/refresh';
import { saidFacts } from '../parts/said-facts';
import { sayDone, sayFailed } from '../parts/say';
import { Panel } from '../parts/section';
import { type Assignable, AssignTask, ResolveTask } from '../parts/task-actions';
import { taskReasons, taskTitle, taskWhy } from '../parts/task-reasons';
import { useAccount } from '../shell/account';

type Task = Api.Task;

const states = [
  { value: 'RESOLVED', label: 'Resolved' },
  { value: 'all', label: 'All' },
];

export function Tasks() {
  const { accountId } = useAccount();
  const [show, setShow] = useFilter('show');
  const [who, setWho] = useFilter('who');
  const [given, setReason] = useFilter('reason');
  const [age, setAge] = useFilter('age');
  const reason = taskReasons.find((each) => each === given);
  const staff = useQuery({ ...getStaffOptions(), staleTime: 60_000 });
  const state = show === 'all' ? undefined : show === 'RESOLVED' ? 'RESOLVED' : 'OPEN';
  const assigneeId = who === 'me' ? accountId : who;
  const until = age && age in ages ? hourBefore(ages[age as Age].hours) : undefined;
  const pages = useInfiniteQuery({
    ...getTasksInfiniteOptions({ query: { state, assigneeId, reason, until, limit: 50 } }),
    ...byCursor,
  });
  const people = (staff.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Page title="Tasks" lead="What the service leaves to people. Open to everybody of the clinic.">
      <Panel>
        <Filters>
          <FilterSelect label="State" any="Open" options={states} value={show} onChange={setShow} />
          <FilterSelect
            label="Assigned to"
            any="Anybody"
            options={[
              { value: 'me', label: 'Me' },
              { value: 'none', label: 'Nobody yet' },
              ...people.filter(({ value }) => value !== accountId),
            ]}
            value={who}
            onChange={setWho}
          />
          <FilterSelect
            label="About"
            any="Anything"
            options={taskReasons.map((value) => ({ value, label: taskTitle(value) }))}
            value={reason}
            onChange={setReason}
            width={240}
          />
          <FilterSelect
            label="Age"
            any="Any"
            options={Object.entries(ages).map(([value, { label }]) => ({ value, label }))}
            value={age}
            onChange={setAge}
          />
        </Filters>
        <RecordList
          label="Tasks"
          pages={pages}
          columns={columnsFor(people)}
          keyOf={({ id }) => id}
          empty={
            state === 'OPEN' && !who && !reason && !age
              ? { title: 'Nothing to do', text: 'Tasks are opened when a case needs a person.' }
              : { title: 'No task matches' }
          }
        />
      </Panel>
    </Page>
  );
}

type Age = keyof typeof ages;

/** Tasks that have waited for longer than this. */
const ages = {
  day: { hours: 24, label: 'Older than a day' },
  'three-days': { hours: 72, label: 'Older than three days' },
  week: { hours: 168, label: 'Older than a week' },
};

/** To the full hour, so that the list is the same one while somebody looks at it. */
function hourBefore(hours: number): string {
  const hour = 3_600_000;
  return new Date((Math.floor(Date.now() / hour) - hours) * hour).toISOString();
}

const columnsFor = (people: Assignable[]): Column<Task>[] => [
  { head: 'Task', cell: (task) => <About task={task} />, width: '40%', isLong: true },
  {
    head: 'Patient',
    cell: ({ patient }) =>
      patient ? (
        <Stack gap={2}>
          <Anchor component={Link} to={`/patients/${patient.id}`} size="sm">
            {nameOf(patient)}
          </Anchor>
          {patient.phone && <Telephone number={patient.phone} />}
        </Stack>
      ) : (
        '–'
      ),
  },
  { head: 'Opened', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { head: 'Assigned to', cell: (task) => <AssignTask task={task} people={people} /> },
  { head: 'State', cell: (task) => <ResolveTask task={task} /> },
];

/** What the patient stopped at and asked, and what the task itself says; each once. */
function factsOf({ barrier, detail }: Task): [string, string][] {
  const facts = new Map([...saidFacts(barrier), ...saidFacts(detail)]);
  return [...facts];
}

function About({ task }: { task: Task }) {
  return (
    <Stack gap={2}>
      <Text size="sm" fw={500}>
        {taskTitle(task.reason)}
      </Text>
      <Text size="xs" c="dimmed" fw={400}>
        {taskWhy(task.reason)}
      </Text>
      {factsOf(task).map(([name, value]) => (
        <Text key={name} size="xs" fw={400} lineClamp={4} title={value}>
          {name}: {value}
        </Text>
      ))}
      <Group gap="md">
        {task.recoveryCaseId && (
          <Anchor component={Link} to={`/cases/${task.recoveryCaseId}`} size="sm" fw={400} py={2}>
            Show the case
          </Anchor>
        )}
        {task.callId && (
          <Anchor component={Link} to={`/calls/${task.callId}`} size="sm" fw={400} py={2}>
            Show the call
          </Anchor>
        )}
        {task.state === 'OPEN' && typeof task.detail.proposalId === 'string' && (
          <Proposal proposalId={task.detail.proposalId} />
        )}
        {task.canRetry && <TryAgain task={task} />}
        {task.patient && task.state === 'OPEN' && <NeverCall patient={task.patient} />}
      </Group>
    </Stack>
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
      Try again
    </Anchor>
  );
}

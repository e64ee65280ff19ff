import { Anchor, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { byCursor } from '../http/pages';
import {
  getStaffOptions,
  getTasksInfiniteOptions,
  patchTasksByTaskIdMutation,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { IconCheck, IconRotate } from '../icons';
import { Filters, FilterSelect, useFilter } from '../parts/filters';
import { Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { Proposal } from '../parts/proposal';
import { NeverCall } from '../parts/never-call';
import { nameOf } from '../parts/person';
import { type Column, RecordList } from '../parts/record-list';
import { useRefresh } from '../parts/refresh';
import { saidFacts } from '../parts/said-facts';
import { sayDone, sayFailed } from '../parts/say';
import { Panel } from '../parts/section';
import { Status } from '../parts/status';
import { taskTitle, taskWhy } from '../parts/task-reasons';
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
  const staff = useQuery({ ...getStaffOptions(), staleTime: 60_000 });
  const state = show === 'all' ? undefined : show === 'RESOLVED' ? 'RESOLVED' : 'OPEN';
  const assigneeId = who === 'me' ? accountId : who;
  const pages = useInfiniteQuery({
    ...getTasksInfiniteOptions({ query: { state, assigneeId, limit: 50 } }),
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
        </Filters>
        <RecordList
          label="Tasks"
          pages={pages}
          columns={columnsFor(people)}
          keyOf={({ id }) => id}
          empty={
            state === 'OPEN' && !who
              ? { title: 'Nothing to do', text: 'Tasks are opened when a case needs a person.' }
              : { title: 'No task matches' }
          }
        />
      </Panel>
    </Page>
  );
}

type Person = { value: string; label: string };

const columnsFor = (people: Person[]): Column<Task>[] => [
  { head: 'Task', cell: (task) => <About task={task} />, width: '40%', isLong: true },
  {
    head: 'Patient',
    cell: ({ patient }) =>
      patient ? (
        <Anchor component={Link} to={`/patients/${patient.id}`} size="sm">
          {nameOf(patient)}
        </Anchor>
      ) : (
        '–'
      ),
  },
  { head: 'Opened', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { head: 'Assigned to', cell: (task) => <Assignee task={task} people={people} /> },
  { head: 'State', cell: (task) => <Resolve task={task} /> },
];

function About({ task }: { task: Task }) {
  return (
    <Stack gap={2}>
      <Text size="sm" fw={500}>
        {taskTitle(task.reason)}
      </Text>
      <Text size="xs" c="dimmed" fw={400}>
        {taskWhy(task.reason)}
      </Text>
      {saidFacts(task.detail).map(([name, value]) => (
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
        {task.patient && task.state === 'OPEN' && <NeverCall patient={task.patient} />}
      </Group>
    </Stack>
  );
}

function useChangeTask(done: string) {
  const refresh = useRefresh('tasks', 'overview');
  return useMutation({
    ...patchTasksByTaskIdMutation(),
    onSuccess: () => sayDone(done),
    onError: sayFailed,
    onSettled: refresh,
  });
}

function Assignee({ task, people }: { task: Task; people: Person[] }) {
  const change = useChangeTask('The task is assigned.');
  return (
    <Select
      aria-label={`Assign ${taskTitle(task.reason)}`}
      size="xs"
      w={150}
      placeholder="Nobody yet"
      data={people}
      value={task.assignee?.id ?? null}
      clearable
      clearButtonProps={{ 'aria-label': 'Take it from them' }}
      disabled={change.isPending || task.state === 'RESOLVED'}
      onChange={(assigneeId) => change.mutate({ path: { taskId: task.id }, body: { assigneeId: assigneeId ?? null } })}
    />
  );
}

function Resolve({ task }: { task: Task }) {
  const isOpen = task.state === 'OPEN';
  const change = useChangeTask(isOpen ? 'The task is resolved.' : 'The task is open again.');
  return (
    <Group gap="xs" wrap="nowrap" display="inline-flex">
      {!isOpen && <Status state={task.state} />}
      <Button
        size="xs"
        variant="default"
        loading={change.isPending}
        leftSection={isOpen ? <IconCheck size={14} aria-hidden /> : <IconRotate size={14} aria-hidden />}
        onClick={() => change.mutate({ path: { taskId: task.id }, body: { state: isOpen ? 'RESOLVED' : 'OPEN' } })}
      >
        {isOpen ? 'Resolve' : 'Reopen'}
      </Button>
    </Group>
  );
}

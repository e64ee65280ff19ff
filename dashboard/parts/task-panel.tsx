import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Drawer, Group, SimpleGrid, Stack, Text, Textarea, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { getTasksByTaskIdOptions, postTasksByTaskIdNotesMutation } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { Facts } from './facts';
import { Moment } from './moment';
import { nameOf, Telephone } from './person';
import { useRefresh } from './refresh';
import { showRefusal } from './refusal';
import { saidFacts } from './said-facts';
import { sayDone } from './say';
import { Loaded, Nothing } from './states';
import { type Assignable, AssignTask, ResolveTask, TaskDue, TaskPriority } from './task-actions';
import { taskTitle, taskWhy } from './task-reasons';
import classes from './task-panel.module.css';

type Task = Api.Task;

/** What the patient stopped at and asked, and what the task itself says; each once. */
export function factsOfTask({ barrier, detail }: Pick<Task, 'barrier' | 'detail'>): [string, string][] {
  const facts = new Map([...saidFacts(barrier), ...saidFacts(detail)]);
  return [...facts];
}

/** All of a task beside the list: whom to ring, what they asked, whose it is, until when, and what people have noted. */
export function TaskPanel({
  taskId,
  people,
  onClose,
}: {
  /** Null while no task is chosen. */
  taskId: string | null;
  people: Assignable[];
  onClose: () => void;
}) {
  return (
    <Drawer
      opened={taskId !== null}
      onClose={onClose}
      title={t`Task`}
      size="md"
      closeButtonProps={{ 'aria-label': t`Close` }}
    >
      {taskId !== null && <Shown taskId={taskId} people={people} />}
    </Drawer>
  );
}

function Shown({ taskId, people }: { taskId: string; people: Assignable[] }) {
  const found = useQuery(getTasksByTaskIdOptions({ path: { taskId } }));
  return (
    <Loaded query={found} rows={8}>
      {(task) => (
        <Stack gap="lg">
          <div>
            <Title order={3} size="h4">
              {taskTitle(task.reason)}
            </Title>
            <Text size="sm" c="dimmed">
              {taskWhy(task.reason)}
            </Text>
          </div>
          <Facts
            facts={[
              [
                t`Patient`,
                task.patient && (
                  <Anchor component={Link} to={`/patients/${task.patient.id}`} size="sm">
                    {nameOf(task.patient)}
                  </Anchor>
                ),
                'long',
              ],
              [t`Phone`, task.patient?.phone && <Telephone number={task.patient.phone} />],
              [t`Opened`, <Moment at={task.createdAt} />],
              [t`Resolved`, task.resolvedAt && <Moment at={task.resolvedAt} />],
              ...factsOfTask(task).map(([name, value]): [string, string, 'long'] => [name, value, 'long']),
            ]}
          />
          <Group gap="md">
            {task.recoveryCaseId && (
              <Anchor component={Link} to={`/cases/${task.recoveryCaseId}`} size="sm">
                <Trans>Show the case</Trans>
              </Anchor>
            )}
            {task.callId && (
              <Anchor component={Link} to={`/calls/${task.callId}`} size="sm">
                <Trans>Show the call</Trans>
              </Anchor>
            )}
          </Group>
          <SimpleGrid cols={2}>
            <TaskPriority task={task} />
            <TaskDue task={task} />
          </SimpleGrid>
          <Group justify="space-between">
            <AssignTask task={task} people={people} />
            <ResolveTask task={task} />
          </Group>
          <Notes task={task} />
        </Stack>
      )}
    </Loaded>
  );
}

function Notes({ task: { id: taskId, notes } }: { task: Api.TaskWithNotes }) {
  const refresh = useRefresh('tasks');
  const form = useForm({ initialValues: { note: '' } });
  const add = useMutation({
    ...postTasksByTaskIdNotesMutation(),
    onSuccess() {
      form.reset();
      sayDone(t`The note is added.`);
    },
    onError: (error) => showRefusal(form, error, { note: t`Note` }),
    onSettled: refresh,
  });
  return (
    <Stack gap="sm" component="section" aria-label={t`Notes`}>
      <Title order={4} size="h5">
        <Trans>Notes</Trans>
      </Title>
      <form noValidate onSubmit={form.onSubmit((body) => add.mutate({ path: { taskId }, body }))}>
        <Stack gap="xs">
          <Textarea
            label={t`New note`}
            autosize
            minRows={2}
            maxRows={8}
            maxLength={4_000}
            {...form.getInputProps('note')}
          />
          <Group>
            <Button
              type="submit"
              size="xs"
              variant="default"
              loading={add.isPending}
              disabled={!form.values.note.trim()}
            >
              <Trans>Add the note</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
      {notes.length === 0 ? (
        <Nothing>
          <Trans>No note yet.</Trans>
        </Nothing>
      ) : (
        <ul className={classes.notes}>
          {notes.map(({ id, note, writtenBy, createdAt }) => (
            <li key={id} className={classes.note}>
              <Text size="sm" className={classes.text}>
                {note}
              </Text>
              <Text size="xs" c="dimmed">
                {writtenBy}, <Moment at={createdAt} />
              </Text>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}

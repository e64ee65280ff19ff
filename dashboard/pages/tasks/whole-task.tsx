import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { useActionForm } from '#forms';
import { CallLink, CaseLink, Facts, Loaded, PatientLink, Viewers, Watched } from '#parts';
import { t } from '#texts';
import { Born, Moment, Quiet, Small, Telephone } from '#words';
import { NeverCall } from '../outreach/never-call';
import { NoteForm } from '../patients/add-note';
import { CallWishes, DoNotCall } from '../patients/call-wishes';
import { Proposal } from '../patients/proposal';
import { AlarmLink } from './alarm-link';
import { ConfirmBooking } from './confirm-booking';
import { type Assignable, AssignTask, TaskDue, TaskPriority } from './task-actions';
import { outcomes } from './task-due';
import { factsOfTask } from './task-facts';
import { ResolveTask } from './task-outcomes';
import classes from './task-panel.module.css';
import { taskTitle, taskWhy } from './task-reasons';
import { TryAgain } from './try-again';

/** Whom to ring, what they asked, whose it is, until when, and what people have noted. */
export const WholeTask = ({ taskId, people }: { taskId: string; people: Assignable[] }) => (
  <Loaded query={useQuery(api.getTasksByTaskIdOptions({ path: { taskId } }))} rows={8}>
    {(task) => (
      <Watched recordId={task.id}>
        <Stack gap="lg">
          <div>
            <Title order={3} size="h4">
              {taskTitle(task.reason)}
            </Title>
            <Quiet>{taskWhy(task.reason)}</Quiet>
            <Viewers />
          </div>
          <Group justify="space-between" align="flex-end">
            <AssignTask task={task} people={people} />
            <ResolveTask task={task} />
          </Group>
          <Facts
            facts={[
              [t`Patient`, task.patient && <PatientLink of={task.patient} />, 'long'],
              [t`Born`, task.patient?.dateOfBirth && <Born on={task.patient.dateOfBirth} />],
              [
                t`Phone`,
                task.patient?.phone && (
                  <Group gap="xs">
                    <Telephone number={task.patient.phone} />
                    <PatientNotes patient={task.patient} />
                  </Group>
                ),
              ],
              [t`Opened`, <Moment at={task.createdAt} />],
              [t`Resolved`, task.resolvedAt && <Moment at={task.resolvedAt} />],
              [t`Last call`, task.outcome && outcomes[task.outcome]],
              ...factsOfTask(task).map(([name, value]): [string, string, 'long'] => [name, value, 'long']),
            ]}
          />
          <Group gap="md">
            {task.recoveryCaseId && <CaseLink id={task.recoveryCaseId} />}
            {task.callId && <CallLink id={task.callId} />}
            <AlarmLink task={task} />
            {task.canConfirm && <ConfirmBooking task={task} />}
            {task.canRetry && <TryAgain task={task} />}
            {task.patient && task.patient.optOut !== 'all' && task.state === 'OPEN' && (
              <NeverCall patient={task.patient} />
            )}
          </Group>
          {task.state === 'OPEN' && typeof task.detail.proposalId === 'string' && (
            <Proposal proposalId={task.detail.proposalId} />
          )}
          <div className={classes.settings}>
            <TaskPriority task={task} />
            <TaskDue task={task} />
          </div>
          <Notes task={task} />
        </Stack>
      </Watched>
    )}
  </Loaded>
);

/** That a patient is not to be called, or when and in which language. */
const PatientNotes = ({ patient }: { patient: api.TaskPatient }) => (
  <>
    {patient.optOut && <DoNotCall scope={patient.optOut} />}
    <CallWishes {...patient} />
  </>
);

function Notes({ task: { id: taskId, notes } }: { task: api.TaskWithNotes }) {
  const form = useActionForm(api.postTasksByTaskIdNotesMutation(), {
    initialValues: { note: '' },
    labels: { note: t`New note` },
    request: (body) => ({ path: { taskId }, body }),
    done: t`The note is added.`,
    refresh: ['tasks'],
  });
  return (
    <Stack gap="sm" component="section" aria-label={t`Notes`}>
      <Title order={4} size="h5">
        {t`Notes`}
      </Title>
      <NoteForm form={form} />
      {notes.length === 0 ? (
        <Quiet>{t`No note yet.`}</Quiet>
      ) : (
        <ul className={classes.notes}>
          {notes.map(({ id, note, writtenBy, createdAt }) => (
            <li key={id} className={classes.note}>
              <Text size="sm" className={classes.text}>
                {note}
              </Text>
              <Small>
                {writtenBy}, <Moment at={createdAt} />
              </Small>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}

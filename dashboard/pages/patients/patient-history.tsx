import { Anchor, Badge, Box, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import * as api from '#api';
import { StackedList } from '#lists';
import { Section, Status, workflowName } from '#parts';
import { t } from '#texts';
import { Moment, Name, PageLink, Quiet, Small } from '#words';
import { Why } from '../outreach/why-called';
import { ResolveTask } from '../tasks/task-actions';
import { taskTitle } from '../tasks/task-reasons';
import { AddNote } from './add-note';
import classes from './patient.module.css';

/** What was done for a patient, newest first: cases, tasks, calls, notes, and what held calls back. */
export function PatientHistory({ patient }: { patient: api.PatientRecord }) {
  const { id: patientId } = patient;
  return (
    <>
      <Cases patientId={patientId} />
      <Tasks patientId={patientId} />
      <Calls patientId={patientId} />
      <Notes patient={patient} />
      <NotCalled patientId={patientId} />
    </>
  );
}

const Cases = ({ patientId }: { patientId: string }) => (
  <Section title={t`Recovery cases`}>
    <StackedList
      query={useQuery(api.getCasesOptions({ query: { patientId, limit: 10 } }))}
      none={t`No recovery case.`}
      keyOf={({ recoveryCaseId }) => recoveryCaseId}
    >
      {({ recoveryCaseId, formName, recoveryStatus, createdAt }) => (
        <Group gap="xs">
          <PageLink to={`/cases/${recoveryCaseId}`} lineClamp={3}>
            {formName ?? t`Started over the API`}
          </PageLink>
          <Status state={recoveryStatus} />
          <When at={createdAt} />
        </Group>
      )}
    </StackedList>
  </Section>
);

const When = ({ at, near }: { at: string; near?: boolean }) => (
  <Small>
    <Moment at={at} near={near} />
  </Small>
);

const Tasks = ({ patientId }: { patientId: string }) => (
  <Section title={t`Tasks`}>
    <StackedList
      query={useQuery(api.getTasksOptions({ query: { patientId, limit: 10 } }))}
      gap="sm"
      none={t`No task.`}
      keyOf={({ id }) => id}
    >
      {(task) => (
        <Group gap="xs" justify="space-between" align="flex-start">
          <div>
            <Group gap="xs">
              <Name>{taskTitle(task.reason)}</Name>
              <Status state={task.state} />
            </Group>
            <Small>
              {task.assignee?.name ?? t`Nobody yet`}, <Moment at={task.createdAt} />
            </Small>
          </div>
          <ResolveTask task={task} />
        </Group>
      )}
    </StackedList>
  </Section>
);

/** What calls and staff wrote down. */
const Notes = ({ patient: { id: patientId, documents } }: { patient: api.PatientRecord }) => (
  <Section title={t`Notes`}>
    {documents.length > 0 && (
      <Stack component="ul" gap="md" className={classes.plain}>
        {documents.map((document) => (
          <Note key={document.id} document={document} />
        ))}
      </Stack>
    )}
    <Box mt={documents.length > 0 ? 'md' : undefined}>
      <AddNote patientId={patientId} />
    </Box>
  </Section>
);

const Note = ({
  document: { note, createdAt, callId, escalateToClinicalTeam, requestExternalRecords },
}: {
  document: api.PatientRecord['documents'][number];
}) => (
  <li>
    <Group gap="xs" mb={4}>
      <When at={createdAt} near={false} />
      {escalateToClinicalTeam && <Badge color="red">{t`For the clinical team`}</Badge>}
      {requestExternalRecords && <Badge color="blue">{t`External records wanted`}</Badge>}
      {callId && (
        <Anchor component={Link} to={`/calls/${callId}`} size="xs">
          {t`Show the call`}
        </Anchor>
      )}
    </Group>
    {note ? (
      <Text size="sm" className={classes.note}>
        {note}
      </Text>
    ) : (
      <Quiet>{t`Without a text.`}</Quiet>
    )}
  </li>
);

const Calls = ({ patientId }: { patientId: string }) => (
  <Section title={t`Calls`}>
    <StackedList
      query={useQuery(api.getCallsOptions({ query: { patientId, limit: 10 } }))}
      gap="md"
      none={t`Never called.`}
      keyOf={({ id }) => id}
    >
      {({ id, state, createdAt, workflowType, summary }) => (
        <>
          <Group gap="xs">
            <PageLink to={`/calls/${id}`}>{workflowName(workflowType)}</PageLink>
            <Status state={state} />
            <When at={createdAt} />
          </Group>
          {summary && (
            <Quiet lineClamp={4} title={summary}>
              {summary}
            </Quiet>
          )}
        </>
      )}
    </StackedList>
  </Section>
);

/** What held calls back or ended them, of all workflows: a call that was placed says so on its own page. */
function NotCalled({ patientId }: { patientId: string }) {
  const query = { called: 'false', limit: 10 } as const;
  return (
    <Section title={t`Why not called`}>
      <StackedList
        query={useQuery(api.getPatientsByPatientIdCallDecisionsOptions({ path: { patientId }, query }))}
        none={t`Nothing has held a call back.`}
        keyOf={({ at, workflowId, rule }) => `${at}-${workflowId}-${rule}`}
      >
        {(decision) => (
          <>
            <Group gap="xs">
              <Text size="sm">{workflowName(decision.workflowType)}</Text>
              <When at={decision.at} near={false} />
            </Group>
            <Quiet>
              <Why decision={decision} />
            </Quiet>
          </>
        )}
      </StackedList>
    </Section>
  );
}

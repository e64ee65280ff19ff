import { Badge, Group, NativeSelect, Text } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import * as api from '#api';
import {
  type Icon,
  IconCalendarWeek,
  IconChecklist,
  IconClipboardText,
  IconForms,
  IconPhone,
  IconPhoneOff,
  IconSend,
  IconUser,
} from '#icons';
import { callSubject, Happening, Loaded, onDemand, Section, Status, Timeline } from '#parts';
import { t } from '#texts';
import { optionsOf, PageLink, Quiet, Small } from '#words';
import { isChangeable } from '../calendar/appointment';
import { DeliveryState } from '../events/delivery-state';
import { eventName } from '../events/event-names';
import { endingWords } from '../outreach/call-ending';
import { countedWaits, EarlierWaits, foldWaits } from '../outreach/waits';
import { Why } from '../outreach/why-called';
import { outcomes } from '../tasks/task-due';
import { knownOfTask } from '../tasks/task-facts';
import { taskTitle } from '../tasks/task-reasons';
import { AddNote } from './add-note';
import classes from './patient.module.css';

const CancellationReason = onDemand(async () => (await import('../calendar/cancellation-reasons')).CancellationReason);

const ResolveTask = onDemand(async () => (await import('../tasks/task-outcomes')).ResolveTask);

const Did = onDemand(async () => (await import('./did')).Did);

/** Of each kind so many of the newest are shown. */
const perKind = 20;

type Kind = 'form' | 'call' | 'decision' | 'visit' | 'note' | 'task' | 'staff' | 'delivery';

const kinds: Record<Kind, string> = {
  form: t`Forms`,
  call: t`Calls`,
  decision: t`Why not called`,
  visit: t`Visits`,
  note: t`Notes`,
  task: t`Tasks`,
  staff: t`By the clinic`,
  delivery: t`Deliveries`,
};

interface Entry {
  kind: Kind;
  key: string;
  at: string;
  /** Nothing for a person: shown only where its kind is asked for. */
  isRoutine?: boolean;
  /** Where it is one: those right before it stand in its line. */
  wait?: { title: string; decision: api.PatientDecision };
  title: ReactNode;
  aside?: ReactNode;
  body?: ReactNode;
}

const icons: Record<Kind, Icon> = {
  form: IconForms,
  call: IconPhone,
  decision: IconPhoneOff,
  visit: IconCalendarWeek,
  note: IconClipboardText,
  task: IconChecklist,
  staff: IconUser,
  delivery: IconSend,
};

/** All that happened with a patient, newest first; a note is added where it will stand. */
export function PatientTimeline({ patient }: { patient: api.PatientRecord }) {
  const [kind, setKind] = useState<Kind | ''>('');
  const asked = useEntries(patient);
  return (
    <Section
      title={t`What happened`}
      gap="md"
      actions={
        <NativeSelect
          aria-label={t`What is shown`}
          size="xs"
          w={170}
          data={[{ value: '', label: t`Everything` }, ...optionsOf(kinds)]}
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value as Kind | '')}
        />
      }
    >
      <AddNote patientId={patient.id} />
      <Loaded query={asked} rows={6}>
        {(entries) => (
          <Entries entries={entries.filter((each) => (kind === '' ? !each.isRoutine : each.kind === kind))} />
        )}
      </Loaded>
    </Section>
  );
}

const Entries = ({ entries }: { entries: Entry[] }) =>
  entries.length === 0 ? (
    <Quiet>{t`Nothing yet.`}</Quiet>
  ) : (
    <Timeline label={t`What happened`}>
      {foldWaits(entries, ({ wait }) => wait?.decision.workflowId ?? null).map(
        ([entry, ...earlier]) => entry && <Line key={entry.key} entry={entry} earlier={earlier} />,
      )}
    </Timeline>
  );

const Line = ({
  entry: { kind, at, title, aside, body, wait },
  earlier,
}: {
  entry: Entry;
  /** Newest first, as the timeline. */
  earlier: Entry[];
}) => (
  <Happening
    at={at}
    icon={icons[kind]}
    title={wait ? countedWaits(wait.title, earlier.length + 1) : title}
    aside={aside}
    isDated
  >
    {body}
    <EarlierWaits decisions={earlier.flatMap((each) => each.wait?.decision ?? [])} />
  </Happening>
);

function useEntries(patient: api.PatientRecord) {
  const { id: patientId, appointments, documents, changes, createdAt } = patient;
  const query = { patientId, limit: perKind };
  const cases = useQuery(api.getCasesOptions({ query }));
  const calls = useQuery(api.getCallsOptions({ query }));
  const tasks = useQuery(api.getTasksOptions({ query }));
  const decisions = useQuery(
    api.getPatientsByPatientIdCallDecisionsOptions({ path: { patientId }, query: { called: 'false', limit: perKind } }),
  );
  const told = useQueries({
    queries: (cases.data?.items ?? []).map(({ recoveryCaseId }) =>
      api.getDeliveriesOptions({ query: { subject: recoveryCaseId, limit: perKind } }),
    ),
  });
  const formOf = ({ workflowId }: { workflowId: string | null }) =>
    cases.data?.items.find((each) => each.workflowId === workflowId)?.formName;
  const asked = [cases, calls, tasks, decisions, ...told];
  const isRead = asked.every(({ data }) => data !== undefined);
  return {
    data: isRead
      ? [
          ...(cases.data?.items ?? []).map(formEntry),
          ...(calls.data?.items ?? []).map(callEntry),
          ...(tasks.data?.items ?? []).map(taskEntry),
          ...(decisions.data?.items ?? []).map((decision) => decisionEntry(decision, formOf(decision))),
          ...told.flatMap(({ data }) => data?.items ?? []).map(deliveryEntry),
          ...appointments.filter((visit) => !isChangeable(visit) && !cancelling(visit, changes)).map(visitEntry),
          ...documents.map((document) => noteEntry(document, changes)),
          ...changes.filter((change) => !isNote(change)).map((change) => changeEntry(change, patient)),
          { kind: 'note' as const, key: 'first', at: createdAt, title: t`First on record` },
        ].toSorted((one, other) => other.at.localeCompare(one.at))
      : undefined,
    error: asked.find(({ error }) => error)?.error ?? null,
    isPending: !isRead,
    refetch: () => asked.filter(({ error }) => error).map(({ refetch }) => refetch()),
  };
}

const formEntry = ({ recoveryCaseId, formName: form, recoveryStatus, createdAt }: api.RecoveryCase): Entry => ({
  kind: 'form',
  key: `form-${recoveryCaseId}`,
  at: createdAt,
  title: <PageLink to={`/cases/${recoveryCaseId}`}>{form ? t`Form: ${form}` : t`Started over the API`}</PageLink>,
  aside: <Status state={recoveryStatus} />,
});

const callEntry = ({ id, createdAt, workflowType, formName, summary, ...call }: api.Call): Entry => ({
  kind: 'call',
  key: `call-${id}`,
  at: createdAt,
  title: <PageLink to={`/calls/${id}`}>{t`Call: ${callSubject(workflowType, formName)}`}</PageLink>,
  aside: call.ending === null ? <Status state={call.state} /> : <Small>{endingWords(call)}</Small>,
  body: summary && (
    <Quiet lineClamp={4} title={summary}>
      {summary}
    </Quiet>
  ),
});

const taskEntry = (task: api.Task): Entry => ({
  kind: 'task',
  key: `task-${task.id}`,
  at: task.createdAt,
  title: taskTitle(task.reason),
  // Where it is resolved, its button says so.
  aside: task.state === 'OPEN' && <Status state={task.state} />,
  body: (
    <Group gap="xs" justify="space-between">
      {knownOfTask(task) && (
        <Quiet w="100%" lineClamp={2}>
          {knownOfTask(task)}
        </Quiet>
      )}
      <Quiet>{(task.outcome && outcomes[task.outcome]) ?? task.assignee?.name ?? t`Unassigned`}</Quiet>
      <Suspense fallback={null}>
        <ResolveTask task={task} />
      </Suspense>
    </Group>
  ),
});

/** What held a call back or ended it: a call that was placed says so on its own page. */
const decisionEntry = (decision: api.PatientDecision, form: string | null | undefined): Entry => {
  const title = t`Not called: ${callSubject(decision.workflowType, form)}`;
  return {
    kind: 'decision',
    key: `decision-${decision.at}-${decision.workflowId}-${decision.rule}`,
    at: decision.at,
    // Every first call waits for a while.
    isRoutine: decision.rule === 'first_call_delay',
    title,
    wait: decision.decided === 'wait' ? { title, decision } : undefined,
    body: (
      <Quiet>
        <Why decision={decision} />
      </Quiet>
    ),
  };
};

const deliveryEntry = (delivery: api.Delivery): Entry => ({
  kind: 'delivery',
  key: `delivery-${delivery.id}`,
  at: delivery.createdAt,
  isRoutine: delivery.state === 'DELIVERED',
  title: <PageLink to={`/deliveries/${delivery.id}`}>{t`Event: ${eventName(delivery.event)}`}</PageLink>,
  aside: <DeliveryState delivery={delivery} />,
});

const visitEntry = (visit: api.PatientRecord['appointments'][number]): Entry => ({
  kind: 'visit',
  key: `visit-${visit.id}`,
  at: visit.startsAt,
  title: `${visit.visitType ?? t`Visit`}, ${visit.providerDisplayName}`,
  aside: <Status state={visit.status} />,
  body: <Reason of={visit} />,
});

const Reason = ({ of: { cancellationReason } }: { of: api.AppointmentRecord }) =>
  cancellationReason && (
    <Suspense fallback={null}>
      <Quiet>
        <CancellationReason of={cancellationReason} />
      </Quiet>
    </Suspense>
  );

type Change = api.PatientRecord['changes'][number];

/** Who cancelled a visit, where that was somebody of the clinic: it stands when that was done, not where the visit would have been. */
const cancelling = ({ id, status }: api.AppointmentRecord, changes: Change[]): Change | undefined =>
  status === 'cancelled' ? changes.find((change) => isCancelling(change, id)) : undefined;

const isCancelling = ({ action, detail }: Change, id: string): boolean =>
  action === 'appointment.cancel' && detail['appointmentId'] === id;

/** It stands with its text. */
const isNote = ({ detail }: Change): boolean => detail['documentId'] !== undefined;

const changeEntry = (change: Change, patient: api.PatientRecord): Entry => ({
  kind: 'staff',
  key: `change-${change.id}`,
  at: change.at,
  // Who has a task stands with it.
  isRoutine: change.action === 'task.change' && !('state' in change.detail || 'outcome' in change.detail),
  title: (
    <Suspense fallback="…">
      <Did change={change} patient={patient} />
    </Suspense>
  ),
  body: patient.appointments
    .filter((visit) => cancelling(visit, patient.changes) === change)
    .map((visit) => <Reason key={visit.id} of={visit} />),
});

const noteEntry = (document: api.PatientRecord['documents'][number], changes: Change[]): Entry => ({
  kind: 'note',
  key: `note-${document.id}`,
  at: document.createdAt,
  title: document.callId ? (
    <PageLink to={`/calls/${document.callId}`}>{t`Note of a call`}</PageLink>
  ) : (
    writtenBy(changes.find(({ detail }) => detail['documentId'] === document.id)?.actorName)
  ),
  aside: (
    <>
      {document.escalateToClinicalTeam && <Badge color="red">{t`For the clinical team`}</Badge>}
      {document.requestExternalRecords && <Badge color="blue">{t`External records wanted`}</Badge>}
    </>
  ),
  body: document.note ? (
    <Text size="sm" className={classes.note}>
      {document.note}
    </Text>
  ) : (
    <Quiet>{t`Without a text.`}</Quiet>
  ),
});

const writtenBy = (name: string | null | undefined): string => (name ? t`Note by ${name}` : t`Note`);

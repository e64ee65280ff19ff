import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, List, Loader, Modal, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import {
  deletePatientsByPatientIdLegalHoldMutation,
  getErasuresByErasureIdOptions,
  getPatientsByPatientIdErasureOptions,
  getPatientsByPatientIdLegalHoldOptions,
  postPatientsByPatientIdErasureMutation,
  putPatientsByPatientIdLegalHoldMutation,
} from '../http/client/@tanstack/react-query.gen';
import { getPatientsByPatientIdExport } from '../http/client/sdk.gen';
import type * as Api from '../http/client/types.gen';
import { IconLock, IconTrash } from '../icons';
import { useIsAdmin } from '../shell/account';
import { ExportButton } from './export-button';
import { Moment } from './moment';
import { nameOf } from './person';
import { useRefresh } from './refresh';
import { refusedAt } from './refusal';
import { sayDone, sayFailed } from './say';
import { Section } from './section';
import { Loaded } from './states';

type Patient = Api.PatientRecord;
type Reason = Api.Erasure['reason'];

/** What an administrator may do with all that is stored about a patient. */
export function PatientData({ patient }: { patient: Patient }) {
  const isAdmin = useIsAdmin();
  const { id: patientId } = patient;
  const held = useQuery(getPatientsByPatientIdLegalHoldOptions({ path: { patientId } }));
  return (
    <Section title={t`Everything about this patient`}>
      <Stack gap="sm">
        <Loaded query={held} rows={1}>
          {({ hold }) => (hold ? <Held hold={hold} isAdmin={isAdmin} /> : null)}
        </Loaded>
        {isAdmin ? (
          <Group gap="xs">
            <Export patientId={patientId} format="json" label={t`Export as JSON`} />
            <Export patientId={patientId} format="fhir" label={t`Export as FHIR`} />
            {held.data?.hold === null && <PlaceHold patient={patient} />}
            <Erase patient={patient} />
          </Group>
        ) : (
          <Text size="sm" c="dimmed">
            <Trans>Only an administrator of your clinic can export or erase it.</Trans>
          </Text>
        )}
      </Stack>
    </Section>
  );
}

function Export({ patientId, format, label }: { patientId: string; format: 'json' | 'fhir'; label: string }) {
  const file = async () => {
    const request = { path: { patientId }, query: { format } };
    const { data } = await getPatientsByPatientIdExport({ ...request, parseAs: 'json', throwOnError: true });
    const name = format === 'json' ? `patient-${patientId}.json` : `patient-${patientId}-fhir.json`;
    return { name, text: JSON.stringify(data, null, 2), type: 'application/json' };
  };
  return <ExportButton size="xs" label={label} file={file} />;
}

function Held({ hold, isAdmin }: { hold: Api.LegalHold; isAdmin: boolean }) {
  const refresh = useRefresh('patients');
  const lift = useMutation({
    ...deletePatientsByPatientIdLegalHoldMutation(),
    onSuccess: () => sayDone(t`The hold is lifted.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  return (
    <Alert color="yellow" icon={<IconLock aria-hidden />} title={t`Legal hold: these records must stay`}>
      <Text size="sm">{hold.reason}</Text>
      <Group justify="space-between" mt="xs">
        <Text size="xs">
          {hold.placedByName ?? hold.placedBy}, <Moment at={hold.placedAt} near={false} />
        </Text>
        {isAdmin && (
          <Button
            size="compact-sm"
            variant="default"
            loading={lift.isPending}
            onClick={() => lift.mutate({ path: { patientId: hold.patientId } })}
          >
            <Trans>Lift</Trans>
          </Button>
        )}
      </Group>
    </Alert>
  );
}

function PlaceHold({ patient }: { patient: Patient }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [reason, setReason] = useState('');
  const refresh = useRefresh('patients');
  const place = useMutation({
    ...putPatientsByPatientIdLegalHoldMutation(),
    onSuccess() {
      close();
      setReason('');
      sayDone(t`The records stay until the hold is lifted.`);
    },
    onError: (error) => refusedAt(error, 'reason') === null && sayFailed(error),
    onSettled: refresh,
  });
  return (
    <>
      <Button size="xs" variant="default" leftSection={<IconLock size={14} aria-hidden />} onClick={open}>
        <Trans>Place a legal hold</Trans>
      </Button>
      <Modal opened={isOpen} onClose={close} title={t`Keep the records of ${nameOf(patient)}`}>
        <Stack>
          <Text size="sm">
            <Trans>Nobody can erase them until the hold is lifted.</Trans>
          </Text>
          <Textarea
            label={t`Why the records must stay`}
            data-autofocus
            maxLength={500}
            value={reason}
            error={refusedAt(place.error, 'reason')}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              <Trans>Close</Trans>
            </Button>
            <Button
              loading={place.isPending}
              onClick={() => place.mutate({ path: { patientId: patient.id }, body: { reason } })}
            >
              <Trans>Place the hold</Trans>
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

const reasons: Record<Reason, string> = {
  patient_request: t`The patient asks for it`,
  retention_over: t`The records have been kept for long enough`,
  entered_by_mistake: t`Entered by mistake`,
  court_order: t`A court orders it`,
};

function Erase({ patient }: { patient: Patient }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [erasureId, setErasureId] = useState<string | null>(null);
  const navigate = useNavigate();
  const refresh = useRefresh('patients', 'cases', 'calls', 'tasks');
  const leave = () => {
    close();
    if (erasureId === null) return;
    void navigate('/patients');
    void refresh();
  };
  return (
    <>
      <Button size="xs" color="red" variant="light" leftSection={<IconTrash size={14} aria-hidden />} onClick={open}>
        <Trans>Erase …</Trans>
      </Button>
      <Modal opened={isOpen} onClose={leave} title={t`Erase ${nameOf(patient)}?`} size="lg">
        {erasureId === null ? (
          <Question patient={patient} onRequested={setErasureId} onClose={leave} />
        ) : (
          <Progress erasureId={erasureId} onClose={leave} />
        )}
      </Modal>
    </>
  );
}

function Question({
  patient,
  onRequested,
  onClose,
}: {
  patient: Patient;
  onRequested: (erasureId: string) => void;
  onClose: () => void;
}) {
  const { id: patientId } = patient;
  const preview = useQuery({ ...getPatientsByPatientIdErasureOptions({ path: { patientId } }), staleTime: 0 });
  const [reason, setReason] = useState<Reason>('patient_request');
  const [typed, setTyped] = useState('');
  const word = patient.lastName.trim() || 'erase';
  const erase = useMutation({
    ...postPatientsByPatientIdErasureMutation(),
    onSuccess: ({ id }) => onRequested(id),
    onError: sayFailed,
  });
  return (
    <Stack>
      <Loaded query={preview} rows={4}>
        {(found) => <Consequences preview={found} />}
      </Loaded>
      {preview.data?.isHeld === false && (
        <>
          <Select
            label={t`Reason`}
            description={t`It stays with the proof of the erasure`}
            data={Object.entries(reasons).map(([value, label]) => ({ value, label }))}
            value={reason}
            allowDeselect={false}
            onChange={(chosen) => setReason((chosen ?? 'patient_request') as Reason)}
          />
          <TextInput
            label={t`To go on, type ${word}`}
            autoComplete="off"
            value={typed}
            error={refusedAt(erase.error, 'confirm')}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          <Trans>Close</Trans>
        </Button>
        {preview.data?.isHeld === false && (
          <Button
            color="red"
            disabled={typed.trim().toLowerCase() !== word.toLowerCase()}
            loading={erase.isPending}
            onClick={() => erase.mutate({ path: { patientId }, body: { reason, confirm: patientId } })}
          >
            <Trans>Erase for good</Trans>
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function Consequences({ preview: { isHeld, openWorkflows, openCalls, goes } }: { preview: Api.ErasurePreview }) {
  if (isHeld) {
    return (
      <Alert color="yellow" icon={<IconLock aria-hidden />} title={t`A legal hold refuses it`}>
        <Trans>Lift the hold on the page of the patient first.</Trans>
      </Alert>
    );
  }
  const counted = goes.flatMap(({ records, count }) => {
    const words = shown[records];
    return words ? [words(count)] : [];
  });
  return (
    <Stack gap="xs">
      <Text size="sm">
        <Trans>This cannot be undone, and nobody is called from now on.</Trans>
      </Text>
      <Text size="sm" fw={500}>
        <Trans>What goes</Trans>
      </Text>
      <List size="sm">
        <List.Item>{[t`name, contact, registration and insurance`, ...counted].join(', ')}</List.Item>
        <List.Item>
          <Trans>what the workflow engine holds of it</Trans>
        </List.Item>
        {openWorkflows > 0 && (
          <List.Item>
            <Trans>{openWorkflows} open workflows are cancelled first</Trans>
          </List.Item>
        )}
        {openCalls > 0 && (
          <List.Item>
            <Trans>calls that go on are waited for</Trans>
          </List.Item>
        )}
      </List>
      <Text size="sm" fw={500}>
        <Trans>What stays</Trans>
      </Text>
      <List size="sm">
        <List.Item>
          <Trans>the audit, by ids, and the proof of this erasure</Trans>
        </List.Item>
        <List.Item>
          <Trans>that the phone is not to be called, if so, as a hash nobody can read</Trans>
        </List.Item>
        <List.Item>
          <Trans>what your own systems and the voice platform hold: erase it there</Trans>
        </List.Item>
      </List>
    </Stack>
  );
}

/** What people know of the tables, with how many of it there are. */
const shown: Record<string, ((count: number) => string) | undefined> = {
  appointments: (count) => plural(count, { one: '# appointment', other: '# appointments' }),
  documents: (count) => plural(count, { one: '# note', other: '# notes' }),
  calls: (count) => plural(count, { one: '# call', other: '# calls' }),
  call_evidence: (count) => plural(count, { one: '# transcript', other: '# transcripts' }),
  recovery_cases: (count) => plural(count, { one: '# recovery case', other: '# recovery cases' }),
  workflow_runs: (count) => plural(count, { one: '# workflow', other: '# workflows' }),
  staff_tasks: (count) => plural(count, { one: '# task', other: '# tasks' }),
  inbound_events: (count) => plural(count, { one: '# received event', other: '# received events' }),
  outbound_events: (count) => plural(count, { one: '# sent event', other: '# sent events' }),
};

const LOOK_AGAIN_MS = 1_000;

function Progress({ erasureId, onClose }: { erasureId: string; onClose: () => void }) {
  const erasure = useQuery({
    ...getErasuresByErasureIdOptions({ path: { erasureId } }),
    refetchInterval: ({ state }) => (state.data?.state === 'DONE' ? false : LOOK_AGAIN_MS),
  });
  const isDone = erasure.data?.state === 'DONE';
  return (
    <Stack>
      <Group wrap="nowrap" role="status">
        {!isDone && <Loader size="sm" />}
        <Text size="sm">
          {isDone
            ? t`Nothing is left that says who it was.`
            : erasure.data?.state === 'ERASED'
              ? t`The records are gone; the workflow engine deletes its part.`
              : t`What is open is ended first. You may close this: it goes on by itself.`}
        </Text>
      </Group>
      <Group justify="flex-end">
        <Button onClick={onClose}>
          <Trans>Close</Trans>
        </Button>
      </Group>
    </Stack>
  );
}

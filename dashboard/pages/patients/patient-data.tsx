import { Alert, Button, Group, List, Loader, Modal, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import * as api from '#api';
import { DialogButton, DialogEnd, DialogForm, refusedAt, ServiceButton, useAction, useActionForm } from '#forms';
import { IconLock, IconTrash } from '#icons';
import { ExportButton } from '#lists';
import { Loaded, Section, useMay, useRefresh, useStopWatching } from '#parts';
import { t } from '#texts';
import { Moment, Name, nameOf, optionsOf, Quiet } from '#words';
import { countedRecords } from './record-counts';

type Patient = api.PatientRecord;
type Reason = api.Erasure['reason'];

/** What an administrator may do with all that is stored about a patient. */
export function PatientData({ patient }: { patient: Patient }) {
  const may = useMay();
  const mayErase = may('privacy');
  const { id: patientId } = patient;
  const held = useQuery(api.getPatientsByPatientIdLegalHoldOptions({ path: { patientId } }));
  return (
    <Section title={t`Everything about this patient`} gap="sm">
      <Loaded query={held} rows={1}>
        {({ hold }) => (hold ? <Held hold={hold} mayLift={mayErase} /> : null)}
      </Loaded>
      {may('exports') ? (
        <Group gap="xs">
          <Export patientId={patientId} format="json" label={t`Export as JSON`} />
          <Export patientId={patientId} format="fhir" label={t`Export as FHIR`} />
          {mayErase && held.data?.hold === null && <PlaceHold patient={patient} />}
          {mayErase && <Erase patient={patient} />}
        </Group>
      ) : (
        <Quiet>{t`Only a manager or an administrator of your clinic can export it.`}</Quiet>
      )}
    </Section>
  );
}

function Export({ patientId, format, label }: { patientId: string; format: 'json' | 'fhir'; label: string }) {
  const file = async () => {
    const request = { path: { patientId }, query: { format } };
    const { data } = await api.getPatientsByPatientIdExport({ ...request, parseAs: 'json', throwOnError: true });
    const name = format === 'json' ? `patient-${patientId}.json` : `patient-${patientId}-fhir.json`;
    return { name, text: JSON.stringify(data, null, 2), type: 'application/json' };
  };
  return <ExportButton size="xs" label={label} file={file} />;
}

const Held = ({ hold, mayLift }: { hold: api.LegalHold; mayLift: boolean }) => (
  <Alert color="yellow" icon={<IconLock aria-hidden />} title={t`Legal hold: these records must stay`}>
    <Text size="sm">{hold.reason}</Text>
    <Group justify="space-between" mt="xs">
      <Text size="xs">
        {hold.placedByName ?? hold.placedBy}, <Moment at={hold.placedAt} near={false} />
      </Text>
      {mayLift && (
        <ServiceButton
          size="compact-sm"
          does={api.deletePatientsByPatientIdLegalHoldMutation()}
          done={t`The hold is lifted.`}
          refresh={['patients']}
          request={{ path: { patientId: hold.patientId } }}
          label={t`Lift`}
        />
      )}
    </Group>
  </Alert>
);

const PlaceHold = ({ patient }: { patient: Patient }) => (
  <DialogButton label={t`Place a legal hold`} icon={IconLock} title={t`Keep the records of ${nameOf(patient)}`}>
    {(close) => <HoldForm patientId={patient.id} onDone={close} />}
  </DialogButton>
);

function HoldForm({ patientId, onDone }: { patientId: string; onDone: () => void }) {
  const label = t`Why the records must stay`;
  const form = useActionForm(api.putPatientsByPatientIdLegalHoldMutation(), {
    initialValues: { reason: '' },
    labels: { reason: label },
    request: (body) => ({ path: { patientId }, body }),
    done: t`The records stay until the hold is lifted.`,
    onDone,
    refresh: ['patients'],
  });
  return (
    <DialogForm form={form} action={t`Place the hold`} cancel={t`Close`} onClose={onDone}>
      <Text size="sm">{t`Nobody can erase them until the hold is lifted.`}</Text>
      <Textarea data-autofocus maxLength={500} {...form.field('reason')} />
    </DialogForm>
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
  const stopWatching = useStopWatching();
  const leave = () => {
    close();
    if (erasureId === null) return;
    void navigate('/patients');
    void refresh();
  };
  return (
    <>
      <Button size="xs" color="red" variant="light" leftSection={<IconTrash size={14} aria-hidden />} onClick={open}>
        {t`Erase …`}
      </Button>
      <Modal opened={isOpen} onClose={leave} title={t`Erase ${nameOf(patient)}?`} size="lg">
        {erasureId === null ? (
          <Question
            patient={patient}
            onRequested={(id) => {
              stopWatching();
              setErasureId(id);
            }}
            onClose={leave}
          />
        ) : (
          <Progress erasureId={erasureId} onClose={leave} />
        )}
      </Modal>
    </>
  );
}

interface QuestionProps {
  patient: Patient;
  onRequested: (erasureId: string) => void;
  onClose: () => void;
}

function Question({ patient, onRequested, onClose }: QuestionProps) {
  const { id: patientId } = patient;
  const preview = useQuery({ ...api.getPatientsByPatientIdErasureOptions({ path: { patientId } }), staleTime: 0 });
  const [reason, setReason] = useState<Reason>('patient_request');
  const [typed, setTyped] = useState('');
  const word = patient.lastName.trim() || 'erase';
  const erase = useAction(api.postPatientsByPatientIdErasureMutation(), { onDone: ({ id }) => onRequested(id) });
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
            data={optionsOf(reasons)}
            value={reason}
            allowDeselect={false}
            onChange={(chosen) => setReason(chosen ?? 'patient_request')}
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
      <DialogEnd onClose={onClose}>
        {preview.data?.isHeld === false && (
          <Button
            color="red"
            disabled={typed.trim().toLowerCase() !== word.toLowerCase()}
            loading={erase.isPending}
            onClick={() => erase.mutate({ path: { patientId }, body: { reason, confirm: patientId } })}
          >
            {t`Erase for good`}
          </Button>
        )}
      </DialogEnd>
    </Stack>
  );
}

function Consequences({ preview: { isHeld, openWorkflows, openCalls, goes } }: { preview: api.ErasurePreview }) {
  if (isHeld) {
    return (
      <Alert color="yellow" icon={<IconLock aria-hidden />} title={t`A legal hold refuses it`}>
        {t`Lift the hold on the page of the patient first.`}
      </Alert>
    );
  }
  const counted = countedRecords(goes);
  return (
    <Stack gap="xs">
      <Text size="sm">{t`This cannot be undone, and nobody is called from now on.`}</Text>
      <Name>{t`What goes`}</Name>
      <List size="sm">
        <List.Item>{[t`name, contact, registration and insurance`, ...counted].join(', ')}</List.Item>
        <List.Item>{t`what the workflow engine holds of it`}</List.Item>
        {openWorkflows > 0 && <List.Item>{t`${openWorkflows} open workflows are cancelled first`}</List.Item>}
        {openCalls > 0 && <List.Item>{t`calls that go on are waited for`}</List.Item>}
      </List>
      <Name>{t`What stays`}</Name>
      <List size="sm">
        <List.Item>{t`the audit, by ids, and the proof of this erasure`}</List.Item>
        <List.Item>{t`that the phone is not to be called, if so, as a hash nobody can read`}</List.Item>
        <List.Item>{t`what your own systems and the voice platform hold: erase it there`}</List.Item>
      </List>
    </Stack>
  );
}

const LOOK_AGAIN_MS = 1_000;

function Progress({ erasureId, onClose }: { erasureId: string; onClose: () => void }) {
  const erasure = useQuery({
    ...api.getErasuresByErasureIdOptions({ path: { erasureId } }),
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
        <Button onClick={onClose}>{t`Close`}</Button>
      </Group>
    </Stack>
  );
}

import { Alert, Button, List, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { DialogEnd, refusedAt, useAction } from '#forms';
import { IconLock } from '#icons';
import { Loaded } from '#parts';
import { t } from '#texts';
import { Name, optionsOf } from '#words';
import { countedRecords } from './record-counts';

type Patient = api.PatientRecord;
type Reason = api.Erasure['reason'];

export const reasons: Record<Reason, string> = {
  patient_request: t`The patient asks for it`,
  retention_over: t`The records have been kept for long enough`,
  entered_by_mistake: t`Entered by mistake`,
  court_order: t`A court orders it`,
};

interface QuestionProps {
  patient: Patient;
  onRequested: (erasureId: string) => void;
  onClose: () => void;
}

/** What goes and what stays, and the word that a person types before it does. */
export function Question({ patient, onRequested, onClose }: QuestionProps) {
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
        <List.Item>{t`that the number is not to be called, where that is so, as a hash nobody can read`}</List.Item>
        <List.Item>{t`what your own systems and the voice platform hold: erase it there`}</List.Item>
      </List>
    </Stack>
  );
}

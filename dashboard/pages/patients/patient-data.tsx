import { Alert, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useNavigate } from 'react-router';
import * as api from '#api';
import { Dialog, DialogButton, ServiceButton } from '#forms';
import { IconLock, IconTrash } from '#icons';
import { ExportButton } from '#lists';
import { Loaded, onDemand, Section, useMay, useRefresh, useStopWatching } from '#parts';
import { t } from '#texts';
import { Moment, nameOf, PageLink, Quiet } from '#words';

type Patient = api.PatientRecord;

const HoldForm = onDemand(async () => (await import('./hold-form')).HoldForm);
const Question = onDemand(async () => (await import('./erase-patient')).Question);

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
      {may('audit') && (
        <PageLink to={`/audit?show=opened&subject=${patientId}`} size="sm">{t`Who opened this record`}</PageLink>
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
          ask={{ title: t`Lift the legal hold?`, what: t`The records may be erased and deleted by age again.` }}
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

function Erase({ patient }: { patient: Patient }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const refresh = useRefresh('patients', 'cases', 'calls', 'tasks');
  const stopWatching = useStopWatching();
  return (
    <>
      <Button size="xs" color="red" variant="light" leftSection={<IconTrash size={14} aria-hidden />} onClick={open}>
        {t`Erase …`}
      </Button>
      <Suspense fallback={null}>
        <Dialog opened={isOpen} onClose={close} title={t`Erase ${nameOf(patient)}?`} size="lg">
          <Question
            patient={patient}
            onRequested={(id) => {
              // The record is on no page any more.
              stopWatching();
              void navigate(`/erasures/${id}`, { replace: true });
              void refresh();
            }}
            onClose={close}
          />
        </Dialog>
      </Suspense>
    </>
  );
}

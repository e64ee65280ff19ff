import { Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import * as api from '#api';
import { DialogForm, TimeField, useActionForm } from '#forms';
import { t } from '#texts';
import { plusDays, useToday } from '#words';
import { PatientSelect } from '../patients/patient-select';
import { useBookable } from './bookable';
import { useIsNew, useVisitType, VisitType } from './visit-type';
import { useWaitingLead } from './waiting';

const labels = {
  providerName: t`Provider`,
  earliestOn: t`First day`,
  latestOn: t`Last day`,
  fromTime: t`Begins at or after`,
  untilTime: t`Begins before`,
};

/** So long somebody waits unless another day is chosen. */
const usualDays = 28;

/** What somebody waits for, and when they could come. */
export function WaitForm({ patientId: given, onDone }: { patientId?: string; onDone: () => void }) {
  const today = useToday();
  const [patient, setPatient] = useState<Parameters<typeof PatientSelect>[0]['value']>(null);
  const patientId = given ?? patient?.id ?? '';
  const providers = useBookable().data?.items ?? [];
  const form = useActionForm(api.postWaitlistMutation(), {
    initialValues: {
      providerName: '',
      earliestOn: today,
      latestOn: plusDays(today, usualDays),
      fromTime: '',
      untilTime: '',
    },
    labels,
    request: ({ providerName, fromTime, untilTime, ...days }) => ({
      body: {
        patientId,
        ...days,
        providerName: providerName || undefined,
        visitType: visit.visitType.trim(),
        fromTime: fromTime || undefined,
        untilTime: untilTime || undefined,
      },
    }),
    done: t`On the waitlist.`,
    onDone,
    refresh: ['waitlist'],
  });
  const isNew = useIsNew(patientId);
  const visit = useVisitType({ providers, providerName: form.values.providerName || null, isNew });
  return (
    <DialogForm
      form={{ ...form, isDirty: () => form.isDirty() || patient !== null || visit.isDirty }}
      action={t`Add to the waitlist`}
      cancel={t`Close`}
      isDisabled={patientId === '' || visit.visitType === ''}
      onClose={onDone}
    >
      {given === undefined && <PatientSelect label={t`Patient`} value={patient} onChange={setPatient} autoFocus />}
      <Text size="sm">{useWaitingLead()}</Text>
      <Select
        data={[
          { value: '', label: t`Any provider` },
          ...providers.map(({ name, displayName }) => ({ value: name, label: displayName })),
        ]}
        allowDeselect={false}
        {...form.field('providerName')}
      />
      <VisitType of={visit} />
      <SimpleGrid cols={2}>
        <TextInput type="date" {...form.field('earliestOn')} />
        <TextInput type="date" {...form.field('latestOn')} />
        <TimeField {...form.field('fromTime')} />
        <TimeField {...form.field('untilTime')} />
      </SimpleGrid>
    </DialogForm>
  );
}

import { Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import * as api from '#api';
import { DialogForm, useActionForm } from '#forms';
import { useZone } from '#parts';
import { t, Trans } from '#texts';
import { plusDays, wallClock } from '#words';
import { PatientSelect } from '../patients/patient-select';
import { useBookable } from './bookable';
import { VisitType } from './visit-type';

const labels = {
  providerName: t`Provider`,
  visitType: t`Visit`,
  earliestOn: t`First day`,
  latestOn: t`Last day`,
  fromTime: t`Begins at or after`,
  untilTime: t`Begins before`,
};

/** So long somebody waits unless another day is chosen. */
const usualDays = 28;

/** What somebody waits for, and when they could come. */
export function WaitForm({ patientId: given, onDone }: { patientId?: string; onDone: () => void }) {
  const today = wallClock(new Date().toISOString(), useZone()).date;
  const [patient, setPatient] = useState<Parameters<typeof PatientSelect>[0]['value']>(null);
  const patientId = given ?? patient?.id ?? '';
  const providers = useBookable().data?.items ?? [];
  const form = useActionForm(api.postWaitlistMutation(), {
    initialValues: {
      providerName: '',
      visitType: '',
      earliestOn: today,
      latestOn: plusDays(today, usualDays),
      fromTime: '',
      untilTime: '',
    },
    labels,
    request: ({ providerName, visitType, fromTime, untilTime, ...days }) => ({
      body: {
        patientId,
        ...days,
        providerName: providerName || undefined,
        visitType: visitType.trim() || undefined,
        fromTime: fromTime || undefined,
        untilTime: untilTime || undefined,
      },
    }),
    done: t`On the waitlist.`,
    onDone,
    refresh: ['waitlist'],
  });
  return (
    <DialogForm
      form={form}
      action={t`Add to the waitlist`}
      cancel={t`Close`}
      isDisabled={patientId === ''}
      onClose={onDone}
    >
      {given === undefined && <PatientSelect label={t`Patient`} value={patient} onChange={setPatient} autoFocus />}
      <Text size="sm">
        <Trans>
          Where calls act on this calendar, a time that becomes free is held for 15 minutes for whoever has waited
          longest, and they are called.
        </Trans>
      </Text>
      <Select
        data={[
          { value: '', label: t`Any provider` },
          ...providers.map(({ name, displayName }) => ({ value: name, label: displayName })),
        ]}
        allowDeselect={false}
        {...form.field('providerName')}
      />
      <VisitType providers={providers} providerName={form.values.providerName || null} {...form.field('visitType')} />
      <SimpleGrid cols={2}>
        <TextInput type="date" {...form.field('earliestOn')} />
        <TextInput type="date" {...form.field('latestOn')} />
        <TextInput type="time" {...form.field('fromTime')} />
        <TextInput type="time" {...form.field('untilTime')} />
      </SimpleGrid>
    </DialogForm>
  );
}

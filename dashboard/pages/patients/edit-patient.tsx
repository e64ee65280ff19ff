import { Alert, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import * as api from '#api';
import { DialogForm, useActionForm } from '#forms';
import { useEdits, Viewers } from '#parts';
import { t } from '#texts';
import { usePhone } from '#words';
import { changedWishes, type TypedWishes, typedWishes, WishBoxes, wishBox, wishLabels } from './wish-boxes';
import { DetailField } from './detail-field';
import { type DetailName, detailNames, details } from './details';

const labels = { ...Object.fromEntries(detailNames.map((name) => [name, details[name].label])), ...wishLabels };
type Values = Record<DetailName, string> & TypedWishes;

/** Changes what is on file of a patient. */
export function EditForm({ patient, onDone }: { patient: api.PatientRecord; onDone: () => void }) {
  useEdits();
  const written = usePhone();
  const saved = storedOf(patient, written);
  // What somebody else saves meanwhile is not what was changed here.
  const [stored, setStored] = useState(saved);
  const form = useActionForm(api.patchPatientsByPatientIdMutation(), {
    initialValues: stored,
    labels,
    fieldOf: wishBox,
    request: (values) => ({ path: { patientId: patient.id }, body: changeFrom(stored, values) }),
    keepsValues: true,
    done: t`Saved.`,
    onDone: (made) => setStored(storedOf(made, written)),
    onAllSent: onDone,
    refresh: ['patients', 'cases', 'calls', 'tasks'],
  });
  const overtaken = form.isSaving ? [] : detailNames.filter((name) => saved[name] !== stored[name]);
  const input = (name: DetailName) => (
    <DetailField key={name} name={name} data-autofocus={name === detailNames[0] || undefined} {...form.field(name)} />
  );
  return (
    <DialogForm form={form} action={t`Save`} isEdit cancel={t`Close`} onClose={onDone}>
      <Viewers />
      {overtaken.length > 0 && (
        <Alert color="yellow" role="status" title={t`Changed by somebody else since you opened this`}>
          {overtaken.map((name) => `${details[name].label}: ${saved[name] || '–'}`).join('; ')}.{' '}
          {t`It stays so unless you change it here.`}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>{short.map(input)}</SimpleGrid>
      {long.map(input)}
      <WishBoxes field={form.field} />
    </DialogForm>
  );
}

const short = detailNames.filter((name) => !details[name].isLong);
const long = detailNames.filter((name) => details[name].isLong);

const storedOf = (patient: api.PatientRecord, written: (number: string) => string): Values => ({
  ...(Object.fromEntries(detailNames.map((name) => [name, patient[name] ?? ''])) as Record<DetailName, string>),
  phone: patient.phone ? written(patient.phone) : '',
  ...typedWishes(patient),
});

/** Only what was changed, so that what somebody else saved meanwhile stays. */
function changeFrom(stored: Values, values: Values): api.PatchPatientsByPatientIdData['body'] {
  const changed = detailNames.filter((name) => values[name].trim() !== stored[name]);
  const given = (name: DetailName) => values[name].trim() || (details[name].isRequired ? '' : null);
  return { ...Object.fromEntries(changed.map((name) => [name, given(name)])), ...changedWishes(stored, values) };
}

import { Text, Textarea } from '@mantine/core';
import * as api from '#api';
import { DialogForm, useActionForm } from '#forms';
import { t } from '#texts';

/** Why nobody may erase the records of a patient. */
export function HoldForm({ patientId, onDone }: { patientId: string; onDone: () => void }) {
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

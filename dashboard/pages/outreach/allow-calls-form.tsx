import { Radio, Stack, Text } from '@mantine/core';
import * as api from '#api';
import { DialogForm, useActionForm } from '#forms';
import { t } from '#texts';
import { optionsOf } from '#words';
import { type AllowReason, allowReasons } from './allow-reasons';

/** Why a patient may be called again. */
export function AllowCallsForm({ patientId, onDone }: { patientId: string; onDone: () => void }) {
  const initialValues: { reason: AllowReason } = { reason: 'patient_asked' };
  const form = useActionForm(api.postPatientsByPatientIdOptOutsLiftMutation(), {
    initialValues,
    labels: { reason: t`Why` },
    request: (body) => ({ path: { patientId }, body }),
    done: t`This patient may be called again.`,
    onDone,
    refresh: ['integrations', 'patients', 'cases'],
  });
  return (
    <DialogForm form={form} action={t`Allow again`} cancel={t`Close`} onClose={onDone}>
      <Text size="sm">{t`Open workflows may call this number again. The audit keeps who allowed it, and why.`}</Text>
      <Radio.Group {...form.field('reason')}>
        <Stack gap="xs" mt={6}>
          {optionsOf(allowReasons).map(({ value, label }) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
    </DialogForm>
  );
}

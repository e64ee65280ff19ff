import { Radio, Stack, Text } from '@mantine/core';
import * as api from '#api';
import { DialogForm, type FilledForm, useActionForm } from '#forms';
import { t } from '#texts';
import { optionsOf, usePhone } from '#words';
import { type AllowReason, allowReasons } from './allow-reasons';

const begin: { initialValues: { reason: AllowReason }; labels: { reason: string } } = {
  initialValues: { reason: 'patient_asked' },
  labels: { reason: t`Why` },
};

/** Why a patient may be called again. */
export function AllowCallsForm({ patientId, onDone }: { patientId: string; onDone: () => void }) {
  const form = useActionForm(api.postPatientsByPatientIdOptOutsLiftMutation(), {
    ...begin,
    request: (body) => ({ path: { patientId }, body }),
    done: t`This patient may be called again.`,
    onDone,
    refresh: ['integrations', 'patients', 'cases'],
  });
  return <Why form={form} onDone={onDone} />;
}

/** Why a number of the list may be called again, whoever has it. */
export function AllowNumberForm({ optOut: { id, phone }, onDone }: { optOut: api.OptOut; onDone: () => void }) {
  const written = usePhone();
  const form = useActionForm(api.deleteIntegrationsOptOutsByOptOutIdMutation(), {
    ...begin,
    request: (query) => ({ path: { optOutId: id }, query }),
    done: t`${written(phone)} may be called again.`,
    onDone,
    refresh: ['integrations', 'patients', 'cases'],
  });
  return <Why form={form} onDone={onDone} />;
}

const Why = ({ form, onDone }: { form: FilledForm<{ reason: AllowReason }>; onDone: () => void }) => (
  <DialogForm form={form} action={t`Allow again`} cancel={t`Close`} onClose={onDone}>
    <Text size="sm">{t`Open workflows may call this number again. The audit keeps who allowed it, and why.`}</Text>
    <Radio.Group {...form.field('reason')}>
      <Stack gap="xs" mt={6}>
        {optionsOf(allowReasons).map(({ value, label }) => (
          <Radio
            key={value}
            value={value}
            label={label}
            data-autofocus={value === begin.initialValues.reason || undefined}
          />
        ))}
      </Stack>
    </Radio.Group>
  </DialogForm>
);

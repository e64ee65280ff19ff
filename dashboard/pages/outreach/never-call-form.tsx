import { Radio, Stack, Text } from '@mantine/core';
import * as api from '#api';
import { DialogForm, useActionForm } from '#forms';
import { t } from '#texts';
import { usePhone } from '#words';
import { optOutScopes } from './opt-out';

type Scope = api.OptOut['scope'];

const everything: { scope: Scope } = { scope: 'all' };
const scopes = Object.entries(optOutScopes) as [Scope, string][];

/** What a patient is not to be called about. */
export function NeverCallForm({ patientId, onDone }: { patientId: string; onDone: () => void }) {
  const written = usePhone();
  const form = useActionForm(api.postPatientsByPatientIdOptOutsMutation(), {
    initialValues: everything,
    labels: { scope: t`Not called about` },
    request: (body) => ({ path: { patientId }, body }),
    done: ({ phone }) => t`${written(phone)} is not called any more.`,
    onDone,
    refresh: ['integrations', 'patients', 'cases'],
  });
  return (
    <DialogForm form={form} action={t`Stop calling`} color="red" cancel={t`Keep calling`} onClose={onDone}>
      <Text size="sm">
        {t`The number on file goes on the list of numbers that are not called. Open workflows that wait to call it end.`}
      </Text>
      <Radio.Group {...form.field('scope')}>
        <Stack gap="xs" mt={6}>
          {scopes.map(([value, label]) => (
            <Radio key={value} value={value} label={label} data-autofocus={value === everything.scope || undefined} />
          ))}
        </Stack>
      </Radio.Group>
    </DialogForm>
  );
}

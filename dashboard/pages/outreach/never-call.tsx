import { Radio, Stack, Text } from '@mantine/core';
import * as api from '#api';
import { DialogButton, DialogForm, useActionForm } from '#forms';
import { IconPhoneOff } from '#icons';
import { t } from '#texts';
import { nameOf, usePhone } from '#words';
import { optOutScopes } from './opt-out';

type Scope = api.OptOut['scope'];

/** Puts a patient's phone on the list of those who are not called. Anybody of the clinic may; taking it off is for an administrator. */
export function NeverCall({ patient }: { patient: api.PatientName }) {
  const name = t`Stop calling ${nameOf(patient)}`;
  return (
    <DialogButton label={t`Stop calling`} name={name} icon={IconPhoneOff} title={t`Stop calling ${nameOf(patient)}?`}>
      {(close) => <Scopes patientId={patient.id} onDone={close} />}
    </DialogButton>
  );
}

const everything: { scope: Scope } = { scope: 'all' };
const scopes = Object.entries(optOutScopes) as [Scope, string][];

function Scopes({ patientId, onDone }: { patientId: string; onDone: () => void }) {
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
        {t`The phone on file goes on the list of those who are not called. Open workflows that wait to call it end.`}
      </Text>
      <Radio.Group {...form.field('scope')}>
        <Stack gap="xs" mt={6}>
          {scopes.map(([value, label]) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
    </DialogForm>
  );
}

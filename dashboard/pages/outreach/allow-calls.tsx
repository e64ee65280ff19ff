import { Radio, Stack, Text } from '@mantine/core';
import * as api from '#api';
import { DialogButton, DialogForm, useActionForm } from '#forms';
import { IconPhone } from '#icons';
import { t } from '#texts';
import { nameOf, optionsOf } from '#words';

type Reason = NonNullable<api.PostPatientsByPatientIdOptOutsLiftData['body']>['reason'];

/** Takes a patient's phone off the list of those who are not called. Anybody of the clinic may; the audit keeps why. */
export function AllowCalls({ patient }: { patient: api.PatientName }) {
  const name = t`Allow calls again: ${nameOf(patient)}`;
  return (
    <DialogButton
      label={t`Allow again`}
      name={name}
      icon={IconPhone}
      title={t`Allow calls to ${nameOf(patient)} again?`}
    >
      {(close) => <Reasons patientId={patient.id} onDone={close} />}
    </DialogButton>
  );
}

const reasons: Record<Reason, string> = {
  patient_asked: t`The patient wants to be called again`,
  entered_by_mistake: t`It was entered by mistake`,
  other_person: t`The phone belongs to somebody else now`,
};

function Reasons({ patientId, onDone }: { patientId: string; onDone: () => void }) {
  const initialValues: { reason: Reason } = { reason: 'patient_asked' };
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
      <Text size="sm">{t`Open workflows may call this phone again. The audit keeps who allowed it, and why.`}</Text>
      <Radio.Group {...form.field('reason')}>
        <Stack gap="xs" mt={6}>
          {optionsOf(reasons).map(({ value, label }) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
    </DialogForm>
  );
}

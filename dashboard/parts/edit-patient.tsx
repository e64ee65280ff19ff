import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { patchPatientsByPatientIdMutation } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { nameOf } from './person';
import { useRefresh } from './refresh';
import { showRefusal } from './refusal';
import { sayDone } from './say';

type Patient = Api.PatientRecord;

const labels = {
  firstName: t`First name`,
  lastName: t`Last name`,
  phone: t`Phone`,
  email: t`E-mail`,
  dateOfBirth: t`Date of birth`,
  address: t`Address`,
};
type Values = Record<keyof typeof labels, string>;

/** Changes what is on file of a patient. */
export function EditPatient({ patient }: { patient: Patient }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        <Trans>Edit</Trans>
      </Button>
      <Modal opened={isOpen} onClose={close} title={t`Edit ${nameOf(patient)}`}>
        <Form patient={patient} onDone={close} />
      </Modal>
    </>
  );
}

function Form({ patient, onDone }: { patient: Patient; onDone: () => void }) {
  const stored: Values = {
    firstName: patient.firstName,
    lastName: patient.lastName,
    phone: patient.phone ?? '',
    email: patient.email ?? '',
    dateOfBirth: patient.dateOfBirth ?? '',
    address: patient.address ?? '',
  };
  const form = useForm<Values>({ initialValues: stored });
  const refresh = useRefresh('patients', 'cases', 'calls', 'tasks');
  const save = useMutation({
    ...patchPatientsByPatientIdMutation(),
    onSuccess() {
      sayDone(t`Saved.`);
      onDone();
    },
    onError: (error) => showRefusal(form, error, labels),
    // Not waited for: who corrects what was refused may press Enter before all is read again.
    onSettled: () => void refresh(),
  });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) =>
        save.mutate({ path: { patientId: patient.id }, body: changeFrom(stored, values) }),
      )}
    >
      <Stack>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label={labels.firstName} data-autofocus {...form.getInputProps('firstName')} />
          <TextInput label={labels.lastName} {...form.getInputProps('lastName')} />
          <TextInput label={labels.phone} type="tel" placeholder="(303) 555-0101" {...form.getInputProps('phone')} />
          <TextInput label={labels.dateOfBirth} type="date" {...form.getInputProps('dateOfBirth')} />
        </SimpleGrid>
        <TextInput label={labels.email} type="email" {...form.getInputProps('email')} />
        <TextInput label={labels.address} {...form.getInputProps('address')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            <Trans>Close</Trans>
          </Button>
          <Button type="submit" disabled={!form.isDirty()} loading={save.isPending}>
            <Trans>Save</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Only what was changed, so that what somebody else saved meanwhile stays; an empty field takes away what may be unknown. */
function changeFrom(stored: Values, values: Values): Api.PatchPatientsByPatientIdData['body'] {
  const changed = (name: keyof Values) => (values[name].trim() === stored[name] ? undefined : values[name].trim());
  const orNull = (text: string | undefined) => (text === '' ? null : text);
  return {
    firstName: changed('firstName'),
    lastName: changed('lastName'),
    phone: changed('phone'),
    email: orNull(changed('email')),
    dateOfBirth: orNull(changed('dateOfBirth')),
    address: orNull(changed('address')),
  };
}

import { SimpleGrid, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import * as api from '#api';
import { Dialog, DialogForm, useActionForm } from '#forms';
import { t } from '#texts';
import { isLocalDate, nameOf } from '#words';
import { changedWishes, type TypedWishes, typedWishes, WishBoxes, wishBox, wishLabels } from './wish-boxes';
import { details } from './details';
import { Duplicates } from './duplicates';
import { type TypedPerson, typedPerson } from './typed-person';

interface RegisterPatientProps {
  /** What was typed to find the person: it is in the fields already. */
  typed: string;
  onRegistered: (patient: api.PatientRecord) => void;
  /** Somebody who is on file is meant. */
  onExisting: (patient: api.Duplicate) => void;
  onClose: () => void;
  /** What the button of somebody who is on file says. */
  choose?: string;
}

const fields = ['firstName', 'lastName', 'phone', 'dateOfBirth', 'email'] as const;
const labels = { ...Object.fromEntries(fields.map((name) => [name, details[name].label])), ...wishLabels };
const noWishes = typedWishes({});

/** Registers a patient. Who may be on file already is shown while it is filled in, and nobody is registered unseen. */
function RegisterPatient({ typed, onRegistered, onExisting, onClose, choose }: RegisterPatientProps) {
  const queries = useQueryClient();
  const form = useActionForm(api.postPatientsMutation(), {
    initialValues: { ...typedPerson(typed), ...noWishes },
    labels,
    fieldOf: wishBox,
    request: (values) => ({ body: newPatientOf(values) }),
    keepsValues: true,
    done: (patient) => t`${nameOf(patient)} is registered.`,
    onDone: onRegistered,
    refresh: ['patients'],
  });
  const asked = askedOf(form.values);
  const [settled] = useDebouncedValue(asked, 250);
  const found = useQuery({ ...lookUp(settled), enabled: isEnough(settled) });
  const shown = isEnough(asked) ? (found.data?.items ?? []) : [];

  const submit = async (event?: FormEvent<HTMLFormElement>) => {
    event?.preventDefault();
    const alike = isEnough(asked) ? await queries.fetchQuery(lookUp(asked)).catch(() => null) : null;
    const isSeen = alike === null || alike.items.every(({ id }) => shown.some((each) => each.id === id));
    if (isSeen) form.submit();
  };
  return (
    <DialogForm
      form={{ submit: (event) => void submit(event), isSaving: form.isSaving }}
      action={shown.length > 0 ? t`Register anyway` : t`Register`}
      cancel={t`Close`}
      onClose={onClose}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {fields.map((name) => (
          <TextInput
            key={name}
            data-autofocus={name === firstEmpty(form.values) || undefined}
            autoComplete="off"
            {...details[name].input}
            {...form.field(name)}
          />
        ))}
      </SimpleGrid>
      <WishBoxes field={form.field} />
      <Duplicates items={shown} choose={choose} onChoose={onExisting} />
    </DialogForm>
  );
}

/** The same in a dialog. */
export const RegisterPatientDialog = ({ opened, ...form }: RegisterPatientProps & { opened: boolean }) => (
  <Dialog opened={opened} onClose={form.onClose} title={t`Register a patient`} size="lg">
    <RegisterPatient {...form} />
  </Dialog>
);

const lookUp = (query: NonNullable<api.GetPatientsDuplicatesData['query']>) =>
  api.getPatientsDuplicatesOptions({ query });

const askedOf = ({ firstName, lastName, phone, dateOfBirth }: TypedPerson) => ({
  firstName: firstName.trim() || undefined,
  lastName: lastName.trim() || undefined,
  phone: phone.trim() || undefined,
  dateOfBirth: isLocalDate(dateOfBirth) ? dateOfBirth : undefined,
});

/** A phone that is still being typed finds nobody. */
const isEnough = ({ firstName, lastName, phone, dateOfBirth }: ReturnType<typeof askedOf>): boolean =>
  dateOfBirth !== undefined || (firstName !== undefined && lastName !== undefined) || (phone ?? '').length >= 7;

const newPatientOf = ({ firstName, lastName, phone, dateOfBirth, email, ...wishes }: TypedPerson & TypedWishes) => ({
  firstName,
  lastName,
  phone,
  dateOfBirth: dateOfBirth || undefined,
  email: email.trim() || undefined,
  ...changedWishes(noWishes, wishes),
});

const firstEmpty = (values: TypedPerson) => fields.find((name) => values[name] === '');

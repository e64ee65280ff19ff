import { Alert, SimpleGrid } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import * as api from '#api';
import { Dialog, DialogForm, useActionForm } from '#forms';
import { sentenceOf } from '#http';
import { t } from '#texts';
import { isLocalDate, nameOf } from '#words';
import { changedWishes, type TypedWishes, typedWishes, WishBoxes, wishBox, wishLabels } from './wish-boxes';
import { DetailField } from './detail-field';
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

/** Registers a patient. Who may be on file already is shown while it is filled in, and nobody is registered before it was shown for what is typed. */
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
  const [settled] = useDebouncedValue(form.values, 250);
  // Who was found stays in sight while it is looked for what was typed since.
  const found = useQuery({
    ...lookUp(asked),
    enabled: isEnough(asked) && settled === form.values,
    placeholderData: keepPreviousData,
  });
  const shown = isEnough(asked) ? (found.data?.items ?? []) : [];
  const isShown = shown.length > 0 && !found.isPlaceholderData;
  const first = useRef<HTMLButtonElement>(null);
  // The same for as long as it is open: a dialog gives the focus twice, the second time perhaps after the first key.
  const [begins] = useState(() => firstEmpty(form.values));
  const [isLooking, setLooking] = useState(false);
  /** Of which values it could not be looked who is on file, and why. */
  const [unlooked, setUnlooked] = useState<{ values: unknown; error: unknown } | null>(null);
  const isUnlooked = unlooked?.values === form.values;

  const submit = async (event?: FormEvent<HTMLFormElement>) => {
    event?.preventDefault();
    const pressed = document.activeElement;
    const isInField = pressed instanceof HTMLInputElement;
    if (isShown && isInField) return first.current?.focus();
    if (isShown || isUnlooked || !isEnough(asked)) return form.submit();
    const values = form.getValues();
    setLooking(true);
    try {
      const { items } = await queries.fetchQuery({ ...lookUp(asked), retry: false });
      // Who was found is on the page now, and what was typed meanwhile is looked for first.
      if (items.length === 0 && form.getValues() === values) form.submit();
    } catch (error) {
      setUnlooked({ values, error });
    }
    flushSync(() => setLooking(false));
    // A button that waits loses the focus.
    if (!isInField) (pressed as HTMLElement | null)?.focus();
  };
  return (
    <DialogForm
      form={{
        submit: (event) => void submit(event),
        isSaving: form.isSaving || isLooking,
        isDirty: () => form.isDirty(),
      }}
      action={shown.length > 0 || isUnlooked ? t`Register anyway` : t`Register`}
      cancel={t`Close`}
      onClose={onClose}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {fields.map((name) => (
          <DetailField key={name} name={name} data-autofocus={name === begins || undefined} {...form.field(name)} />
        ))}
      </SimpleGrid>
      <WishBoxes field={form.field} />
      <Duplicates items={shown} choose={choose} onChoose={onExisting} first={first} />
      {isUnlooked && (
        <Alert color="yellow" role="status" title={t`Whether somebody like this is on file is not known`}>
          {sentenceOf(unlooked.error)}
        </Alert>
      )}
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

import { Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { useMay } from '#parts';
import { t } from '#texts';
import { Born, nameOf, Phone } from '#words';
import { registerLabel, useRegistering } from './registering';

type Patient = Pick<api.ListedPatient, 'id' | 'firstName' | 'lastName' | 'phone' | 'dateOfBirth'>;

/** Stands among ids, and is none. */
const someoneNew = 'new';

const mostShown = 8;

interface PatientSelectProps {
  label: string;
  value: Patient | null;
  onChange: (patient: Patient | null) => void;
  /** In the line of filters of a list: nobody is registered from there. */
  isFilter?: boolean;
  /** In a dialog: the field that is to have the focus. */
  autoFocus?: boolean;
}

/** Finds a patient by name, phone, e-mail or birth date, and keeps the one that was chosen; whom nobody matches is registered, and is the chosen one then. */
export function PatientSelect({ label, value, onChange, isFilter = false, autoFocus = false }: PatientSelectProps) {
  const [text, setText] = useState(value ? nameOf(value) : '');
  const { register, isRegistering, dialog } = useRegistering({
    onPatient: onChange,
    choose: t`Choose this one instead`,
  });
  const mayRegister = useMay()('patients') && !isFilter;
  const [settled] = useDebouncedValue(text.trim(), 200);
  const isChosen = value !== null && text === nameOf(value);
  const found = useQuery({
    ...api.getPatientsOptions({ query: { search: settled, limit: mostShown } }),
    enabled: settled !== '' && !isChosen,
    placeholderData: keepPreviousData,
  });
  const hits = settled === '' || isChosen ? [] : (found.data?.items ?? []);
  const shown: Patient[] = value && !hits.some(({ id }) => id === value.id) ? [value, ...hits] : hits;
  const byId = new Map(shown.map((patient) => [patient.id, patient]));
  const isSettled = settled === text.trim() && !found.isFetching;
  const offersNew = mayRegister && isSettled && found.data !== undefined && settled !== '' && !isChosen;
  const newOptions = offersNew ? [{ value: someoneNew, label: registerLabel(settled, hits) }] : [];
  const options = shown.map((patient) => ({ value: patient.id, label: nameOf(patient) }));
  const field = (
    <Select
      {...(isFilter
        ? { 'aria-label': label, placeholder: t`${label}: name or phone`, size: 'sm', w: { base: '100%', xs: 240 } }
        : { label, placeholder: t`Name, phone or birth date` })}
      searchable
      selectFirstOptionOnChange={isSettled}
      data-autofocus={autoFocus || undefined}
      data={[...options, ...newOptions]}
      // What was just chosen need not be chosen again.
      openOnFocus={value === null && text.trim() !== ''}
      // The service has compared already, names without accents and phones as people write them.
      filter={({ options: all }) => (isChosen ? all : all.filter((option) => isOffered(hits, option)))}
      nothingFoundMessage={
        // Before anything is typed there is no list, which would cover what stands below.
        text.trim() === '' ? undefined : isSettled ? t`No patient matches` : t`Searching …`
      }
      searchValue={text}
      // What was typed stays where nobody is registered after all.
      onSearchChange={isRegistering ? undefined : setText}
      value={value?.id ?? null}
      onChange={(id) =>
        id === someoneNew ? register(found.data?.searchedFor ?? text) : onChange((id && byId.get(id)) || null)
      }
      renderOption={({ option }) =>
        option.value === someoneNew ? option.label : <Found patient={byId.get(option.value)} />
      }
    />
  );
  return (
    <>
      {field}
      {dialog}
    </>
  );
}

const isOffered = (hits: Patient[], option: object): boolean =>
  'value' in option && (option.value === someoneNew || hits.some(({ id }) => id === option.value));

const Found = ({ patient }: { patient: Patient | undefined }) =>
  patient && (
    <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
      <Text size="sm" lineClamp={2}>
        {nameOf(patient)}
      </Text>
      {/* In the colour of the option, which is another one where it is chosen. */}
      <Text size="xs">
        {patient.phone ? <Phone number={patient.phone} /> : t`No phone`}
        {patient.dateOfBirth && (
          <>
            {' · '}
            <Born on={patient.dateOfBirth} />
          </>
        )}
      </Text>
    </div>
  );

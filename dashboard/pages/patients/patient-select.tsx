import { Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { t } from '#texts';
import { Born, nameOf, Phone } from '#words';

type Patient = Pick<api.ListedPatient, 'id' | 'firstName' | 'lastName' | 'phone' | 'dateOfBirth'>;

const mostShown = 8;

interface PatientSelectProps {
  label: string;
  value: Patient | null;
  onChange: (patient: Patient | null) => void;
  size?: 'sm';
  clearable?: boolean;
  /** In a dialog: the field that is to have the focus. */
  autoFocus?: boolean;
  width?: { base: string; xs: number };
}

/** Finds a patient by name, phone, e-mail or birth date, and keeps the one that was chosen. */
export function PatientSelect({
  label,
  value,
  onChange,
  size,
  clearable = false,
  autoFocus = false,
  width,
}: PatientSelectProps) {
  const [text, setText] = useState(value ? nameOf(value) : '');
  const [settled] = useDebouncedValue(text.trim(), 200);
  const isChosen = value !== null && text === nameOf(value);
  const found = useQuery({
    ...api.getPatientsOptions({ query: { search: settled, limit: mostShown } }),
    enabled: settled !== '' && !isChosen,
    placeholderData: keepPreviousData,
  });
  const hits: Patient[] = settled === '' || isChosen ? [] : (found.data?.items ?? []);
  const shown = value && !hits.some(({ id }) => id === value.id) ? [value, ...hits] : hits;
  const byId = new Map(shown.map((patient) => [patient.id, patient]));
  const isSettled = settled === text.trim() && !found.isFetching;
  return (
    <Select
      label={label}
      placeholder={t`Name, phone or birth date`}
      size={size}
      w={width}
      searchable
      clearable={clearable}
      clearButtonProps={{ 'aria-label': t`Any patient` }}
      selectFirstOptionOnChange={isSettled}
      data-autofocus={autoFocus || undefined}
      data={shown.map((patient) => ({ value: patient.id, label: nameOf(patient) }))}
      // The service has compared already, names without accents and phones as people write them.
      filter={({ options }) => (isChosen ? options : options.filter((option) => hitIds(hits, option)))}
      nothingFoundMessage={
        text.trim() === '' ? t`Type whom to look for` : isSettled ? t`No patient matches` : t`Searching …`
      }
      searchValue={text}
      onSearchChange={setText}
      value={value?.id ?? null}
      onChange={(id) => onChange((id && byId.get(id)) || null)}
      renderOption={({ option }) => <Found patient={byId.get(option.value)} />}
    />
  );
}

const hitIds = (hits: Patient[], option: object): boolean =>
  'value' in option && hits.some(({ id }) => id === option.value);

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

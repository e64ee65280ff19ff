import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { useAccount } from '#parts';
import { t } from '#texts';
import { formatWallTime, isLocalDate, readBirthDate, readTime, readTimeOfVisit, writtenBirthDate } from '#words';

interface FieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value?: string;
  onChange?: (value: string) => void;
}

interface TypedFieldProps extends FieldProps {
  /** What the form gets of what is typed; null for what cannot be read. */
  read: (typed: string) => string | null;
  /** How the form's value is shown. */
  show: (value: string) => string;
}

/** A value as people type it. What cannot be read stays as it is, and is refused by the service. */
function TypedField({ value = '', onChange, onBlur, read, show, ...input }: TypedFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      autoComplete="off"
      {...input}
      value={typed ?? show(value)}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange?.(read(currentTarget.value) ?? currentTarget.value);
      }}
      onBlur={(event) => {
        setTyped(null);
        onBlur?.(event);
      }}
    />
  );
}

/** A time at which somebody comes or is called, `5`, `5 pm` or `17:00`, which is `17:00` in its form. */
export const TimeField = (field: FieldProps) => (
  <TypedField
    placeholder={formatWallTime('17:00')}
    read={readTimeOfVisit}
    show={(value) => (readTime(value) === null ? value : formatWallTime(value))}
    {...field}
  />
);

/** A date of birth in the order of the clinic’s country, `2/26/1990`, which is `1990-02-26` in its form. */
export function BirthDateField(field: FieldProps) {
  const { isMonthFirst } = useAccount().clinic;
  return (
    <TypedField
      placeholder={isMonthFirst ? t`mm/dd/yyyy` : t`dd/mm/yyyy`}
      inputMode="numeric"
      read={(typed) => readBirthDate(typed, isMonthFirst)}
      show={(value) => (isLocalDate(value) ? writtenBirthDate(value, isMonthFirst) : value)}
      {...field}
    />
  );
}

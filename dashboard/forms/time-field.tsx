import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { formatWallTime, readTime, readTimeOfVisit } from '#words';

interface TimeFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value?: string;
  onChange?: (time: string) => void;
}

/** A time at which somebody comes or is called, as people type it, `5`, `5 pm` or `17:00`, which is `17:00` in its form. What is no time stays as it is, and is refused by the service. */
export function TimeField({ value = '', onChange, onBlur, ...input }: TimeFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = readTime(value) === null ? value : formatWallTime(value);
  return (
    <TextInput
      placeholder={formatWallTime('17:00')}
      autoComplete="off"
      {...input}
      value={typed ?? shown}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange?.(readTimeOfVisit(currentTarget.value) ?? currentTarget.value);
      }}
      onBlur={(event) => {
        setTyped(null);
        onBlur?.(event);
      }}
    />
  );
}

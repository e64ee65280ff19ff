import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';

interface FilterDayProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | null) => void;
}

/** A day, by the browser's own field for one. The list follows when the day is whole. */
export function FilterDay({ label, value, onChange }: FilterDayProps) {
  const [text, setText] = useState(value ?? '');
  useEffect(() => setText(value ?? ''), [value]);
  return (
    <TextInput
      label={label}
      size="sm"
      type="date"
      w={{ base: '100%', xs: 150 }}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        // A year is complete for a moment while its first digits are typed.
        if (currentTarget.value === '' || currentTarget.value >= '1900') onChange(currentTarget.value || null);
      }}
    />
  );
}

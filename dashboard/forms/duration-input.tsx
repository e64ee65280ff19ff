import { Group, Input, NumberInput, Select } from '@mantine/core';
import { useId, useState } from 'react';
import { t } from '#texts';

const units = [
  { value: '1', label: t`seconds` },
  { value: '60', label: t`minutes` },
  { value: '3600', label: t`hours` },
  { value: '86400', label: t`days` },
];

interface DurationInputProps {
  label: string;
  description?: string;
  /** In seconds. */
  value: number;
  error?: React.ReactNode;
  onChange: (seconds: number) => void;
}

/** A length of time in the unit that suits it; what it holds is seconds. */
export function DurationInput({ label, description, value: seconds, error, onChange }: DurationInputProps) {
  const id = useId();
  const [unit, setUnit] = useState(() => unitOf(seconds));
  return (
    <Input.Wrapper id={id} label={label} description={description} error={error}>
      <Group gap="xs" wrap="nowrap" mt={4}>
        <NumberInput
          id={id}
          error={Boolean(error)}
          min={0}
          allowDecimal={false}
          value={seconds / unit}
          onChange={(value) => onChange(Math.round(Number(value || 0) * unit))}
          flex={1}
        />
        <Select
          aria-label={t`${label}: unit`}
          w={120}
          data={units}
          value={String(unit)}
          onChange={(chosen) => {
            const next = Number(chosen);
            onChange(Math.round((seconds / unit) * next));
            setUnit(next);
          }}
        />
      </Group>
    </Input.Wrapper>
  );
}

/** The largest unit that gives a whole number. */
const unitOf = (seconds: number): number =>
  seconds === 0 ? 60 : Number(units.findLast(({ value }) => seconds % Number(value) === 0)?.value ?? 1);

import { Group, Input, NumberInput, Select } from '@mantine/core';
import { useId, useState } from 'react';
import { t } from '#texts';
import { capitalised } from '../language';

const units = [
  { value: '1', label: t`seconds` },
  { value: '60', label: t`minutes` },
  { value: '3600', label: t`hours` },
  { value: '86400', label: t`days` },
];

interface DurationInputProps {
  label: string;
  description?: string;
  /** In words that follow “This must be”. */
  limits: string;
  /** In seconds. */
  value: number;
  error?: React.ReactNode;
  onChange: (seconds: number) => void;
}

/** A length of time in the unit that suits it; what it holds is seconds. */
export function DurationInput({ label, description, limits, value: seconds, error, onChange }: DurationInputProps) {
  const id = useId();
  const [unit, setUnit] = useState(() => unitOf(seconds));
  // What is no number yet, as the minus of -1, stays in sight as well.
  const [typed, setTyped] = useState<number | string>(() => seconds / unit);
  const inSeconds = (value: number | string) => Math.round(Number(value) * unit);
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={[capitalised(limits), description].filter(Boolean).join('. ')}
      error={error && t`This must be ${limits}`}
    >
      <Group gap="xs" wrap="nowrap" mt={4}>
        <NumberInput
          id={id}
          error={Boolean(error)}
          min={0}
          allowDecimal={false}
          clampBehavior="none"
          value={Number.isNaN(inSeconds(typed)) || inSeconds(typed) === seconds ? typed : seconds / unit}
          onChange={(value) => {
            setTyped(value);
            const next = inSeconds(value);
            if (!Number.isNaN(next)) onChange(next);
          }}
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
            setTyped(seconds / unit);
          }}
        />
      </Group>
    </Input.Wrapper>
  );
}

/** The largest unit that gives a whole number. */
const unitOf = (seconds: number): number =>
  seconds === 0 ? 60 : Number(units.findLast(({ value }) => seconds % Number(value) === 0)?.value ?? 1);

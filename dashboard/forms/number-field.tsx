import { NumberInput, type NumberInputProps } from '@mantine/core';
import { t } from '#texts';
import { locale } from '../language';

interface NumberFieldProps extends Omit<NumberInputProps, 'description'> {
  description?: string;
  min: number;
  max: number;
}

/** A number within limits, which stand beside it. What is typed beyond them stays, and is refused by them. */
export function NumberField({ min, max, description, error, value, ...input }: NumberFieldProps) {
  const lowest = min.toLocaleString(locale);
  const highest = max.toLocaleString(locale);
  const isBeyond = typeof value === 'number' && (value < min || value > max);
  return (
    <NumberInput
      {...input}
      min={min}
      max={max}
      clampBehavior="none"
      value={value}
      description={[t`${lowest} to ${highest}`, description].filter(Boolean).join('. ')}
      error={error && isBeyond ? t`This must be from ${lowest} to ${highest}` : error}
    />
  );
}

/** What is typed in a field that may be empty; null for nothing. What is no number yet, as a minus, the service refuses. */
export const typedNumber = (typed: number | string): number | null => (typed === '' ? null : (typed as number));

import { TextInput, type TextInputProps } from '@mantine/core';
import { useLayoutEffect, useRef } from 'react';
import { IconSearch } from '#icons';
import { t } from '#texts';

export interface Typed {
  typed: string;
  onType: (text: string) => void;
}

/** Where is typed what is to be found. It has the focus as soon as it is there, after what was typed already. */
export function FinderField({ typed, onType, ...input }: Typed & TextInputProps) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(typed.length, typed.length);
  }, []);
  return (
    <TextInput
      ref={field}
      data-autofocus
      aria-label={t`Find`}
      placeholder={t`Name, phone, birth date, provider, page, action or id`}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed}
      maxLength={100}
      onChange={({ currentTarget }) => onType(currentTarget.value)}
      {...input}
    />
  );
}

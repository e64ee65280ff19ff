import { t } from '@lingui/core/macro';
import { Box, Button, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure, useMediaQuery } from '@mantine/hooks';
import { Children, isValidElement, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { IconAdjustmentsHorizontal, IconSearch, IconX } from '../icons';
import { isLocalDate, plusDays } from './week';

/** A filter kept in the address, so that a list can be shared, reloaded and returned to. */
export function useFilter(name: string): [string | undefined, (value: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const { state } = useLocation();
  const set = (value: string | null) =>
    setSearch(
      (current) => {
        const next = new URLSearchParams(current);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true, state },
    );
  return [search.get(name) ?? undefined, set];
}

/**
 * What somebody searches for, which may be a name or a phone: kept with the entry of the history, so that a reload or a way back
 * finds it again, and not in its address.
 */
export function useSearch(): [string | undefined, (value: string | null) => void] {
  const { pathname, search, state } = useLocation();
  const navigate = useNavigate();
  const { searchText } = (state ?? {}) as { searchText?: string };
  const set = (value: string | null) =>
    void navigate({ pathname, search }, { replace: true, state: { searchText: value ?? undefined } });
  return [searchText, set];
}

/** The filters of a list. On a phone they wait behind a button, so that the list comes first; a search stays in sight. */
export function Filters({ children }: { children: ReactNode }) {
  const isPhone = useMediaQuery('(max-width: 35.99em)', undefined, { getInitialValueInEffect: false });
  if (isPhone) return <FoldedFilters>{children}</FoldedFilters>;
  return (
    <Group gap="sm" align="flex-end" p="md">
      {children}
    </Group>
  );
}

function FoldedFilters({ children }: { children: ReactNode }) {
  const id = useId();
  const fields = Children.toArray(children).filter((child) => isValidElement<{ value?: string }>(child));
  const search = fields[0]?.type === SearchField ? fields[0] : undefined;
  const others = fields.filter((field) => field !== search);
  const days = others.filter(({ type }) => type === FilterDay);
  const set = others.filter(({ props }) => props.value).length;
  const [isOpen, { toggle }] = useDisclosure(set > 0);
  const label = set > 0 ? t`Filters: ${set}` : t`Filters`;
  return (
    <Stack gap="sm" p="md">
      <Group gap="sm" align="flex-end" wrap="nowrap">
        {search && <Box flex={1}>{search}</Box>}
        <Button
          variant="default"
          // Beside a search it leaves the room to what can be searched for.
          px={search ? 9 : 'sm'}
          aria-label={label}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={toggle}
        >
          <Group gap={8} component="span" wrap="nowrap">
            <IconAdjustmentsHorizontal size={16} aria-hidden />
            {search ? set || null : label}
          </Group>
        </Button>
      </Group>
      {isOpen && (
        <Stack gap="sm" id={id}>
          <SimpleGrid cols={2} spacing="sm" verticalSpacing="sm">
            {others.filter((field) => !days.includes(field))}
          </SimpleGrid>
          <SimpleGrid cols={2} spacing="sm">
            {days}
          </SimpleGrid>
        </Stack>
      )}
    </Stack>
  );
}

/** Filters that a link has set, and that have no field here: each says what it is, and is taken away by a click. */
export function ChosenElsewhere({ chosen }: { chosen: { names: string[]; text: string | undefined }[] }) {
  const [, setSearch] = useSearchParams();
  const { state } = useLocation();
  const shown = chosen.filter(({ text }) => text);
  if (shown.length === 0) return null;
  const drop = (names: string[]) =>
    setSearch(
      (current) => {
        const next = new URLSearchParams(current);
        for (const name of names) next.delete(name);
        return next;
      },
      { replace: true, state },
    );
  return (
    <Group gap="xs" px="md" pb="md">
      {shown.map(({ names, text }) => (
        <Button
          key={names.join()}
          size="compact-sm"
          variant="light"
          rightSection={<IconX size={14} aria-hidden />}
          aria-label={t`Without: ${text ?? ''}`}
          maw="100%"
          title={text}
          onClick={() => drop(names)}
        >
          {text}
        </Button>
      ))}
    </Group>
  );
}

/** One of several values, or any. */
export function FilterSelect({
  label,
  any,
  options,
  value,
  onChange,
  width = 200,
}: {
  label: string;
  any: string;
  options: { value: string; label: string }[];
  value: string | undefined;
  onChange: (value: string | null) => void;
  width?: number;
}) {
  return (
    <Select
      label={label}
      size="sm"
      w={{ base: '100%', xs: width }}
      data={[{ value: '', label: any }, ...options]}
      value={value ?? ''}
      onChange={(chosen) => onChange(chosen === '' ? null : chosen)}
    />
  );
}

/** The days of an address as the service takes them: the address names the last day, the service what comes after it. */
export const daysOf = (from: string | undefined, until: string | undefined) => ({
  from: isLocalDate(from) ? from : undefined,
  until: isLocalDate(until) ? plusDays(until, 1) : undefined,
});

/** A day, by the browser's own field for one. The list follows when the day is whole. */
export function FilterDay({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (value: string | null) => void;
}) {
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

/** A text to search for; the list follows when typing pauses. */
export function SearchField({
  label,
  placeholder,
  value,
  onChange,
  width = 240,
}: {
  label: string;
  placeholder: string;
  value: string | undefined;
  onChange: (value: string | null) => void;
  width?: number;
}) {
  const [text, setText] = useState(value ?? '');
  const input = useRef<HTMLInputElement>(null);
  // A link may have changed the address; what somebody is typing stays.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(value ?? '');
  }, [value]);
  const search = useDebouncedCallback((typed: string) => onChange(typed.trim() || null), 250);
  return (
    <TextInput
      ref={input}
      label={label}
      placeholder={placeholder}
      size="sm"
      type="search"
      w={{ base: '100%', xs: width }}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        search(currentTarget.value);
      }}
    />
  );
}

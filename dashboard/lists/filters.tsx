import { Box, Button, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { useEffect, useId, useRef, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { IconAdjustmentsHorizontal, IconSearch, IconX } from '#icons';
import { t } from '#texts';
import { isLocalDate, plusDays } from '#words';
import { useIsPhone } from './narrow';

/** One of the filters of a list, by its name in the address. */
export type FilterField<Name extends string = string> = { name: Name; label: string; width?: number } & (
  | { kind: 'search'; placeholder: string }
  | { kind: 'select'; any: string; options: { value: string; label: string }[] }
  | { kind: 'day' }
);

export interface GivenFilters<Name extends string> {
  given: Partial<Record<Name, string>>;
  set: (name: Name, value: string | null) => void;
  /** Whether any of them is set. */
  isAny: boolean;
}

/** The filters of a list, kept in the address, so that it can be shared, reloaded and returned to; what is searched for is not. */
export function useFilters<Name extends string>(...names: Name[]): GivenFilters<Name> {
  const [address] = useSearchParams();
  const setFilters = useSetFilters();
  const [searched, setSearched] = useSearch();
  const values = names.map((name) => [name, name === 'search' ? searched : (address.get(name) ?? undefined)] as const);
  return {
    given: Object.fromEntries(values) as Partial<Record<Name, string>>,
    set: (name, value) => (name === 'search' ? setSearched(value) : setFilters({ [name]: value })),
    isAny: values.some(([, value]) => value),
  };
}

/** A filter on its own. */
export function useFilter<Name extends string>(name: Name): [string | undefined, (value: string | null) => void] {
  const { given, set } = useFilters(name);
  return [given[name], (value) => set(name, value)];
}

/** Changes several filters at once; null takes one away. */
export function useSetFilters(): (values: Record<string, string | null>) => void {
  const [, setSearch] = useSearchParams();
  const { state } = useLocation();
  return (values) =>
    setSearch(
      (current) => {
        const next = new URLSearchParams(current);
        for (const [name, value] of Object.entries(values)) {
          if (value) next.set(name, value);
          else next.delete(name);
        }
        return next;
      },
      { replace: true, state },
    );
}

/**
 * What somebody searches for, which may be a name or a phone: kept with the entry of the history, so that a reload or a way back
 * finds it again, and not in its address.
 */
function useSearch(): [string | undefined, (value: string | null) => void] {
  const { pathname, search, state } = useLocation();
  const navigate = useNavigate();
  const { searchText } = (state ?? {}) as { searchText?: string };
  const set = (value: string | null) =>
    void navigate({ pathname, search }, { replace: true, state: { searchText: value ?? undefined } });
  return [searchText, set];
}

interface FiltersProps<Name extends string> {
  fields: FilterField<Name>[];
  filters: GivenFilters<Name>;
}

/** The filters of a list. On a phone they wait behind a button, so that the list comes first; a search stays in sight. */
export function Filters<Name extends string>(props: FiltersProps<Name>) {
  const { fields, filters } = props;
  if (useIsPhone()) return <FoldedFilters {...props} />;
  return (
    <Group gap="sm" align="flex-end" p="md">
      {fields.map((field) => (
        <Field key={field.name} field={field} filters={filters} />
      ))}
    </Group>
  );
}

function FoldedFilters<Name extends string>({ fields, filters }: FiltersProps<Name>) {
  const id = useId();
  const search = fields[0]?.kind === 'search' ? fields[0] : undefined;
  const others = fields.filter((field) => field !== search);
  const set = others.filter(({ name }) => filters.given[name]).length;
  const [isOpen, { toggle }] = useDisclosure(set > 0);
  const label = set > 0 ? t`Filters: ${set}` : t`Filters`;
  const inTwos = (shown: FilterField<Name>[]) => (
    <SimpleGrid cols={2} spacing="sm" verticalSpacing="sm">
      {shown.map((field) => (
        <Field key={field.name} field={field} filters={filters} />
      ))}
    </SimpleGrid>
  );
  return (
    <Stack gap="sm" p="md">
      <Group gap="sm" align="flex-end" wrap="nowrap">
        {search && (
          <Box flex={1}>
            <Field field={search} filters={filters} />
          </Box>
        )}
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
          {inTwos(others.filter(({ kind }) => kind !== 'day'))}
          {inTwos(others.filter(({ kind }) => kind === 'day'))}
        </Stack>
      )}
    </Stack>
  );
}

function Field<Name extends string>({ field, filters }: { field: FilterField<Name>; filters: GivenFilters<Name> }) {
  const { name, label } = field;
  const shown = { label, value: filters.given[name], onChange: (value: string | null) => filters.set(name, value) };
  if (field.kind === 'day') return <FilterDay {...shown} />;
  const width = { base: '100%', xs: field.width ?? (field.kind === 'search' ? 240 : 200) };
  if (field.kind === 'search') return <SearchField {...shown} placeholder={field.placeholder} width={width} />;
  return (
    <Select
      label={label}
      size="sm"
      w={width}
      data={[{ value: '', label: field.any }, ...field.options]}
      value={shown.value ?? ''}
      onChange={(chosen) => shown.onChange(chosen === '' ? null : chosen)}
    />
  );
}

/** Filters that a link has set, and that have no field here: each says what it is, and is taken away by a click. */
export function ChosenElsewhere({ chosen }: { chosen: { names: string[]; text: string | undefined }[] }) {
  const setFilters = useSetFilters();
  const shown = chosen.filter(({ text }) => text);
  if (shown.length === 0) return null;
  const drop = (names: string[]) => setFilters(Object.fromEntries(names.map((name) => [name, null])));
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

/** The days of an address as the service takes them: the address names the last day, the service what comes after it. */
export const daysOf = (from: string | undefined, until: string | undefined) => ({
  from: isLocalDate(from) ? from : undefined,
  until: isLocalDate(until) ? plusDays(until, 1) : undefined,
});

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

interface SearchFieldProps {
  label: string;
  placeholder: string;
  value: string | undefined;
  onChange: (value: string | null) => void;
  width: { base: string; xs: number };
}

/** A text to search for; the list follows when typing pauses. */
function SearchField({ label, placeholder, value, onChange, width }: SearchFieldProps) {
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
      w={width}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        search(currentTarget.value);
      }}
    />
  );
}

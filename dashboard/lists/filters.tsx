import { Button, Group, Menu, Popover, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { IconPlus, IconSearch, IconX } from '#icons';
import { PlainButton } from '#parts';
import { t } from '#texts';
import { formatDate, isLocalDate, plusDays, useToday } from '#words';
import { FilterDay } from './filter-day';
import classes from './saved-views.module.css';
import { type GivenFilters, useSetFilters } from './use-filters';

/** One of the filters of a list, by its name in the address. */
export type FilterField<Name extends string = string> = { name: Name; label: string } & (
  | { kind: 'search'; placeholder: string; width?: number }
  | {
      kind: 'select';
      options: { value: string; label: string }[];
      /** What the list is limited to unless something is chosen, and the value that lifts this. */
      usual?: { label: string; liftedBy: string };
    }
  | { kind: 'day' }
  | {
      /** Another field in the line, which sets the filter by itself. */
      kind: 'own';
      field: ReactNode;
    }
);

/** Filters that a link has set, and that have no field here. */
export interface ChosenElsewhere {
  names: string[];
  text: string | undefined;
}

interface FiltersProps<Name extends string> {
  fields: FilterField<Name>[];
  filters: GivenFilters<Name>;
  elsewhere: ChosenElsewhere[];
}

/** The filters of a list in one line: what is searched for, a chip for each that is set, and a way to set another. */
export function Filters<Name extends string>({ fields, filters, elsewhere }: FiltersProps<Name>) {
  const [asked, ask] = useState<Name | null>(null);
  const add = useRef<HTMLButtonElement>(null);
  const setFilters = useSetFilters();
  const isSet = (field: FilterField<Name>) => chosenOf(field, filters) !== null;
  // It stays by its value from now on.
  if (fields.some((field) => field.name === asked && isSet(field))) ask(null);
  const others = fields.filter(({ kind }) => kind !== 'search' && kind !== 'own');
  const isShown = (field: FilterField<Name>) => field.name === asked || isSet(field);
  const drop = (field: FilterField<Name>) => {
    if (field.name === asked) ask(null);
    else filters.set(field.name, usualOf(field)?.liftedBy ?? null);
    add.current?.focus();
  };
  return (
    <Group gap="xs" p="md" role="group" aria-label={t`Filters`}>
      {fields.map(
        (field) =>
          (field.kind === 'own' && <Fragment key={keyOf(field)}>{field.field}</Fragment>) ||
          (field.kind === 'search' && (
            <SearchField
              key={keyOf(field)}
              {...field}
              // Where there are several, each says what it searches.
              placeholder={field.name === 'search' ? field.placeholder : `${field.label}: ${field.placeholder}`}
              value={filters.given[field.name]}
              onChange={(value) => filters.set(field.name, value)}
            />
          )),
      )}
      {others.filter(isShown).map((field) => (
        <FilterChip
          key={field.name}
          field={field}
          filters={filters}
          isAsked={field.name === asked}
          onDrop={() => drop(field)}
        />
      ))}
      {elsewhere.map(
        ({ names, text }) =>
          text && (
            <Button
              key={names.join()}
              {...chip}
              rightSection={<IconX size={14} aria-hidden />}
              aria-label={t`Without: ${text}`}
              title={text}
              onClick={() => setFilters(Object.fromEntries(names.map((name) => [name, null])))}
            >
              {text}
            </Button>
          ),
      )}
      {others.length > 0 && (
        <Menu position="bottom-start" returnFocus>
          <Menu.Target>
            <Button
              ref={add}
              size="compact-sm"
              variant="subtle"
              leftSection={<IconPlus size={14} aria-hidden />}
              disabled={others.every(isShown)}
            >
              {t`Filter`}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {others.map(
              (field) =>
                !isShown(field) && (
                  <Menu.Item key={field.name} onClick={() => ask(field.name)}>
                    {field.label}
                  </Menu.Item>
                ),
            )}
          </Menu.Dropdown>
        </Menu>
      )}
    </Group>
  );
}

/** Two fields may set one filter, each in its way. */
const keyOf = ({ kind, name }: FilterField) => `${kind} ${name}`;

const chip = { size: 'compact-sm', variant: 'light', className: classes.chip } as const;

const usualOf = (field: FilterField) => (field.kind === 'select' ? field.usual : undefined);

/** What a filter is set to, in words; null where it limits nothing. */
function chosenOf<Name extends string>(field: FilterField<Name>, { given }: GivenFilters<Name>): string | null {
  const value = given[field.name];
  if (field.kind === 'day') return isLocalDate(value) ? formatDate(value, day) : null;
  if (field.kind === 'search' || field.kind === 'own') return value ?? null;
  if (value === undefined) return field.usual?.label ?? null;
  return field.options.find((option) => option.value === value)?.label ?? null;
}

const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;

interface FilterChipProps<Name extends string> {
  field: FilterField<Name>;
  filters: GivenFilters<Name>;
  /** It has just been asked for: what it can be set to is open. */
  isAsked: boolean;
  onDrop: () => void;
}

/** A filter that is set: opened it is set to something else, and its cross takes it away. */
function FilterChip<Name extends string>({ field, filters, isAsked, onDrop }: FilterChipProps<Name>) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isAsked) return;
    button.current?.focus();
    setOpen(true);
  }, [isAsked]);
  const { name, label } = field;
  const chosen = chosenOf(field, filters);
  const text = chosen === null ? label : `${label}: ${chosen}`;
  const set = (value: string | null) => filters.set(name, value);
  const toggle = () => setOpen(!isOpen);
  const goToTyped = useTyped();
  const target = (
    <Button ref={button} {...chip} title={text} onClick={toggle}>
      {text}
    </Button>
  );
  const opened = { opened: isOpen, onChange: setOpen, returnFocus: true, position: 'bottom-start' } as const;
  return (
    <Button.Group maw="100%">
      {field.kind === 'select' ? (
        <Menu {...opened}>
          <Menu.Target>{target}</Menu.Target>
          <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }} onKeyDown={goToTyped}>
            {optionsOf(field).map((option) => (
              <Menu.Item
                key={option.value}
                fw={option.label === chosen ? 600 : undefined}
                onClick={() => set(option.value || null)}
              >
                {option.label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : (
        <Popover {...opened} trapFocus>
          <Popover.Target>{target}</Popover.Target>
          <Popover.Dropdown
            // On a button Enter chooses the day that it names.
            onKeyDown={({ key, target: at }) => key === 'Enter' && at instanceof HTMLInputElement && setOpen(false)}
          >
            <FilterDay label={label} value={filters.given[name]} onChange={set} />
            <NearDays
              onChoose={(chosenDay) => {
                set(chosenDay);
                setOpen(false);
              }}
            />
          </Popover.Dropdown>
        </Popover>
      )}
      <Button size="compact-sm" variant="light" px={6} aria-label={t`Without: ${text}`} onClick={onDrop}>
        <IconX size={14} aria-hidden />
      </Button>
    </Button.Group>
  );
}

/** In a menu, what is typed leads to the first item with a word that begins so. */
function useTyped() {
  const typed = useRef({ text: '', at: 0 });
  return (event: KeyboardEvent<HTMLElement>) => {
    const { key, timeStamp } = event;
    if (key.length !== 1 || key === ' ' || event.ctrlKey || event.metaKey || event.altKey) return;
    const goesOn = timeStamp - typed.current.at < TYPING_PAUSE_MS;
    const text = `${goesOn ? typed.current.text : ''}${key.toLowerCase()}`;
    typed.current = { text, at: timeStamp };
    const begins = (item: HTMLElement) => ` ${item.textContent.toLowerCase()}`.includes(` ${text}`);
    [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')].find(begins)?.focus();
  };
}

/** After it another word begins. */
const TYPING_PAUSE_MS = 1_000;

/** The days that are asked for most, by the clinic's clock. */
function NearDays({ onChoose }: { onChoose: (day: string) => void }) {
  const today = useToday();
  return (
    <Group gap="xs" mt="xs">
      <PlainButton label={t`Today`} size="xs" onClick={() => onChoose(today)} />
      <PlainButton label={t`Yesterday`} size="xs" onClick={() => onChoose(plusDays(today, -1))} />
    </Group>
  );
}

const optionsOf = ({ usual, options }: Extract<FilterField, { kind: 'select' }>) =>
  usual ? [{ value: '', label: usual.label }, ...options] : options;

/** The days of an address as the service takes them: the address names the last day, the service what comes after it. */
export const daysOf = (from: string | undefined, until: string | undefined) => ({
  from: isLocalDate(from) ? from : undefined,
  until: isLocalDate(until) ? plusDays(until, 1) : undefined,
});

interface SearchFieldProps {
  label: string;
  placeholder: string;
  value: string | undefined;
  onChange: (value: string | null) => void;
  width?: number;
}

/** A text to search for; the list follows when typing pauses. */
function SearchField({ label, placeholder, value, onChange, width = 240 }: SearchFieldProps) {
  const [text, setText] = useState(value ?? '');
  const input = useRef<HTMLInputElement>(null);
  const searched = useRef(new Set<string>());
  // A link may have changed the address; what somebody is typing stays.
  useEffect(() => {
    const isTyping = document.activeElement === input.current && searched.current.has(value ?? '');
    if (!isTyping) setText(value ?? '');
  }, [value]);
  const search = useDebouncedCallback((typed: string) => {
    const asked = typed.trim();
    searched.current.add(asked);
    onChange(asked || null);
  }, 250);
  return (
    <TextInput
      ref={input}
      aria-label={label}
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

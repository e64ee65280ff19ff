import { Group, Kbd, Text } from '@mantine/core';
import { useDebouncedValue, useNetwork } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { sentenceOf } from '#http';
import { t, Trans } from '#texts';
import { Small } from '#words';
import { FinderField, type Typed } from './finder-field';
import classes from './finder.module.css';
import { type FoundGroup, type Hit, useFound } from './found';

interface SearchProps extends Typed {
  /** Enter came before what was typed was found: it opens the first of it then. */
  isDue: boolean;
  onDue: () => void;
  onOpen: (hit: Hit) => void;
}

/** The field of the finder, and what is found by what is typed in it. */
export function Search({ typed, onType, isDue, onDue, onOpen }: SearchProps) {
  const [settled] = useDebouncedValue(typed.trim(), 200);
  const { online } = useNetwork();
  const { groups, isSearching, isFirstKnown } = useFound(settled);
  const hits = groups.flatMap((group) => group.hits);
  const [at, setAt] = useState(0);
  const listId = useId();
  useEffect(() => setAt(0), [settled]);
  const chosen = hits[Math.min(at, hits.length - 1)];
  const idOf = ({ key }: Hit) => `${listId}-${key}`;
  const isReady = settled === typed.trim() && !isSearching;
  useEffect(() => {
    if (isDue && isReady && chosen) onOpen(chosen);
  }, [isDue, isReady, chosen, onOpen]);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && hits.length > 0) {
      event.preventDefault();
      setAt((Math.min(at, hits.length - 1) + step + hits.length) % hits.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (settled === typed.trim() && chosen && (isFirstKnown || at > 0)) onOpen(chosen);
      else if (typed.trim() !== '') onDue();
    }
  };
  return (
    <>
      <FinderField
        typed={typed}
        onType={onType}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={chosen && idOf(chosen)}
      />
      <Hits
        id={listId}
        groups={groups}
        chosen={chosen}
        idOf={idOf}
        onChoose={(hit) => setAt(hits.indexOf(hit))}
        onOpen={onOpen}
        onKeyDown={onKeyDown}
      />
      <Group justify="space-between" mt="sm" mih={20}>
        <Small role="status">
          {settled === ''
            ? t`Type a name, a phone as it is written, a birth date, or an id.`
            : said(isSearching, hits.length, groups, online)}
        </Small>
        <Small visibleFrom="sm">
          <Trans>
            <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> choose, <Kbd size="xs">Enter</Kbd> open
          </Trans>
        </Small>
      </Group>
    </>
  );
}

interface HitsProps {
  id: string;
  groups: FoundGroup[];
  chosen: Hit | undefined;
  idOf: (hit: Hit) => string;
  onChoose: (hit: Hit) => void;
  onOpen: (hit: Hit) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** What was found, under its headings. The field keeps the focus: it names the hit that is chosen. */
const Hits = ({ id, groups, chosen, idOf, onChoose, onOpen, onKeyDown }: HitsProps) => (
  <div className={classes.results}>
    <div id={id} role="listbox" aria-label={t`Found`}>
      {groups.map(
        ({ name, hits }) =>
          hits.length > 0 && (
            <div key={name} role="group" aria-label={name}>
              <Text size="xs" c="dimmed" fw={500} px="xs" mt="sm" mb={2} aria-hidden>
                {name}
              </Text>
              {hits.map((hit) => (
                <div
                  key={hit.key}
                  id={idOf(hit)}
                  role="option"
                  tabIndex={-1}
                  aria-selected={hit === chosen}
                  className={classes.hit}
                  onMouseMove={() => onChoose(hit)}
                  onClick={() => onOpen(hit)}
                  onKeyDown={onKeyDown}
                  ref={hit === chosen ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
                >
                  <Text size="sm" fw={500} truncate component="span">
                    {hit.title}
                  </Text>
                  <Text size="xs" c="dimmed" truncate component="span">
                    {hit.note}
                  </Text>
                </div>
              ))}
            </div>
          ),
      )}
    </div>
    {groups.map(
      ({ name, error }) =>
        Boolean(error) && (
          <Text key={name} size="sm" c="var(--mantine-color-error)" px="xs" mt="sm">
            {t`${name}: not searched. ${sentenceOf(error)}`}
          </Text>
        ),
    )}
  </div>
);

function said(isSearching: boolean, count: number, groups: FoundGroup[], isOnline: boolean): string {
  if (!isOnline) return t`There is no connection: patients and records are not searched.`;
  if (isSearching) return t`Searching …`;
  const failed = groups.filter(({ error }) => error).map(({ name }) => name);
  if (failed.length > 0) return t`${count} found; not searched: ${failed.join(', ')}`;
  if (count > 0) return t`${count} found`;
  return t`Nothing found. Type a name, a phone, a birth date, a provider, a page, an action or an id.`;
}

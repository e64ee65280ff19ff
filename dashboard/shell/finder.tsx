import { Box, Group, Kbd, Text, TextInput, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useHotkeys } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useNavigate } from 'react-router';
import { Dialog } from '#forms';
import { sentenceOf } from '#http';
import { IconSearch } from '#icons';
import { t, Trans } from '#texts';
import { Small } from '#words';
import { chooseLanguage } from '../language';
import { useRegistering } from '../pages/patients/registering';
import classes from './finder.module.css';
import { type FoundGroup, type Hit, useFound } from './found';

/** Finds people, records, pages and actions from any page: a field in the header, and ⌘K or Ctrl+K. */
export function Finder() {
  const [isOpen, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const { register, dialog } = useRegistering({ onPatient: ({ id }) => void navigate(`/patients/${id}`) });
  // Also while a field has the focus. The field is there, and has the focus, before the next key comes.
  useHotkeys([['mod+K', () => flushSync(open)]], []);
  const go = ({ opens }: Hit) => {
    close();
    if ('registers' in opens) register(opens.registers);
    else if ('speaks' in opens) chooseLanguage(opens.speaks);
    else void navigate(opens.to);
  };
  return (
    <>
      <UnstyledButton className={classes.field} onClick={open} aria-keyshortcuts="Meta+K Control+K">
        <IconSearch size={18} aria-hidden />
        <VisuallyHidden hiddenFrom="sm">{t`Find or do something`}</VisuallyHidden>
        <Text size="sm" visibleFrom="sm" component="span">
          {t`Find or do something`}
        </Text>
        <Box visibleFrom="md" component="span" aria-hidden>
          <Kbd size="xs">{isMac ? '⌘' : 'Ctrl'} K</Kbd>
        </Box>
      </UnstyledButton>
      <Dialog
        opened={isOpen}
        onClose={close}
        title={t`Find`}
        size="lg"
        centered={false}
        yOffset="8dvh"
        // What moves into view takes keys only once it has come.
        transitionProps={{ duration: 0 }}
      >
        <Search onOpen={go} />
      </Dialog>
      {dialog}
    </>
  );
}

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

function Search({ onOpen }: { onOpen: (hit: Hit) => void }) {
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed.trim(), 200);
  const { groups, isSearching, isFirstKnown } = useFound(settled);
  const hits = groups.flatMap((group) => group.hits);
  const [at, setAt] = useState(0);
  /** Enter came before what was typed was found: it opens the first of it then. */
  const [isDue, setDue] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const listId = useId();
  useLayoutEffect(() => field.current?.focus(), []);
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
      else if (typed.trim() !== '') setDue(true);
    }
  };
  return (
    <>
      <TextInput
        ref={field}
        data-autofocus
        aria-label={t`Find`}
        placeholder={t`Name, phone, birth date, provider, page, action or id`}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        maxLength={100}
        onChange={({ currentTarget }) => {
          setDue(false);
          setTyped(currentTarget.value);
        }}
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
            : said(isSearching, hits.length, groups)}
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

function said(isSearching: boolean, count: number, groups: FoundGroup[]): string {
  if (isSearching) return t`Searching …`;
  const failed = groups.filter(({ error }) => error).map(({ name }) => name);
  if (failed.length > 0) return t`${count} found; not searched: ${failed.join(', ')}`;
  if (count > 0) return t`${count} found`;
  return t`Nothing found. Type a name, a phone, a birth date, a provider, a page, an action or an id.`;
}

import { Box, Group, Kbd, Modal, Text, TextInput, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { useNavigate } from 'react-router';
import * as api from '#api';
import { IconSearch } from '#icons';
import { labelOf, type Right, useMay, useZone, workflowName } from '#parts';
import { t, Trans } from '#texts';
import { formatDay, nameOf, Small } from '#words';
import classes from './finder.module.css';
import { destinationsFor } from './navigation';

/** Something that was found, and where it is. */
interface Hit {
  key: string;
  /** The heading that it stands under. */
  group: string;
  title: string;
  note: ReactNode;
  to: string;
}

const perGroup = 5;
/** Shorter than any id, longer than what people type as a name. */
const shortestId = 16;

/** Finds patients, cases and calls from any page: a field in the header, and ⌘K or Ctrl+K. */
export function Finder() {
  const [isOpen, { open, close }] = useDisclosure(false);
  // Also while a field has the focus.
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <UnstyledButton className={classes.field} onClick={open} aria-keyshortcuts="Meta+K Control+K">
        <IconSearch size={18} aria-hidden />
        <VisuallyHidden hiddenFrom="sm">{t`Find a patient, case or call`}</VisuallyHidden>
        <Text size="sm" visibleFrom="sm" component="span">
          {t`Find a patient, case or call`}
        </Text>
        <Box visibleFrom="md" component="span" aria-hidden>
          <Kbd size="xs">{isMac ? '⌘' : 'Ctrl'} K</Kbd>
        </Box>
      </UnstyledButton>
      <Modal opened={isOpen} onClose={close} title={t`Find`} size="lg" centered={false} yOffset="8dvh">
        <Search onDone={close} />
      </Modal>
    </>
  );
}

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

function Search({ onDone }: { onDone: () => void }) {
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed.trim(), 200);
  const { hits, isSearching } = useHits(settled);
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const listId = useId();
  useEffect(() => setAt(0), [settled]);
  const chosen = hits[Math.min(at, hits.length - 1)];
  const idOf = ({ key }: Hit) => `${listId}-${key}`;

  const go = ({ to }: Hit) => {
    onDone();
    void navigate(to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && hits.length > 0) {
      event.preventDefault();
      setAt((Math.min(at, hits.length - 1) + step + hits.length) % hits.length);
    } else if (event.key === 'Enter' && chosen && settled === typed.trim()) {
      event.preventDefault();
      go(chosen);
    }
  };
  return (
    <>
      <TextInput
        data-autofocus
        aria-label={t`Find`}
        placeholder={t`Name, phone, birth date, session or id`}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        maxLength={100}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={chosen && idOf(chosen)}
      />
      <Hits id={listId} hits={hits} chosen={chosen} idOf={idOf} onChoose={setAt} onOpen={go} onKeyDown={onKeyDown} />
      <Group justify="space-between" mt="sm" mih={20}>
        <Small role="status">
          {settled === ''
            ? t`Type a name, a phone as it is written, a birth date, or an id.`
            : said(isSearching, hits.length)}
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
  hits: Hit[];
  chosen: Hit | undefined;
  idOf: (hit: Hit) => string;
  onChoose: (index: number) => void;
  onOpen: (hit: Hit) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** What was found, under its headings. The field keeps the focus: it names the hit that is chosen. */
function Hits({ id, hits, chosen, idOf, onChoose, onOpen, onKeyDown }: HitsProps) {
  const groups = [...new Set(hits.map(({ group }) => group))];
  return (
    <div className={classes.results} id={id} role="listbox" aria-label={t`Found`}>
      {groups.map((group) => (
        <div key={group} role="group" aria-label={group}>
          <Text size="xs" c="dimmed" fw={500} px="xs" mt="sm" mb={2} aria-hidden>
            {group}
          </Text>
          {hits
            .filter((hit) => hit.group === group)
            .map((hit) => (
              <div
                key={hit.key}
                id={idOf(hit)}
                role="option"
                tabIndex={-1}
                aria-selected={hit === chosen}
                className={classes.hit}
                onMouseMove={() => onChoose(hits.indexOf(hit))}
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
      ))}
    </div>
  );
}

const said = (isSearching: boolean, count: number) =>
  isSearching ? t`Looking …` : count === 0 ? t`Nothing is found.` : t`${count} found`;

/** What the service finds; the pages of the dashboard whose name holds the text stand first. */
function useHits(text: string): { hits: Hit[]; isSearching: boolean } {
  const zone = useZone();
  const may = useMay();
  const enabled = text.length >= 2;
  const query = { search: text, limit: perGroup };
  const mayBeId = text.length >= shortestId && !/\s/.test(text);
  const patients = useQuery({ ...api.getPatientsOptions({ query }), enabled });
  const cases = useQuery({ ...api.getCasesOptions({ query }), enabled });
  const calls = useQuery({ ...api.getCallsOptions({ query }), enabled });
  const record = useQuery({ ...api.getLookupOptions({ query: { id: text } }), enabled: mayBeId });
  const asked = [patients, cases, calls, record];
  if (!enabled) return { hits: [], isSearching: false };
  const opened = (at: string) => formatDay(at, zone, 'numeric');
  const found = record.data?.found;
  const hits: Hit[] = [
    ...(mayBeId && found
      ? [
          {
            key: `id-${found.id}`,
            group: t`By its id`,
            to: `/${addresses[found.kind]}/${found.id}`,
            ...kinds[found.kind],
          },
        ]
      : []),
    ...pagesNamed(text, may),
    ...(patients.data?.items ?? []).map((patient): Hit => ({
      key: `patient-${patient.id}`,
      group: t`Patients`,
      title: nameOf(patient),
      note: [
        patient.phone,
        patient.dateOfBirth && t`born ${patient.dateOfBirth}`,
        patient.registrationStatus === 'ACTION_REQUIRED' && t`known only from a form or call`,
      ]
        .filter(Boolean)
        .join(', '),
      to: `/patients/${patient.id}`,
    })),
    ...(cases.data?.items ?? []).map((each): Hit => ({
      key: `case-${each.recoveryCaseId}`,
      group: t`Recovery cases`,
      title: nameOf(each.patient),
      note: t`${labelOf(each.recoveryStatus)}, opened ${opened(each.createdAt)}${each.formName ? `, ${each.formName}` : ''}`,
      to: `/cases/${each.recoveryCaseId}`,
    })),
    ...(calls.data?.items ?? []).map((call): Hit => ({
      key: `call-${call.id}`,
      group: t`Calls`,
      title: nameOf(call.patient),
      note: `${workflowName(call.workflowType)}, ${opened(call.createdAt)}`,
      to: `/calls/${call.id}`,
    })),
  ];
  return { hits, isSearching: asked.some(({ isLoading }) => isLoading) };
}

type FoundKind = NonNullable<api.GetLookupResponse['found']>['kind'];

const addresses: Record<FoundKind, string> = {
  case: 'cases',
  call: 'calls',
  patient: 'patients',
  delivery: 'deliveries',
};
const kinds: Record<FoundKind, { title: string; note: string }> = {
  case: { title: t`Recovery case`, note: t`Of this id` },
  call: { title: t`Call`, note: t`Of this id` },
  patient: { title: t`Patient`, note: t`Of this id` },
  delivery: { title: t`Delivery`, note: t`Of this id` },
};

const pagesNamed = (text: string, may: (right: Right) => boolean): Hit[] =>
  destinationsFor(may)
    .filter(({ label }) => label.toLowerCase().startsWith(text.toLowerCase()))
    .map(({ to, label }) => ({ key: `page-${label}`, group: t`Pages`, title: label, note: t`Page`, to }));

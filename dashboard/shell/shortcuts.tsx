import { Group, Kbd, Modal, Stack, Switch, Table } from '@mantine/core';
import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import { Fragment, useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useAccount, useMay } from '#parts';
import { t } from '#texts';
import { Small } from '#words';
import { navigationFor } from './navigation';

/** After `g`, the key of a page. */
const pageKeys: Record<string, string> = {
  m: '/my-day',
  o: '/',
  r: '/cases',
  c: '/calls',
  q: '/queue',
  t: '/tasks',
  e: '/results',
  p: '/patients',
  k: '/calendar',
  d: '/deliveries',
  u: '/runs',
};
/** So long the second key of two is waited for. */
const waitMs = 1_500;

const modifier = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl';

const everywhere: [keys: string[], what: string][] = [
  [[modifier, 'K'], t`Find a patient, case, call or page`],
  [['/'], t`Go to the search field of the page`],
  [['?'], t`Show this list`],
  [['Esc'], t`Close what is open`],
];
const inLists: [keys: string[], what: string][] = [
  [['j'], t`The next row`],
  [['k'], t`The row before`],
  [['Enter'], t`Open the row`],
  [['e'], t`Resolve the task`],
];
const inCalendar: [keys: string[], what: string][] = [
  [['↑', '↓'], t`The time before, the time after`],
  [['←', '→'], t`The column beside`],
  [['Home', 'End'], t`The first or last time of the column`],
  [['Enter'], t`Book a free time, open an appointment, take the time for the one that is moved`],
  [['Esc'], t`Keep the time of the one that is moved`],
];

/**
 * Lists the keyboard shortcuts at `?`, and serves those that are single keys. Who speaks to their computer types such keys without
 * meaning to, so they can be turned off (WCAG 2.1.4).
 */
export function Shortcuts() {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [isOn, setOn] = useLocalStorage({
    key: 'single-key-shortcuts',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  const navigate = useNavigate();
  const goAt = useRef(0);
  const rowAt = useRef(0);
  const { pathname } = useLocation();
  useEffect(() => {
    rowAt.current = 0;
  }, [pathname]);
  const { role } = useAccount();
  const { groups, more } = navigationFor(role, useMay());
  const labels = new Map([...groups.flatMap(({ items }) => items), ...more].map(({ to, label }) => [to, label]));

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || hasDialog()) return;
      if (event.key === '?') open();
      if (!isOn) return;
      const isSecond = Date.now() - goAt.current < waitMs;
      goAt.current = event.key === 'g' ? Date.now() : 0;
      const to = isSecond ? pageKeys[event.key] : undefined;
      const search = event.key === '/' ? document.querySelector<HTMLElement>('main input[type=search]') : null;
      if (to) return void navigate(to);
      moveInRows(event, rowAt);
      if (!search) return;
      event.preventDefault();
      search.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn, navigate, open]);

  return (
    <Modal opened={isOpen} onClose={close} title={t`Keyboard shortcuts`} size="lg">
      <Stack>
        <Keys title={t`Everywhere`} rows={everywhere} />
        <Keys
          title={t`Pages`}
          rows={Object.entries(pageKeys).flatMap(([key, to]) => {
            const label = labels.get(to);
            return label === undefined ? [] : [[['g', key], label]];
          })}
          between={t`then`}
        />
        <Keys title={t`In lists`} rows={inLists} />
        <Keys title={t`In the calendar`} rows={inCalendar} />
        <Switch
          label={t`Single keys: g, j, k, e and /`}
          description={t`Turn them off where speech types them by accident.`}
          checked={isOn}
          onChange={({ currentTarget }) => setOn(currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}

interface KeysProps {
  title: string;
  rows: [keys: string[], what: string][];
  between?: string;
}

const Keys = ({ title, rows, between = '' }: KeysProps) => (
  <Table aria-label={title} verticalSpacing={4} horizontalSpacing={0} withRowBorders={false}>
    <Table.Caption
      ta="start"
      m={0}
      pb={4}
      fz="sm"
      fw={600}
      c="var(--mantine-color-text)"
      style={{ captionSide: 'top' }}
    >
      {title}
    </Table.Caption>
    <Table.Tbody>
      {rows.map(([keys, what]) => (
        <Table.Tr key={keys.join()}>
          <Table.Td w={140}>
            <Group gap={4}>
              {keys.map((key, index) => (
                <Fragment key={key}>
                  {index > 0 && between && <Small>{between}</Small>}
                  <Kbd size="sm">{key}</Kbd>
                </Fragment>
              ))}
            </Group>
          </Table.Td>
          <Table.Td>{what}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/**
 * `j` and `k` go from row to row of what the page lists; other keys press the button of a row that names them. `rowAt`: where the last
 * row was that had the focus, for a row that is done leaves its place to the next.
 */
function moveInRows(event: KeyboardEvent, rowAt: { current: number }): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const here = rows.findIndex((row) => row.contains(document.activeElement));
  if (here >= 0) rowAt.current = here;
  const step = { j: 1, k: -1 }[event.key];
  if (step === undefined) {
    rows[here]?.querySelector<HTMLElement>(`[data-key="${CSS.escape(event.key)}"]`)?.click();
    return;
  }
  const isFirst = here < 0 && step > 0;
  const next = rows[Math.min(rows.length - 1, Math.max(0, isFirst ? rowAt.current : rowAt.current + step))];
  const target = next?.querySelector<HTMLElement>('a, button');
  target?.focus();
  target?.scrollIntoView({ block: 'nearest' });
}

const hasDialog = () => document.querySelector('[role=dialog], [role=menu]') !== null;

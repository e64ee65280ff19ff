import { type useDisclosure, useLocalStorage } from '@mantine/hooks';
import { Suspense, useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { Dialog } from '#forms';
import { Loading, onDemand } from '#parts';
import { t } from '#texts';
import { pageKeys } from './page-keys';

const ShortcutList = onDemand(async () => (await import('./shortcut-list')).ShortcutList);

/** So long the second key of two is waited for. */
const waitMs = 1_500;

/**
 * Lists the keyboard shortcuts at `?`, and serves those that are single keys. Who speaks to their computer types such keys without
 * meaning to, so they can be turned off (WCAG 2.1.4).
 */
export function Shortcuts({ disclosure: [isOpen, { open, close }] }: { disclosure: ReturnType<typeof useDisclosure> }) {
  const [isOn, setOn] = useLocalStorage({
    key: 'single-key-shortcuts',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  const navigate = useNavigate();
  const goAt = useRef(0);
  const rowAt = useRef<number | null>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    rowAt.current = null;
  }, [pathname]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) return sendForm(event);
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || hasDialog()) return;
      if (event.key === '?') open();
      if (!isOn) return;
      const isSecond = Date.now() - goAt.current < waitMs;
      goAt.current = event.key === 'g' ? Date.now() : 0;
      const to = isSecond ? pageKeys[event.key] : undefined;
      if (event.key === 'z' && !event.repeat)
        [...document.querySelectorAll<HTMLElement>('[data-undo] button')].at(-1)?.click();
      const search = event.key === '/' ? document.querySelector<HTMLInputElement>('main input[type=search]') : null;
      if (to) return void navigate(to);
      moveInRows(event, rowAt);
      if (!search) return;
      event.preventDefault();
      search.focus();
      search.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn, navigate, open]);

  return (
    <Dialog opened={isOpen} onClose={close} title={t`Keyboard shortcuts`} size="lg">
      <Suspense fallback={<Loading rows={12} />}>
        <ShortcutList isOn={isOn} setOn={setOn} />
      </Suspense>
    </Dialog>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/**
 * Presses what sends the form around, however far down it stands; of a dialog without one the last button, which says yes. It takes the
 * key: the browser would press the button that has the focus as well, or send the form a second time.
 */
function sendForm(event: KeyboardEvent): void {
  const field = event.target;
  if (!(field instanceof HTMLElement)) return;
  const form = field.closest('form');
  const inDialog = field.closest('[role=dialog]')?.querySelectorAll<HTMLElement>('button:not([role])') ?? [];
  const button = form ? form.querySelector<HTMLElement>('[type=submit]') : [...inDialog].at(-1);
  if (!button) return;
  event.preventDefault();
  if (!event.repeat) button.click();
}

/**
 * `j` and `k`, and the arrows once a row has the focus, go from row to row of what the page lists; other keys press the button of a
 * row that names them. `rowAt`: where the last row was that had the focus, for a row that is done leaves its place to the next; at first
 * the one that the page says is next.
 */
function moveInRows(event: KeyboardEvent, rowAt: { current: number | null }): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const here = rows.findIndex((row) => row.contains(document.activeElement));
  if (here >= 0) rowAt.current = here;
  const byArrow = here < 0 ? undefined : { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const step = byArrow ?? { j: 1, k: -1 }[event.key];
  if (step === undefined) {
    const button = rows[here]?.querySelector<HTMLElement>(`[data-key="${CSS.escape(event.key)}"]`);
    // Once the key is over: a menu that it opens for the second time is closed by the same key.
    setTimeout(() => button?.click());
    return;
  }
  if (byArrow) event.preventDefault();
  const start =
    rowAt.current ??
    Math.max(
      0,
      rows.findIndex((row) => 'now' in row.dataset),
    );
  const isFirst = here < 0 && step > 0;
  const next = rows[Math.min(rows.length - 1, Math.max(0, isFirst ? start : start + step))];
  const target = next?.querySelector<HTMLElement>('a, button');
  target?.focus();
  target?.scrollIntoView({ block: 'nearest' });
}

const hasDialog = () => document.querySelector('[role=dialog], [role=menu]') !== null;

/** Gives the focus to what is about to be drawn, once it can have it, and brings it into sight. */
export function focusSoon(find: () => HTMLElement | null | undefined, frames = 20): void {
  requestAnimationFrame(() => {
    const element = find();
    element?.focus();
    if (!element || document.activeElement !== element) {
      if (frames > 0) focusSoon(find, frames - 1);
      return;
    }
    const show = () => element.scrollIntoView({ block: 'nearest' });
    show();
    // What opens around it has come to its end by then. Under the pointer of somebody who has gone on nothing moves.
    setTimeout(() => document.activeElement === element && show(), 300);
  });
}

/** Of a form that was refused, the first field that says so; of a group of boxes its first box. */
export const focusRefused = (form: HTMLElement | null | undefined): void =>
  focusSoon(() => form?.querySelector<HTMLElement>('[aria-invalid=true], [data-error] [role=group] input'));

interface Focused {
  element: Element;
  /** What stands with it in its list, form or panel, in order. */
  among: HTMLElement[];
}

/**
 * What is taken away or disabled loses the focus to nothing, and whoever works by keyboard is lost with it. Then what
 * comes next in its place has it, or what its dialog was opened from, or the heading of the page; and what is only busy
 * has it again afterwards.
 */
export function keepFocus(): void {
  let last: Focused | null = null;
  // Behind every dialog and menu: what they were opened from, one from another.
  let behind: Focused | null = null;
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    const place = target.closest('table, ul, form, section, [role=group], [role=dialog]');
    const among = place?.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex]');
    last = { element: target, among: [...(among ?? [])] };
    if (!target.closest('[role=dialog], [role=menu]')) behind = last;
  });
  document.addEventListener('focusout', ({ target }) => {
    // Somebody left it for nothing: so it stays.
    setTimeout(() => {
      if (last?.element === target && isLost() && last && isUsable(last.element)) last = null;
    });
  });
  let timer = 0;
  const look = () => {
    if (!last || !isLost()) return;
    clearTimeout(timer);
    // A dialog or a menu that closes gives it back by itself.
    timer = window.setTimeout(() => last && isLost() && restore(last, behind), 50);
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}

const isLost = () => document.activeElement === document.body;

const isUsable = (element: Element) =>
  element.isConnected && !element.matches(':disabled') && element.checkVisibility();

function restore(last: Focused, behind: Focused | null): void {
  if (last.element.isConnected && !isUsable(last.element)) return;
  // Behind a dialog that has opened meanwhile nobody would find the way into it.
  const modal = [...document.querySelectorAll<HTMLElement>('[role=dialog][aria-modal=true]')].at(-1);
  const next =
    inItsPlace(last).find((each) => isUsable(each) && (!modal || modal.contains(each))) ??
    modal ??
    document.querySelector<HTMLElement>('[role=dialog]') ??
    inItsPlace(behind).find(isUsable) ??
    document.querySelector('main h1');
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
}

/** What had the focus, then what follows it, then what is before it, the nearest first. */
function inItsPlace(focused: Focused | null): Element[] {
  if (!focused) return [];
  const { element, among } = focused;
  const at = Math.max(
    0,
    among.findIndex((each) => each === element),
  );
  return [element, ...among.slice(at), ...among.slice(0, at).toReversed()];
}

// React for `dashboard.ts`: what a store holds is what is rendered, as in a browser.
import { useRef as useHeld, useState as useKept, useSyncExternalStore as use } from 'react';

export * from 'react';

/** What was rendered last would do once a browser shows it, and what came of it: nothing, unless a test asks for it. */
export const shown = {
  effects: [],
  states: [],
  elements: [],
  kept: [],
  held: [],
  begun: { states: [], refs: [], changed: 0 },
};

export function useSyncExternalStore(subscribe, current) {
  shown.effects.push(() => subscribe(() => shown.states.push(current())));
  return use(subscribe, current, current);
}

export const useEffect = (effect) => void shown.effects.push(effect);
export const useLayoutEffect = useEffect;
export const useEffectEvent = (does) => does;

/** Where it is rendered again, a ref is the one that it was. */
export function useRef(first) {
  const { held, begun } = shown;
  const ref = useHeld(held[begun.refs.length] ?? { current: first }).current;
  begun.refs.push(ref);
  return ref;
}

/** Where it is rendered again, a state is what somebody has changed it to. */
export function useState(first) {
  const { kept: before, begun: now } = shown;
  const at = now.states.length;
  const [kept, keep] = useKept(at < before.length ? () => before[at] : first);
  now.states.push(kept);
  const change = (next) => {
    shown.states.push(next);
    now.states[at] = typeof next === 'function' ? next(now.states[at]) : next;
    now.changed = Math.max(now.changed, at + 1);
    keep(next);
  };
  return [kept, change];
}

// React for `dashboard.ts`: what a store holds is what is rendered, as in a browser.
import { useState as useKept, useSyncExternalStore as use } from 'react';

export * from 'react';

export const useSyncExternalStore = (subscribe, current) => use(subscribe, current, current);

/** What was rendered last would do once a browser shows it, and what came of it: nothing, unless a test asks for it. */
export const shown = { effects: [], states: [], elements: [] };

export const useEffect = (effect) => void shown.effects.push(effect);

export function useState(first) {
  const [kept, keep] = useKept(first);
  const change = (next) => {
    shown.states.push(next);
    keep(next);
  };
  return [kept, change];
}

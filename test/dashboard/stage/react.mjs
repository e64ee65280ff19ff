// React for `dashboard.ts`: what a store holds is what is rendered, as in a browser.
import { useId, useState as useKept, useSyncExternalStore as use } from 'react';

export * from 'react';

/** What was rendered last would do once a browser shows it, and what came of it: nothing, unless a test asks for it. */
export const shown = { effects: [], states: [], elements: [], kept: new Map(), now: new Map() };

export function useSyncExternalStore(subscribe, current) {
  shown.effects.push(() => subscribe(() => shown.states.push(current())));
  return use(subscribe, current, current);
}

export const useEffect = (effect) => void shown.effects.push(effect);
export const useLayoutEffect = useEffect;
export const useEffectEvent = (does) => does;

/** Which component asks, by the functions that are being run: lists without gaps move others to the place of one that is gone. */
const asking = () => {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 5;
  Error.prepareStackTrace = (_error, frames) => frames.map((frame) => frame.getFunctionName()).join(' ');
  const running = new Error('asking').stack;
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return running.replace(/ (?:renderWithHooks|finishHooks)\b.*/, '');
};

/** Where its component is rendered again, a state is what it was, or what somebody has changed it to. */
export function useState(first) {
  const id = `${useId()} ${asking()}`;
  const { kept, now } = shown;
  const [state, keep] = useKept(kept.has(id) ? () => kept.get(id) : first);
  now.set(id, state);
  const change = (next) => {
    shown.states.push(next);
    now.set(id, typeof next === 'function' ? next(now.get(id)) : next);
    keep(next);
  };
  return [state, change];
}

export const useRef = (first) => useState(() => ({ current: first }))[0];

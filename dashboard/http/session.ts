import { useSyncExternalStore } from 'react';

/** Why nobody is signed in: not yet, signed out, or the session ran out while the dashboard was open. */
export type Ending = 'none' | 'signed-out' | 'expired';

export type SessionState = { kind: 'signed-in'; token: string } | { kind: 'signed-out'; ending: Ending };

const storageKey = 'clinic-workflows-session';
const listeners = new Set<() => void>();
let state: SessionState = readStored();

/** The session of this tab: in memory, and in sessionStorage so that a reload keeps it. */
export const session = {
  current: () => state,
  token: () => (state.kind === 'signed-in' ? state.token : null),
  open: (token: string) => move({ kind: 'signed-in', token }),
  close: (ending: Ending) => move({ kind: 'signed-out', ending }),
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

export const useSession = (): SessionState => useSyncExternalStore(session.subscribe, session.current);

function move(next: SessionState): void {
  state = next;
  try {
    if (next.kind === 'signed-in') sessionStorage.setItem(storageKey, next.token);
    else sessionStorage.removeItem(storageKey);
  } catch {
    // Storage may be switched off; the session then lives as long as the page.
  }
  for (const listener of listeners) listener();
}

function readStored(): SessionState {
  try {
    const token = sessionStorage.getItem(storageKey);
    if (token) return { kind: 'signed-in', token };
  } catch {
    // As above.
  }
  return { kind: 'signed-out', ending: 'none' };
}

import { useSyncExternalStore } from 'react';

/** A request that comes later than this after somebody's last doing is the page's own. */
const presentMs = 60_000;

/** How soon it is noticed that nobody does anything any more. */
const noticedMs = 5_000;

let lastAt = Date.now();

const note = () => {
  lastAt = Date.now();
};
const doings = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'];
for (const doing of doings) window.addEventListener(doing, note, { capture: true, passive: true });

/** Whether somebody has moved, typed or touched anything here a moment ago: sessions end where nobody does. */
export const isSomebodyHere = (): boolean => Date.now() - lastAt < presentMs;

/** Whether somebody is here and this page is what they see, as it changes. */
export const useIsLookedAt = (): boolean => useSyncExternalStore(follow, isLookedAt);

const isLookedAt = () => document.visibilityState === 'visible' && isSomebodyHere();

function follow(look: () => void): () => void {
  const timer = setInterval(look, noticedMs);
  document.addEventListener('visibilitychange', look);
  for (const doing of doings) window.addEventListener(doing, look, { passive: true });
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', look);
    for (const doing of doings) window.removeEventListener(doing, look);
  };
}

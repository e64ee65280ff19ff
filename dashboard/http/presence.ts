/** A request that comes later than this after somebody's last doing is the page's own. */
const presentMs = 60_000;

let lastAt = Date.now();

const note = () => {
  lastAt = Date.now();
};
for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart']) {
  window.addEventListener(event, note, { capture: true, passive: true });
}

/** Whether somebody has moved, typed or touched anything here a moment ago: sessions end where nobody does. */
export const isSomebodyHere = (): boolean => Date.now() - lastAt < presentMs;

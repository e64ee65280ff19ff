import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

/** A page whose script comes when it is first shown; a `Suspense` above it says what is shown meanwhile. */
export const pageOnDemand = <Props extends object = object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> => lazy(async () => ({ default: await load() }));

/** By then a page has loaded what it needs itself. */
const restMs = 5_000;

/** A part of a page likewise, as what a dialog holds. It is fetched before it is asked for, too: the connection may be gone by then. */
export function onDemand<Props extends object = object>(load: () => Promise<ComponentType<Props>>) {
  setTimeout(() => {
    performance.mark('parts');
    // Where it fails, whoever asks for it is told.
    void load().catch(() => undefined);
  }, restMs);
  return pageOnDemand(load);
}

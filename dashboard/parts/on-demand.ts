import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

/** A component whose script comes when it is first shown; a `Suspense` above it says what is shown meanwhile. */
export const onDemand = <Props extends object = object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> => lazy(async () => ({ default: await load() }));

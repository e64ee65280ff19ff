// React for `dashboard.ts`: what a store holds is what is rendered, as in a browser.
import { useSyncExternalStore as use } from 'react';

export * from 'react';

export const useSyncExternalStore = (subscribe, current) => use(subscribe, current, current);

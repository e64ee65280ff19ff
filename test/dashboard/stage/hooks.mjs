// Mantine's hooks for `dashboard.ts`: an element is as wide as a test says, and nobody goes on typing.
import { shown } from './react.mjs';

export * from '@mantine/hooks';

export const useElementSize = () => ({ ref: () => undefined, width: shown.width, height: 0 });
export const useDebouncedValue = (typed) => [typed, () => undefined];

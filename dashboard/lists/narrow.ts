import { useMediaQuery } from '@mantine/hooks';

/** Whether the screen is too narrow for tables and columns beside each other, as on a phone. */
export const useIsNarrow = (): boolean =>
  useMediaQuery('(max-width: 61.99em)', undefined, { getInitialValueInEffect: false });

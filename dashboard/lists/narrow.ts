import { useMediaQuery } from '@mantine/hooks';

/** Whether the screen is too narrow for tables and columns beside each other, as on a phone. */
export const useIsNarrow = (): boolean =>
  useMediaQuery('(max-width: 61.99em)', undefined, { getInitialValueInEffect: false });

/** Whether the screen is a phone's, with no room for fields beside each other. */
export const useIsPhone = (): boolean =>
  useMediaQuery('(max-width: 35.99em)', undefined, { getInitialValueInEffect: false });

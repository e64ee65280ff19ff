import { locale } from '../language';

/** A share between 0 and 1: `17%`, as the language writes it. Small ones with a decimal, so that few are not none. */
export const formatPercent = (share: number): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: share > 0 && share < 0.1 ? 1 : 0 }).format(
    share,
  );

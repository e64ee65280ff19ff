import { locale } from '../language';

/** A share of 1 as a percentage in the reader's own form, with one decimal below ten percent: `40%`, `5.3%`, `0%`. */
export const formatShare = (share: number): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(share);

/** To one decimal: `8.9`. */
export const formatDecimal = (value: number): string =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(value);

/** An amount of US dollars: `$0.12`. */
export const formatDollars = (amount: number): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' }).format(amount);

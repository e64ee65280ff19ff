import { locale } from '../language';

const percent = (maximumFractionDigits: number) =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits });
const whole = percent(0);
const withDecimal = percent(1);

/** A share between 0 and 1: `17%`, as the language writes it. Small ones with a decimal, so that few are not none. */
export const formatPercent = (share: number): string => (share > 0 && share < 0.1 ? withDecimal : whole).format(share);

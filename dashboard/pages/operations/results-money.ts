import { locale } from '../../language';

/** Amounts of a currency, without cents where they are large. */
export const moneyIn = (currency: string) => {
  const formatOf = (digits: number | undefined) =>
    new Intl.NumberFormat(locale, { style: 'currency', currency, maximumFractionDigits: digits });
  return (value: number) => formatOf(Math.abs(value) >= 1_000 ? 0 : undefined).format(value);
};

/** The same beside an axis: cents only where there are some. */
export const moneyOnAxis = (currency: string) => {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' });
  return (value: number) => format.format(value);
};

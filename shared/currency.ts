import currencies from 'country-to-currency';

/** What is paid with in a country (`US`), as `USD`; a country that nobody knows is taken to pay in dollars. */
export const currencyOf = (country: string): string =>
  Object.entries(currencies).find(([known]) => known === country)?.[1] ?? 'USD';

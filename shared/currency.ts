import currencies from 'country-to-currency';

/** What is paid with in a country (`US`), as `USD`; a country that nobody knows is taken to pay in dollars. */
export const currencyOf = (country: string): string =>
  Object.entries(currencies).find(([known]) => known === country)?.[1] ?? 'USD';

/** What a clinic counts in, and what a US dollar costs in it: null where nobody has said. */
export function moneyOfClinic({
  currency,
  usdRate,
  country,
}: {
  currency: string | null;
  usdRate: number | null;
  country: string;
}): { currency: string; usdRate: number | null } {
  const counted = currency ?? currencyOf(country);
  return { currency: counted, usdRate: counted === 'USD' ? 1 : usdRate };
}

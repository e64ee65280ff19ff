import { getCountries, isSupportedCountry } from 'libphonenumber-js/min';

/** The country of a clinic that nobody has said one of. */
export const DEFAULT_COUNTRY = 'US';

/** Whether phone numbers can be read as those of a country (ISO 3166, as `GB`). */
export const isCountry = (text: string): boolean => isSupportedCountry(text);

/** The country (ISO 3166) in which an IANA time zone is kept; null for one of no country, as `UTC`. */
export function countryOfZone(zone: string): string | null {
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
  // A zone is kept in one country: the likeliest is looked at first, as all of them take forty milliseconds.
  const countries = [DEFAULT_COUNTRY, ...getCountries()];
  return countries.find((country) => zonesIn(country).includes(timeZone)) ?? null;
}

/** A property in older engines, a method in newer ones. */
function zonesIn(country: string): string[] {
  const locale: Intl.Locale & { timeZones?: string[]; getTimeZones?: () => string[] } = new Intl.Locale(
    `und-${country}`,
  );
  return locale.getTimeZones?.() ?? locale.timeZones ?? [];
}

import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Whether a text has the form of E.164: a plus sign and 7 to 15 digits. Number plans are not consulted. */
export function isE164(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text);
}

/** Other ways in which people write a number that we have in E.164 form. */
export function otherWritings(phone: string): string[] {
  const parsed = parsePhoneNumberFromString(phone);
  if (!parsed) return [];
  const { nationalNumber, countryCallingCode } = parsed;
  const [national, international] = [parsed.formatNational(), parsed.formatInternational()];
  const groupsOf = (written: string) => written.split(/\D+/).filter(Boolean);
  const writings = [
    nationalNumber,
    `${countryCallingCode}${nationalNumber}`,
    national,
    international,
    ...['-', '.', ' '].map((between) => groupsOf(national).join(between)),
    groupsOf(international).join('-'),
  ];
  return [...new Set(writings)].filter((each) => each !== phone);
}

/**
 * Reads a phone number as people write it, national ones in the default country (ISO 3166, as `US`); null when it
 * cannot be dialled. One phone has one form: a zero that is dialled only within a country is none of it, as in +44 07911 123456. What no
 * number plan knows stays as it is.
 */
export function readPhone(text: string, defaultCountry: string): string | null {
  // A number that is copied from a phone's contacts stands between marks of direction that nobody sees.
  const written = text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .trim();
  const country = isSupportedCountry(defaultCountry) ? defaultCountry : undefined;
  const parsed = parsePhoneNumberFromString(written, { defaultCountry: country, extract: false });
  if (parsed?.isPossible() === true && isE164(parsed.number)) return parsed.number;
  const compact = written.replace(/[\s().\-/]/g, '');
  return isE164(compact) ? compact : null;
}

/** A number that is in E.164 form, as `readPhone` writes it. */
export const inOneForm = (phone: string): string => readPhone(phone, '') ?? phone;

import { isDate } from '../calendar/clinic-time';
import { isMonthFirst } from './written-birth-dates';

/** The verdict on one answer of the intake form; the error is a sentence to be said to the caller. */
export type FieldCheck = { valid: true } | { valid: false; error: string };

/** The clinic as its dates are written and read. */
interface ClinicDates {
  /** Its date now. */
  today: string;
  /** ISO 3166, as `US`. */
  country: string;
}

/** Checks the form of an intake answer, not whether it is true; other fields always pass. */
export function validateIntakeField(fieldName: string, value: string, clinic: ClinicDates): FieldCheck {
  switch (fieldName) {
    case 'email':
      return isEmail(value) ? valid : invalid('That does not look like an email address.');
    case 'phone':
      return isPhone(value) ? valid : invalid('A phone number has 7 to 15 digits.');
    case 'dateOfBirth':
      return checkBirthDate(value, clinic);
    default:
      return valid;
  }
}

/**
 * Reads a date of birth as agents and people write it (`1980-03-05`, `3/5/1980`, `March 5, 1980`, `5 March 1980`) into
 * YYYY-MM-DD; in digits, month and day stand in the order of the clinic's country, unless the year comes first. Null when it is no
 * date of the calendar.
 */
export function readBirthDate(text: string, country: string): string | null {
  const written = plain(text);
  const [, firstYear, , month, day] =
    /^(\d{4})([/.-])(\d{1,2})\2(\d{1,2})(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?$/.exec(written) ?? [];
  if (firstYear !== undefined) return dateFrom(firstYear, Number(month), day);

  const [, first, second, year] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(written) ?? [];
  if (first !== undefined) {
    const [ofMonth, ofDay] = isMonthFirst(country) ? [first, second] : [second, first];
    return dateFrom(year, Number(ofMonth), ofDay);
  }

  const [, name, dayAfter, yearAfter] = /^([A-Za-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/.exec(written) ?? [];
  if (name !== undefined) return dateFrom(yearAfter, monthOf(name), dayAfter);

  const [, dayBefore, nameAfter, lastYear] =
    /^(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([A-Za-z]+)\.?,? (\d{4})$/.exec(written) ?? [];
  return dateFrom(lastYear, monthOf(nameAfter), dayBefore);
}

/** A date of birth as a clinic's platform tells of it; null for none, for what is no date, and for one that is to come. */
export function readToldBirthDate(text: string | null | undefined, country: string, now: Date): string | null {
  const date = text ? readBirthDate(text, country) : null;
  return date !== null && date < now.toISOString().slice(0, 10) ? date : null;
}

const valid: FieldCheck = { valid: true };

function invalid(error: string): FieldCheck {
  return { valid: false, error };
}

/** One address with a dotted domain, within the lengths that mail servers take. */
function isEmail(value: string): boolean {
  const address = value.trim();
  const [local = '', domain = '', ...rest] = address.split('@');
  if (rest.length > 0 || address.length > 254 || local === '' || local.length > 64 || /[\s,;<>()]/.test(address)) {
    return false;
  }
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return false;
  const labels = domain.split('.');
  return (
    labels.length > 1 && labels.every((label) => /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u.test(label))
  );
}

function isPhone(value: string): boolean {
  return /^\d{7,15}$/.test(plain(value).replace(/[\s()[\].+\-/]/g, ''));
}

/** A voice model writes dashes that do not break and spaces that do not either; a number from contacts stands between unseen marks. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/[\p{Pd}\u2212]/gu, '-')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function checkBirthDate(value: string, { today, country }: ClinicDates): FieldCheck {
  const date = readBirthDate(value, country);
  if (date === null) return invalid('That is not a date. Please give the year, the month and the day.');
  // Dates in this form sort as text.
  return date < today ? valid : invalid('A date of birth must be in the past.');
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const monthNames =
  /^(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)$/i;

function monthOf(name: string | undefined): number {
  return name !== undefined && monthNames.test(name) ? months.indexOf(name.slice(0, 3).toLowerCase()) + 1 : 0;
}

function dateFrom(year: string | undefined, month: number, day: string | undefined): string | null {
  if (year === undefined || day === undefined) return null;
  return dateOrNull(`${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`);
}

function dateOrNull(date: string): string | null {
  return isDate(date) ? date : null;
}

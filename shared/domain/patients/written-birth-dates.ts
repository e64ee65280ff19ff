/** Month, day and year in this order; elsewhere the day comes first. */
const monthFirst = ['US', 'AS', 'FM', 'GU', 'MH', 'MP', 'PR', 'PW', 'VI'];

/** English and Spanish, as far as they differ. */
const months = [
  ['january', 'enero'],
  ['february', 'febrero'],
  ['march', 'marzo'],
  ['april', 'abril'],
  ['may', 'mayo'],
  ['june', 'junio'],
  ['july', 'julio'],
  ['august', 'agosto'],
  ['september', 'septiembre', 'setiembre'],
  ['october', 'octubre'],
  ['november', 'noviembre'],
  ['december', 'diciembre'],
];

const inDigits = /(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/.-])/g;
const unmarked = /(?<![\p{L}\d/.+-])(\d{2})(\d{2})((?:19|20)\d{2})(?![\p{L}\d/.-])/gu;
const monthThenDay = /(?<![\p{L}\d])(\p{L}{3,10})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4}|\d{2})(?![\d/.-])/giu;
const dayThenMonth =
  /(?<!\d)(\d{1,2})(?:st|nd|rd|th)?\.? (?:de |of )?(\p{L}{3,10})\.?,? (?:de )?(\d{4}|\d{2})(?![\d/.-])/giu;
/** English and Spanish. `Born` with a capital is a name, unless it comes first. */
const beforeDate =
  /(?<![\p{L}\d])(?:born|(?<=^\s*)Born|[Nn]acid[oa]|D\.?O\.?B\.?|d\.?o\.?b\.?|[Bb]irth ?date|[Dd]ate of birth|[Ff]echa de nacimiento)(?: on| el)?:? +(?=\d{4}-\d{2}-\d{2}(?!\d))/gu;

interface Habits {
  /** ISO 3166-1, as `US`: it decides whether 02/03/2016 is in February or in March. */
  country: string;
  /** 16 is 2016 and 60 is 1960 where this year is between. */
  year: number;
}

/**
 * A search in which dates of birth as people write them, `2/26/16`, `Feb 26 2016` or `born February 26th 2016`, are ISO dates; what is no
 * date stays as it is.
 */
export const withIsoBirthDates = (search: string, habits: Habits): string =>
  withDates(search, habits).replaceAll(beforeDate, '');

/** The same where eight digits are a date as well, `02262016`; they may also be part of a phone. */
export const withUnmarkedBirthDates = (search: string, habits: Habits): string =>
  withDates(search, habits)
    .replaceAll(unmarked, (text, first: string, second: string, year: string) => {
      return ofNumbers({ first, second, year: Number(year) }, habits) ?? text;
    })
    .replaceAll(beforeDate, '');

const withDates = (search: string, habits: Habits): string =>
  search
    .replaceAll(inDigits, (text, first: string, mark: string, second: string, year: string) => {
      return ofNumbers({ first, second, year: fullYear(year, habits) }, habits, mark) ?? text;
    })
    .replaceAll(monthThenDay, (text, month: string, day: string, year: string) => {
      return isoDate(fullYear(year, habits), monthOf(month), day) ?? text;
    })
    .replaceAll(dayThenMonth, (text, day: string, month: string, year: string) => {
      return isoDate(fullYear(year, habits), monthOf(month), day) ?? text;
    });

/** Whether a country writes 02/03/2016 for a day of February. */
export const isMonthFirst = (country: string): boolean => monthFirst.includes(country);

/** As the country writes it, or else the other way round. */
function ofNumbers(
  { first, second, year }: { first: string; second: string; year: number },
  { country }: Habits,
  mark = '',
): string | null {
  const [month, day] = mark !== '.' && isMonthFirst(country) ? [first, second] : [second, first];
  return isoDate(year, month, day) ?? isoDate(year, day, month);
}

/** From three letters on; NaN for another word. */
function monthOf(word: string): number {
  const found = months.findIndex((names) => names.some((name) => name.startsWith(word.toLowerCase())));
  return found < 0 ? Number.NaN : found + 1;
}

function fullYear(written: string, { year }: Habits): number {
  if (written.length === 4) return Number(written);
  const century = year - (year % 100);
  return Number(written) <= year % 100 ? century + Number(written) : century - 100 + Number(written);
}

/** Null where there is no such day. */
function isoDate(year: number, month: string | number, day: string | number): string | null {
  const [monthNumber, days] = [Number(month), Number(day)];
  const daysInMonth = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][monthNumber - 1];
  if (daysInMonth === undefined || days < 1 || days > daysInMonth) return null;
  return `${year}-${String(monthNumber).padStart(2, '0')}-${String(days).padStart(2, '0')}`;
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

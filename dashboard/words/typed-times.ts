import { isLocalDate, type LocalDate, minuteOf, wallTimeOf } from './week';

interface Stretch {
  opens: string;
  closes: string;
}

/** A time of the day as people type it, `9`, `930`, `9.30` or `5 pm`, as `09:00`; null where it is none. */
export function readTime(typed: string): string | null {
  const found = /^(\d{1,2})(?:[:.h]?(\d{2}))?\s*(?:([ap])(?:\.?\s*m\.?)?)?$/i.exec(typed.trim());
  if (!found) return null;
  const [, hours = '', minutes = '0', half] = found;
  const hour = half ? (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hours);
  const minute = hour * 60 + Number(minutes);
  const isTime = Number(minutes) < 60 && minute <= 24 * 60 && (!half || (Number(hours) > 0 && Number(hours) <= 12));
  return isTime ? wallTimeOf(minute) : null;
}

/** Likewise a time at which somebody comes or is called: `5` and `5:30` are in the afternoon there, `05:00` is not. */
export function readTimeOfVisit(typed: string): string | null {
  const [hour = ''] = /^[1-7](?=$|[:.h]?\d{2}$)/i.exec(typed.trim()) ?? [];
  return readTime(hour === '' ? typed : `${typed}pm`);
}

/** `9-12` as `09:00` and `12:00`; null where a part of it is no time. */
export function readStretch(typed: string): Stretch | null {
  const [opens, closes, ...rest] = typed.split(/[-–]/).map(readTime);
  return opens && closes && rest.length === 0 ? { opens, closes } : null;
}

/** A day as people type it, `24/12/2026`, in the order of the clinic’s country or else the other way round; null where it is none. */
export function readDate(typed: string, isMonthFirst: boolean): LocalDate | null {
  if (isLocalDate(typed)) return typed;
  const found = /^(\d{1,2})([/.-])(\d{1,2})\2(?:20)?(\d{2})$/.exec(typed);
  if (!found) return null;
  const [, first = '', mark, second = '', year] = found;
  return dateOf(`20${year}`, [first, second], mark !== '.' && isMonthFirst);
}

/** A date of birth likewise, `2/26/1990`, `26.2.90` or `02261990`: of two centuries that a short year may be of the one that has been. */
export function readBirthDate(typed: string, isMonthFirst: boolean): LocalDate | null {
  const text = typed.trim().replace(/^(\d\d)(\d\d)(\d{4})$/, '$1/$2/$3');
  const found = /^(\d{1,2})([/.\s-])(\d{1,2})\2(\d{4}|\d{2})$/.exec(text);
  if (!found) return isLocalDate(text) ? text : null;
  const [, first = '', mark, second = '', year = ''] = found;
  const thisYear = new Date().getFullYear();
  const century = Number(`20${year}`) > thisYear ? '19' : '20';
  return dateOf(year.length === 4 ? year : `${century}${year}`, [first, second], mark !== '.' && isMonthFirst);
}

function dateOf(year: string, [first, second]: [string, string], isMonthFirst: boolean): LocalDate | null {
  const inOrder = isMonthFirst ? [first, second] : [second, first];
  const [month, day] = Number(inOrder[0]) > 12 ? inOrder.toReversed() : inOrder;
  const date = `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`;
  return isLocalDate(date) ? date : null;
}

/** As it is typed: `02/26/1990`, or the day first. */
export function writtenBirthDate(date: LocalDate, isMonthFirst: boolean): string {
  const [year, month, day] = date.split('-');
  return [...(isMonthFirst ? [month, day] : [day, month]), year].join('/');
}

/** What is wrong with the stretches of a day: a part that is no time, one that ends before it begins, one before another has ended. */
export function wrongIn(stretches: Stretch[]): { index: number; what: 'time' | 'end' | 'order' } | null {
  for (const [index, { opens, closes }] of stretches.entries()) {
    if (readTime(opens) !== opens || readTime(closes) !== closes) return { index, what: 'time' };
    if (minuteOf(closes) <= minuteOf(opens)) return { index, what: 'end' };
    const before = stretches[index - 1];
    if (before && minuteOf(opens) < minuteOf(before.closes)) return { index, what: 'order' };
  }
  return null;
}

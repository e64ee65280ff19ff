/** The languages of the interface; English is in the sources, the others in `catalogue/`: each is built on its own (vite.config.ts). */
export const languages = ['en', 'es'] as const;
export type Language = (typeof languages)[number];

const ownKey = 'language';
const clinicsKey = 'clinic-language';
const countryKey = 'clinic-country';

/** What each language calls itself. */
export const languageNames: Record<Language, string> = { en: 'English', es: 'Español' };

const isLanguage = (text: unknown): text is Language => languages.some((each) => each === text);

/** What this person chose in this browser; null leaves it to the clinic. */
export const ownLanguage = (): Language | null => stored(ownKey);

/**
 * The language of this page: the person's own choice, else the clinic's, else the browser's where it is one of ours. It is fixed
 * before the first text is read, so a text may stand anywhere in a module; another language is another load of the page.
 */
export const language: Language = ownLanguage() ?? stored(clinicsKey) ?? browsersLanguage();

/** The locale of dates and numbers: as the clinic's country writes them, where they are typed so too. */
export const locale = localeNow();

/** Before a clinic is known: the reader's own form of the language, where the browser names one that can be used. */
function localeNow(): string {
  const ofClinic = `${language}-${read(countryKey) ?? ''}`;
  return (
    [ofClinic, ...navigator.languages].find((each) => languageOf(each) === language && isLocale(each)) ??
    { en: 'en-US', es: 'es-419' }[language]
  );
}

/** With a capital, as what stands alone begins: an agent writes a few words without one, and some languages a date. */
export const capitalised = (words: string): string => words.charAt(0).toLocaleUpperCase(locale) + words.slice(1);

/** Remembers what a person chose, or leaves it to the clinic, and shows it. */
export function chooseLanguage(chosen: Language | null): void {
  store(ownKey, chosen);
  showChosen();
}

/**
 * Follows the country of the clinic, and its language where nobody chose another one in this browser. Another country of the same
 * clinic shows at the next load.
 */
export function followClinic(clinic: { language: Language; country: string }): void {
  const isFirst = read(countryKey) === null;
  store(clinicsKey, clinic.language);
  store(countryKey, clinic.country);
  if (isFirst && localeNow() !== locale) location.reload();
  showChosen();
}

/** Without storage the next load would not know what was chosen either. */
function showChosen(): void {
  const chosen = ownLanguage() ?? stored(clinicsKey);
  if (chosen && chosen !== language) location.reload();
}

function browsersLanguage(): Language {
  const first = languageOf(navigator.language);
  return isLanguage(first) ? first : 'en';
}

function languageOf(tag: string): string {
  return tag.toLowerCase().split(/[-_]/)[0] ?? '';
}

/** A browser may name what is no language tag: `en-US@posix`, where its system has no language. */
function isLocale(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/** A choice is the browser's; the clinic is the tab's, as its session is. */
function storageOf(key: string): Storage {
  return key === ownKey ? localStorage : sessionStorage;
}

function stored(key: string): Language | null {
  const value = read(key);
  return isLanguage(value) ? value : null;
}

function read(key: string): string | null {
  try {
    return storageOf(key).getItem(key);
  } catch {
    return null;
  }
}

function store(key: string, value: string | null): void {
  try {
    if (value) storageOf(key).setItem(key, value);
    else storageOf(key).removeItem(key);
  } catch {
    // Storage may be switched off; the page then stays in the language that the browser prefers.
  }
}

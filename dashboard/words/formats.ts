import { locale } from '../language';

const made = new Map<string, Intl.DateTimeFormat>();

/** How dates and times are written. Each format is made once: that takes a browser twenty times as long as to use it. */
export function dateFormat(options: Intl.DateTimeFormatOptions, language = locale): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const format = made.get(key) ?? new Intl.DateTimeFormat(language, options);
  made.set(key, format);
  return format;
}

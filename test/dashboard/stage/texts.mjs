// What Lingui's macros come to in English, for `dashboard.ts`: the build replaces them by look-ups (dashboard/macros.mjs).
import { Fragment, createElement } from 'react';

export const t = (said, ...values) =>
  'message' in said ? said.message : said.reduce((text, part, index) => `${text}${values[index - 1]}${part}`);

export function plural(count, { one, other, ...exact }) {
  const text = exact[count] ?? (count === 1 ? one : other);
  return text.replaceAll('#', count.toLocaleString('en-US'));
}

export const Trans = ({ children }) => createElement(Fragment, null, children);

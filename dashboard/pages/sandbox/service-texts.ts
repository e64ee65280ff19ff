/** A text of the service without the marks of code and of stress in it. */
export const withoutTicks = (text: string) => text.replaceAll('`', '').replaceAll(/(?<!\w)_([^_]+)_(?!\w)/g, '$1');

/** In the middle of a sentence; a code stays as it is. */
export const lowerFirst = (text: string) =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

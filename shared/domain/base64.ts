/**
 * Whether a text is base64 (RFC 4648, section 4): complete groups of four, padded; never empty. Looks for a character
 * that does not belong, because a pattern over the whole text overflows the engine's stack at some megabytes.
 */
export function isBase64(text: string): boolean {
  const digits = text.endsWith('==') ? text.slice(0, -2) : text.endsWith('=') ? text.slice(0, -1) : text;
  return digits.length > 0 && text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(digits);
}

/** Letters that are not a letter and an accent. */
const letters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const MAX_LENGTH = 64;

/**
 * The FHIR id of a provider, made from the name that is said: `Dr. José Müller` is `Dr.Jose.Muller`. Null for a name without
 * a Latin letter or a digit, which needs an id of its own.
 */
export function providerIdOf(displayName: string): string | null {
  const plain = displayName.replaceAll(/[^\0-\x7f]/g, (letter) => letters[letter] ?? letter).normalize('NFKD');
  const id = plain
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^A-Za-z0-9-]+/g, '.')
    .slice(0, MAX_LENGTH)
    .replaceAll(/^[.-]+|[.-]+$/g, '');
  return id === '' ? null : id;
}

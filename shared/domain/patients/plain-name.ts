/** A name as it is compared: without capitals, accents and spaces too many. */
export const plainName = (name: string | null | undefined): string =>
  (name ?? '').normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll(/\s+/g, ' ').trim().toLowerCase();

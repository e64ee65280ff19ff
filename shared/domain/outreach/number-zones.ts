import { numberZoneData } from './number-zone-data';

export interface NumberZones {
  /** Every time zone that the number may be in; none for a number of no country. */
  zones: readonly string[];
  /** False where the number tells its country alone, and that has several zones. */
  isTold: boolean;
}

const longestPrefix = 8;
let zonesByPrefix: Map<string, readonly string[]> | null = null;

/** The time zones that a number in E.164 form may be in, by the digits that it begins with. */
export function zonesOfNumber(phone: string): NumberZones {
  zonesByPrefix ??= readData();
  const digits = phone.replace(/^\+/, '');
  const known = prefixesOf(digits).filter((prefix) => zonesByPrefix?.has(prefix));
  const zones = zonesByPrefix.get(known[0] ?? '') ?? [];
  // The shortest prefix is that of the country.
  return { zones, isTold: known.length > 1 || zones.length === 1 };
}

/** Longest first. */
function prefixesOf(digits: string): string[] {
  return Array.from({ length: longestPrefix }, (_, index) => digits.slice(0, longestPrefix - index)).filter(
    (prefix, index, all) => prefix !== '' && prefix !== all[index - 1],
  );
}

function readData(): Map<string, readonly string[]> {
  return new Map(
    numberZoneData.flatMap((line) => {
      const [zones = '', prefixes = ''] = line.split('|');
      return prefixes.split(' ').map((prefix): [string, readonly string[]] => [prefix, zones.split('&')]);
    }),
  );
}

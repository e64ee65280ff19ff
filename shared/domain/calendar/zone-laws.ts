/** A law that stopped the change of clocks somewhere: since then they keep one offset from UTC all year. */
interface ZoneLaw {
  /** The zones whose clocks it sets, with their other names. */
  zones: readonly string[];
  /** A zone that has had that offset always, so that zone data of any age knows it. `Etc/GMT+7` is seven hours behind UTC. */
  clock: string;
  /** The first release of the zone data that knows the law: https://data.iana.org/time-zones/tzdb/NEWS */
  knownSince: string;
}

const zoneLaws: readonly ZoneLaw[] = [
  // British Columbia, since 9 March 2026: https://news.gov.bc.ca/releases/2026AG0013-000209
  { zones: ['America/Vancouver', 'Canada/Pacific'], clock: 'Etc/GMT+7', knownSince: '2026b' },
  // Alberta, since 18 June 2026: Official Time Act, Orders in Council 204/2026 and 206/2026,
  // https://kings-printer.alberta.ca/Documents/Orders/Orders_in_Council/2026/2026_204.pdf
  { zones: ['America/Edmonton', 'Canada/Mountain', 'America/Yellowknife'], clock: 'Etc/GMT+6', knownSince: '2026c' },
  // Morocco and Western Sahara, since 20 September 2026: NEWS of 2026c
  { zones: ['Africa/Casablanca', 'Africa/El_Aaiun'], clock: 'Etc/UTC', knownSince: '2026c' },
  // Manitoba, since 31 October 2026: NEWS of 2026e
  { zones: ['America/Winnipeg', 'Canada/Central', 'America/Rainy_River'], clock: 'Etc/GMT+5', knownSince: '2026e' },
];

/**
 * The zones, and the clocks that they have by laws which the zone data is too old to know: what is lawful in all of them is
 * lawful by the old rule and by the new one. `zoneData` is the release that the runtime has, as 2025b; null where it names none.
 */
export function withZoneLaws(zones: readonly string[], zoneData: string | null): string[] {
  const unknown = zoneLaws.filter(({ knownSince }) => zoneData === null || zoneData < knownSince);
  const clocks = unknown.filter((law) => law.zones.some((zone) => zones.includes(zone))).map(({ clock }) => clock);
  return [...zones, ...clocks];
}

import { zonesOfAddress } from './address-zones';
import { zonesOfNumber } from './number-zones';
import { withZoneLaws } from '../calendar/zone-laws';

/** Where a number that tells no time zone is taken to be: in any zone of its country, or in the clinic's. */
export const unknownZones = ['country', 'clinic'] as const;
export type UnknownZone = (typeof unknownZones)[number];

export interface PatientPlace {
  /** E.164; null where there is none. */
  phone: string | null;
  address: string | null;
  clinicZone: string;
  unknownZone: UnknownZone;
  /** The release of the runtime's zone data; null where it names none. */
  zoneData: string | null;
}

/**
 * Every time zone that a patient may live in, sorted: those of the number, and those of the address where it names a state.
 * A zone whose law is younger than the zone data comes with the clock of that law.
 */
export function zonesOfPatient({ phone, address, clinicZone, unknownZone, zoneData }: PatientPlace): string[] {
  const { zones, isTold } = zonesOfNumber(phone ?? '');
  const isGuess = zones.length === 0 || (!isTold && unknownZone === 'clinic');
  const known = [...(isGuess ? [clinicZone] : zones), ...zonesOfAddress(address, phone)];
  return [...new Set(withZoneLaws(known, zoneData))].toSorted();
}

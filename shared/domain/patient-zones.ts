import { zonesOfAddress } from './address-zones';
import { zonesOfNumber } from './number-zones';

/** Where a number that tells no time zone is taken to be: in any zone of its country, or in the clinic's. */
export const unknownZones = ['country', 'clinic'] as const;
export type UnknownZone = (typeof unknownZones)[number];

export interface PatientPlace {
  /** E.164; null where there is none. */
  phone: string | null;
  address: string | null;
  clinicZone: string;
  unknownZone: UnknownZone;
}

/** Every time zone that a patient may live in, sorted: those of the number, and those of the address where it names a state. */
export function zonesOfPatient({ phone, address, clinicZone, unknownZone }: PatientPlace): string[] {
  const { zones, isTold } = zonesOfNumber(phone ?? '');
  const isGuess = zones.length === 0 || (!isTold && unknownZone === 'clinic');
  return [...new Set([...(isGuess ? [clinicZone] : zones), ...zonesOfAddress(address)])].toSorted();
}

import type { CallingPolicy } from '@clinic/shared/domain/calling-policy';
import { zonesOfPatient } from '@clinic/shared/domain/patient-zones';

/** Every time zone that a patient may live in; none for the simulator, which rings nobody, unless the clinic wants to try it. */
export function patientZonesOf({ voiceProvider, policy, ...place }: PatientPlace): string[] {
  if (voiceProvider === 'simulator' && !policy.simulatorKeepsPatientHours) return [];
  return zonesOfPatient({ ...place, unknownZone: policy.unknownZone });
}

interface PatientPlace {
  phone: string | null;
  address: string | null;
  clinicZone: string;
  voiceProvider: string;
  policy: Pick<CallingPolicy, 'unknownZone' | 'simulatorKeepsPatientHours'>;
}

import type { CallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import { isCallable } from '@clinic/shared/domain/outreach/calling-windows';
import type { PreferredCallHours } from '@clinic/shared/domain/outreach/preferred-hours';
import { zonesOfPatient } from '@clinic/shared/domain/outreach/patient-zones';
import { DEFAULT_PLATFORM, SIMULATOR } from '@clinic/shared/domain/voice/platforms';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type ErasedKeys, erasedOptOut } from '../patients/erased-keys';

interface Context {
  database: Database;
  erasedKeys: ErasedKeys;
}

export const createCallingRuleStores = (database: Database, erasedKeys: ErasedKeys) =>
  bound({ database, erasedKeys }, { mayRing });

/**
 * Whether a phone may ring now for what no workflow has decided, as a campaign of the voice platform's own. `isReal`: it
 * really rings, also where the simulator plays the clinic's patients.
 */
async function mayRing(
  { database: { sql }, erasedKeys }: Context,
  clinicId: string,
  phone: string,
  { isReal = false }: { isReal?: boolean } = {},
): Promise<boolean> {
  const [clinic] = await sql<ClinicRules>`
    select now() as at, c.timezone as "clinicZone", c.voice_provider as "voiceProvider", p.calling_hours as "callingHours",
      p.unknown_zone as "unknownZone", p.simulator_keeps_patient_hours as "simulatorKeepsPatientHours",
      outreach_pause(c.id, null) is not null as "isPaused",
      exists (select 1 from opt_outs o where o.clinic_id = c.id and o.phone = ${phone}) as "isOptedOut",
      numbers_used_until(c.id, ${phone}) is not null as "isAtLimit",
      exists (select from phones_in_call t where t.clinic_id = c.id and t.phone = ${phone}) as "isTalking"
    from clinics c join calling_policies p on p.clinic_id = c.id where c.id = ${clinicId}`;
  if (!clinic || clinic.isPaused || clinic.isOptedOut || clinic.isAtLimit || clinic.isTalking) return false;
  if ((await erasedOptOut(sql, erasedKeys, { clinicId, phone })) !== null) return false;
  const patients = await sql<{ address: string | null; preferredHours: PreferredCallHours | null }>`
    select address, preferred_call_hours as "preferredHours" from patients
    where clinic_id = ${clinicId} and phone = ${phone}
      and (address is not null or preferred_call_hours is not null) limit 50`;
  const { clinicZone, callingHours: hours, at } = clinic;
  const place = { ...clinic, voiceProvider: isReal ? DEFAULT_PLATFORM : clinic.voiceProvider };
  // Whoever has the phone may pick up: it rings when it may ring for each of them.
  return [{ address: null, preferredHours: null }, ...patients].every(({ address, preferredHours }) => {
    const patientZones = patientZonesOf({ ...place, phone, address, policy: clinic });
    return isCallable({ hours, clinicZone, patientZones, preferredHours, at: at.toISOString() });
  });
}

interface ClinicRules extends Pick<CallingPolicy, 'callingHours' | 'unknownZone' | 'simulatorKeepsPatientHours'> {
  at: Date;
  clinicZone: string;
  voiceProvider: string;
  isPaused: boolean;
  isOptedOut: boolean;
  isAtLimit: boolean;
  isTalking: boolean;
}

/** A note that a visit was missed may be a slip of a key: it can be taken back for so long before anybody's phone rings for it. */
const NOTE_STANDS_MS = 60_000;

/** From when on the delay before the first call of a run counts. */
export const openedAt = ({ sessionId, startedAt }: { sessionId: string; startedAt: Date }): string =>
  new Date(startedAt.getTime() + (sessionId.startsWith('missed-') ? NOTE_STANDS_MS : 0)).toISOString();

/** When the patient's own last call ended that was answered, where that was since a run was opened. */
export const calledSince = ({ startedAt, ownCallAt }: { startedAt: Date; ownCallAt: Date | null }): string | null =>
  ownCallAt !== null && ownCallAt > startedAt ? ownCallAt.toISOString() : null;

/** Every time zone that a patient may live in; none for the simulator, which rings nobody, unless the clinic wants to try it. */
export function patientZonesOf({ voiceProvider, policy, ...place }: PatientPlace): string[] {
  if (voiceProvider === SIMULATOR && !policy.simulatorKeepsPatientHours) return [];
  return zonesOfPatient({ ...place, unknownZone: policy.unknownZone, zoneData: process.versions.tz ?? null });
}

interface PatientPlace {
  phone: string | null;
  address: string | null;
  clinicZone: string;
  voiceProvider: string;
  policy: Pick<CallingPolicy, 'unknownZone' | 'simulatorKeepsPatientHours'>;
}

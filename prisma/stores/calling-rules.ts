import type { CallingPolicy } from '@clinic/shared/domain/calling-policy';
import { isCallable } from '@clinic/shared/domain/calling-windows';
import { scopesAgainst } from '@clinic/shared/domain/opt-out';
import { zonesOfPatient } from '@clinic/shared/domain/patient-zones';
import type { WorkflowType } from '@clinic/shared/domain/workflow-types';
import type { Sql } from '../sql';

/** Why a call that was decided must not be placed after all. */
const dialRefusals = ['paused', 'opted_out', 'outside_hours'] as const;
export type DialRefusal = (typeof dialRefusals)[number];

export interface DialInputs {
  at: string;
  clinicZone: string;
  patientZones: string[];
  policy: CallingPolicy;
}

/**
 * Whether a phone may ring at this moment, by pauses, opt-outs and the hours of clinic and patient. The first statement
 * of the transaction that marks the request to the platform as begun: until that ends, nobody can pause or opt out.
 * The time is the database's.
 */
export async function checkDial(
  tx: Sql,
  { clinicId, patientId, phone, workflowType }: DialSubject,
): Promise<{ refusal: DialRefusal | null; inputs: DialInputs | null }> {
  const [blocked] = await tx<{ reason: string | null }>`
    select calling_block(${clinicId}, ${phone}, ${workflowType}, ${scopesAgainst(workflowType)}) as reason`;
  const block = dialRefusals.find((refusal) => refusal === blocked?.reason) ?? null;
  const [facts] = await tx<Facts>`
    select clock_timestamp() as at, address, voice_provider as "voiceProvider", clinic_zone as "clinicZone", policy
    from calling_facts where clinic_id = ${clinicId} and patient_id = ${patientId}`;
  if (!facts) return { refusal: block ?? 'outside_hours', inputs: null };
  const { clinicZone, policy } = facts;
  const inputs = { at: facts.at.toISOString(), clinicZone, patientZones: patientZonesOf({ ...facts, phone }), policy };
  const isInHours = isCallable({ ...inputs, hours: policy.callingHours });
  return { refusal: block ?? (isInHours ? null : 'outside_hours'), inputs };
}

export interface DialSubject {
  clinicId: string;
  patientId: string;
  phone: string;
  workflowType: WorkflowType;
}

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

interface Facts {
  at: Date;
  address: string | null;
  voiceProvider: string;
  clinicZone: string;
  policy: CallingPolicy;
}

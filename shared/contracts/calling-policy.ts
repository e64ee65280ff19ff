import { z } from 'zod';
import { unknownZones } from '../domain/patient-zones';
import { Hours } from './hours';
import { Instant, Page, Phone } from './primitives';

const thirtyDays = 30 * 24 * 3_600;
const PerPatient = z.int().min(1).max(100).nullable();

const settings = {
  firstCallDelaySeconds: z.int().min(0).max(thirtyDays),
  maxAttempts: z.int().min(1).max(20),
  secondsBetweenAttempts: z.int().min(0).max(thirtyDays),
  callingHours: Hours,
  maxConcurrentCalls: z.int().min(1).max(1_000),
  callsPerPatientPerDay: PerPatient,
  callsPerPatientPerWeek: PerPatient,
};

const UnknownZone = z
  .enum(unknownZones)
  .describe(
    'Where a number that tells no time zone is taken to be: in every zone of its country, or in that of the clinic',
  );
const SimulatorKeepsPatientHours = z
  .boolean()
  .describe("Whether the simulator's calls, which ring nobody, keep to the patients' hours too");
const AnnouncesCaller = z
  .boolean()
  .describe('Whether calls begin with who calls, for which clinic, and that it is an automated assistant');

/** `GET /api/integrations/recovery-policy`. null stands for no limit. */
export const CallingPolicyView = z
  .object({
    ...settings,
    unknownZone: UnknownZone,
    simulatorKeepsPatientHours: SimulatorKeepsPatientHours,
    announcesCaller: AnnouncesCaller,
  })
  .meta({ id: 'CallingPolicy' });

/** `PUT /api/integrations/recovery-policy`. What is left out of the last three stays as it is. */
export const CallingPolicySettings = z
  .strictObject({
    ...settings,
    unknownZone: UnknownZone.optional(),
    simulatorKeepsPatientHours: SimulatorKeepsPatientHours.optional(),
    announcesCaller: AnnouncesCaller.optional(),
  })
  .meta({ id: 'CallingPolicySettings' });

/** `POST /api/integrations/opt-outs`. */
export const NewOptOut = z.strictObject({ phone: Phone });

export const ListOptOuts = Page.extend({ phone: z.string().max(30).optional() });

export const OptOut = z.object({ id: z.string(), phone: z.string(), createdAt: Instant }).meta({ id: 'OptOut' });

import { z } from 'zod';
import { Hours } from './hours';
import { Instant, Page, Phone } from './primitives';

const thirtyDays = 30 * 24 * 3_600;
const PerPatient = z.int().min(1).max(100).nullable();

/** `GET, PUT /api/integrations/recovery-policy`. null stands for no limit. */
export const CallingPolicySettings = z
  .strictObject({
    firstCallDelaySeconds: z.int().min(0).max(thirtyDays),
    maxAttempts: z.int().min(1).max(20),
    secondsBetweenAttempts: z.int().min(0).max(thirtyDays),
    callingHours: Hours,
    maxConcurrentCalls: z.int().min(1).max(1_000),
    callsPerPatientPerDay: PerPatient,
    callsPerPatientPerWeek: PerPatient,
  })
  .meta({ id: 'CallingPolicy' });

/** `POST /api/integrations/opt-outs`. */
export const NewOptOut = z.strictObject({ phone: Phone });

export const ListOptOuts = Page.extend({ phone: z.string().max(30).optional() });

export const OptOut = z.object({ id: z.string(), phone: z.string(), createdAt: Instant }).meta({ id: 'OptOut' });

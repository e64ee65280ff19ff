import { z } from 'zod';
import { devFile, seedFile } from './paths';
import { readJson, writePrivateJson } from './private-file';

const Account = z.object({ email: z.string(), password: z.string() });

const DevClinic = Account.extend({
  clinicId: z.string(),
  name: z.string(),
  timezone: z.string(),
  country: z.string().optional(),
  providers: z.array(z.string()),
  staff: Account,
  apiKey: z.string(),
  inboundSecrets: z.record(z.string(), z.string()),
  outboundSigningSecret: z.string(),
  testCallId: z.string(),
});

const Seed = z.object({ clinics: z.array(DevClinic), unlinkedAccount: Account });

const DevStack = Seed.extend({
  baseUrl: z.string(),
  dashboardUrl: z.string(),
  temporalUiUrl: z.string(),
  temporalAddress: z.string(),
  databaseUrl: z.string(),
  /** Signs in as who owns the tables, for migrations; the service's own role where somebody else brings the database. */
  databaseOwnerUrl: z.string().optional(),
  /** As the role that seals the audit, where the stack has made it. */
  auditDatabaseUrl: z.string().optional(),
  voiceSecret: z.string(),
});

/** A clinic with everything that the service shows once only. */
export type DevClinic = z.infer<typeof DevClinic>;

/** What the service shows once, remembered for as long as the data lives. */
export type Seed = z.infer<typeof Seed>;

/** How to reach the running stack, as `.local/dev.json` holds it. */
export type DevStack = z.infer<typeof DevStack>;

export const readSeed = (): Seed | undefined => readJson(seedFile, Seed);
export const writeSeed = (seed: Seed): void => writePrivateJson(seedFile, seed);
export const readDevStack = (): DevStack | undefined => readJson(devFile, DevStack);
export const writeDevStack = (stack: DevStack): void => writePrivateJson(devFile, stack);

/** Adds a clinic to what is remembered, and to the running stack's file where there is one. */
export function rememberClinic(clinic: DevClinic): void {
  const seed = readSeed();
  if (seed) writeSeed({ ...seed, clinics: [...seed.clinics, clinic] });
  const stack = readDevStack();
  if (stack) writeDevStack({ ...stack, clinics: [...stack.clinics, clinic] });
}

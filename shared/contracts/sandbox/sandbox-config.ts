import { z } from 'zod';

/** `GET /api/abandonment-recovery/sandbox-emr/config`. */
export const SandboxConfig = z.object({ enabled: z.boolean() });

/** `PUT` of the same. */
export const SandboxConfigChange = z.strictObject({ enabled: z.boolean({ error: 'must be true or false' }) });

export const SavedSandboxConfig = z.object({ saved: z.literal(true), enabled: z.boolean() });

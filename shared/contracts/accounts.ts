import { z } from 'zod';

export const Role = z.enum(['admin', 'staff']);

/** `POST /api/auth/sign-in/email`. */
export const SignIn = z.object({ email: z.string().min(1).max(320), password: z.string().min(1).max(200) });

const AccountView = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role: Role,
    clinicId: z.string().nullable(),
  })
  .meta({ id: 'Account' });

export const SignedIn = z.object({ token: z.string(), user: AccountView });

/** `POST /api/auth/sign-out`. */
export const SignedOut = z.object({ success: z.literal(true) });

/** `GET /api/auth/session`. */
export const SessionView = z
  .object({
    accountId: z.string(),
    clinicId: z.string().nullable(),
    role: Role,
    name: z.string(),
    email: z.string(),
    clinic: z
      .object({
        id: z.string(),
        name: z.string(),
        timezone: z.string().describe('IANA zone'),
        voiceProvider: z.string().describe('simulator or vapi'),
      })
      .nullable(),
    baseUrl: z.string().describe('Where the service is reached; ends in /api'),
    temporalWorkflowsUrl: z.string().describe("Where Temporal's UI shows the workflows of this service"),
  })
  .meta({ id: 'Session' });

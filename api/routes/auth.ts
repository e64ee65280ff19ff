import type { Accounts } from '@clinic/prisma/accounts';
import type { Stores } from '@clinic/prisma/stores';
import type { ApiConfig } from '@clinic/shared/config';
import { z } from 'zod';
import type { Limits } from '../http/limits';
import { route, type Route } from '../http/route';

const tag = 'Accounts';

const AccountView = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role: z.enum(['admin', 'staff']),
    clinicId: z.string().nullable(),
  })
  .meta({ id: 'Account' });

const SessionView = z
  .object({
    accountId: z.string(),
    clinicId: z.string().nullable(),
    role: z.enum(['admin', 'staff']),
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

/** Dashboard sessions (decisions, section 2). */
export function authRoutes({
  config,
  stores,
  accounts,
  limits,
}: {
  config: Pick<ApiConfig, 'PUBLIC_URL' | 'TEMPORAL_UI_URL' | 'TEMPORAL_NAMESPACE'>;
  stores: Stores;
  accounts: Accounts;
  limits: Limits;
}): Route[] {
  return [
    route({
      method: 'post',
      path: '/auth/sign-in/email',
      access: 'public',
      tag,
      summary: 'Sign in with e-mail and password; the token is the Bearer token, 12 h sliding',
      body: z.object({ email: z.string().min(1).max(320), password: z.string().min(1).max(200) }),
      responses: {
        200: { description: 'Signed in', schema: z.object({ token: z.string(), user: AccountView }) },
        401: { description: 'The e-mail or the password is wrong' },
        429: { description: 'Too many sign-ins for this account from this address' },
      },
      async handle({ body, ip, headers }) {
        await limits.countSignIn(body.email, ip);
        const { token, account } = await accounts.signIn({ ...body, ipAddress: ip, userAgent: headers['user-agent'] });
        return { body: { token, user: account } };
      },
    }),
    route({
      method: 'post',
      path: '/auth/sign-out',
      access: 'session',
      tag,
      summary: 'Revoke the session token',
      responses: { 200: { description: 'Signed out', schema: z.object({ success: z.literal(true) }) } },
      async handle({ caller }) {
        await accounts.signOut(caller.token);
        return { body: { success: true } };
      },
    }),
    route({
      method: 'get',
      path: '/auth/session',
      access: 'session',
      tag,
      summary: 'Who is signed in, and for which clinic',
      responses: { 200: { description: 'The account behind the token', schema: SessionView } },
      async handle({ caller: { accountId, clinicId, role, token } }) {
        const [session, clinic] = await Promise.all([
          accounts.session(token),
          clinicId === null ? null : stores.clinics.find(clinicId),
        ]);
        return {
          body: {
            accountId,
            clinicId,
            role,
            name: session?.name ?? '',
            email: session?.email ?? '',
            clinic: clinic && {
              id: clinic.id,
              name: clinic.name,
              timezone: clinic.timezone,
              voiceProvider: clinic.voiceProvider,
            },
            baseUrl: `${config.PUBLIC_URL}/api`,
            temporalWorkflowsUrl: `${config.TEMPORAL_UI_URL}/namespaces/${config.TEMPORAL_NAMESPACE}/workflows`,
          },
        };
      },
    }),
  ];
}

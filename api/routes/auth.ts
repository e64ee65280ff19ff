import type { Accounts } from '@clinic/prisma/accounts';
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

/** Dashboard sessions (decisions, section 2). */
export function authRoutes({ accounts, limits }: { accounts: Accounts; limits: Limits }): Route[] {
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
      summary: 'Who is signed in',
      responses: {
        200: {
          description: 'The account behind the token',
          schema: z.object({
            accountId: z.string(),
            clinicId: z.string().nullable(),
            role: z.enum(['admin', 'staff']),
          }),
        },
      },
      handle: ({ caller: { accountId, clinicId, role } }) => ({ body: { accountId, clinicId, role } }),
    }),
  ];
}

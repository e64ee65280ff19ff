import { SessionView, SignedIn, SignedOut, SignIn } from '@clinic/shared/contracts/accounts';
import { route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

const tag = 'Accounts';

/** Dashboard sessions (decisions, section 2). */
export function authRoutes({ config, stores, accounts, limits }: RouteDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/auth/sign-in/email',
      access: 'public',
      tag,
      summary: 'Sign in with e-mail and password; the token is the Bearer token, 12 h sliding',
      body: SignIn,
      responses: {
        200: { description: 'Signed in', schema: SignedIn },
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
      responses: { 200: { description: 'Signed out', schema: SignedOut } },
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

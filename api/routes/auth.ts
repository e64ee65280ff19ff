import { SessionView, SignedIn, SignedOut, SignIn } from '@clinic/shared/contracts/accounts';
import { AppError } from '@clinic/shared/errors';
import { SecondFactorNeeded } from '@clinic/prisma/accounts';
import { describeError, type Logger } from '@clinic/shared/log';
import { route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

const tag = 'Accounts';

/** Dashboard sessions (decisions, section 2). */
export function authRoutes({ config, stores, accounts, limits }: RouteDeps): Route[] {
  const note = ({ clinicId, accountId, action, requestId, ip }: Noted) =>
    stores.audit.write({ clinicId, actor: `account:${accountId}`, requestId, address: ip, action, subject: accountId });

  /** For the log always, by the account's id; for the audit where a password was wrong, so that a flood writes nothing. */
  const tellRefusal = async ({ email, ip, code, requestId, log }: Refusal) => {
    if (code === 'too_many_requests') return log.warn({ address: ip, code }, 'a sign-in was refused');
    const account = await accounts.findByEmail(email).catch(() => null);
    log.warn({ address: ip, accountId: account?.id ?? null, code }, 'a sign-in was refused');
    if (!account?.clinicId) return;
    const { clinicId, id } = account;
    await note({ clinicId, accountId: id, action: 'sign-in.refused', requestId, ip });
  };

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
        401: {
          description:
            'The e-mail or the password is wrong, or a code of the second factor is needed or wrong: then with `details` at `code`',
        },
        429: { description: 'Too many sign-ins for this account from this address' },
      },
      async handle({ body, ip, headers, log, requestId }) {
        const { email } = body;
        try {
          await limits.countSignIn(email, ip);
          const { token, account, isEmergency } = await accounts.signIn({
            ...body,
            ipAddress: ip,
            userAgent: headers['user-agent'],
          });
          limits.signInEnded({ email, address: ip, isRefused: false });
          const { id, clinicId } = account;
          if (isEmergency) log.warn({ clinicId, accountId: id, address: ip }, 'emergency access was used');
          if (clinicId !== null) await note({ clinicId, accountId: id, action: 'sign-in', requestId, ip });
          return { body: { token, user: account } };
        } catch (error) {
          // The password was right: nothing was guessed, and nobody is in yet.
          if (error instanceof SecondFactorNeeded) throw error;
          const code = error instanceof AppError ? error.code : null;
          if (code === 'unauthorized') limits.signInEnded({ email, address: ip, isRefused: true });
          // Nobody waits for it: an e-mail that has an account would take longer than one that has none.
          if (code === 'unauthorized' || code === 'too_many_requests') {
            void tellRefusal({ email, ip, code, requestId, log }).catch((fault: unknown) =>
              log.error(describeError(fault), 'a refused sign-in is not in the audit'),
            );
          }
          throw error;
        }
      },
    }),
    route({
      method: 'post',
      path: '/auth/sign-out',
      access: 'session',
      tag,
      summary: 'Revoke the session token',
      responses: { 200: { description: 'Signed out', schema: SignedOut } },
      async handle({ caller: { token, clinicId, accountId }, requestId, ip }) {
        await accounts.signOut(token);
        if (clinicId !== null) await note({ clinicId, accountId, action: 'sign-out', requestId, ip });
        return { body: { success: true } };
      },
    }),
    route({
      method: 'get',
      path: '/auth/session',
      access: 'session',
      patientData: 'none',
      tag,
      summary: 'Who is signed in, and for which clinic',
      responses: { 200: { description: 'The account behind the token', schema: SessionView } },
      async handle({ caller: { accountId, clinicId, role, token } }) {
        const [session, clinic] = await Promise.all([
          // Whether it renews the session was decided when it was let in.
          accounts.session(token, { isBackground: true }),
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

/** An event of an account, for the audit of its clinic. */
interface Noted {
  clinicId: string;
  accountId: string;
  action: 'sign-in' | 'sign-in.refused' | 'sign-out';
  requestId: string;
  ip: string;
}

interface Refusal {
  email: string;
  ip: string;
  code: 'unauthorized' | 'too_many_requests';
  requestId: string;
  log: Logger;
}

import {
  PasskeyRequest,
  SessionView,
  SignedIn,
  SignedOut,
  SignIn,
  SignInByPasskey,
} from '@clinic/shared/contracts/accounts/accounts';
import { currencyOf } from '@clinic/shared/currency';
import { isMonthFirst } from '@clinic/shared/domain/patients/written-birth-dates';
import { rightsOfRole } from '@clinic/shared/domain/accounts/rights';
import { AppError } from '@clinic/shared/errors';
import { SecondFactorNeeded, SingleSignOnNeeded } from '@clinic/accounts/sign-in';
import { PasskeyRefused } from '@clinic/accounts/passkeys';
import { describeError, type Logger } from '@clinic/shared/log';
import { TooManyRequests } from '../../http/limits';
import type { Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Accounts', access: 'public', right: null, patientData: 'none' });

/** Dashboard sessions (docs/contract.md, 2). */
export const authRoutes = [
  routes.post('/auth/sign-in/email', {
    summary: 'Sign in with e-mail and password; the token is the Bearer token, 12 h sliding',
    description:
      'Send the token as `Authorization: Bearer …`; it ends 12 h after its last use, unless the operator says otherwise, or at sign-out. Where 401 has `details` at `code`, send the same again with `code`. Repeated failures are 429 for a while.',
    body: SignIn,
    responses: {
      200: { description: 'Signed in', schema: SignedIn },
      401: {
        description:
          'The e-mail or the password is wrong, or a code of the second factor is needed or wrong: then with `details` at `code`; at `passkey` where the account is opened by its passkey alone',
      },
      429: { description: 'Too many sign-ins for this account from this address' },
    },
    async handle({ body, ip, headers, log, requestId }, { stores, accounts, limits }) {
      const { email } = body;
      try {
        const { isKnown } = await limits.countSignIn(email, ip);
        const { token, account, isEmergency } = await accounts.signIn({
          ...body,
          isKnown,
          ipAddress: ip,
          userAgent: headers['user-agent'],
        });
        limits.signInEnded({ email, address: ip, isRefused: false });
        const { id, clinicId } = account;
        if (account.role === 'operator') log.info({ accountId: id, address: ip }, 'an operator signed in');
        if (isEmergency) log.warn({ clinicId, accountId: id, address: ip }, 'emergency access was used');
        if (clinicId !== null) await note({ stores }, { clinicId, accountId: id, action: 'sign-in', requestId, ip });
        return { body: { token, user: account } };
      } catch (error) {
        const code = error instanceof AppError ? error.code : null;
        // The password was right: nothing was guessed, and nobody is in yet.
        const isRight = error instanceof SecondFactorNeeded || error instanceof SingleSignOnNeeded;
        const isGuess = code === 'unauthorized' && !isRight;
        if (isGuess) limits.signInEnded({ email, address: ip, isRefused: true });
        else if (!(error instanceof TooManyRequests)) limits.signInLeft({ email, address: ip });
        if (error instanceof SecondFactorNeeded) throw error;
        // Nobody waits for it: an e-mail that has an account would take longer than one that has none.
        if (code === 'unauthorized' || code === 'too_many_requests') {
          void tellRefusal({ stores, accounts }, { email, ip, code, requestId, log }).catch((fault: unknown) =>
            log.error(describeError(fault), 'a refused sign-in is not in the audit'),
          );
        }
        throw error;
      }
    },
  }),
  routes.post('/auth/sign-in/passkey/options', {
    summary: 'What a browser needs to sign in by a passkey: a challenge that is used once, within five minutes',
    description:
      'Needs no account: a challenge names nobody. A deployment that is reached by an IP address has no passkeys (409).',
    responses: {
      200: { description: 'For `navigator.credentials.get`', schema: PasskeyRequest },
      409: { description: 'The service is reached by a number, which has no passkeys' },
      429: { description: 'Too many from this address' },
    },
    async handle({ ip }, { accounts, limits }) {
      await limits.countChallenge(ip);
      return { body: { options: await accounts.passkeys.challenge() } };
    },
  }),
  routes.post('/auth/sign-in/passkey', {
    summary: 'Sign in by a passkey, which stands for the password and the second factor',
    description:
      '`response` is what `navigator.credentials.get` returned, as JSON. The reply is that of the sign-in by password.',
    body: SignInByPasskey,
    responses: {
      200: { description: 'Signed in', schema: SignedIn },
      401: { description: 'No passkey of an open account has signed the challenge, or it was used or is too old' },
      429: { description: 'Too many from this address' },
    },
    async handle({ body: { response }, ip, headers, log, requestId }, { stores, accounts, limits }) {
      await limits.countChallenge(ip);
      try {
        const { token, account } = await accounts.signInByPasskey({
          response: { ...response, clientExtensionResults: {} },
          ipAddress: ip,
          userAgent: headers['user-agent'],
        });
        const { id, clinicId } = account;
        const detail = { by: 'passkey' } as const;
        if (clinicId !== null)
          await note({ stores }, { clinicId, accountId: id, action: 'sign-in', requestId, ip, detail });
        return { body: { token, user: account } };
      } catch (error) {
        if (error instanceof AppError && error.code === 'unauthorized') {
          const accountId = error instanceof PasskeyRefused ? error.accountId : null;
          log.warn({ address: ip, accountId, code: error.code }, 'a sign-in by passkey was refused');
          const clinicId = accountId === null ? null : await accounts.clinicOf(accountId);
          const detail = { by: 'passkey' } as const;
          if (accountId !== null && clinicId !== null) {
            await note({ stores }, { clinicId, accountId, action: 'sign-in.refused', requestId, ip, detail });
          }
        }
        throw error;
      }
    },
  }),
  routes.post('/auth/sign-out', {
    access: 'session',
    isOpenWithoutSecondFactor: true,
    summary: 'Revoke the session token',
    description: 'The token is 401 from then on. Other sessions of the account stay.',
    responses: { 200: { description: 'Signed out', schema: SignedOut } },
    async handle({ caller: { token, clinicId, accountId }, requestId, ip }, { stores, accounts }) {
      await accounts.signOut(token);
      if (clinicId !== null) await note({ stores }, { clinicId, accountId, action: 'sign-out', requestId, ip });
      return { body: { success: true } };
    },
  }),
  routes.get('/auth/session', {
    access: 'session',
    isOpenWithoutSecondFactor: true,
    summary: 'Who is signed in, and for which clinic',
    description:
      'A cheap way to find out whether a token is still good: 401 where it is not. `clinic` is null for an account that is linked to none.',
    responses: { 200: { description: 'The account behind the token', schema: SessionView } },
    async handle({ caller: { accountId, clinicId, role, token } }, { config, stores, accounts }) {
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
          rights: [...rightsOfRole[role]],
          name: session?.name ?? '',
          email: session?.email ?? '',
          needsSecondFactor: session?.needsSecondFactor ?? false,
          clinic: clinic && {
            id: clinic.id,
            name: clinic.name,
            timezone: clinic.timezone,
            country: clinic.defaultCountry,
            currency: clinic.currency ?? currencyOf(clinic.defaultCountry),
            isMonthFirst: isMonthFirst(clinic.defaultCountry),
            voiceProvider: clinic.voiceProvider,
            language: clinic.language,
          },
          baseUrl: `${config.PUBLIC_URL}/api`,
          temporalWorkflowsUrl: `${config.TEMPORAL_UI_URL}/namespaces/${config.TEMPORAL_NAMESPACE}/workflows`,
        },
      };
    },
  }),
];

const note = ({ stores }: Deps<'stores'>, { clinicId, accountId, action, requestId, ip, detail }: Noted) =>
  stores.audit.write({
    clinicId,
    actor: `account:${accountId}`,
    requestId,
    address: ip,
    action,
    subject: accountId,
    detail,
  });

/** For the log always, by the account's id; for the audit where a password was wrong, so that a flood writes nothing. */
const tellRefusal = async (
  { stores, accounts }: Deps<'stores' | 'accounts'>,
  { email, ip, code, requestId, log }: Refusal,
) => {
  if (code === 'too_many_requests') return log.warn({ address: ip, code }, 'a sign-in was refused');
  const account = await accounts.findByEmail(email).catch(() => null);
  log.warn({ address: ip, accountId: account?.id ?? null, code }, 'a sign-in was refused');
  if (!account?.clinicId) return;
  const { clinicId, id } = account;
  await note({ stores }, { clinicId, accountId: id, action: 'sign-in.refused', requestId, ip });
};

/** An event of an account, for the audit of its clinic. */
interface Noted {
  clinicId: string;
  accountId: string;
  action: 'sign-in' | 'sign-in.refused' | 'sign-out';
  requestId: string;
  ip: string;
  detail?: { by: 'passkey' };
}

interface Refusal {
  email: string;
  ip: string;
  code: 'unauthorized' | 'too_many_requests';
  requestId: string;
  log: Logger;
}

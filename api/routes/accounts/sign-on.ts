import { type SignOnPerson, SignOnRefused } from '@clinic/accounts/single-sign-on';
import type { VouchedPerson } from '@clinic/gateways/sign-on/identity-provider';
import type { SingleSignOn } from '@clinic/prisma/stores/accounts/single-sign-on';
import { SignedIn, SignedOut } from '@clinic/shared/contracts/accounts/accounts';
import {
  BackChannelLogout,
  BeginSingleSignOn,
  FinishSingleSignOn,
  SingleSignOnBegun,
} from '@clinic/shared/contracts/accounts/single-sign-on';
import { domainOf, roleByRules, saysFactor, valuesOf } from '@clinic/shared/domain/accounts/single-sign-on';
import { AppError } from '@clinic/shared/errors';
import type { z } from 'zod';
import type { Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Accounts', access: 'public', right: null, patientData: 'none' });
const own = routesOf({
  tag: 'Accounts',
  access: 'session',
  right: null,
  isOpenWithoutSecondFactor: true,
  patientData: 'none',
});

/** Signing in, and proving once more who one is, by the identity provider of one's clinic (OpenID Connect). */
export const signOnRoutes = [
  routes.post('/auth/sign-in/sso/begin', {
    summary: 'Where somebody signs in by the identity provider of their organisation',
    description:
      'It is found by the domain of the e-mail address. Keep `key`, send the browser to `url`, and send both on when it returns, by `POST /auth/sign-in/sso`, within ten minutes.',
    body: BeginSingleSignOn,
    responses: {
      200: { description: 'Where to go', schema: SingleSignOnBegun },
      404: { description: 'Nobody with an address of this domain signs in so' },
      429: { description: 'Too many from this address' },
      503: { description: 'The identity provider cannot be reached' },
    },
    async handle({ body: { email }, ip }, { stores, accounts, limits, systems, config }) {
      await limits.countChallenge(ip);
      const clinicId = await stores.singleSignOn.clinicOfDomain(domainOf(email) ?? '');
      const settings = clinicId === null ? null : await stores.singleSignOn.usable(clinicId);
      if (!settings) {
        throw new AppError('not_found', 'Nobody with an address of this domain signs in by an organisation here');
      }
      return { body: await begin({ accounts, systems, config }, settings, { email, sessionId: null }) };
    },
  }),
  routes.post('/auth/sign-in/sso', {
    summary: 'Sign in with what the identity provider sent the browser back with, once',
    description:
      '`response` is the query of the address that it returned to. The reply is that of the sign-in by password. An account is made for who has none, of a domain of the clinic and with a verified address.',
    body: FinishSingleSignOn,
    responses: {
      200: { description: 'Signed in', schema: SignedIn },
      401: { description: 'It is not valid, was used, is too old, or was begun in another browser' },
      403: { description: 'The identity provider knows the person, and the clinic does not let them in' },
      429: { description: 'Too many from this address' },
      503: { description: 'The identity provider cannot be reached' },
    },
    async handle({ body, ip, headers, log, requestId }, { stores, accounts, limits, systems, config }) {
      await limits.countChallenge(ip);
      const { clinicId } = body;
      const by = { requestId, address: ip };
      const asked = { ...body, sessionId: null };
      const refused = async (error: unknown): Promise<never> => {
        if (error instanceof AppError && ['unauthorized', 'forbidden'].includes(error.code)) {
          const { reason, accountId } =
            error instanceof SignOnRefused ? error : { reason: 'not_valid', accountId: null };
          log.warn({ address: ip, clinicId, accountId, reason }, 'a sign-in by single sign-on was refused');
          const detail = { by: 'single-sign-on', reason };
          const actor = accountId === null ? 'nobody' : `account:${accountId}`;
          const subject = accountId ?? undefined;
          await stores.audit.write({ ...by, clinicId, actor, action: 'sign-in.refused', subject, detail });
        }
        throw error;
      };
      const { settings, trip } = await taken({ stores, accounts, config }, asked);
      try {
        const person = await systems.identityProviders.personOf(settings, trip, body.response);
        const { token, account } = await accounts.signInBySignOn(
          {
            clinicId,
            domains: await stores.singleSignOn.domains(clinicId),
            person: toPerson(settings, person),
            role: roleOf(settings, person),
            ipAddress: ip,
            userAgent: headers['user-agent'],
          },
          by,
        );
        const { id } = account;
        accounts.invalidate(id);
        const detail = { by: 'single-sign-on' };
        await stores.audit.write({ ...by, clinicId, actor: `account:${id}`, action: 'sign-in', subject: id, detail });
        return { body: { token, user: account } };
      } catch (error) {
        return refused(error);
      }
    },
  }),
  own.post('/auth/step-up/sso/begin', {
    summary: 'Where the person of a session proves once more who they are, at their identity provider',
    description:
      'As `POST /auth/sign-in/sso/begin`; the identity provider asks them even where they are signed in there.',
    responses: {
      200: { description: 'Where to go', schema: SingleSignOnBegun },
      409: { description: 'Single sign-on is not set up' },
      429: { description: 'Too many from this address' },
      503: { description: 'The identity provider cannot be reached' },
    },
    async handle({ caller: { clinicId, sessionId }, ip }, { stores, accounts, limits, systems, config }) {
      await limits.countChallenge(ip);
      const settings = clinicId === null ? null : await stores.singleSignOn.usable(clinicId);
      if (!settings) throw new AppError('conflict', 'Single sign-on is not set up');
      return { body: await begin({ accounts, systems, config }, settings, { email: null, sessionId }) };
    },
  }),
  own.post('/auth/step-up/sso', {
    summary: 'Prove who one is by what the identity provider sent the browser back with; counts for five minutes',
    description:
      'It must say that it asked the person since this was begun (`auth_time`), and be the one that opened the session.',
    body: FinishSingleSignOn,
    responses: {
      200: { description: 'The session is fresh', schema: SignedOut },
      400: { description: 'It is not valid, was used, is too old, or is no proof of this person' },
      429: { description: 'Too many from this address' },
      503: { description: 'The identity provider cannot be reached' },
    },
    async handle({ caller, body, by, ip }, { stores, accounts, limits, systems, config }) {
      await limits.countChallenge(ip);
      const { accountId, sessionId } = caller;
      if (caller.clinicId !== body.clinicId) throw new AppError('bad_request', 'This was begun for another clinic');
      const { clinicId } = body;
      try {
        const { settings, trip } = await taken({ stores, accounts, config }, { ...body, sessionId });
        const person = toPerson(settings, await systems.identityProviders.personOf(settings, trip, body.response));
        const { beganAt } = trip;
        await accounts.proveBySignOn({ clinicId, accountId, sessionId, person, beganAt }, by);
      } catch (error) {
        const isRefused = error instanceof AppError && ['unauthorized', 'forbidden'].includes(error.code);
        if (!isRefused) throw error;
        const reason = error instanceof SignOnRefused ? error.reason : 'not_valid';
        const detail = { by: 'single-sign-on', reason };
        await stores.audit.write({ ...by, clinicId, action: 'password.refused', subject: accountId, detail });
        // 401 would say that the session has ended.
        throw new AppError('bad_request', error.message, [{ path: 'response', message: 'is no proof' }]);
      }
      return { body: { success: true } };
    },
  }),
  routes.post('/auth/sso/:clinicId/logout', {
    summary: 'The identity provider says that somebody signed out there (OpenID Connect Back-Channel Logout 1.0)',
    description: 'Their sessions that it opened end, in every process at once. A token is taken once.',
    body: BackChannelLogout,
    consumes: ['application/x-www-form-urlencoded'],
    responses: {
      200: { description: 'The sessions have ended, or there was none', schema: SignedOut },
      400: { description: 'The token is not valid, or was taken before' },
      404: { description: 'The clinic has no single sign-on' },
      429: { description: 'Too many from this address were not valid' },
      503: { description: 'The identity provider cannot be reached' },
    },
    async handle({ params: { clinicId }, body, requestId, ip }, { stores, accounts, limits, systems }) {
      const settings = await stores.singleSignOn.usable(clinicId);
      if (!settings) throw new AppError('not_found', 'The clinic has no single sign-on');
      const notice = await limits.withLogoutToken({ clinicId, address: ip }, () =>
        systems.identityProviders.logoutOf(settings, body.logout_token),
      );
      const { issuer } = settings;
      const ended = await accounts.endSignOn({ clinicId, issuer, notice }, { requestId, address: ip });
      if (!ended) throw new AppError('bad_request', 'The logout token was used before');
      for (const sessionId of ended) accounts.invalidate(sessionId);
      return { body: { success: true }, headers: { 'cache-control': 'no-store' } };
    },
  }),
];

/** Each clinic has an address of its own to return to: what one identity provider sends is never taken for another's. */
export const redirectUriOf = (publicUrl: string, clinicId: string): string =>
  `${publicUrl}/sign-in/return/${encodeURIComponent(clinicId)}`;

export const logoutUriOf = (publicUrl: string, clinicId: string): string =>
  `${publicUrl}/api/auth/sso/${encodeURIComponent(clinicId)}/logout`;

async function begin(
  { accounts, systems, config }: Deps<'accounts' | 'systems' | 'config'>,
  settings: SingleSignOn,
  { email, sessionId }: { email: string | null; sessionId: string | null },
): Promise<z.infer<typeof SingleSignOnBegun>> {
  const { clinicId, factorAcrs } = settings;
  const { state, key, nonce, verifier } = await accounts.beginSignOn({ clinicId, sessionId });
  const redirectUri = redirectUriOf(config.PUBLIC_URL, clinicId);
  const asked = { email, factorAcrs, isAnew: sessionId !== null };
  const url = await systems.identityProviders.authorizationUrl(settings, {
    redirectUri,
    state,
    nonce,
    verifier,
    ...asked,
  });
  return { url, key };
}

/** Uses up what was begun. Throws `unauthorized`. */
async function taken(
  { stores, accounts, config }: Deps<'stores' | 'accounts' | 'config'>,
  { clinicId, response, key, sessionId }: z.infer<typeof FinishSingleSignOn> & { sessionId: string | null },
) {
  const state = new URLSearchParams(response).get('state') ?? '';
  const { nonce, verifier, beganAt } = await accounts.takeSignOn({ clinicId, sessionId, state, key });
  const settings = await stores.singleSignOn.usable(clinicId);
  if (!settings) throw new AppError('unauthorized', 'Single sign-on was taken away meanwhile');
  const redirectUri = redirectUriOf(config.PUBLIC_URL, clinicId);
  return { settings, trip: { redirectUri, state, nonce, verifier, beganAt } };
}

const toPerson = ({ issuer, factorAcrs }: SingleSignOn, person: VouchedPerson): SignOnPerson => {
  const { subject, email, isEmailVerified, name, session, authenticatedAt, idToken } = person;
  const hasFactor = saysFactor(idToken, factorAcrs);
  return { issuer, subject, email, isEmailVerified, name, session, authenticatedAt, hasFactor };
};

const roleOf = ({ roleClaim, roleRules, defaultRole }: SingleSignOn, { claims }: VouchedPerson) =>
  roleClaim === null
    ? { unasked: defaultRole }
    : { asked: roleByRules(valuesOf(claims, roleClaim), { roleRules, defaultRole }) };

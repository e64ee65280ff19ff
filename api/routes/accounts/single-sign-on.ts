import {
  SingleSignOnChange,
  SingleSignOnCheck,
  SingleSignOnOnlyWay,
  SingleSignOnView,
} from '@clinic/shared/contracts/accounts/single-sign-on';
import { AppError } from '@clinic/shared/errors';
import type { z } from 'zod';
import type { Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';
import { logoutUriOf, redirectUriOf } from './sign-on';

const routes = routesOf({ tag: 'Accounts of the clinic', access: 'clinic', right: 'people', patientData: 'none' });

/** How the people of a clinic sign in by its own identity provider. */
export const singleSignOnRoutes = [
  routes.get('/accounts/single-sign-on', {
    summary: 'How the clinic’s people sign in by its identity provider; without the client secret',
    description:
      '`settings` is null until it is set up. The two addresses are to be registered at the identity provider.',
    responses: { 200: { description: 'The settings', schema: SingleSignOnView } },
    handle: async ({ caller: { clinicId } }, { stores, config }) => ({
      body: await viewOf({ stores, config }, clinicId),
    }),
  }),
  routes.put('/accounts/single-sign-on', {
    stepUp: 'access',
    summary: 'Set up single sign-on, or change it',
    description:
      'A domain counts once the operator has confirmed whose it is, and an unconfirmed one keeps no other clinic from entering it. A secret that is left out stays as it is, unless the host of the issuer changes; `null` takes it away. While single sign-on is the only way in, its secret alone can be changed.',
    body: SingleSignOnChange,
    responses: {
      200: { description: 'The settings as they are now', schema: SingleSignOnView },
      409: { description: 'A domain is another clinic’s, or single sign-on is the only way in' },
    },
    async handle({ caller: { clinicId }, body, by }, { stores, config }) {
      if (config.NODE_ENV === 'production' && !body.issuer.startsWith('https:')) {
        throw new AppError('bad_request', 'issuer must be an https address', [
          { path: 'issuer', message: 'must be an https address' },
        ]);
      }
      await stores.singleSignOn.set(clinicId, body, by);
      return { body: await viewOf({ stores, config }, clinicId) };
    },
  }),
  routes.delete('/accounts/single-sign-on', {
    stepUp: 'access',
    summary: 'Take single sign-on away; the sessions that it opened end',
    description: 'Accounts stay: who has no password is given one by a link of `POST /accounts/{accountId}/reset`.',
    responses: {
      204: { description: 'Taken away, or there was none' },
      409: { description: 'It is the only way in' },
    },
    async handle({ caller: { clinicId }, by }, { stores, accounts }) {
      await stores.singleSignOn.remove(clinicId, by);
      accounts.invalidate(clinicId);
      return { status: 204 };
    },
  }),
  routes.put('/accounts/single-sign-on/only-way', {
    stepUp: 'access',
    summary: 'Make single sign-on the only way in, or allow passwords and passkeys again',
    description:
      'It is made the only way in a session that single sign-on has opened as it is set up now: so it is known to work. Whatever else has opened a session ends. Emergency access by the operator is let in always, and `npm run clinic -- sso allow-passwords` allows the rest again.',
    body: SingleSignOnOnlyWay,
    responses: {
      200: { description: 'The settings as they are now', schema: SingleSignOnView },
      409: { description: 'It is not set up, or this session was opened otherwise, or before the last change' },
    },
    async handle({ caller: { clinicId, sessionId }, body: { isOnlyWay }, by }, { stores, config, accounts }) {
      await stores.singleSignOn.setOnlyWay({ clinicId, isOnlyWay, sessionId }, by);
      accounts.invalidate(clinicId);
      return { body: await viewOf({ stores, config }, clinicId) };
    },
  }),
  routes.post('/accounts/single-sign-on/check', {
    summary: 'Read what the identity provider says of itself, and say what will not work',
    description: 'With the settings as they are kept. Nobody signs in by it, and nothing is changed there.',
    responses: {
      200: { description: 'What was found', schema: SingleSignOnCheck },
      409: { description: 'Single sign-on is not set up' },
    },
    async handle({ caller: { clinicId } }, { stores, systems }) {
      const found = await stores.singleSignOn.find(clinicId);
      if (!found) throw new AppError('conflict', 'Single sign-on is not set up; save the settings first');
      const { issuer, roleClaim, domains } = found;
      const checked = await systems.identityProviders.check({ clinicId, issuer, roleClaim });
      const waiting = domains.filter(({ isConfirmed }) => !isConfirmed);
      const findings = [
        ...checked.findings,
        ...waiting.map(({ domain }) => ({
          path: 'domains',
          message: `${domain} waits for the operator of this service to confirm that it is yours; nobody signs in by it before.`,
          isProblem: waiting.length === domains.length,
        })),
      ];
      return { body: { passed: findings.every(({ isProblem }) => !isProblem), findings } };
    },
  }),
];

async function viewOf(
  { stores, config }: Deps<'stores' | 'config'>,
  clinicId: string,
): Promise<z.infer<typeof SingleSignOnView>> {
  const found = await stores.singleSignOn.find(clinicId);
  return {
    settings: found && { ...found, changedAt: found.changedAt.toISOString() },
    redirectUri: redirectUriOf(config.PUBLIC_URL, clinicId),
    logoutUri: logoutUriOf(config.PUBLIC_URL, clinicId),
  };
}

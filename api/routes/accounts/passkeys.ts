import {
  AddPasskey,
  Passkey,
  PasskeyCreation,
  Passkeys,
  RenamePasskey,
  WithPassword,
} from '@clinic/shared/contracts/accounts/accounts';
import { AppError } from '@clinic/shared/errors';
import type { PasskeyRecord, RegistrationResponseJSON } from '@clinic/accounts/passkeys';
import { routesOf } from '../../http/routes-of';
import { tellOfChange } from './account-mails';

const routes = routesOf({
  tag: 'Accounts',
  access: 'session',
  right: null,
  isOpenWithoutSecondFactor: true,
  patientData: 'none',
});

/** The passkeys of one's own account. */
export const passkeyRoutes = [
  routes.post('/auth/passkeys/options', {
    stepUp: 'access',
    summary: 'Begin a passkey: what a browser needs to make one, within five minutes',
    description: 'Passkeys belong to the host of the address at which the service is reached (`PUBLIC_URL`).',
    body: WithPassword,
    responses: {
      200: { description: 'For `navigator.credentials.create`', schema: PasskeyCreation },
      409: { description: 'The account has too many, or the service is reached by a number' },
    },
    async handle({ caller, body: { password }, requestId, ip }, { accounts, guesses }) {
      const { accountId, token } = caller;
      await guesses.checkPassword({ caller, password, ip, requestId });
      const { email = '', name = '' } = (await accounts.session(token, { isBackground: true })) ?? {};
      return { body: { options: await accounts.passkeys.begin({ accountId, email, name }) } };
    },
  }),
  routes.post('/auth/passkeys', {
    stepUp: 'access',
    summary: 'Keep the passkey that the browser has made; it signs in without the password from now on',
    description:
      'Where the account has no one-time codes, its password alone opens it no more. The first factor of an account ends its other sessions.',
    body: AddPasskey,
    responses: {
      200: { description: 'The passkey', schema: Passkey },
      409: { description: 'It is known already, or the account has too many' },
    },
    async handle({ caller, body: { name, response }, by }, { accounts }) {
      const { accountId, clinicId, sessionId } = caller;
      const made = { ...response, clientExtensionResults: {} } as RegistrationResponseJSON;
      const kept = await accounts.passkeys.register({ accountId, clinicId, sessionId, name, response: made }, by);
      accounts.invalidate(accountId);
      return { body: toPasskey(kept) };
    },
  }),
  routes.get('/auth/passkeys', {
    summary: "One's own passkeys, the oldest first",
    description: 'Names and times alone: nothing that could sign anybody in.',
    responses: { 200: { description: 'The passkeys', schema: Passkeys } },
    async handle({ caller: { accountId } }, { accounts }) {
      return { body: { items: (await accounts.passkeys.list(accountId)).map(toPasskey) } };
    },
  }),
  routes.patch('/auth/passkeys/:passkeyId', {
    summary: 'Give a passkey another name',
    description: 'Only the name changes. A passkey of somebody else is 404.',
    body: RenamePasskey,
    responses: { 204: { description: 'Renamed' }, 404: { description: 'No such passkey of this account' } },
    async handle({ caller: { accountId, clinicId }, params: { passkeyId }, body: { name }, by }, { accounts }) {
      if (!(await accounts.passkeys.rename({ accountId, clinicId, passkeyId, name }, by))) throw noPasskey(passkeyId);
      return { status: 204 };
    },
  }),
  routes.post('/auth/passkeys/:passkeyId/remove', {
    stepUp: 'access',
    summary: 'Remove a passkey',
    description:
      'A wrong password is 400 with `details` at `password`, and counts as a failed sign-in. The passkey opens nothing from then on.',
    body: WithPassword,
    responses: { 204: { description: 'Removed' }, 404: { description: 'No such passkey of this account' } },
    async handle(
      { caller, params: { passkeyId }, body: { password }, requestId, by, ip },
      { accounts, guesses, stores, mail },
    ) {
      const { accountId, clinicId } = caller;
      await guesses.checkPassword({ caller, password, ip, requestId });
      const isRemoved = await accounts.passkeys.remove({ accountId, clinicId, passkeyId }, by);
      if (!isRemoved) throw noPasskey(passkeyId);
      accounts.invalidate(accountId);
      await tellOfChange({ stores, mail }, { clinicId, accountId }, 'factor');
      return { status: 204 };
    },
  }),
];

const noPasskey = (passkeyId: string) => new AppError('not_found', `Passkey ${passkeyId} not found`);

const toPasskey = ({ createdAt, usedAt, ...passkey }: PasskeyRecord) => ({
  ...passkey,
  createdAt: createdAt.toISOString(),
  usedAt: usedAt?.toISOString() ?? null,
});

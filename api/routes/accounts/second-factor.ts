import {
  BackupCodes,
  ConfirmSecondFactor,
  NewSecondFactor,
  SecondFactorState,
  WithPassword,
} from '@clinic/shared/contracts/accounts/accounts';
import { routesOf } from '../../http/routes-of';
import { tellOfChange } from './account-mails';

const routes = routesOf({
  tag: 'Accounts',
  access: 'session',
  right: null,
  isOpenWithoutSecondFactor: true,
  patientData: 'none',
});

/** The one-time codes of one's own account. */
export const secondFactorRoutes = [
  routes.get('/auth/second-factor', {
    summary: 'Whether the account has one-time codes, and whether its clinic requires a second factor',
    description: '`backupCodesLeft` is null where there are no one-time codes.',
    responses: { 200: { description: 'Its state', schema: SecondFactorState } },
    async handle({ caller: { accountId, clinicId } }, { stores, accounts }) {
      const [backupCodesLeft, rule] = await Promise.all([
        accounts.secondFactors.backupCodesLeft(accountId),
        clinicId === null ? null : stores.staff.secondFactorRule(clinicId),
      ]);
      return { body: { isOn: backupCodesLeft !== null, backupCodesLeft, isRequired: rule?.isRequired ?? false } };
    },
  }),
  routes.post('/auth/second-factor', {
    stepUp: 'access',
    summary: 'Begin a second factor: a secret for an authenticator, shown once',
    description: 'It counts once it is confirmed. Codes are those of RFC 6238: six digits, half a minute, SHA-1.',
    body: WithPassword,
    responses: {
      200: { description: 'The secret', schema: NewSecondFactor },
      409: { description: 'The account has one already' },
    },
    async handle({ caller, body: { password }, requestId, ip }, { accounts, guesses }) {
      const { accountId, token } = caller;
      await guesses.checkPassword({ caller, password, ip, requestId });
      const email = (await accounts.session(token, { isBackground: true }))?.email ?? '';
      return { body: await accounts.secondFactors.begin({ accountId, email }) };
    },
  }),
  routes.post('/auth/second-factor/confirm', {
    // One that was begun and left open waits for ever: with time enough a code of it can be guessed.
    stepUp: 'access',
    summary: 'Confirm the second factor by a code of it; from now on the sign-in asks for one',
    description: 'The first factor of an account ends its other sessions.',
    body: ConfirmSecondFactor,
    responses: {
      200: { description: 'The backup codes', schema: BackupCodes },
      409: { description: 'None waits to be confirmed' },
    },
    async handle({ caller: { accountId, clinicId, sessionId }, body: { code }, by }, { accounts }) {
      const backupCodes = await accounts.secondFactors.confirm({ accountId, clinicId, sessionId, code }, by);
      accounts.invalidate(accountId);
      return { body: { backupCodes } };
    },
  }),
  routes.post('/auth/second-factor/remove', {
    stepUp: 'access',
    summary: 'Remove the second factor',
    description:
      'A wrong password is 400 with `details` at `password`, and counts as a failed sign-in. Where the clinic requires a second factor, everything but one’s own account is 403 until there is another.',
    body: WithPassword,
    responses: { 204: { description: 'Removed, or there was none' } },
    async handle({ caller, body: { password }, requestId, by, ip }, { accounts, guesses, stores, mail }) {
      const { accountId, clinicId } = caller;
      await guesses.checkPassword({ caller, password, ip, requestId });
      const isRemoved = await accounts.secondFactors.remove({ accountId, clinicId }, by);
      accounts.invalidate(accountId);
      if (isRemoved) await tellOfChange({ stores, mail }, { clinicId, accountId }, 'factor');
      return { status: 204 };
    },
  }),
];

import {
  AccountSessions,
  ChangeAccount,
  Invitations,
  Invite,
  type ManagedAccount,
  ManagedAccounts,
  NewAccountLink,
  RequireSecondFactor,
  SecondFactorRule,
  SessionsEnded,
} from '@clinic/shared/contracts/accounts/accounts';
import { toRole } from '@clinic/shared/domain/accounts/accounts';
import { AppError } from '@clinic/shared/errors';
import type { NewAccountLink as MadeLink } from '@clinic/prisma/stores/accounts/account-links';
import type { AccountRecord } from '@clinic/prisma/stores/accounts/staff';
import { toSessions } from './account-sessions';
import type { Deps, SessionCaller } from '../../http/route';
import { routesOf } from '../../http/routes-of';
import { mails, tellOfChange } from './account-mails';

const routes = routesOf({ tag: 'Accounts of the clinic', access: 'clinic', right: 'people', patientData: 'none' });

const noSuchAccount = { 404: { description: 'No such account of this clinic' } };

/** The people of a clinic, as its administrators manage them. */
export const accountRoutes = [
  routes.get('/accounts', {
    summary: 'The accounts of the clinic, by name',
    description:
      'Disabled ones too, and emergency access with its end. Without the role `admin`, `GET /staff` has the names.',
    responses: { 200: { description: 'The accounts', schema: ManagedAccounts } },
    async handle({ caller: { clinicId } }, { stores }) {
      return { body: { items: (await stores.staff.accounts(clinicId)).map(toManaged) } };
    },
  }),
  routes.get('/accounts/second-factor', {
    summary: 'Whether the clinic requires a second factor of everybody',
    description: '`withoutOne` counts those who would have to set one up.',
    responses: { 200: { description: 'The rule', schema: SecondFactorRule } },
    handle: async ({ caller: { clinicId } }, { stores }) => ({ body: await stores.staff.secondFactorRule(clinicId) }),
  }),
  routes.put('/accounts/second-factor', {
    stepUp: 'access',
    summary: 'Require a second factor of everybody who signs in for the clinic, or stop requiring it',
    description:
      'It counts for open sessions at once: an account without one-time codes and without a passkey gets 403, with `details` at `secondFactor`, for everything but its own account, until it has either. API keys and emergency access are not asked.',
    body: RequireSecondFactor,
    responses: {
      200: { description: 'The rule', schema: SecondFactorRule },
      409: { description: 'The person who requires it has no second factor of their own' },
    },
    async handle({ caller, body: { isRequired }, by }, { stores, accounts }) {
      const { clinicId, accountId, sessionId } = caller;
      if (isRequired && !(await accounts.hasSecondFactor({ accountId, sessionId }))) {
        throw new AppError('conflict', 'Set up a second factor of your own first, in "My account"');
      }
      await stores.staff.requireSecondFactor({ clinicId, isRequired }, by);
      accounts.invalidate(clinicId);
      return { body: await stores.staff.secondFactorRule(clinicId) };
    },
  }),
  routes.get('/accounts/invitations', {
    summary: 'The open invitations, newest first; without their links',
    description: 'Links are shown once, when they are made: to send another one, invite the same e-mail again.',
    responses: { 200: { description: 'The invitations', schema: Invitations } },
    async handle({ caller: { clinicId } }, { stores }) {
      const items = (await stores.accountLinks.invitations(clinicId)).map(
        ({ createdAt, expiresAt, ...invitation }) => ({
          ...invitation,
          createdAt: createdAt.toISOString(),
          expiresAt: expiresAt.toISOString(),
        }),
      );
      return { body: { items } };
    },
  }),
  routes.post('/accounts/invitations', {
    stepUp: 'access',
    summary: 'Invite a person: a link, shown once, by which they make their account within 72 hours',
    description: 'One that was made for the same e-mail before counts no more.',
    body: Invite,
    isIdempotent: true,
    showsSecret: true,
    responses: {
      200: { description: 'The link', schema: NewAccountLink },
      409: { description: 'The person has an account of the clinic, or too many invitations are open' },
    },
    async handle({ caller, body: { email, role }, newSecret, by, ip }, { config, stores, limits, mail }) {
      await countLink({ limits }, caller, ip);
      const { clinicId } = caller;
      const made = await stores.accountLinks.invite({ clinicId, email, role }, by, newSecret);
      return { body: await shownLink({ config, stores, mail }, clinicId, made, 'invited') };
    },
  }),
  routes.delete('/accounts/invitations/:invitationId', {
    stepUp: 'access',
    summary: 'Withdraw an invitation; its link opens nothing any more',
    description: 'One that was used already is 404: disable its account instead. Emergency access may not do it (403).',
    responses: { 204: { description: 'Withdrawn' }, 404: { description: 'No such open invitation of this clinic' } },
    async handle({ caller, params: { invitationId }, by }, { stores }) {
      const isWithdrawn = await stores.accountLinks.withdraw(caller.clinicId, invitationId, by);
      if (!isWithdrawn) throw new AppError('not_found', `Invitation ${invitationId} not found`);
      return { status: 204 };
    },
  }),
  routes.patch('/accounts/:accountId', {
    stepUp: 'access',
    summary: 'Change the role of an account',
    description: 'It counts for the sessions that are open. The last administrator of the clinic stays one (409).',
    body: ChangeAccount,
    responses: {
      204: { description: 'Changed' },
      ...noSuchAccount,
      409: { description: 'It is the last administrator of the clinic' },
    },
    async handle({ caller, params: { accountId: id }, body: { role }, by }, { stores, changes, mail }) {
      const { clinicId } = caller;
      found(await stores.staff.changeRole({ clinicId, id, role }, by), id);
      announce({ changes }, clinicId, id);
      await tellOfChange({ stores, mail }, { clinicId, accountId: id }, 'role');
      return { status: 204 };
    },
  }),
  routes.post('/accounts/:accountId/disable', {
    stepUp: 'access',
    summary: 'Disable an account, at once: its sessions and links end, and nobody signs in with it',
    description: 'Its e-mail stays taken; enable it again rather than making another one.',
    responses: {
      204: { description: 'Disabled' },
      ...noSuchAccount,
      409: { description: "It is one's own account, or the last administrator of the clinic" },
    },
    async handle({ caller, params: { accountId: id }, by }, { stores, changes }) {
      const { clinicId } = caller;
      if (id === caller.accountId) throw new AppError('conflict', 'Nobody disables their own account');
      found(await stores.staff.disable({ clinicId, id }, by), id);
      announce({ changes }, clinicId, id);
      return { status: 204 };
    },
  }),
  routes.post('/accounts/:accountId/enable', {
    stepUp: 'access',
    summary: 'Enable an account again; its password is the one from before',
    description: 'Sessions and links that were ended stay ended.',
    responses: { 204: { description: 'Enabled' }, ...noSuchAccount },
    async handle({ caller, params: { accountId: id }, by }, { stores, changes }) {
      const { clinicId } = caller;
      found(await stores.staff.enable({ clinicId, id }, by), id);
      announce({ changes }, clinicId, id);
      return { status: 204 };
    },
  }),
  routes.post('/accounts/:accountId/reset', {
    stepUp: 'access',
    summary: 'A link, shown once, by which the person sets a new password within 72 hours',
    description:
      'The password and the sessions go on until the link is used. Anyone who may not go on until then is disabled. A second factor stays.',
    isIdempotent: true,
    showsSecret: true,
    responses: {
      200: { description: 'The link', schema: NewAccountLink },
      ...noSuchAccount,
      409: { description: "The account is disabled, or it is one's own" },
    },
    async handle({ caller, params: { accountId: id }, newSecret, by, ip }, { config, stores, limits, mail }) {
      await countLink({ limits }, caller, ip);
      const { clinicId } = caller;
      if (id === caller.accountId)
        throw new AppError('conflict', 'Nobody resets their own password: change it instead');
      const made = found(await stores.accountLinks.reset({ clinicId, id }, by, newSecret), id);
      return { body: await shownLink({ config, stores, mail }, clinicId, made, 'reset') };
    },
  }),
  routes.delete('/accounts/:accountId/second-factor', {
    stepUp: 'access',
    summary: 'Remove the one-time codes and passkeys of a person who has lost them; they can set up others',
    description: 'The password stays. Repeating it is 204 too. It is in the audit with who did it.',
    responses: {
      204: { description: 'Removed, or there was none' },
      ...noSuchAccount,
      409: { description: "It is one's own account" },
    },
    async handle({ caller, params: { accountId }, by }, { stores, accounts, mail }) {
      const { clinicId } = caller;
      if (accountId === caller.accountId) {
        throw new AppError(
          'conflict',
          'Nobody removes their own factors here: do it in your own account, by one of them',
        );
      }
      await accountOf({ stores }, clinicId, accountId);
      const isRemoved = await accounts.secondFactors.removeAll({ clinicId, accountId }, by);
      accounts.invalidate(accountId);
      if (isRemoved) await tellOfChange({ stores, mail }, { clinicId, accountId }, 'factor');
      return { status: 204 };
    },
  }),
  routes.get('/accounts/:accountId/sessions', {
    summary: 'The open sessions of an account, the one that was used last first',
    description: 'With address and browser, where they are known.',
    responses: { 200: { description: 'The sessions', schema: AccountSessions }, ...noSuchAccount },
    async handle({ caller: { clinicId, sessionId }, params: { accountId } }, { stores }) {
      await accountOf({ stores }, clinicId, accountId);
      return { body: toSessions(await stores.accountSessions.list({ clinicId, accountId }), sessionId) };
    },
  }),
  routes.delete('/accounts/:accountId/sessions', {
    stepUp: 'access',
    summary: 'End every session of an account, at once',
    description: 'The person can sign in again; disable the account to prevent that. `ended` may be 0.',
    responses: { 200: { description: 'How many were ended', schema: SessionsEnded }, ...noSuchAccount },
    async handle({ caller: { clinicId }, params: { accountId }, by }, { stores, accounts }) {
      await accountOf({ stores }, clinicId, accountId);
      const ended = await stores.accountSessions.endAll({ clinicId, accountId }, by);
      accounts.invalidate(accountId);
      return { body: { ended } };
    },
  }),
];

const announce = ({ changes }: Deps<'changes'>, clinicId: string, id: string) =>
  changes.announce({ table: 'users', clinicId, id });

/** The account of this id, if it is one of the clinic. */
const accountOf = async ({ stores }: Deps<'stores'>, clinicId: string, accountId: string) =>
  found(await stores.staff.find(clinicId, accountId), accountId);

/** As many a minute as one may sign in: each may be a mail to somebody who did not ask for it. */
const countLink = ({ limits }: Deps<'limits'>, caller: SessionCaller, ip: string) =>
  limits.countSignIn(`links:${caller.accountId}`, ip);

/** With its link, which is mailed too where the deployment can. */
const shownLink = async (
  { config, stores, mail }: Deps<'config' | 'stores' | 'mail'>,
  clinicId: string,
  { id, email, token, expiresAt }: MadeLink,
  about: 'invited' | 'reset',
) => {
  const link = `${config.PUBLIC_URL}/set-password#${token}`;
  const clinic = (await stores.clinics.find(clinicId))?.name ?? 'Your clinic';
  const mailed = await mail.send({ to: email, ...mails[about]({ clinic, link }) });
  return { id, email, link, expiresAt: expiresAt.toISOString(), mail: mailed };
};

function found<T>(value: T | null | false, accountId: string): T {
  if (value === null || value === false) throw new AppError('not_found', `Account ${accountId} not found`);
  return value;
}

const toManaged = ({ role, createdAt, disabledAt, endsAt, ...account }: AccountRecord): ManagedAccount => ({
  ...account,
  role: toRole(role),
  createdAt: createdAt.toISOString(),
  disabledAt: disabledAt?.toISOString() ?? null,
  endsAt: endsAt?.toISOString() ?? null,
});

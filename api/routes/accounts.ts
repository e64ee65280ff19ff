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
} from '@clinic/shared/contracts/accounts';
import { AppError } from '@clinic/shared/errors';
import type { NewAccountLink as MadeLink } from '@clinic/prisma/stores/account-links';
import type { AccountRecord } from '@clinic/prisma/stores/staff';
import { z } from 'zod';
import { toSessions } from '../account-sessions';
import { actorOf, type Caller, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

type Session = Extract<Caller, { kind: 'session' }>;

const tag = 'Accounts of the clinic';
const OfAccount = z.object({ accountId: z.string() });
const noSuchAccount = { 404: { description: 'No such account of this clinic' } };

/** The people of a clinic, as its administrators manage them. */
export function accountRoutes({ config, stores, accounts, changes, limits, mail }: RouteDeps): Route[] {
  const announce = (clinicId: string, id: string) => changes.announce({ table: 'users', clinicId, id });

  /** The account of this id, if it is one of the clinic. */
  const accountOf = async (clinicId: string, accountId: string) =>
    found(await stores.staff.find(clinicId, accountId), accountId);

  /** As many a minute as one may sign in: each may be a mail to somebody who did not ask for it. */
  const countLink = (caller: Session, ip: string) => limits.countSignIn(`links:${caller.accountId}`, ip);

  /** With its link, which is mailed too where the deployment can. */
  const shownLink = async (clinicId: string, { id, email, token, expiresAt }: MadeLink, about: 'invited' | 'reset') => {
    const link = `${config.PUBLIC_URL}/set-password#${token}`;
    const clinic = (await stores.clinics.find(clinicId))?.name ?? 'Your clinic';
    const mailed = await mail.send({ to: email, ...mails[about]({ clinic, link }) });
    return { id, email, link, expiresAt: expiresAt.toISOString(), mail: mailed };
  };

  return [
    route({
      method: 'get',
      path: '/accounts',
      access: 'admin',
      tag,
      summary: 'The accounts of the clinic, by name',
      patientData: 'none',
      responses: { 200: { description: 'The accounts', schema: ManagedAccounts } },
      async handle({ caller: { clinicId } }) {
        return { body: { items: (await stores.staff.accounts(clinicId)).map(toManaged) } };
      },
    }),
    route({
      method: 'get',
      path: '/accounts/second-factor',
      access: 'admin',
      tag,
      summary: 'Whether the clinic requires a second factor of everybody',
      patientData: 'none',
      responses: { 200: { description: 'The rule', schema: SecondFactorRule } },
      async handle({ caller: { clinicId } }) {
        return { body: await stores.staff.secondFactorRule(clinicId) };
      },
    }),
    route({
      method: 'put',
      path: '/accounts/second-factor',
      access: 'admin',
      tag,
      summary: 'Require a second factor of everybody who signs in for the clinic, or stop requiring it',
      description:
        'It counts for open sessions at once: an account without one-time codes and without a passkey gets 403, with `details` at `secondFactor`, for everything but its own account, until it has either. API keys and emergency access are not asked.',
      body: RequireSecondFactor,
      responses: {
        200: { description: 'The rule', schema: SecondFactorRule },
        409: { description: 'Whoever requires it has no second factor of their own' },
      },
      async handle({ caller, body: { isRequired }, requestId }) {
        refuseEmergency(caller);
        const { clinicId, accountId } = caller;
        if (isRequired && !(await accounts.hasSecondFactor(accountId))) {
          throw new AppError('conflict', 'Set up a second factor of your own first, in "My account"');
        }
        await stores.staff.requireSecondFactor({ clinicId, isRequired }, actorOf(caller, requestId));
        accounts.invalidate(clinicId);
        return { body: await stores.staff.secondFactorRule(clinicId) };
      },
    }),
    route({
      method: 'get',
      path: '/accounts/invitations',
      access: 'admin',
      tag,
      summary: 'The open invitations, newest first; without their links',
      patientData: 'none',
      responses: { 200: { description: 'The invitations', schema: Invitations } },
      async handle({ caller: { clinicId } }) {
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
    route({
      method: 'post',
      path: '/accounts/invitations',
      access: 'admin',
      tag,
      summary: 'Invite a person: a link, shown once, by which they make their account within 72 hours',
      description: 'One that was made for the same e-mail before counts no more.',
      body: Invite,
      responses: {
        200: { description: 'The link', schema: NewAccountLink },
        409: { description: 'The person has an account of the clinic, or too many invitations are open' },
      },
      async handle({ caller, body: { email, role }, requestId, ip }) {
        refuseEmergency(caller);
        await countLink(caller, ip);
        const { clinicId } = caller;
        const made = await stores.accountLinks.invite({ clinicId, email, role }, actorOf(caller, requestId));
        return { body: await shownLink(clinicId, made, 'invited') };
      },
    }),
    route({
      method: 'delete',
      path: '/accounts/invitations/:invitationId',
      access: 'admin',
      tag,
      summary: 'Withdraw an invitation; its link opens nothing any more',
      params: z.object({ invitationId: z.string() }),
      responses: { 204: { description: 'Withdrawn' }, 404: { description: 'No such open invitation of this clinic' } },
      async handle({ caller, params: { invitationId }, requestId }) {
        refuseEmergency(caller);
        const isWithdrawn = await stores.accountLinks.withdraw(
          caller.clinicId,
          invitationId,
          actorOf(caller, requestId),
        );
        if (!isWithdrawn) throw new AppError('not_found', `Invitation ${invitationId} not found`);
        return { status: 204 };
      },
    }),
    route({
      method: 'patch',
      path: '/accounts/:accountId',
      access: 'admin',
      tag,
      summary: 'Change the role of an account',
      params: OfAccount,
      body: ChangeAccount,
      responses: {
        204: { description: 'Changed' },
        ...noSuchAccount,
        409: { description: 'It is the last administrator of the clinic' },
      },
      async handle({ caller, params: { accountId: id }, body: { role }, requestId }) {
        refuseEmergency(caller);
        const { clinicId } = caller;
        found(await stores.staff.changeRole({ clinicId, id, role }, actorOf(caller, requestId)), id);
        announce(clinicId, id);
        return { status: 204 };
      },
    }),
    route({
      method: 'post',
      path: '/accounts/:accountId/disable',
      access: 'admin',
      tag,
      summary: 'Disable an account, at once: its sessions and links end, and nobody signs in with it',
      params: OfAccount,
      responses: {
        204: { description: 'Disabled' },
        ...noSuchAccount,
        409: { description: "It is one's own account, or the last administrator of the clinic" },
      },
      async handle({ caller, params: { accountId: id }, requestId }) {
        refuseEmergency(caller);
        const { clinicId } = caller;
        if (id === caller.accountId) throw new AppError('conflict', 'Nobody disables their own account');
        found(await stores.staff.disable({ clinicId, id }, actorOf(caller, requestId)), id);
        announce(clinicId, id);
        return { status: 204 };
      },
    }),
    route({
      method: 'post',
      path: '/accounts/:accountId/enable',
      access: 'admin',
      tag,
      summary: 'Enable an account again; its password is the one from before',
      params: OfAccount,
      responses: { 204: { description: 'Enabled' }, ...noSuchAccount },
      async handle({ caller, params: { accountId: id }, requestId }) {
        refuseEmergency(caller);
        const { clinicId } = caller;
        found(await stores.staff.enable({ clinicId, id }, actorOf(caller, requestId)), id);
        announce(clinicId, id);
        return { status: 204 };
      },
    }),
    route({
      method: 'post',
      path: '/accounts/:accountId/reset',
      access: 'admin',
      tag,
      summary: 'A link, shown once, by which the person sets a new password within 72 hours',
      description:
        'The password and the sessions go on until the link is used. Whoever may not go on until then is disabled. A second factor stays.',
      params: OfAccount,
      responses: {
        200: { description: 'The link', schema: NewAccountLink },
        ...noSuchAccount,
        409: { description: 'The account is disabled' },
      },
      async handle({ caller, params: { accountId: id }, requestId, ip }) {
        refuseEmergency(caller);
        await countLink(caller, ip);
        const { clinicId } = caller;
        const made = found(await stores.accountLinks.reset({ clinicId, id }, actorOf(caller, requestId)), id);
        return { body: await shownLink(clinicId, made, 'reset') };
      },
    }),
    route({
      method: 'delete',
      path: '/accounts/:accountId/second-factor',
      access: 'admin',
      tag,
      summary: 'Remove the one-time codes and passkeys of a person who has lost them; they can set up others',
      params: OfAccount,
      responses: { 204: { description: 'Removed, or there was none' }, ...noSuchAccount },
      async handle({ caller, params: { accountId }, requestId }) {
        refuseEmergency(caller);
        const { clinicId } = caller;
        await accountOf(clinicId, accountId);
        await accounts.secondFactors.removeAll({ clinicId, accountId }, actorOf(caller, requestId));
        accounts.invalidate(accountId);
        return { status: 204 };
      },
    }),
    route({
      method: 'get',
      path: '/accounts/:accountId/sessions',
      access: 'admin',
      tag,
      summary: 'The open sessions of an account, the one that was used last first',
      patientData: 'none',
      params: OfAccount,
      responses: { 200: { description: 'The sessions', schema: AccountSessions }, ...noSuchAccount },
      async handle({ caller: { clinicId, sessionId }, params: { accountId } }) {
        await accountOf(clinicId, accountId);
        return { body: toSessions(await stores.accountSessions.list({ clinicId, accountId }), sessionId) };
      },
    }),
    route({
      method: 'delete',
      path: '/accounts/:accountId/sessions',
      access: 'admin',
      tag,
      summary: 'End every session of an account, at once',
      params: OfAccount,
      responses: { 200: { description: 'How many were ended', schema: SessionsEnded }, ...noSuchAccount },
      async handle({ caller, params: { accountId }, requestId }) {
        const { clinicId } = caller;
        await accountOf(clinicId, accountId);
        const ended = await stores.accountSessions.endAll({ clinicId, accountId }, actorOf(caller, requestId));
        accounts.invalidate(accountId);
        return { body: { ended } };
      },
    }),
  ];
}

function found<T>(value: T | null | false, accountId: string): T {
  if (value === null || value === false) throw new AppError('not_found', `Account ${accountId} not found`);
  return value;
}

/** It ends by itself: it must not leave an account behind that does not. */
function refuseEmergency({ isEmergency }: Session): void {
  if (isEmergency) throw new AppError('forbidden', 'Emergency access cannot change accounts');
}

const toManaged = ({ role, createdAt, disabledAt, endsAt, ...account }: AccountRecord): ManagedAccount => ({
  ...account,
  role: role === 'admin' ? 'admin' : 'staff',
  createdAt: createdAt.toISOString(),
  disabledAt: disabledAt?.toISOString() ?? null,
  endsAt: endsAt?.toISOString() ?? null,
});

const mails = {
  invited: ({ clinic, link }: { clinic: string; link: string }) => ({
    subject: `${clinic} invites you to Clinic workflows`,
    text: `${clinic} has invited you to its dashboard. Choose a name and a password here, within 72 hours:\n\n${link}\n\nThe link works once. If you did not expect it, ignore this mail.\n`,
  }),
  reset: ({ clinic, link }: { clinic: string; link: string }) => ({
    subject: 'Set a new password for Clinic workflows',
    text: `An administrator of ${clinic} has made this link for you. Set a new password here, within 72 hours:\n\n${link}\n\nThe link works once. If you did not ask for it, tell your administrator.\n`,
  }),
};

import {
  AccountLink,
  AccountSessions,
  AddPasskey,
  BackupCodes,
  ChangeNotifications,
  ChangePassword,
  ConfirmSecondFactor,
  LinkUsed,
  NewSecondFactor,
  NotificationsView,
  Passkey,
  PasskeyCreation,
  Passkeys,
  ReadLink,
  RenamePasskey,
  SecondFactorState,
  SessionsEnded,
  SignedOut,
  UseLink,
  WithPassword,
} from '@clinic/shared/contracts/accounts';
import { sha256Hex } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import { WrongPassword } from '@clinic/prisma/accounts';
import type { PasskeyRecord, RegistrationResponseJSON } from '@clinic/prisma/passkeys';
import type { Actor } from '@clinic/prisma/stores/audit';
import { z } from 'zod';
import { toSessions } from '../account-sessions';
import { actorOf, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

const tag = 'Accounts';

/** One's own account: the link that makes it, its password, its second factor and its sessions. */
export function ownAccountRoutes({ stores, accounts, limits, mail }: RouteDeps): Route[] {
  /** Whoever tries passwords in an open session, or tokens without one, is slowed down as at the sign-in. */
  const counted = async <T>(
    { who, ip, by }: { who: string; ip: string; by?: { clinicId: string | null; accountId: string; actor: Actor } },
    attempt: () => Promise<T>,
  ): Promise<T> => {
    await limits.countSignIn(who, ip);
    try {
      const result = await attempt();
      limits.signInLeft({ email: who, address: ip });
      return result;
    } catch (error) {
      if (error instanceof WrongPassword && by?.clinicId) {
        const { clinicId, accountId, actor } = by;
        await stores.audit.write({ ...actor, clinicId, action: 'password.refused', subject: accountId });
      }
      const isGuess = error instanceof WrongPassword || (error instanceof AppError && error.code === 'not_found');
      if (isGuess) limits.signInEnded({ email: who, address: ip, isRefused: true });
      else limits.signInLeft({ email: who, address: ip });
      throw error;
    }
  };
  const notificationsOf = async (clinicId: string, accountId: string): Promise<z.infer<typeof NotificationsView>> => {
    const [taskMails, account] = await Promise.all([
      stores.taskMails.isWanted(clinicId, accountId),
      stores.staff.find(clinicId, accountId),
    ]);
    return { taskMails, hasMail: mail.isSet, email: account?.email ?? '' };
  };
  const ofLink = (token: string) => `link:${sha256Hex(token)}`;
  const ofAccount = (accountId: string) => `account:${accountId}`;

  return [
    route({
      method: 'post',
      path: '/auth/links/read',
      access: 'public',
      tag,
      summary: 'What a link is for by which a person sets a password',
      body: ReadLink,
      responses: {
        200: { description: 'Whom it is for', schema: AccountLink },
        404: { description: 'The link was used, has expired, or was never made' },
        429: { description: 'Too many from this address' },
      },
      async handle({ body: { token }, ip }) {
        const link = await counted({ who: ofLink(token), ip }, async () => {
          const found = await stores.accountLinks.find(token);
          if (!found) throw new AppError('not_found', 'This link was used already, has expired, or was never made');
          return found;
        });
        const { kind, email, name, clinicName, expiresAt } = link;
        return { body: { kind, email, name, clinicName, expiresAt: expiresAt.toISOString() } };
      },
    }),
    route({
      method: 'post',
      path: '/auth/links/use',
      access: 'public',
      tag,
      summary: 'Make the account of a person who was invited, or set a new password; once',
      description:
        'A password has 12 to 128 characters and is none that many people use or that is made of names. Sign in with it then.',
      body: UseLink,
      responses: {
        200: { description: 'Whose password it is', schema: LinkUsed },
        404: { description: 'The link was used, has expired, or was never made' },
        409: { description: 'Somebody has an account with this e-mail already' },
        429: { description: 'Too many from this address, or at once' },
      },
      async handle({ body, ip, requestId }) {
        const use = () => accounts.useLink(body, { requestId, address: ip });
        const { id, email } = await counted({ who: ofLink(body.token), ip }, use);
        accounts.invalidate(id);
        return { body: { email } };
      },
    }),
    route({
      method: 'get',
      path: '/auth/notifications',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'How one hears of new tasks',
      responses: { 200: { description: 'What was chosen', schema: NotificationsView } },
      handle: async ({ caller }) => ({ body: await notificationsOf(caller.clinicId, caller.accountId) }),
    }),
    route({
      method: 'put',
      path: '/auth/notifications',
      access: 'clinic',
      tag,
      summary: 'Choose whether new tasks are told by mail',
      description:
        'Of open tasks that nobody else has: the first at once, later ones together, at most one mail in five minutes. A mail says how many there are and why, and nothing of a patient.',
      body: ChangeNotifications,
      responses: {
        200: { description: 'What is chosen now', schema: NotificationsView },
        409: { description: 'This deployment sends no mail' },
      },
      async handle({ caller: { clinicId, accountId }, body: { taskMails } }) {
        if (taskMails && !mail.isSet) throw new AppError('conflict', 'This service sends no mail: SMTP_URL is not set');
        await stores.taskMails.want(clinicId, accountId, taskMails);
        return { body: await notificationsOf(clinicId, accountId) };
      },
    }),
    route({
      method: 'put',
      path: '/auth/password',
      access: 'session',
      isOpenWithoutSecondFactor: true,
      tag,
      summary: 'Change the password; every other session of the account ends',
      body: ChangePassword,
      responses: {
        200: { description: 'Changed', schema: SignedOut },
        409: { description: 'It was changed meanwhile' },
      },
      async handle({ caller, body: { password, newPassword }, requestId, ip }) {
        const { accountId, clinicId, sessionId } = caller;
        const actor = actorOf(caller, requestId);
        await counted({ who: ofAccount(accountId), ip, by: { clinicId, accountId, actor } }, () =>
          accounts.changePassword({ accountId, clinicId, sessionId, password, newPassword }, actor),
        );
        accounts.invalidate(accountId);
        return { body: { success: true } };
      },
    }),
    route({
      method: 'get',
      path: '/auth/sessions',
      access: 'session',
      isOpenWithoutSecondFactor: true,
      tag,
      summary: "One's own open sessions, the one that was used last first",
      patientData: 'none',
      responses: { 200: { description: 'The sessions', schema: AccountSessions } },
      async handle({ caller: { clinicId, accountId, sessionId } }) {
        return { body: toSessions(await stores.accountSessions.list({ clinicId, accountId }), sessionId) };
      },
    }),
    route({
      method: 'delete',
      path: '/auth/sessions',
      access: 'session',
      isOpenWithoutSecondFactor: true,
      tag,
      summary: 'Sign out everywhere: every session of the account ends, this one too',
      responses: { 200: { description: 'How many were ended', schema: SessionsEnded } },
      async handle({ caller, requestId }) {
        const { clinicId, accountId } = caller;
        const ended = await stores.accountSessions.endAll({ clinicId, accountId }, actorOf(caller, requestId));
        accounts.invalidate(accountId);
        return { body: { ended } };
      },
    }),
    route({
      method: 'delete',
      path: '/auth/sessions/:sessionId',
      access: 'session',
      isOpenWithoutSecondFactor: true,
      tag,
      summary: "End one of one's own sessions",
      params: z.object({ sessionId: z.string() }),
      responses: { 204: { description: 'Ended' }, 404: { description: 'No such open session of this account' } },
      async handle({ caller, params: { sessionId }, requestId }) {
        const { clinicId, accountId } = caller;
        const by = actorOf(caller, requestId);
        if (!(await stores.accountSessions.end({ clinicId, accountId, sessionId }, by))) {
          throw new AppError('not_found', `Session ${sessionId} not found`);
        }
        accounts.invalidate(sessionId);
        return { status: 204 };
      },
    }),
    route({
      method: 'get',
      path: '/auth/second-factor',
      access: 'session',
      isOpenWithoutSecondFactor: true,
      tag,
      summary: 'Whether the account has one-time codes, and whether its clinic requires a second factor',
      patientData: 'none',
      responses: { 200: { description: 'Its state', schema: SecondFactorState } },
      async handle({ caller: { accountId, clinicId } }) {
        const [backupCodesLeft, rule] = await Promise.all([
          accounts.secondFactors.backupCodesLeft(accountId),
          clinicId === null ? null : stores.staff.secondFactorRule(clinicId),
        ]);
        return { body: { isOn: backupCodesLeft !== null, backupCodesLeft, isRequired: rule?.isRequired ?? false } };
      },
    }),
    route({
      method: 'post',
      path: '/auth/second-factor',
      access: 'session',
      isOpenWithoutSecondFactor: true,
      tag,
      summary: 'Begin a second factor: a secret for an authenticator, shown once',
      description: 'It counts once it is confirmed. Codes are those of RFC 6238: six digits, half a minute, SHA-1.',
      body: WithPassword,
      responses: {
        200: { description: 'The secret', schema: NewSecondFactor },
        409: { description: 'The account has one already' },
      },
      async handle({ caller, body: { password }, requestId, ip }) {
        const { accountId, clinicId, token } = caller;
        const by = { clinicId, accountId, actor: actorOf(caller, requestId) };
        await counted({ who: ofAccount(accountId), ip, by }, () => accounts.checkPassword(accountId, password));
        const email = (await accounts.session(token, { isBackground: true }))?.email ?? '';
        return { body: await accounts.secondFactors.begin({ accountId, email }) };
      },
    }),
    route({
      method: 'post',
      path: '/auth/second-factor/confirm',
      access: 'session',
      isOpenWithoutSecondFactor: true,
      tag,
      summary: 'Confirm the second factor by a code of it; from now on the sign-in asks for one',
      description: 'The first factor of an account ends its other sessions.',
      body: ConfirmSecondFactor,
      responses: {
        200: { description: 'The backup codes', schema: BackupCodes },
        409: { description: 'None waits to be confirmed' },
      },
      async handle({ caller, body: { code }, requestId }) {
        const { accountId, clinicId, sessionId } = caller;
        const by = actorOf(caller, requestId);
        const backupCodes = await accounts.secondFactors.confirm({ accountId, clinicId, sessionId, code }, by);
        accounts.invalidate(accountId);
        return { body: { backupCodes } };
      },
    }),
    route({
      method: 'post',
      path: '/auth/second-factor/remove',
      access: 'session',
      isOpenWithoutSecondFactor: true,
      tag,
      summary: 'Remove the second factor',
      body: WithPassword,
      responses: { 204: { description: 'Removed, or there was none' } },
      async handle({ caller, body: { password }, requestId, ip }) {
        const { accountId, clinicId } = caller;
        const actor = actorOf(caller, requestId);
        const by = { clinicId, accountId, actor };
        await counted({ who: ofAccount(accountId), ip, by }, () => accounts.checkPassword(accountId, password));
        await accounts.secondFactors.remove({ accountId, clinicId }, actor);
        accounts.invalidate(accountId);
        return { status: 204 };
      },
    }),
    route({
      method: 'get',
      path: '/auth/passkeys',
      access: 'session',
      isOpenWithoutSecondFactor: true,
      tag,
      summary: "One's own passkeys, the oldest first",
      patientData: 'none',
      responses: { 200: { description: 'The passkeys', schema: Passkeys } },
      async handle({ caller: { accountId } }) {
        return { body: { items: (await accounts.passkeys.list(accountId)).map(toPasskey) } };
      },
    }),
    route({
      method: 'post',
      path: '/auth/passkeys/options',
      access: 'session',
      isOpenWithoutSecondFactor: true,
      tag,
      summary: 'Begin a passkey: what a browser needs to make one, within five minutes',
      description: 'Passkeys belong to the host of the address at which the service is reached (`PUBLIC_URL`).',
      body: WithPassword,
      responses: {
        200: { description: 'For `navigator.credentials.create`', schema: PasskeyCreation },
        409: { description: 'The account has too many, or the service is reached by a number' },
      },
      async handle({ caller, body: { password }, requestId, ip }) {
        refuseEmergency(caller);
        const { accountId, clinicId, token } = caller;
        const by = { clinicId, accountId, actor: actorOf(caller, requestId) };
        await counted({ who: ofAccount(accountId), ip, by }, () => accounts.checkPassword(accountId, password));
        const { email = '', name = '' } = (await accounts.session(token, { isBackground: true })) ?? {};
        return { body: { options: await accounts.passkeys.begin({ accountId, email, name }) } };
      },
    }),
    route({
      method: 'post',
      path: '/auth/passkeys',
      access: 'session',
      isOpenWithoutSecondFactor: true,
      tag,
      summary: 'Keep the passkey that the browser has made; it signs in without the password from now on',
      description:
        'Where the account has no one-time codes, its password alone opens it no more. The first factor of an account ends its other sessions.',
      body: AddPasskey,
      responses: {
        200: { description: 'The passkey', schema: Passkey },
        409: { description: 'It is known already, or the account has too many' },
      },
      async handle({ caller, body: { name, response }, requestId }) {
        refuseEmergency(caller);
        const { accountId, clinicId, sessionId } = caller;
        const made = { ...response, clientExtensionResults: {} } as RegistrationResponseJSON;
        const kept = await accounts.passkeys.register(
          { accountId, clinicId, sessionId, name, response: made },
          actorOf(caller, requestId),
        );
        accounts.invalidate(accountId);
        return { body: toPasskey(kept) };
      },
    }),
    route({
      method: 'patch',
      path: '/auth/passkeys/:passkeyId',
      access: 'session',
      isOpenWithoutSecondFactor: true,
      tag,
      summary: 'Give a passkey another name',
      params: OfPasskey,
      body: RenamePasskey,
      responses: { 204: { description: 'Renamed' }, 404: { description: 'No such passkey of this account' } },
      async handle({ caller, params: { passkeyId }, body: { name }, requestId }) {
        const { accountId, clinicId } = caller;
        const by = actorOf(caller, requestId);
        if (!(await accounts.passkeys.rename({ accountId, clinicId, passkeyId, name }, by))) throw noPasskey(passkeyId);
        return { status: 204 };
      },
    }),
    route({
      method: 'post',
      path: '/auth/passkeys/:passkeyId/remove',
      access: 'session',
      isOpenWithoutSecondFactor: true,
      tag,
      summary: 'Remove a passkey',
      params: OfPasskey,
      body: WithPassword,
      responses: { 204: { description: 'Removed' }, 404: { description: 'No such passkey of this account' } },
      async handle({ caller, params: { passkeyId }, body: { password }, requestId, ip }) {
        const { accountId, clinicId } = caller;
        const actor = actorOf(caller, requestId);
        const by = { clinicId, accountId, actor };
        await counted({ who: ofAccount(accountId), ip, by }, () => accounts.checkPassword(accountId, password));
        const isRemoved = await accounts.passkeys.remove({ accountId, clinicId, passkeyId }, actor);
        if (!isRemoved) throw noPasskey(passkeyId);
        accounts.invalidate(accountId);
        return { status: 204 };
      },
    }),
  ];
}

const OfPasskey = z.object({ passkeyId: z.string() });

const noPasskey = (passkeyId: string) => new AppError('not_found', `Passkey ${passkeyId} not found`);

/** It ends by itself, and needs no way in beside the one that it was given. */
function refuseEmergency({ isEmergency }: { isEmergency: boolean }): void {
  if (isEmergency) throw new AppError('forbidden', 'Emergency access has no passkeys');
}

const toPasskey = ({ createdAt, usedAt, ...passkey }: PasskeyRecord) => ({
  ...passkey,
  createdAt: createdAt.toISOString(),
  usedAt: usedAt?.toISOString() ?? null,
});

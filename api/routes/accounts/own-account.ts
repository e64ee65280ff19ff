import {
  AccountSessions,
  ChangeNotifications,
  ChangePassword,
  NotificationsView,
  SessionsEnded,
  SignedOut,
} from '@clinic/shared/contracts/accounts/accounts';
import { AppError } from '@clinic/shared/errors';
import type { z } from 'zod';
import { toSessions } from './account-sessions';
import type { Deps, Route } from '../../http/route';
import { tellOfChange } from './account-mails';
import { accountLinkRoutes } from './account-links';
import { passkeyRoutes } from './passkeys';
import { secondFactorRoutes } from './second-factor';
import { stepUpRoutes } from './step-up';
import { routesOf } from '../../http/routes-of';

const notifications = routesOf({ tag: 'Accounts', access: 'clinic', right: 'tasks', patientData: 'none' });
const own = routesOf({
  tag: 'Accounts',
  access: 'session',
  right: null,
  isOpenWithoutSecondFactor: true,
  patientData: 'none',
});

const notificationRoutes = [
  notifications.get('/auth/notifications', {
    summary: 'How one hears of new tasks',
    description: '`hasMail` says whether this deployment can send mail at all.',
    responses: { 200: { description: 'What was chosen', schema: NotificationsView } },
    handle: async ({ caller: { clinicId, accountId } }, { stores, mail }) => ({
      body: await notificationsOf({ stores, mail }, clinicId, accountId),
    }),
  }),
  notifications.put('/auth/notifications', {
    summary: 'Choose whether new tasks are told by mail',
    description:
      'Of open tasks that nobody else has: the first at once, later ones together, at most one mail in five minutes. A mail says how many there are and why, and nothing of a patient.',
    body: ChangeNotifications,
    responses: {
      200: { description: 'What is chosen now', schema: NotificationsView },
      409: { description: 'This deployment sends no mail' },
    },
    async handle({ caller: { clinicId, accountId }, body: { taskMails } }, { stores, mail }) {
      if (taskMails && !mail.isSet) throw new AppError('conflict', 'This service sends no mail: SMTP_URL is not set');
      await stores.taskMails.want(clinicId, accountId, taskMails);
      return { body: await notificationsOf({ stores, mail }, clinicId, accountId) };
    },
  }),
];

const notificationsOf = async (
  { stores, mail }: Deps<'stores' | 'mail'>,
  clinicId: string,
  accountId: string,
): Promise<z.infer<typeof NotificationsView>> => {
  const [taskMails, account] = await Promise.all([
    stores.taskMails.isWanted(clinicId, accountId),
    stores.staff.find(clinicId, accountId),
  ]);
  return { taskMails, hasMail: mail.isSet, email: account?.email ?? '' };
};

const sessionRoutes = [
  own.put('/auth/password', {
    stepUp: 'access',
    summary: 'Change the password; every other session of the account ends',
    description:
      'A wrong present password is 400 with `details` at `password`, and counts as a failed sign-in. The session that asks stays. A new one that is too short or too common is 400 too.',
    body: ChangePassword,
    responses: {
      200: { description: 'Changed', schema: SignedOut },
      409: { description: 'It was changed meanwhile' },
    },
    async handle({ caller, body: { password, newPassword }, requestId, by, ip }, { accounts, guesses, stores, mail }) {
      const { accountId, clinicId, sessionId } = caller;
      await guesses.withPassword({ caller, ip, requestId }, () =>
        accounts.changePassword({ accountId, clinicId, sessionId, password, newPassword }, by),
      );
      accounts.invalidate(accountId);
      await tellOfChange({ stores, mail }, { clinicId, accountId }, 'password');
      return { body: { success: true } };
    },
  }),
  own.get('/auth/sessions', {
    summary: "One's own open sessions, the one that was used last first",
    description: '`isCurrent` marks the one that asks.',
    responses: { 200: { description: 'The sessions', schema: AccountSessions } },
    async handle({ caller: { clinicId, accountId, sessionId } }, { stores }) {
      return { body: toSessions(await stores.accountSessions.list({ clinicId, accountId }), sessionId) };
    },
  }),
  own.delete('/auth/sessions', {
    summary: 'Sign out everywhere: every session of the account ends, this one too',
    description: 'Use it when a token may have been seen by somebody else; the token that asks is 401 afterwards.',
    responses: { 200: { description: 'How many were ended', schema: SessionsEnded } },
    async handle({ caller: { clinicId, accountId }, by }, { stores, accounts }) {
      const ended = await stores.accountSessions.endAll({ clinicId, accountId }, by);
      accounts.invalidate(accountId);
      return { body: { ended } };
    },
  }),
  own.delete('/auth/sessions/:sessionId', {
    summary: "End one of one's own sessions",
    description: 'Its token is 401 from then on. A session of somebody else is 404.',
    responses: { 204: { description: 'Ended' }, 404: { description: 'No such open session of this account' } },
    async handle({ caller: { clinicId, accountId }, params: { sessionId }, by }, { stores, accounts }) {
      if (!(await stores.accountSessions.end({ clinicId, accountId, sessionId }, by))) {
        throw new AppError('not_found', `Session ${sessionId} not found`);
      }
      accounts.invalidate(sessionId);
      return { status: 204 };
    },
  }),
];

/** One's own account: the link that makes it, its password, its second factor, its passkeys and its sessions. */
export const ownAccountRoutes: Route[] = [
  ...accountLinkRoutes,
  ...notificationRoutes,
  ...sessionRoutes,
  ...stepUpRoutes,
  ...secondFactorRoutes,
  ...passkeyRoutes,
];

import { AccountLink, LinkUsed, ReadLink, UseLink } from '@clinic/shared/contracts/accounts/accounts';
import { AppError } from '@clinic/shared/errors';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Accounts', access: 'public', right: null });

/** The link by which a person makes an account or sets a password. */
export const accountLinkRoutes = [
  routes.post('/auth/links/read', {
    summary: 'What a link is for by which a person sets a password',
    description: 'For the page that the link opens. It uses nothing up.',
    body: ReadLink,
    responses: {
      200: { description: 'Whom it is for', schema: AccountLink },
      404: { description: 'The link was used, has expired, or was never made' },
      429: { description: 'Too many from this address' },
    },
    async handle({ body: { token }, ip }, { stores, guesses }) {
      const link = await guesses.withLink(ip, async () => {
        const found = await stores.accountLinks.find(token);
        if (!found) throw new AppError('not_found', 'This link was used already, has expired, or was never made');
        return found;
      });
      const { kind, email, name, clinicName, expiresAt } = link;
      return { body: { kind, email, name, clinicName, expiresAt: expiresAt.toISOString() } };
    },
  }),
  routes.post('/auth/links/use', {
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
    async handle({ body, ip, requestId }, { accounts, guesses }) {
      const use = () => accounts.useLink(body, { requestId, address: ip });
      const { id, email } = await guesses.withLink(ip, use);
      accounts.invalidate(id);
      return { body: { email } };
    },
  }),
];

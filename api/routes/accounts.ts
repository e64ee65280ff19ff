import type { Route } from '../http/route';
import { authRoutes } from './accounts/auth';
import { ownAccountRoutes } from './accounts/own-account';
import { accountRoutes } from './accounts/accounts';
import { singleSignOnRoutes } from './accounts/single-sign-on';
import { signOnRoutes } from './accounts/sign-on';
import { savedViewRoutes } from './accounts/saved-views';
import { apiKeyRoutes } from './accounts/api-keys';
import { clientKeyRoutes } from './accounts/client-keys';
import { countryRoutes } from './accounts/country';
import { languageRoutes } from './accounts/language';

/** Sign-in, one's own account, the accounts of a clinic, and what its systems sign in with. */
export const accountsRoutes: Route[] = [
  ...authRoutes,
  ...ownAccountRoutes,
  ...accountRoutes,
  ...signOnRoutes,
  ...singleSignOnRoutes,
  ...savedViewRoutes,
  ...apiKeyRoutes,
  ...clientKeyRoutes,
  ...languageRoutes,
  ...countryRoutes,
];

import { RightsView } from '@clinic/shared/contracts/accounts/rights';
import { rightNames, rights, rolesWith, scopesWith } from '@clinic/shared/domain/accounts/rights';
import type { Route } from '../../http/route';
import { routesOf } from '../../http/routes-of';
import { documentedPath } from '../../openapi/document';

const own = routesOf({ tag: 'Accounts of the clinic', access: 'clinic', right: 'dashboard', patientData: 'none' });

/** Who may do what, made of what `routes` ask for. */
export const rightsRoutes = (routes: Route[]): Route[] => [
  own.get('/rights', {
    summary: 'The rights: which roles and scopes of API keys have each, and which routes ask for it',
    description: 'The same for every clinic. `GET /auth/session` has those of the account that asks.',
    responses: { 200: { description: 'The rights, in a fixed order', schema: RightsView } },
    handle: () => ({
      body: {
        items: rightNames.map((right) => ({
          right,
          means: rights[right],
          roles: rolesWith(right),
          scopes: scopesWith(right),
          routes: routes
            .filter((route) => route.right === right)
            .map(({ method, path, summary }) => ({ method, path: documentedPath(path), summary })),
        })),
      },
    }),
  }),
];

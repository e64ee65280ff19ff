import { z } from 'zod';
import { scopes } from '../../domain/accounts/rights';
import { Right, Role } from './accounts';

/** `GET /api/rights`. */
export const RightsView = z.object({
  items: z.array(
    z
      .object({
        right: Right,
        means: z.string().describe('What it opens, in English'),
        roles: z.array(Role),
        scopes: z.array(z.enum(scopes)).describe('Of API keys, the least first'),
        routes: z.array(z.object({ method: z.string(), path: z.string(), summary: z.string() })),
      })
      .meta({ id: 'RightView' }),
  ),
});

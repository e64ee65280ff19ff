import { z } from 'zod';
import { HttpUrl, Secret } from '../primitives';
import { isSameOrigin, TargetUrl } from './target-url';

/** The CRM that patients are synced to. `hubspot`: the access token of a private app. `webhook`: any URL that takes JSON. */
export const Crm = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('hubspot'), enabled: z.boolean(), accessToken: Secret }),
  z.strictObject({ kind: z.literal('webhook'), enabled: z.boolean(), url: HttpUrl, token: Secret.optional() }),
]);
export type Crm = z.infer<typeof Crm>;

/** `PUT /api/integrations/crm`; `none` removes it. A token that is left out stays as it is, while the host stays. */
export const CrmChange = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }),
  Crm.options[0].partial({ accessToken: true }),
  Crm.options[1].extend({ url: TargetUrl, token: Crm.options[1].shape.token.nullable() }),
]);
export type CrmChange = z.infer<typeof CrmChange>;

export const CrmView = z
  .object({
    kind: z.enum(['none', 'hubspot', 'webhook']),
    enabled: z.boolean(),
    url: z.string().nullable(),
    hasToken: z.boolean().describe('Whether a token is kept; it is never read back'),
  })
  .meta({ id: 'CrmSettings' });
export type CrmView = z.infer<typeof CrmView>;

/** The change with the stored token where it was left out: what `Crm` then accepts. A webhook's token of null is removed. */
export function withKeptToken(change: Exclude<CrmChange, { kind: 'none' }>, stored: Crm | null): unknown {
  if (change.kind === 'hubspot') {
    return stored?.kind === 'hubspot' ? { accessToken: stored.accessToken, ...change } : change;
  }
  const { token, ...rest } = change;
  const kept = stored?.kind === 'webhook' && isSameOrigin(stored.url, change.url) ? stored.token : undefined;
  return { ...rest, token: token === null ? undefined : (token ?? kept) };
}

import { z } from 'zod';
import { scopes, usualScopes } from '../../domain/accounts/rights';
import { Instant, Line } from '../primitives';

const Scopes = z
  .array(z.enum(scopes, { error: `must be one of ${scopes.join(', ')}` }))
  .min(1, 'must name one at least')
  .refine((given) => new Set(given).size === given.length, 'must name each only once')
  .describe('What it may be used for; one that writes reads too');

const ExpiresAt = Instant.nullable().describe(
  'Requests with it are 401 from then on; null where it lasts until it is revoked',
);

/** `POST /api/integrations/api-keys`. */
export const CreateApiKey = z.strictObject({
  name: Line,
  scopes: Scopes.default([...usualScopes]),
  expiresAt: ExpiresAt.default(null),
});

const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().describe('The beginning of the key, to recognise it by'),
    scopes: Scopes,
    createdAt: Instant,
    expiresAt: ExpiresAt,
    lastUsedAt: Instant.nullable().describe('To a minute or so'),
  })
  .meta({ id: 'ApiKey' });

export const ApiKeys = z.object({ items: z.array(ApiKey) });

export const NewApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string(),
    scopes: Scopes,
    expiresAt: ExpiresAt,
    key: z.string().describe('Shown here and never again'),
  })
  .meta({ id: 'NewApiKey' });

/** `POST /api/integrations/api-keys/{apiKeyId}/rotate`. */
export const RotateApiKey = z.strictObject({
  oldKeyHours: z
    .int()
    .min(0)
    .max(30 * 24)
    .default(24)
    .describe('For how long the key that is replaced is still taken; 0 ends it at once'),
  expiresAt: ExpiresAt.default(null).describe('Of the new key'),
});

export const RotatedApiKey = NewApiKey.extend({
  oldExpiresAt: Instant.describe('When the key that was replaced ends'),
}).meta({ id: 'RotatedApiKey' });

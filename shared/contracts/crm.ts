import { z } from 'zod';
import { HttpUrl } from './primitives';

const Token = z
  .string()
  .min(1, 'must not be empty')
  .max(4_000)
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII');

/** The CRM that patients are synced to. `hubspot`: the access token of a private app. `webhook`: any URL that takes JSON. */
export const Crm = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('hubspot'), enabled: z.boolean(), accessToken: Token }),
  z.strictObject({ kind: z.literal('webhook'), enabled: z.boolean(), url: HttpUrl, token: Token.optional() }),
]);
export type Crm = z.infer<typeof Crm>;

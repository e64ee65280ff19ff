import { readFileSync } from 'node:fs';
import { authorization, createTokenCache } from '@clinic/gateways/clinic-api/clinic-api-auth';
import { createClinicHttp } from '@clinic/gateways/http/clinic-http';
import { createSafeHttp } from '@clinic/gateways/http/safe-http';
import { z } from 'zod';

/** What a vendor has registered for us: SMART Backend Services. */
const SmartClient = z.object({
  clientId: z.string().min(1),
  scope: z.string().min(1).default('system/*.*'),
  /** Found by discovery where it is left out. */
  tokenUrl: z.url().optional(),
  /** The private key as a JSON Web Key with `kid` and `alg`. */
  key: z.looseObject({ kid: z.string(), alg: z.enum(['RS384', 'ES384']), kty: z.string() }),
});
export type SmartClient = z.infer<typeof SmartClient>;

/** A token for the next request; again where the last one was refused. Null where the server wants none. */
export type TokenSource = (isAnew: boolean) => Promise<string | null>;

export const staticToken =
  (token: string | undefined): TokenSource =>
  async () =>
    token ?? null;

/** Reads what `--smart` names. Throws, without what stands in it. */
export function readSmartClient(file: string): SmartClient {
  const read = SmartClient.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (read.success) return read.data;
  const paths = read.error.issues.map(({ path }) => path.join('.') || 'the file');
  throw new Error(
    `${file} is not { clientId, scope, tokenUrl?, key: private JWK with kid and alg }: see ${paths.join(', ')}`,
  );
}

/** Tokens of SMART Backend Services, each kept until shortly before its end. */
export function smartTokens(baseUrl: string, { clientId, scope, tokenUrl, key }: SmartClient): TokenSource {
  const { kid, alg: algorithm } = key;
  const texts = Object.entries(key).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const signing = { kid, algorithm, publicJwk: {}, privateJwk: Object.fromEntries(texts) };
  const http = createClinicHttp({ http: createSafeHttp({ allowPrivateTargets: true }), audit: () => undefined });
  const credentials = authorization({
    http,
    clinicId: 'readiness',
    baseUrl,
    auth: { method: 'smart-backend', clientId, scope, tokenUrl },
    tokens: createTokenCache(),
    keys: { signing: async () => signing, jwksUrl: () => 'the address that you registered' },
  });
  return async (isAnew) => {
    if (isAnew) credentials.renew();
    const { authorization: bearer = '' } = await credentials.headers();
    return bearer.replace('Bearer ', '');
  };
}

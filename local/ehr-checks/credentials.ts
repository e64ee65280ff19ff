import { readFileSync } from 'node:fs';
import { signAssertion } from '@clinic/shared/client-key';
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

/** A token for the next request; anew where the last one was refused. Null where the server wants none. */
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
export function smartTokens(base: string, { clientId, scope, tokenUrl, key }: SmartClient): TokenSource {
  let kept: { token: string; until: number } | null = null;
  let endpoint = tokenUrl;
  const texts = Object.entries(key).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const privateJwk = Object.fromEntries(texts);
  return async (isAnew) => {
    if (kept && !isAnew && Date.now() < kept.until) return kept.token;
    endpoint ??= await discovered(base);
    const { kid, alg: algorithm } = key;
    const assertion = await signAssertion(
      { kid, algorithm, publicJwk: {}, privateJwk },
      { clientId, audience: endpoint },
    );
    const response = await fetch(endpoint, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(30_000),
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        scope,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      }),
    });
    const body = Granted.safeParse(await response.json().catch(() => null));
    if (!response.ok || !body.success)
      throw new Error(`the token endpoint refuses our assertion with ${response.status}`);
    const { access_token: token, expires_in: seconds } = body.data;
    kept = { token, until: Date.now() + Math.max(0, seconds - 30) * 1_000 };
    return token;
  };
}

const Granted = z.object({ access_token: z.string(), expires_in: z.number().default(60) });

async function discovered(base: string): Promise<string> {
  const response = await fetch(`${base}/.well-known/smart-configuration`, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(30_000),
  });
  const found = z.object({ token_endpoint: z.url() }).safeParse(await response.json().catch(() => null));
  if (!found.success) throw new Error(`${base}/.well-known/smart-configuration names no token endpoint`);
  return found.data.token_endpoint;
}

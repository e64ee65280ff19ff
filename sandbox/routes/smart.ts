import { randomBytes } from 'node:crypto';
import { assertionAlgorithms, readAssertion } from '@clinic/shared/client-assertion';
import type { SandboxClientStores } from '@clinic/prisma/stores/sandbox/sandbox-clients';
import { isSystemScope } from '@clinic/shared/domain/sandbox/smart-scopes';
import { z } from 'zod';
import { SMART_TOKEN } from '../tokens';
import { type Reply } from '@clinic/api/http/route';
import { routesOf } from '@clinic/api/http/routes-of';

const routes = routesOf({ tag: 'FHIR', access: 'public', right: null, patientData: 'none' });

const TOKEN_SECONDS = 300;
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const SCOPES = [
  'system/Patient.r',
  'system/Appointment.cruds',
  'system/Slot.rs',
  'system/Schedule.rs',
  'system/DocumentReference.c',
  'system/Subscription.cruds',
];

/** Why a token was refused, in words: real servers keep it to themselves. */
const DEVELOPER_HEADER = 'x-sandbox-token-reason';

const Form = z.looseObject({
  grant_type: z.string().max(200).optional(),
  scope: z.string().max(2_000).optional(),
  client_assertion_type: z.string().max(200).optional(),
  client_assertion: z.string().max(10_000).optional(),
});

const TokenReply = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  expires_in: z.int(),
  scope: z.string(),
});
const Discovery = z.looseObject({ token_endpoint: z.string(), grant_types_supported: z.array(z.string()) });

/** The token endpoint of SMART Backend Services, and where it is found. */
export const smartRoutes = [
  routes.get('/.well-known/smart-configuration', {
    summary: 'Where clients of the sandbox get tokens (SMART Backend Services)',
    description: 'Read `token_endpoint` from it rather than building it. Open to everybody.',
    responses: { 200: { description: 'The SMART configuration', schema: Discovery } },
    handle: (_request, { baseUrl }) => ({
      body: {
        token_endpoint: tokenUrlOf(baseUrl),
        token_endpoint_auth_methods_supported: ['private_key_jwt'],
        token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
        grant_types_supported: ['client_credentials'],
        scopes_supported: SCOPES,
        capabilities: ['client-confidential-asymmetric', 'permission-v1', 'permission-v2'],
      },
    }),
  }),
  routes.post('/sandbox/token', {
    summary: 'Get a token of the sandbox for a signed assertion (SMART Backend Services)',
    description: `A refusal is \`{ "error": "invalid_client" }\` as at real servers; the header \`${DEVELOPER_HEADER}\` says why.`,
    consumes: ['application/x-www-form-urlencoded'],
    limit: '32kb',
    body: Form,
    responses: {
      200: { description: `The token, for ${TOKEN_SECONDS} seconds`, schema: TokenReply },
      400: { description: 'As RFC 6749 has it: `error`', schema: z.object({ error: z.string() }) },
    },
    async handle({ body }, { stores, baseUrl }) {
      const tokenUrl = tokenUrlOf(baseUrl);
      const granted = await grant(body, { clients: stores.sandboxClients, tokenUrl });
      if ('error' in granted) return refused(granted);
      const { clinicId, clientId, scope } = granted;
      const token = `${SMART_TOKEN}${randomBytes(32).toString('base64url')}`;
      const endsAt = new Date(Date.now() + TOKEN_SECONDS * 1_000);
      await stores.sandboxClients.keepToken({ clinicId, clientId, token, scopes: scope, endsAt });
      return {
        headers: { 'cache-control': 'no-store' },
        body: { access_token: token, token_type: 'bearer', expires_in: TOKEN_SECONDS, scope },
      };
    },
  }),
];

const tokenUrlOf = (baseUrl: string) => `${baseUrl}/sandbox/token`;

interface Refused {
  error: 'invalid_client' | 'invalid_request' | 'invalid_scope' | 'unsupported_grant_type';
  /** For developers. */
  why: string;
}

const refused = ({ error, why }: Refused): Reply => ({
  status: 400,
  headers: { 'cache-control': 'no-store', [DEVELOPER_HEADER]: why },
  body: { error },
});

async function grant(
  form: z.output<typeof Form>,
  { clients, tokenUrl }: { clients: SandboxClientStores; tokenUrl: string },
): Promise<Refused | { clinicId: string; clientId: string; scope: string }> {
  if (form.grant_type !== 'client_credentials') {
    return { error: 'unsupported_grant_type', why: 'grant_type must be client_credentials' };
  }
  if (form.client_assertion_type !== JWT_BEARER) {
    return { error: 'invalid_request', why: `client_assertion_type must be ${JWT_BEARER}` };
  }
  const scopes = (form.scope ?? '').split(' ').filter(Boolean);
  if (scopes.length === 0 || !scopes.every(isSystemScope)) {
    return { error: 'invalid_scope', why: `scope must name system scopes, as ${SCOPES[1]}` };
  }
  const proof = await proven(form.client_assertion ?? '', { clients, tokenUrl });
  return typeof proof === 'string' ? { error: 'invalid_client', why: proof } : { ...proof, scope: scopes.join(' ') };
}

/** Whose assertion it is, or what is wrong with it. An assertion is good once. */
async function proven(
  assertion: string,
  { clients, tokenUrl }: { clients: SandboxClientStores; tokenUrl: string },
): Promise<string | { clinicId: string; clientId: string }> {
  const read = await readAssertion(assertion, { audience: tokenUrl, clientOf: clients.identified });
  if ('why' in read) return read.why;
  const { client, jti, endsAt } = read;
  const isNew = await clients.useAssertion({ clientId: client.id, jti, endsAt });
  return isNew ? { clinicId: client.clinicId, clientId: client.id } : 'an assertion with this jti was used before';
}

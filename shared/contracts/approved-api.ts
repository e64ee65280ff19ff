import { z } from 'zod';
import { Facts, HttpUrl, Line } from './primitives';
import { isSameOrigin, TargetUrl } from './target-url';

/** What a clinic may permit the service to do at its own API. */
const clinicActions = [
  'form.progress',
  'patient.upsert',
  'insurance.verify',
  'appointment.book',
  'appointment.cancel',
  'document.write',
] as const;
export const ClinicAction = z.enum(clinicActions);
export type ClinicAction = z.infer<typeof ClinicAction>;

const HeaderName = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'must be a header name');
// What a header value may hold, so that a secret can never fail the request it is sent with.
const Secret = z
  .string()
  .min(1, 'must not be empty')
  .max(4_000)
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII');

/** How the service proves itself to the clinic's API. */
export const ClinicApiAuth = z.discriminatedUnion('method', [
  z.strictObject({ method: z.literal('none') }),
  z.strictObject({ method: z.literal('bearer'), token: Secret }),
  z.strictObject({ method: z.literal('basic'), username: Line, password: z.string().max(4_000) }),
  z.strictObject({ method: z.literal('api-key-header'), header: HeaderName, value: Secret }),
  z.strictObject({
    method: z.literal('oauth2-client-credentials'),
    tokenUrl: HttpUrl,
    clientId: Line,
    clientSecret: z.string().min(1, 'must not be empty').max(4_000),
    scope: Line.optional(),
  }),
]);
export type ClinicApiAuth = z.infer<typeof ClinicApiAuth>;

/** A permitted action: its method, and its path below the base URL with `{parameters}`. */
export const PermittedAction = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z
    .string()
    .max(500)
    .regex(/^\/(?:[A-Za-z0-9\-._~/?=&:@!$'()*+,;%]|\{[A-Za-z]+\})*$/, 'must be a path as /forms/{sessionId}'),
});
export type PermittedAction = z.infer<typeof PermittedAction>;

/** The clinic's approved API. What is not among `actions` is never called. */
export const ApprovedApi = z.strictObject({
  baseUrl: HttpUrl.refine((text) => !/[?#]/.test(text), 'must not have a query'),
  auth: ClinicApiAuth,
  actions: z.partialRecord(ClinicAction, PermittedAction),
});
export type ApprovedApi = z.infer<typeof ApprovedApi>;

/** What `form.progress` returns. Other fields are ignored; a field that cannot be read counts as not given. */
export const FormProgressAnswer = z.object({
  completionPercentage: z.number().min(0).max(100).nullish().catch(null),
  formCompleted: z.boolean().nullish().catch(null),
  checkoutCompleted: z.boolean().nullish().catch(null),
});

const secretOf = {
  bearer: 'token',
  basic: 'password',
  'api-key-header': 'value',
  'oauth2-client-credentials': 'clientSecret',
} as const;

const [none, bearer, basic, apiKeyHeader, clientCredentials] = ClinicApiAuth.options;

/** `PUT /api/integrations/approved-api`. A secret that is left out stays as it is, as long as nothing is sent elsewhere. */
export const ApprovedApiChange = ApprovedApi.extend({
  baseUrl: TargetUrl.refine((text) => !text.includes('?'), 'must not have a query'),
  auth: z.discriminatedUnion('method', [
    none,
    bearer.partial({ token: true }),
    basic.partial({ password: true }),
    apiKeyHeader.partial({ value: true }),
    clientCredentials.partial({ clientSecret: true }).extend({ tokenUrl: TargetUrl }),
  ]),
});
export type ApprovedApiChange = z.infer<typeof ApprovedApiChange>;

/** The change with the stored secret where it was left out: what `ApprovedApi` then accepts or finds incomplete. */
export function withKeptSecret(change: ApprovedApiChange, stored: ApprovedApi | null): unknown {
  const { auth } = change;
  if (auth.method === 'none' || stored?.auth.method !== auth.method) return change;
  // A stored secret that is sent to another host could be read there.
  if (!hasSameTargets(change, stored)) return change;
  const name = secretOf[auth.method];
  return { ...change, auth: { [name]: Object.entries(stored.auth).find(([key]) => key === name)?.[1], ...auth } };
}

export const ApprovedApiView = z
  .object({
    baseUrl: z.string().nullable().describe('null where no API is approved'),
    auth: z
      .object({
        method: z.enum(['none', 'bearer', 'basic', 'api-key-header', 'oauth2-client-credentials']),
        username: z.string().optional(),
        header: z.string().optional(),
        tokenUrl: z.string().optional(),
        clientId: z.string().optional(),
        scope: z.string().optional(),
      })
      .describe('Without its secret, which is never read back'),
    actions: z.partialRecord(ClinicAction, PermittedAction).describe('What is not here is never called'),
  })
  .meta({ id: 'ApprovedApiSettings' });
export type ApprovedApiView = z.infer<typeof ApprovedApiView>;

/** `POST /api/integrations/approved-api/try`. */
export const TryAction = z.strictObject({
  action: ClinicAction,
  params: z
    .record(z.string().max(64), z.string().max(500))
    .default({})
    .describe('What fills the {parameters} of the path'),
  body: Facts.optional(),
});

export const TriedAction = z
  .object({
    result: z
      .enum(['answered', 'refused', 'unavailable', 'unusable'])
      .describe(
        'refused: a 4xx, or a success whose body is an OperationOutcome of an error; unavailable: no answer or a 5xx; unusable: the path cannot be filled in',
      ),
    status: z.int().nullable(),
    body: z.unknown().describe('What was returned, as JSON; null where it is none'),
    error: z.string().nullable(),
  })
  .meta({ id: 'TriedAction' });
export type TriedAction = z.infer<typeof TriedAction>;

function hasSameTargets(change: ApprovedApiChange, stored: ApprovedApi): boolean {
  const tokenUrlOf = ({ auth, baseUrl }: ApprovedApiChange | ApprovedApi) =>
    auth.method === 'oauth2-client-credentials' ? auth.tokenUrl : baseUrl;
  return isSameOrigin(change.baseUrl, stored.baseUrl) && isSameOrigin(tokenUrlOf(change), tokenUrlOf(stored));
}

import { z } from 'zod';
import { Facts, HttpUrl, Instant, isUnique, Line, Secret } from '../primitives';
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

const Scope = z.string().trim().min(1, 'must not be empty').max(1_000);

/** How a client shows its secret at a token endpoint (RFC 6749, section 2.3.1). */
const secretPlaces = ['client_secret_basic', 'client_secret_post'] as const;

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
    clientAuthentication: z
      .enum(secretPlaces)
      .optional()
      .describe('Where the secret stands: in the header unless client_secret_post'),
    scope: Scope.optional(),
    audience: Scope.optional().describe('Sent as `audience`'),
  }),
  z.strictObject({
    method: z.literal('smart-backend'),
    clientId: Line,
    scope: Scope.optional().describe('As `system/Patient.rs system/Appointment.cruds`'),
    tokenUrl: HttpUrl.optional().describe('Read from `.well-known/smart-configuration` where it is left out'),
    audience: Scope.optional().describe("The assertion's `aud`, where it is not the token URL"),
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

/** Headers that the service sets itself, and those that would change how a request is read. */
const ownHeaders =
  /^(?:accept|authorization|connection|content-.*|expect|host|idempotency-key|if-.*|prefer|te|trailer|transfer-encoding|upgrade|user-agent)$/i;

const ExtraHeaderName = HeaderName.refine((name) => !ownHeaders.test(name), 'is a header that the service sets itself');
const ExtraHeader = z.strictObject({ name: ExtraHeaderName, value: Secret });
const isNamedOnce = (headers: { name: string }[]) => isUnique(headers.map(({ name }) => name.toLowerCase()));
const namedTwice = 'must not name a header twice';

/** What FHIR has words for; how far a form has come is not among it. */
export const FhirAction = ClinicAction.exclude(['form.progress']);
export type FhirAction = z.infer<typeof FhirAction>;

const referenceTo = (...types: string[]) =>
  z
    .string()
    .trim()
    .regex(new RegExp(`^(?:${types.join('|')})/[A-Za-z0-9\\-.]{1,64}$`), `must be a reference as ${types[0]}/123`);
const Name = Line.describe('As it is called here');
const MAX_ROWS = 500;
const mapping = <Row extends z.ZodType<{ name: string }>>(row: Row) =>
  z
    .array(row)
    .max(MAX_ROWS)
    .refine((rows) => isUnique(rows.map(({ name }) => name)), 'must not name anything twice')
    .default([]);

/** How a FHIR server is spoken to, and what our names are called there. */
export const FhirSettings = z.strictObject({
  isOn: z.boolean().default(false).describe('While it is off nothing is told; switched on only when the check passes'),
  isLive: z
    .boolean()
    .default(false)
    .describe(
      'Whether the tools of real calls look up, offer, book, move and cancel at this server, and not in the sandbox; needs isOn',
    ),
  permitted: z
    .array(FhirAction)
    .refine(isUnique, 'must not name an action twice')
    .describe('What is not here is never done'),
  rescheduling: z
    .enum(['update', 'cancel-and-rebook'])
    .default('update')
    .describe('What a moved appointment becomes: the same one with another time, or another one'),
  providers: mapping(z.strictObject({ name: Name, reference: referenceTo('Practitioner', 'PractitionerRole') })),
  visitTypes: mapping(
    z.strictObject({
      name: Name,
      system: z.string().trim().max(500).optional().describe('The code system, as a URI'),
      code: Line,
    }),
  ),
  locations: mapping(z.strictObject({ name: Name, reference: referenceTo('Location') })),
  testPatient: referenceTo('Patient')
    .optional()
    .describe('A patient there who is nobody, made for tests: on whom test calls act where real calls act there'),
});
export type FhirSettings = z.infer<typeof FhirSettings>;

/** What a FHIR server declares, as far as it decides how it is spoken to. */
export const FhirCapabilities = z.object({
  canBook: z.boolean().describe('Appointment/$book'),
  canHold: z.boolean().describe('Appointment/$hold'),
  hasSlots: z.boolean().describe('Schedule and Slot can be searched'),
  findsAppointments: z.boolean().describe('Appointments can be searched by identifier'),
  showsBusyTimes: z
    .boolean()
    .optional()
    .describe("A practitioner's appointments can be searched, so that a time which somebody has is seen"),
  marksSlots: z
    .boolean()
    .optional()
    .describe('Takes a transaction that books an appointment and marks its slot as busy, all or nothing'),
});
export type FhirCapabilities = z.infer<typeof FhirCapabilities>;

/** By which the service proves itself while connecting (mutual TLS), at the API and at its token endpoint. */
const pem = (what: string) =>
  z
    .string()
    .trim()
    .max(40_000)
    .regex(new RegExp(`^-----BEGIN [A-Z ]*${what}-----[\\s\\S]+-----END [A-Z ]*${what}-----$`), 'must be a PEM text');
const ClientCertificate = z.strictObject({ certificate: pem('CERTIFICATE'), privateKey: pem('PRIVATE KEY') });

const kinds = ['json', 'fhir-r4'] as const;
const BaseUrl = HttpUrl.refine((text) => !/[?#]/.test(text), 'must not have a query');
const Actions = z.partialRecord(ClinicAction, PermittedAction);

/** The clinic's approved API. What is not among `actions`, or not permitted in `fhir`, is never called. */
export const ApprovedApi = z
  .strictObject({
    kind: z.enum(kinds).default('json'),
    baseUrl: BaseUrl,
    auth: ClinicApiAuth,
    headers: z.array(ExtraHeader).max(20).refine(isNamedOnce, namedTwice).default([]),
    clientCertificate: ClientCertificate.optional(),
    actions: Actions.default({}),
    fhir: FhirSettings.optional(),
    /** As the last check has found them. */
    capabilities: FhirCapabilities.optional(),
  })
  .superRefine(hasWhatItsKindNeeds);

function hasWhatItsKindNeeds(
  { kind, fhir, actions }: { kind: (typeof kinds)[number]; fhir?: FhirSettings | undefined; actions: object },
  ctx: z.RefinementCtx,
): void {
  const refuse = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message });
  const refuseLive = (message: string) => ctx.addIssue({ code: 'custom', path: ['fhir', 'isLive'], message });
  if (kind === 'fhir-r4' && fhir === undefined) refuse('fhir', 'is required');
  if (kind === 'fhir-r4' && Object.keys(actions).length > 0)
    refuse('actions', 'are those of kind json; name them in fhir.permitted');
  if (kind === 'json' && fhir !== undefined) refuse('fhir', 'is for kind fhir-r4');
  if (fhir?.isLive && !fhir.isOn) refuseLive('needs that the server is switched on');
  if (fhir?.isLive && !liveActions.every((action) => fhir.permitted.includes(action)))
    refuseLive(`needs that ${liveActions.join(' and ')} are permitted`);
}

/** What the tools of calls do where they act at the clinic's own server. */
const liveActions: readonly FhirAction[] = ['appointment.book', 'appointment.cancel'];
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

const [none, bearer, basic, apiKeyHeader, clientCredentials, smartBackend] = ClinicApiAuth.options;

/** `PUT /api/integrations/approved-api`. A secret that is left out stays as it is, as long as nothing is sent elsewhere. */
export const ApprovedApiChange = z.strictObject({
  kind: z
    .enum(kinds)
    .default('json')
    .describe(
      'json: `actions` say which request is made for what; fhir-r4: the server is spoken to in FHIR, as `fhir` says',
    ),
  baseUrl: TargetUrl.refine((text) => !text.includes('?'), 'must not have a query'),
  actions: Actions.default({}),
  fhir: FhirSettings.optional(),
  auth: z.discriminatedUnion('method', [
    none,
    bearer.partial({ token: true }),
    basic.partial({ password: true }),
    apiKeyHeader.partial({ value: true }),
    clientCredentials.partial({ clientSecret: true }).extend({ tokenUrl: TargetUrl }),
    smartBackend.extend({ tokenUrl: TargetUrl.optional() }),
  ]),
  headers: z
    .array(ExtraHeader.partial({ value: true }))
    .max(20)
    .refine(isNamedOnce, namedTwice)
    .default([])
    .describe('Sent with every request to the API. A value that is left out stays as it is'),
  clientCertificate: ClientCertificate.nullable()
    .optional()
    .describe('For mutual TLS. Left out it stays as it is, unless the host changes; null takes it away'),
});
export type ApprovedApiChange = z.infer<typeof ApprovedApiChange>;

/** The change with the stored secrets where they were left out: what `ApprovedApi` then accepts or finds incomplete. */
export function withKeptSecret(change: ApprovedApiChange, stored: ApprovedApi | null): unknown {
  // A stored secret that is sent to another host could be read there.
  if (!stored || !hasSameTargets(change, stored)) return withoutNull(change);
  const kept = new Map(stored.headers.map(({ name, value }) => [name.toLowerCase(), value]));
  const headers = change.headers.map(({ name, value }) => ({ name, value: value ?? kept.get(name.toLowerCase()) }));
  const { clientCertificate = stored.clientCertificate } = change;
  return withoutNull({ ...change, headers, clientCertificate, auth: withKeptCredential(change.auth, stored.auth) });
}

const withoutNull = <Change extends Pick<ApprovedApiChange, 'clientCertificate'>>(change: Change) => ({
  ...change,
  clientCertificate: change.clientCertificate ?? undefined,
});

function withKeptCredential(auth: ApprovedApiChange['auth'], stored: ClinicApiAuth): unknown {
  if (auth.method === 'none' || auth.method === 'smart-backend' || stored.method !== auth.method) return auth;
  const name = secretOf[auth.method];
  return { [name]: Object.entries(stored).find(([key]) => key === name)?.[1], ...auth };
}

export const ApprovedApiView = z
  .object({
    kind: z.enum(kinds),
    baseUrl: z.string().nullable().describe('null where no API is approved'),
    auth: z
      .object({
        method: z.enum(['none', 'bearer', 'basic', 'api-key-header', 'oauth2-client-credentials', 'smart-backend']),
        username: z.string().optional(),
        header: z.string().optional(),
        tokenUrl: z.string().optional(),
        clientId: z.string().optional(),
        clientAuthentication: z.enum(secretPlaces).optional(),
        scope: z.string().optional(),
        audience: z.string().optional(),
      })
      .describe('Without its secret, which is never read back'),
    headers: z.array(z.object({ name: z.string() })).describe('Without their values, which are never read back'),
    certificateEndsAt: Instant.nullable().describe('Until when the certificate for mutual TLS holds; null for none'),
    jwksUrl: z.string().describe('Where the public halves of the key pairs stand, for `smart-backend`'),
    actions: z.partialRecord(ClinicAction, PermittedAction).describe('What is not here is never called'),
    fhir: FhirSettings.nullable().describe('Of kind fhir-r4'),
    capabilities: FhirCapabilities.nullable().describe('Of kind fhir-r4, as the last check has found them'),
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
        'refused: a 4xx, or a success that is not what was wanted; unavailable: no answer or a 5xx; unusable: the path cannot be filled in',
      ),
    status: z.int().nullable(),
    body: z.unknown().describe('What was returned, as JSON; null where it is none'),
    error: z.string().nullable(),
    said: z.string().nullable().describe('What went wrong, as a sentence to act on; null where it is not known'),
  })
  .meta({ id: 'TriedAction' });
export type TriedAction = z.infer<typeof TriedAction>;

/** The algorithms that SMART Backend Services names. */
const keyAlgorithms = ['ES384', 'RS384'] as const;
export const KeyAlgorithm = z.enum(keyAlgorithms);
export type KeyAlgorithm = z.infer<typeof KeyAlgorithm>;

export const ClientKeys = z
  .object({
    jwksUrl: z.string(),
    items: z.array(
      z.object({
        kid: z.string(),
        algorithm: KeyAlgorithm,
        state: z
          .enum(['next', 'signing', 'previous'])
          .describe(
            'next: published, and signs from `signsFrom`; previous: signs no more, published until `retiresAt`',
          ),
        createdAt: Instant,
        signsFrom: Instant,
        retiresAt: Instant.nullable(),
      }),
    ),
  })
  .meta({ id: 'ClientKeys' });
export type ClientKeys = z.infer<typeof ClientKeys>;

/** `POST /api/integrations/approved-api/keys`. */
export const NewClientKey = z.strictObject({ algorithm: KeyAlgorithm });

/** A JSON Web Key Set (RFC 7517). */
export const KeySet = z.object({ keys: z.array(z.record(z.string(), z.string())) }).meta({ id: 'KeySet' });

function hasSameTargets(change: ApprovedApiChange, stored: ApprovedApi): boolean {
  const tokenUrlOf = ({ auth, baseUrl }: ApprovedApiChange | ApprovedApi) =>
    'tokenUrl' in auth && auth.tokenUrl !== undefined ? auth.tokenUrl : baseUrl;
  return isSameOrigin(change.baseUrl, stored.baseUrl) && isSameOrigin(tokenUrlOf(change), tokenUrlOf(stored));
}

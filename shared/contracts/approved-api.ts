import { z } from 'zod';
import { HttpUrl, Line } from './primitives';

/** What a clinic may permit the service to do at its own API. */
export const clinicActions = [
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

/** What `form.progress` answers with. The rest of it is of no interest, and what cannot be read says nothing. */
export const FormProgressAnswer = z.object({
  completionPercentage: z.number().min(0).max(100).nullish().catch(null),
  formCompleted: z.boolean().nullish().catch(null),
  checkoutCompleted: z.boolean().nullish().catch(null),
});

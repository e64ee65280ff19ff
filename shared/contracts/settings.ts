import { z } from 'zod';
import { type WeeklyHours, weeklyHoursProblem } from '../domain/weekly-hours';
import { ApprovedApi, ClinicApiAuth } from './approved-api';
import { Crm } from './crm';
import { defaultOutboundEvents, OutboundEventName } from './outbound-events';
import { HttpUrl, Line, Phone } from './primitives';

/** What can be known of an unusable address without connecting: the rest is refused when it is connected to. */
export const TargetUrl = HttpUrl.refine((text) => isPlainTarget(text), 'must not hold a user name or a fragment');

/** `PUT /api/integrations/outbound`. */
export const OutboundSettings = z.strictObject({
  url: TargetUrl.nullable(),
  enabled: z.boolean().default(true),
  events: z
    .array(OutboundEventName)
    .max(20)
    .default(defaultOutboundEvents)
    .transform((events) => [...new Set(events)]),
});
export type OutboundSettings = z.output<typeof OutboundSettings>;

const WallTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'must be a time of day as 09:00');
const OpenIntervals = z.array(z.strictObject({ opens: WallTime, closes: WallTime })).max(24);

/** Hours of a week on the clinic's wall clock; a weekday that is absent is closed. */
export const Hours = z
  .strictObject({
    monday: OpenIntervals.optional(),
    tuesday: OpenIntervals.optional(),
    wednesday: OpenIntervals.optional(),
    thursday: OpenIntervals.optional(),
    friday: OpenIntervals.optional(),
    saturday: OpenIntervals.optional(),
    sunday: OpenIntervals.optional(),
  })
  .superRefine((hours: WeeklyHours, context) => {
    const problem = weeklyHoursProblem(hours);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ id: 'WeeklyHours' });

const thirtyDays = 30 * 24 * 3_600;
const PerPatient = z.int().min(1).max(100).nullable();

/** `PUT /api/integrations/recovery-policy`. null stands for no limit. */
export const CallingPolicySettings = z
  .strictObject({
    firstCallDelaySeconds: z.int().min(0).max(thirtyDays),
    maxAttempts: z.int().min(1).max(20),
    secondsBetweenAttempts: z.int().min(0).max(thirtyDays),
    callingHours: Hours,
    maxConcurrentCalls: z.int().min(1).max(1_000),
    callsPerPatientPerDay: PerPatient,
    callsPerPatientPerWeek: PerPatient,
  })
  .meta({ id: 'CallingPolicy' });

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

/** `PUT /api/integrations/crm`; `none` takes it away. A token that is left out stays, as above. */
export const CrmChange = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }),
  Crm.options[0].partial({ accessToken: true }),
  Crm.options[1].extend({ url: TargetUrl, token: Crm.options[1].shape.token.nullable() }),
]);
export type CrmChange = z.infer<typeof CrmChange>;

/** As `withKeptSecret`. A webhook's token that is null is taken away. */
export function withKeptToken(change: Exclude<CrmChange, { kind: 'none' }>, stored: Crm | null): unknown {
  if (change.kind === 'hubspot') {
    return stored?.kind === 'hubspot' ? { accessToken: stored.accessToken, ...change } : change;
  }
  const { token, ...rest } = change;
  const kept = stored?.kind === 'webhook' && isSameOrigin(stored.url, change.url) ? stored.token : undefined;
  return { ...rest, token: token === null ? undefined : (token ?? kept) };
}

/** `PUT /api/integrations/phone-numbers`: all of the clinic's numbers. */
export const PhoneNumbersChange = z.strictObject({
  items: z
    .array(
      z.strictObject({
        number: Phone,
        platformId: Line.nullable().default(null),
        assistantId: Line.nullable().default(null),
      }),
    )
    .max(100)
    .refine((items) => isUnique(items.map(({ number }) => number)), 'must not name a number twice')
    .refine(
      (items) => isUnique(items.flatMap(({ platformId }) => platformId ?? [])),
      'must not name a platformId twice',
    ),
});

/** `PUT /api/integrations/providers`: all of the clinic's providers. One that is left out takes no more bookings. */
export const ProvidersChange = z.strictObject({
  items: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[A-Za-z0-9\-.]{1,64}$/, 'must be letters, digits, hyphens and full stops, at most 64'),
        displayName: Line,
        workingHours: Hours,
        visitTypes: z.array(Line).max(50),
      }),
    )
    .max(200)
    .refine((items) => isUnique(items.map(({ name }) => name)), 'must not name a provider twice'),
});

const isUnique = (values: string[]) => new Set(values).size === values.length;

function isPlainTarget(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, hash } = new URL(text);
  return username === '' && password === '' && hash === '';
}

function hasSameTargets(change: ApprovedApiChange, stored: ApprovedApi): boolean {
  const tokenUrlOf = ({ auth, baseUrl }: ApprovedApiChange | ApprovedApi) =>
    auth.method === 'oauth2-client-credentials' ? auth.tokenUrl : baseUrl;
  return isSameOrigin(change.baseUrl, stored.baseUrl) && isSameOrigin(tokenUrlOf(change), tokenUrlOf(stored));
}

const isSameOrigin = (one: string, other: string) => new URL(one).origin === new URL(other).origin;

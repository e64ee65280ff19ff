import { z } from 'zod';
import { TargetUrl } from '../events/target-url';
import { Instant, Line } from '../primitives';
import { Role } from './accounts';

const Domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/, 'must be a domain as harbor.example')
  .meta({ examples: ['harbor.example'] });

const Shared = {
  issuer: z
    .string()
    .describe('As the identity provider writes it')
    .meta({ examples: ['https://login.harbor.example'] }),
  clientId: Line,
  roleClaim: Line.meta({ examples: ['roles'] })
    .nullable()
    .describe(
      'The claim that says the role, or a path as `realm_access.roles`; null: roles are given in the dashboard',
    ),
  roleRules: z
    .array(z.strictObject({ value: Line, role: Role }))
    .max(50)
    .describe('The first whose value is among those of the claim counts, at every sign-in'),
  defaultRole: Role.nullable().describe('Of whom no rule matches; null: they are refused'),
  factorAcrs: z
    .array(Line)
    .max(10)
    .describe('Values of `acr` that say that a second factor was used; `mfa` in `amr` counts always'),
};

/** `PUT /api/accounts/single-sign-on`. A secret that is left out stays as it is, while the issuer's host stays. */
export const SingleSignOnChange = z.strictObject({
  ...Shared,
  issuer: TargetUrl.meta({ examples: ['https://login.harbor.example'] }),
  clientSecret: z.string().min(1, 'must not be empty').max(2_000).nullable().optional(),
  domains: z.array(Domain).min(1, 'must name a domain').max(50),
});

/** `GET /api/accounts/single-sign-on`. */
export const SingleSignOnView = z
  .object({
    settings: z
      .object({
        ...Shared,
        hasClientSecret: z.boolean().describe('Whether a secret is kept; it is never read back'),
        domains: z.array(
          z.object({
            domain: z.string().meta({ examples: ['harbor.example'] }),
            isConfirmed: z.boolean().describe('By the operator: nobody signs in by it before'),
          }),
        ),
        isOnlyWay: z.boolean().describe('Whether nobody signs in otherwise, save emergency access'),
        changedAt: Instant.describe('When something was changed that decides whether anybody gets in'),
      })
      .nullable(),
    redirectUri: z.string().describe('To be registered at the identity provider, exactly so'),
    logoutUri: z.string().describe('To be registered there as the back-channel logout URI'),
  })
  .meta({ id: 'SingleSignOn' });

/** `PUT /api/accounts/single-sign-on/only-way`. */
export const SingleSignOnOnlyWay = z.strictObject({ isOnlyWay: z.boolean() });

export const SingleSignOnCheck = z
  .object({
    passed: z.boolean(),
    findings: z.array(
      z
        .object({
          path: z.string().meta({ examples: ['issuer'] }),
          message: z.string(),
          isProblem: z.boolean().describe('false: worth knowing'),
        })
        .meta({ id: 'SingleSignOnFinding' }),
    ),
  })
  .meta({ id: 'SingleSignOnCheck' });
export type SingleSignOnCheck = z.infer<typeof SingleSignOnCheck>;

/** `POST /api/auth/sign-in/sso/begin`. */
export const BeginSingleSignOn = z.strictObject({ email: z.string().trim().min(3).max(320) });

export const SingleSignOnBegun = z
  .object({
    url: z
      .string()
      .describe('Where the browser goes, at the identity provider')
      .meta({ examples: ['https://login.harbor.example/authorize?client_id=clinic-workflows'] }),
    key: z.string().describe('Kept by the browser that began, and sent when it returns'),
  })
  .meta({ id: 'SingleSignOnBegun' });

/** `POST /api/auth/sign-in/sso`, `POST /api/auth/step-up/sso`. */
export const FinishSingleSignOn = z.strictObject({
  clinicId: z.string().min(1).max(100).describe('Of the address that the browser returned to'),
  response: z
    .string()
    .min(1)
    .max(8_000)
    .describe('The query of the address that the browser returned to')
    .meta({ examples: ['?code=a-code&state=a-state'] }),
  key: z.string().min(1).max(200),
});

/** `POST /api/auth/sso/{clinicId}/logout`, of OpenID Connect Back-Channel Logout 1.0. */
export const BackChannelLogout = z.object({ logout_token: z.string().min(1).max(16_000) });

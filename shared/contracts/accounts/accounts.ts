import { z } from 'zod';
import { accountLinkKinds, accountRoles, roles } from '../../domain/accounts/accounts';
import { rightNames } from '../../domain/accounts/rights';
import { languages } from '../../domain/accounts/languages';
import { isCountry } from '../../domain/operations/countries';
import { voicePlatforms } from '../../domain/voice/platforms';
import { Instant, Line } from '../primitives';

export const Role = z.enum(roles).meta({ id: 'Role' });
const AccountRole = z
  .enum(accountRoles)
  .describe('operator: of no clinic, for all of them')
  .meta({ id: 'AccountRole' });
export const Right = z.enum(rightNames).meta({ id: 'Right' });
const Email = z.string().trim().max(254).pipe(z.email('must be an e-mail address'));
/** Its rules are checked where it is set; a hash of more than this would cost too much. */
const Password = z.string().min(1, 'must not be empty').max(1_000);
const Code = z.string().trim().min(1, 'must not be empty').max(50);
const Mailed = z
  .enum(['sent', 'failed', 'off'])
  .describe('Whether the link was mailed to the person too; off: the deployment sends no mail');

/** `POST /api/auth/sign-in/email`. */
export const SignIn = z.object({
  email: z.string().min(1).max(320),
  password: z.string().min(1).max(200),
  code: Code.optional().describe('Of the second factor, or a backup code, where the account has one'),
});

const AccountView = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role: AccountRole,
    clinicId: z.string().nullable(),
  })
  .meta({ id: 'Account' });

const Base64Url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\w-]+$/, 'must be base64url');
/** Of WebAuthn Level 3, `PublicKeyCredential.toJSON()`; whatever else a browser sends is neither kept nor judged. */
const Credential = {
  id: Base64Url(1_400),
  rawId: Base64Url(1_400),
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional().catch(undefined),
};

/** What a browser's `navigator.credentials.get` returns, as JSON. */
const AuthenticationResponse = z
  .object({
    ...Credential,
    response: z.object({
      clientDataJSON: Base64Url(10_000),
      authenticatorData: Base64Url(10_000),
      signature: Base64Url(10_000),
      userHandle: Base64Url(100).optional(),
    }),
  })
  .meta({ id: 'PasskeyAssertion' });

/** What a browser's `navigator.credentials.create` returns, as JSON. */
const RegistrationResponse = z
  .object({
    ...Credential,
    response: z.object({
      clientDataJSON: Base64Url(10_000),
      attestationObject: Base64Url(60_000),
      transports: z.array(z.string().max(50)).max(10).optional(),
    }),
  })
  .meta({ id: 'NewPasskeyCredential' });

/** Options for a browser, as WebAuthn Level 3 writes them in JSON: they are handed on as they are. */
const BrowserOptions = z
  .looseObject({ challenge: z.string().describe('Is signed once, within five minutes') })
  .describe('For `navigator.credentials`, in the JSON of WebAuthn Level 3');

/** `POST /api/auth/sign-in/passkey/options`. */
export const PasskeyRequest = z.object({ options: BrowserOptions });

/** By what a session proves again who is behind it. */
export const StepUpState = z
  .object({
    by: z
      .array(z.enum(['passkey', 'code', 'sso', 'password']))
      .describe(
        'What counts in this session, the strongest first; `sso`: the clinic’s identity provider asks once more',
      ),
  })
  .meta({ id: 'StepUpState' });

export const StepUp = z
  .union([
    z.strictObject({ code: z.string().min(1).max(64) }),
    z.strictObject({ password: z.string().min(1).max(128) }),
    z.strictObject({ passkey: AuthenticationResponse }),
  ])
  .meta({ id: 'StepUp' });

/** `POST /api/auth/sign-in/passkey`. */
export const SignInByPasskey = z.strictObject({ response: AuthenticationResponse });

export const SignedIn = z.object({ token: z.string(), user: AccountView });

/** `POST /api/auth/sign-out`. */
export const SignedOut = z.object({ success: z.literal(true) });

const ClinicsLanguage = z
  .enum(languages, { error: `must be one of ${languages.join(', ')}` })
  .describe('Of the dashboard, where a person has not chosen another one');

/** `GET /api/integrations/language`. */
export const ClinicLanguage = z.object({ language: ClinicsLanguage }).meta({ id: 'ClinicLanguage' });

/** `PUT /api/integrations/language`. */
export const ClinicLanguageChange = z.strictObject({ language: ClinicsLanguage });

const ClinicsCountry = z
  .string()
  .refine(isCountry, { error: 'must be a country of ISO 3166, as GB' })
  .meta({ examples: ['GB'] })
  .describe('ISO 3166-1, as GB');

/** `GET /api/integrations/country`. */
export const ClinicCountry = z.object({ country: ClinicsCountry }).meta({ id: 'ClinicCountry' });

/** `PUT /api/integrations/country`. */
export const ClinicCountryChange = z.strictObject({ country: ClinicsCountry });

/** `GET /api/auth/session`. */
export const SessionView = z
  .object({
    accountId: z.string(),
    clinicId: z.string().nullable(),
    role: AccountRole,
    rights: z.array(Right).describe('What the role opens in this API; `GET /rights` says which routes ask for which'),
    name: z.string(),
    email: z.string(),
    needsSecondFactor: z
      .boolean()
      .describe('The clinic requires a second factor and the account has none: until it is set up all else is 403'),
    clinic: z
      .object({
        id: z.string(),
        name: z.string(),
        timezone: z.string().describe('IANA zone'),
        country: z.string().describe('ISO 3166-1, as US: phones are read and shown as there'),
        currency: z.string().describe('ISO 4217: of the prices in forms'),
        isMonthFirst: z.boolean().describe('Whether 02/03/2026 is read as a day of February, as in that country'),
        voiceProvider: z.string().describe(voicePlatforms.join(' or ')),
        language: ClinicsLanguage,
      })
      .nullable(),
    baseUrl: z.string().describe('Where the service is reached; ends in /api'),
    temporalWorkflowsUrl: z.string().describe("Where Temporal's UI shows the workflows of this service"),
  })
  .meta({ id: 'Session' });

/** `GET /api/accounts`. */
const ManagedAccount = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    role: Role,
    createdAt: Instant,
    disabledAt: Instant.nullable(),
    endsAt: Instant.nullable().describe('Of emergency access by the operator, which ends by itself'),
    hasSecondFactor: z.boolean().describe('One-time codes or a passkey'),
    sessions: z.int().describe('How many are open'),
  })
  .meta({ id: 'ManagedAccount' });
export type ManagedAccount = z.infer<typeof ManagedAccount>;

export const ManagedAccounts = z.object({ items: z.array(ManagedAccount) });

/** `PATCH /api/accounts/{accountId}`. */
export const ChangeAccount = z.strictObject({ role: Role });

/** `GET /api/accounts/second-factor`. */
export const SecondFactorRule = z.object({
  isRequired: z.boolean(),
  withoutOne: z.int().describe('How many of those who may sign in have none'),
});

/** `PUT /api/accounts/second-factor`. */
export const RequireSecondFactor = z.strictObject({ isRequired: z.boolean() });

/** `POST /api/accounts/invitations`. */
export const Invite = z.strictObject({ email: Email, role: Role });

export const Invitations = z.object({
  items: z.array(
    z
      .object({ id: z.string(), email: z.string(), role: Role, createdAt: Instant, expiresAt: Instant })
      .meta({ id: 'Invitation' }),
  ),
});

/** A link by which a person sets a password, once. */
export const NewAccountLink = z
  .object({
    id: z.string(),
    email: z.string(),
    link: z.string().describe('Shown here and never again; anyone who has it sets the password'),
    expiresAt: Instant,
    mail: Mailed,
  })
  .meta({ id: 'NewAccountLink' });

/** `POST /api/auth/links/read`. */
export const ReadLink = z.strictObject({ token: z.string().min(1).max(200) });

export const AccountLink = z
  .object({
    kind: z.enum(accountLinkKinds),
    email: z.string(),
    name: z.string().nullable().describe('Of the account whose password is set; null for somebody who is invited'),
    clinicName: z.string().nullable().describe('null for an operator, who belongs to none'),
    expiresAt: Instant,
  })
  .meta({ id: 'AccountLink' });

/** `POST /api/auth/links/use`. */
export const UseLink = z.strictObject({
  token: z.string().min(1).max(200),
  name: Line.optional().describe('Of a person who was invited'),
  password: Password,
});

export const LinkUsed = z.object({ email: z.string() });

/** `PUT /api/auth/password`. */
export const ChangePassword = z.strictObject({ password: Password.describe('The present one'), newPassword: Password });

/** `GET /api/auth/sessions`, `GET /api/accounts/{accountId}/sessions`. */
export const AccountSessions = z.object({
  items: z.array(
    z
      .object({
        id: z.string(),
        isCurrent: z.boolean().describe('Whether it is the one that asks'),
        createdAt: Instant,
        usedAt: Instant.describe('When a person last used it, to a quarter of an hour'),
        expiresAt: Instant.describe('Where nobody uses it again'),
        address: z.string().nullable(),
        userAgent: z.string().nullable(),
      })
      .meta({ id: 'AccountSession' }),
  ),
});

export const SessionsEnded = z.object({ ended: z.int() });

/** `GET /api/auth/second-factor`. */
export const SecondFactorState = z.object({
  isOn: z.boolean().describe('Whether one-time codes are'),
  backupCodesLeft: z.int().nullable().describe('null where there are no one-time codes'),
  isRequired: z.boolean().describe('Whether the clinic requires a second factor: codes or a passkey'),
});

/** `POST /api/auth/second-factor` and `POST /api/auth/second-factor/remove`. */
export const WithPassword = z.strictObject({ password: Password });

export const NewSecondFactor = z
  .object({
    url: z.string().describe('otpauth:, for a QR code; it holds the secret'),
    secret: z.string().describe('The same secret to be typed, base32; shown here and never again'),
  })
  .meta({ id: 'NewSecondFactor' });

/** `POST /api/auth/second-factor/confirm`. */
export const ConfirmSecondFactor = z.strictObject({ code: Code });

export const BackupCodes = z.object({
  backupCodes: z
    .array(z.string())
    .describe('Each opens the account once in place of a code; shown here and never again'),
});

const PasskeyName = Line.max(60, 'must be at most 60 characters long').describe('What the person calls it');

/** `POST /api/auth/passkeys/options`. */
export const PasskeyCreation = z.object({ options: BrowserOptions });

/** `POST /api/auth/passkeys`. */
export const AddPasskey = z.strictObject({ name: PasskeyName, response: RegistrationResponse });

/** `PATCH /api/auth/passkeys/{passkeyId}`. */
export const RenamePasskey = z.strictObject({ name: PasskeyName });

export const Passkey = z
  .object({
    id: z.string(),
    name: z.string(),
    isSynced: z.boolean().describe('Whether several devices of the person have it'),
    createdAt: Instant,
    usedAt: Instant.nullable(),
  })
  .meta({ id: 'Passkey' });

/** `GET /api/auth/passkeys`. */
export const Passkeys = z.object({ items: z.array(Passkey) });

/** `GET /api/auth/notifications`. */
export const NotificationsView = z
  .object({
    taskMails: z.boolean().describe('Whether new tasks that nobody else has are told by mail'),
    hasMail: z.boolean().describe('Whether this deployment sends mail'),
    email: z.string(),
  })
  .meta({ id: 'Notifications' });

/** `PUT /api/auth/notifications`. */
export const ChangeNotifications = z.strictObject({ taskMails: z.boolean() });

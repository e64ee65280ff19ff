import { z } from 'zod';
import { type LenientRule, lenientRuleNames } from '../../domain/sandbox/leniency';
import { holdMinutes } from '../../domain/calendar/holds';
import { clockYears } from '../../domain/sandbox/sandbox-clock';
import { failureUnits, sandboxFailureCodes, sandboxOperationNames } from '../../domain/sandbox/sandbox-failures';
import { StartInstant } from '../calendar/appointments';
import { MatchIdentifier } from '../calendar/fhir';
import { Count, Instant, Line } from '../primitives';

/** Of a snapshot: chosen by the clinic's team, and part of an address. */
const SnapshotName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/, 'must be 1 to 60 letters, digits, dots, hyphens and underscores')
  .meta({ examples: ['before-import'] });

/** `POST /api/sandbox/snapshots`. */
export const NewSnapshot = z.strictObject({ name: SnapshotName });

const ClockInstant = StartInstant.refine((instant) => {
  const year = Number(instant.slice(0, 4));
  return year >= clockYears.first && year <= clockYears.last;
}, `must lie in the years ${clockYears.first} to ${clockYears.last}`);

/** `PUT /api/sandbox/clock`. */
export const NewSandboxClock = z.strictObject({
  at: ClockInstant.describe('What the clock shows from now on'),
  isFrozen: z.boolean().default(true).describe('Whether it stands still there; otherwise it goes on from there'),
});

const Part = z.int().min(0).max(100_000).default(0);

const CallHoldMinutes = z
  .int()
  .min(0)
  .max(holdMinutes.max)
  .describe('For how many minutes a live call may keep a time for its caller; 0: not at all');

/** `PUT /api/sandbox/call-holds`. */
export const CallHolds = z.strictObject({ minutes: CallHoldMinutes }).meta({ id: 'CallHolds' });

/** `POST /api/sandbox/clock/advance`. */
export const ClockAdvance = z
  .strictObject({ days: Part, hours: Part, minutes: Part, seconds: Part })
  .refine(({ days, hours, minutes, seconds }) => days + hours + minutes + seconds > 0, 'must be more than nothing');

export const SandboxClockView = z
  .object({
    now: Instant.describe('What the sandbox EMR takes for the time'),
    isSet: z.boolean().describe('False: it goes by the real time'),
    isFrozen: z.boolean(),
  })
  .meta({ id: 'SandboxClock' });
export type SandboxClockView = z.infer<typeof SandboxClockView>;

export const SandboxCountsView = z
  .object({
    patients: Count.describe('With an identifier, as $match finds them; 500 stands for more, too'),
    booked: Count.describe('Booked appointments; 500 stands for more, too'),
    documents: Count.describe('Notes on file; 500 stands for more, too'),
  })
  .meta({ id: 'SandboxCounts' });

export const SnapshotView = z
  .object({ name: SnapshotName, patients: Count, appointments: Count, documents: Count, takenAt: Instant })
  .meta({ id: 'SandboxSnapshot' });
export type SnapshotView = z.infer<typeof SnapshotView>;

const FailureCode = z
  .enum(sandboxFailureCodes as [(typeof sandboxFailureCodes)[number]])
  .meta({ id: 'SandboxFailureCode' });
const Operation = z
  .enum(sandboxOperationNames as [(typeof sandboxOperationNames)[number]])
  .meta({ id: 'SandboxOperation' });

/** `POST /api/sandbox/failures`. */
export const NewSandboxFailure = z.strictObject({
  failure: FailureCode,
  operation: Operation.optional().describe('Left out: every operation that the failure is for'),
  identifier: MatchIdentifier.optional().describe('Only requests about the patient of this identifier'),
  parameters: z.record(z.string().max(40), z.number()).default({}).describe('As the list of failures names them'),
  times: z.int().min(1).max(1_000).default(1).describe('How many requests meet it'),
  minutes: z.int().min(1).max(1_440).default(60).describe('When it ends by itself'),
});

export const SandboxFailureView = z
  .object({
    id: z.string(),
    failure: FailureCode,
    operation: Operation.nullable(),
    identifier: z.string().nullable(),
    parameters: z.record(z.string(), z.number()),
    times: Count,
    played: Count,
    isOver: z.boolean(),
    createdAt: Instant,
    endsAt: Instant,
  })
  .meta({ id: 'SandboxFailure' });
export type SandboxFailureView = z.infer<typeof SandboxFailureView>;

const switches = <Switch extends z.ZodType>(each: () => Switch) =>
  Object.fromEntries(lenientRuleNames.map((name) => [name, each()])) as Record<LenientRule, Switch>;
const MinimumNotice = z
  .int()
  .min(0)
  .max(43_200)
  .describe('A time must lie at least so far ahead, besides what each provider says');
const MaximumNotice = z
  .int()
  .min(1)
  .max(730)
  .nullable()
  .describe('A time may lie at most so many days ahead; null: any');

/** `PATCH /api/sandbox/leniency`: what is left out stays as it is. */
export const ChangedLeniency = z.strictObject({
  ...switches(() => z.boolean().optional()),
  minimumNoticeMinutes: MinimumNotice.optional(),
  maximumNoticeDays: MaximumNotice.optional(),
});

export const SandboxLeniencyView = z
  .object({
    ...switches(() => z.boolean()),
    minimumNoticeMinutes: MinimumNotice,
    maximumNoticeDays: MaximumNotice,
  })
  .meta({ id: 'SandboxLeniency' });

const PublicKey = z
  .looseObject({ kty: z.enum(['RSA', 'EC']), kid: z.string().min(1).max(200) })
  .refine((key) => !('d' in key), 'must be a public key, without d');

/** `POST /api/sandbox/clients`. */
export const NewSandboxClient = z.strictObject({
  name: Line,
  jwks: z
    .looseObject({ keys: z.array(PublicKey).min(1).max(5) })
    .describe('Public keys, as a JSON Web Key Set: RSA for RS384, P-384 for ES384'),
});

export const SandboxClientView = z
  .object({
    id: z.string().describe('The client id'),
    name: z.string(),
    keyIds: z.array(z.string()),
    createdAt: Instant,
  })
  .meta({ id: 'SandboxClient' });
export type SandboxClientView = z.infer<typeof SandboxClientView>;

export const SandboxClientsView = z.object({ items: z.array(SandboxClientView) });

/** `POST /api/sandboxes`. */
export const NewNamedSandbox = z.strictObject({
  name: Line.max(60).describe('As "CI" or the name of a team; a clinic has one of a name'),
});

const NamedSandboxView = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: Instant,
  })
  .meta({ id: 'NamedSandbox' });
export type NamedSandboxView = z.infer<typeof NamedSandboxView>;

export const NamedSandboxesView = z.object({ items: z.array(NamedSandboxView) });

const SandboxToken = z.string().describe('The bearer token of its FHIR routes and of /sandbox; shown here once');
export const OpenedSandbox = NamedSandboxView.extend({ token: SandboxToken }).meta({ id: 'OpenedSandbox' });
export const RenewedSandboxToken = z.object({ token: SandboxToken });

const LenientRuleView = z
  .object({ rule: z.enum(lenientRuleNames), title: z.string(), off: z.string(), client: z.string() })
  .meta({ id: 'SandboxLenientRule' });
export type LenientRuleView = z.infer<typeof LenientRuleView>;

const FailureKindView = z
  .object({
    failure: FailureCode,
    title: z.string(),
    happens: z.string(),
    goodClient: z.string(),
    operations: z.array(Operation),
    parameters: z.array(
      z.object({ name: z.string(), unit: z.enum(failureUnits), min: Count, max: Count, usual: Count }),
    ),
  })
  .meta({ id: 'SandboxFailureKind' });
export type FailureKindView = z.infer<typeof FailureKindView>;

/** `GET /api/sandbox`. */
export const SandboxView = z.object({
  enabled: z.boolean(),
  hasRealPatients: z.boolean().describe('Then there is no sandbox here: open a named one'),
  clock: SandboxClockView,
  callHoldMinutes: CallHoldMinutes,
  counts: SandboxCountsView,
  snapshots: z.array(SnapshotView),
  failures: z.array(SandboxFailureView).describe('The newest first, with those that have ended'),
  failureKinds: z.array(FailureKindView).describe('What can be chosen'),
  leniency: SandboxLeniencyView,
  lenientRules: z.array(LenientRuleView).describe('What each lenient rule is'),
});

export const SandboxFailuresRemoved = z.object({ removed: Count });

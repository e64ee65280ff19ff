import { z } from 'zod';
import { allowReasons, optOutScopes, optOutSources } from '../../domain/outreach/opt-out';
import { unknownZones } from '../../domain/outreach/patient-zones';
import { Hours } from '../calendar/hours';
import { PatientName, PatientSearch } from '../patients/patients';
import { Flag, Instant, Page, WrittenPhone } from '../primitives';

const thirtyDays = 30 * 24 * 3_600;
const PerPatient = z.int().min(1).max(100).nullable();

const settings = {
  firstCallDelaySeconds: z.int().min(0).max(thirtyDays),
  maxAttempts: z.int().min(1).max(20),
  secondsBetweenAttempts: z.int().min(0).max(thirtyDays),
  callingHours: Hours,
  maxConcurrentCalls: z.int().min(1).max(1_000),
  callsPerPatientPerDay: PerPatient,
  callsPerPatientPerWeek: PerPatient,
};

const UnknownZone = z
  .enum(unknownZones)
  .describe(
    'Where a number that tells no time zone is taken to be: in every zone of its country, or in that of the clinic',
  );
const SimulatorKeepsPatientHours = z
  .boolean()
  .describe("Whether the simulator's calls, which ring nobody, keep to the patients' hours too");
const DisclosesAutomation = z
  .boolean()
  .describe('Whether calls open with a sentence that says who calls, for which clinic, and that it is automated');
const BooksInOwnCalendar = z
  .boolean()
  .describe(
    'Whether calls act on the calendar kept here where there is no sandbox: a clinic with real patients has none',
  );
const BooksFollowUps = z
  .boolean()
  .describe(
    'Whether cancellation and care-gap follow-ups may book a visit for a patient who has none; staff book it otherwise',
  );
const ConfirmsBookings = z
  .boolean()
  .describe(
    'Whether a booking of a caller who is not verified is a request that staff confirm, where patients are real',
  );
/** `GET /api/integrations/recovery-policy`. null stands for no limit. */
export const CallingPolicyView = z
  .object({
    ...settings,
    unknownZone: UnknownZone,
    simulatorKeepsPatientHours: SimulatorKeepsPatientHours,
    disclosesAutomation: DisclosesAutomation,
    booksInOwnCalendar: BooksInOwnCalendar,
    booksFollowUps: BooksFollowUps,
    confirmsBookings: ConfirmsBookings,
  })
  .meta({ id: 'CallingPolicy' });

/** `PUT /api/integrations/recovery-policy`. What is left out of the last five stays as it is. */
export const CallingPolicySettings = z
  .strictObject({
    ...settings,
    unknownZone: UnknownZone.optional(),
    simulatorKeepsPatientHours: SimulatorKeepsPatientHours.optional(),
    disclosesAutomation: DisclosesAutomation.optional(),
    booksInOwnCalendar: BooksInOwnCalendar.optional(),
    booksFollowUps: BooksFollowUps.optional(),
    confirmsBookings: ConfirmsBookings.optional(),
  })
  .meta({ id: 'CallingPolicySettings' });

export const OptOutScope = z.enum(optOutScopes);
const Source = z.enum(optOutSources);

/** `POST /api/integrations/opt-outs`. */
export const NewOptOut = z.strictObject({
  phone: WrittenPhone,
  scope: OptOutScope.optional().describe('What the phone is not called about; left out: all'),
});

/** `POST /api/patients/{id}/opt-outs`. */
export const NewPatientOptOut = NewOptOut.pick({ scope: true });

/** `POST /api/patients/{id}/opt-outs/lift`. */
export const LiftedOptOut = z.strictObject({
  reason: z
    .enum(allowReasons, { error: `must be one of ${allowReasons.join(', ')}` })
    .describe('It stays in the audit; other_person: the phone is somebody else’s now'),
});

export const ListOptOuts = Page.extend({
  phone: z.string().max(30).optional(),
  search: PatientSearch.max(100).optional().describe('A name, or a part of the number'),
});

export const OptOut = z
  .object({
    id: z.string(),
    phone: z.string(),
    scope: OptOutScope,
    source: Source,
    addedBy: z.string().describe('As account:…, call:…, api-key:…, system'),
    addedByName: z.string().nullable().describe('Of an account of this clinic'),
    createdAt: Instant,
  })
  .meta({ id: 'OptOut' });

/** One of the list, with who has its number. */
export const ListedOptOut = OptOut.extend({
  patients: z.array(PatientName).describe('Whose number it is, at most ten'),
}).meta({ id: 'ListedOptOut' });

export const ImportOptOuts = z.object({
  preview: Flag.optional().describe('true: says what would become of the rows, and takes none'),
});

/** `POST /api/integrations/opt-outs/import`. */
export const ImportedOptOuts = z
  .object({
    rows: z.int(),
    added: z.int(),
    widened: z.int().describe('On the list for less before, now for all calls'),
    refused: z.array(z.object({ line: z.int(), message: z.string() })),
  })
  .meta({ id: 'ImportedOptOuts' });

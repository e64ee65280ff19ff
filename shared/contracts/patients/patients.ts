import { z } from 'zod';
import { isTimeOrder, patientOrders, timeOrders } from '../../domain/list-order';
import { preferredHoursProblem } from '../../domain/outreach/preferred-hours';
import { callLanguages } from '../../domain/patients/languages';
import { registrationFields } from '../../domain/patients/registration';
import { AppointmentView } from '../calendar/appointments';
import { ConsentView, NewConsent } from './consent';
import { PatientMergeView } from './merges';
import {
  BirthDate,
  CountedPage,
  Facts,
  Instant,
  Line,
  Moment,
  orderOf,
  Prose,
  TimeText,
  WrittenPhone,
} from '../primitives';

const Email = z.email('must be an e-mail address').max(254);

/** When a patient asked to be called, every day, on their own clock. */
const PreferredCallHours = z
  .strictObject({ from: TimeText.nullable().default(null), until: TimeText.nullable().default(null) })
  .superRefine((hours, ctx) => {
    const problem = preferredHoursProblem(hours);
    if (problem !== null) ctx.addIssue({ code: 'custom', message: problem });
  })
  .meta({ examples: [{ from: '17:00', until: null }] });

export const PreferredCallHoursView = z
  .object({ from: z.string().nullable(), until: z.string().nullable() })
  .meta({ id: 'PreferredCallHours', examples: [{ from: '17:00', until: null }] });

export const PreferredLanguage = z.enum(callLanguages);

/** `POST /api/patients`. A phone may be written as people do. */
export const NewPatient = z.strictObject({
  firstName: Line,
  lastName: Line,
  phone: WrittenPhone,
  dateOfBirth: BirthDate.nullish(),
  email: Email.nullish(),
  address: Prose.nullish(),
  preferredCallHours: PreferredCallHours.nullish().describe(
    'When the patient asked to be called, every day, on their own clock: `from`, `until` or both, not over midnight. No workflow calls at another time',
  ),
  preferredLanguage: PreferredLanguage.nullish().describe('The language to call the patient in, as BCP 47 writes it'),
  consent: NewConsent.nullish().describe('What the patient agreed to about being contacted, and on what basis'),
});
export type NewPatient = z.output<typeof NewPatient>;

/** `PATCH /api/patients/{id}`: what is left out stays, null takes away. */
export const PatientChange = NewPatient.partial();
export type PatientChange = z.output<typeof PatientChange>;

/** What people type to find somebody. */
export const PatientSearch = z
  .string()
  .trim()
  .max(200)
  .describe(
    'Words of a name, an e-mail address or an identifier, in any order and with or without accents and apostrophes; a phone as people ' +
      'write it; or a date of birth as 1980-03-05, with a name or alone',
  );

export const ListPatients = CountedPage.extend({
  search: PatientSearch.max(100).optional(),
  from: Moment.optional().describe('First known on this day of the clinic, at this instant, or later'),
  until: Moment.optional().describe('First known before'),
  order: orderOf(patientOrders).describe(
    'name: by last name, from A; -name: the other way round. What `search` finds is read by time alone',
  ),
}).refine(({ search, order }) => search === undefined || isTimeOrder(order), {
  path: ['order'],
  message: `must be ${timeOrders.join(' or ')} with search`,
});

/** What the list says of `search`. */
export const SearchedFor = z.object({
  searchedFor: z
    .string()
    .nullable()
    .describe('`search` as it was read, with its dates of birth in ISO 8601; null without `search`'),
});

/** A patient where only the name is of interest. */
export const PatientName = z
  .object({ id: z.string(), firstName: z.string(), lastName: z.string() })
  .meta({ id: 'PatientName' });

const RegistrationStatus = z.enum(['ACTION_REQUIRED', 'COMPLETE']);
const PatientType = z.enum(['NEW', 'EXISTING']);

/** What the list of patients shows as it is stored, by the names of its columns. */
export const ListedAsStored = z.object({
  id: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  phone: z.string().nullable(),
  email: z.string().nullable(),
});

/** What the record of one patient shows so: all of that, and this. */
export const ShownAsStored = ListedAsStored.extend({
  identifier: z.string().nullable(),
  address: z.string().nullable(),
  reasonForVisit: z.string().nullable(),
});

export const ListedPatientView = ListedAsStored.extend({
  dateOfBirth: z.string().nullable(),
  patientType: PatientType,
  registrationStatus: RegistrationStatus.describe('ACTION_REQUIRED: known only from a form or a call so far'),
  createdAt: Instant,
  nextAppointment: z.object({ id: z.string(), startsAt: Instant, providerDisplayName: z.string() }).nullable(),
  isSimilar: z.boolean().describe('Found by a name that is written nearly as it was searched for'),
}).meta({ id: 'ListedPatient' });
export type ListedPatientView = z.infer<typeof ListedPatientView>;

export const DocumentView = z
  .object({
    id: z.string(),
    callId: z.string().nullable(),
    note: z.string(),
    escalateToClinicalTeam: z.boolean(),
    requestExternalRecords: z.boolean(),
    createdAt: Instant,
  })
  .meta({ id: 'PatientDocument' });

/** `POST /api/patients/{id}/notes`. */
export const NewNote = z.strictObject({ note: Prose.min(1, 'must not be empty') });

const ChangedVisit = z.object({ startsAt: Instant, providerDisplayName: z.string() });

export const PatientView = ShownAsStored.extend({
  dateOfBirth: z.string().nullable(),
  patientType: PatientType,
  registration: z.object({
    status: RegistrationStatus,
    missingFields: z.array(z.enum(registrationFields)),
    preferredLocation: z.string().nullable(),
    medicareStatus: z.string().nullable(),
    healthPlanName: z.string().nullable(),
    referralSource: z.string().nullable(),
    commsConsent: z.boolean().nullable(),
  }),
  preferredCallHours: PreferredCallHoursView.nullable(),
  preferredLanguage: PreferredLanguage.nullable(),
  consent: ConsentView.nullable(),
  replacedBy: z.string().nullable().describe('The patient into whom this one was merged: what is recorded is there'),
  merges: z.array(PatientMergeView).describe('Who was merged into this patient'),
  changes: z
    .array(
      z.object({
        id: z.string(),
        at: Instant,
        actor: z.string().describe('As account:…, api-key:…'),
        actorName: z.string().nullable().describe('Of an account of this clinic'),
        action: z.string().describe('As appointment.book, patient.change'),
        detail: Facts,
        visit: ChangedVisit.nullable().describe(
          'The visit that was booked, moved, cancelled or noted, as that left it',
        ),
        movedFrom: ChangedVisit.nullable().describe('When and with whom it was before it was moved'),
      }),
    )
    .describe('What people and systems of the clinic did with this patient and their visits, the newest first'),
  insurance: Facts.nullable(),
  selfPay: Facts.nullable(),
  billingNotes: z.unknown(),
  crmSyncedAt: Instant.nullable(),
  createdAt: Instant,
  updatedAt: Instant,
  appointments: z.array(AppointmentView),
  documents: z.array(DocumentView),
}).meta({ id: 'PatientRecord' });
export type PatientView = z.infer<typeof PatientView>;

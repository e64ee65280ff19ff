import { LiftedOptOut, NewPatientOptOut, OptOut } from '@clinic/shared/contracts/outreach/calling-policy';
import { ConsentView, type NewConsent } from '@clinic/shared/contracts/patients/consent';
import {
  DocumentView,
  ListedPatientView,
  ListPatients,
  SearchedFor,
  NewNote,
  NewPatient,
  PatientChange,
  PatientView,
  PreferredCallHoursView,
  PreferredLanguage,
  ShownAsStored,
} from '@clinic/shared/contracts/patients/patients';
import { localDate } from '@clinic/shared/domain/calendar/clinic-time';
import { DEFAULT_COUNTRY } from '@clinic/shared/domain/operations/countries';
import { readPhone } from '@clinic/shared/domain/patients/phone';
import type { Consent } from '@clinic/shared/domain/patients/consent';
import { withIsoBirthDates, withUnmarkedBirthDates } from '@clinic/shared/domain/patients/written-birth-dates';
import { missingFields } from '@clinic/shared/domain/patients/registration';
import { AppError, invalid } from '@clinic/shared/errors';
import { mergedInto } from '@clinic/prisma/stores/patients/patient-merges';
import { storedCountry } from '../../clinic-country';
import type { AuditedPatientChange } from '@clinic/prisma/stores/operations/audit';
import type { DocumentRecord } from '@clinic/prisma/stores/patients/documents';
import type {
  ListedPatient,
  PatientFields,
  PatientFilter,
  PatientRecord,
} from '@clinic/prisma/stores/patients/patient-records';
import type { z } from 'zod';
import { factsOf } from '../../http/facts';
import { countedPage, mapPage } from '../../http/list-route';
import { type Deps, ofPatientPath } from '../../http/route';
import { staffNames } from '../accounts/staff-names';
import { toMerge } from './merges';
import { spanOf } from '../../clinic-span';
import { toView } from '../calendar/appointments';
import { toOptOut, unreadablePhone } from '../outreach/calling-policy';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Patients', access: 'api-key-or-clinic', right: 'patients.read' });

const unknown = { description: 'No such patient of this clinic' };
const merged = { description: 'The patient was merged into another: change that one' };

/** What of a note is shown in a list. */
const EXCERPT = 10_000;
const MAX_SHOWN = 50;

/** The clinic's patients (docs/contract.md, 4 and 11). */
export const patientRecordRoutes = [
  routes.list('/patients', {
    patientData: { action: 'patient.list' },
    summary: 'List patients, newest first; those who are still registering are left out unless they are searched for',
    description:
      '`search` takes words of a name, an e-mail or an identifier, a phone or a date of birth, as the clinic’s country writes it or in ISO 8601; eight digits are both part of a phone and a date, `02262016`, four are the last of a phone or of an identifier. Below few matches stand those whose name is written nearly so (`isSimilar`). `total=true` counts the matches on the first page.',
    query: ListPatients,
    item: ListedPatientView,
    items: 'patients',
    isCounted: true,
    besides: SearchedFor,
    subjectOf: ({ id }) => id,
    async read({ caller: { clinicId }, query: { limit, cursor, total, order, search, from, until } }, { stores }) {
      const now = await stores.agendas.now(clinicId);
      const searched = await searchedFor({ stores }, { clinicId, search, now });
      const filter = { ...searched, ...(await spanOf(stores, clinicId, { from, until })) };
      const page = await countedPage(stores.patientRecords, {
        clinicId,
        filter,
        page: { order, limit, cursor, now },
        total,
      });
      return { ...mapPage(page, toListed), searchedFor: searched.orSearch ?? searched.search ?? null };
    },
  }),
  routes.post('/patients', {
    right: 'patients',
    patientData: { action: 'patient.create', isChange: true },
    summary: 'Create a patient',
    description:
      'A phone is read in the clinic’s country unless it is in international format (400 where it cannot be read). Nobody is merged: search first. Without an `Idempotency-Key` a repetition is another patient.',
    body: NewPatient,
    isIdempotent: true,
    responses: { 200: { description: 'The patient', schema: PatientView } },
    async handle({ caller: { clinicId }, body, idOfNew }, { stores }) {
      const fields = await fieldsOf({ stores }, clinicId, body);
      const created = await stores.patientRecords.create(clinicId, idOfNew, fields);
      return { body: await detail({ stores }, created, idOfNew), subjects: [idOfNew] };
    },
  }),
  routes.get('/patients/:patientId', {
    patientData: { action: 'patient.read', asksFor: ofPatientPath },
    summary: 'One patient with registration, appointments and notes',
    description: 'The newest 50 appointments and notes. `registration.missingFields` says what is still asked for.',
    responses: { 200: { description: 'The patient', schema: PatientView }, 404: unknown },
    handle: async ({ caller: { clinicId }, params: { patientId } }, { stores }) => ({
      body: await detail({ stores }, await stores.patientRecords.find(clinicId, patientId), patientId),
    }),
  }),
  routes.patch('/patients/:patientId', {
    right: 'patients',
    patientData: { action: 'patient.change', isChange: true },
    summary: 'Change what is on file; null takes a field away',
    description:
      'Fields that are left out stay as they are. A date of birth that is not in the past is 400. Workflows that wait to call the patient heed new `preferredCallHours` at once.',
    body: PatientChange,
    responses: { 200: { description: 'The patient', schema: PatientView }, 404: unknown, 409: merged },
    async handle({ caller: { clinicId }, params: { patientId }, body }, { stores }) {
      const changed = await stores.patientRecords.change(
        clinicId,
        patientId,
        await fieldsOf({ stores }, clinicId, body),
      );
      return {
        body: await detail({ stores }, changed, patientId),
        subjects: [patientId],
        detail: { fields: Object.keys(body) },
      };
    },
  }),
  routes.post('/patients/:patientId/notes', {
    right: 'patients',
    patientData: { action: 'patient.note', isChange: true },
    summary: 'Write a note into the record of a patient',
    description: 'Notes are added and never changed. Without an `Idempotency-Key` a repetition is another note.',
    body: NewNote,
    isIdempotent: true,
    responses: { 200: { description: 'The note', schema: DocumentView }, 404: unknown, 409: merged },
    async handle({ caller: { clinicId }, params: { patientId }, body: { note }, idOfNew: id }, { stores }) {
      const content = [{ contentType: 'text/plain', data: Buffer.from(note).toString('base64') }];
      await findCurrent({ stores }, clinicId, patientId);
      const { kind } = await stores.documents.write({ id, clinicId, patientId, content });
      if (kind === 'unknown_patient') throw new AppError('not_found', `Patient ${patientId} not found`);
      const written = (await stores.documents.ofPatient(clinicId, patientId, MAX_SHOWN)).find((each) => each.id === id);
      if (!written) throw new AppError('not_found', `Note ${id} not found`);
      return { body: toDocument(written), subjects: [patientId], detail: { documentId: id } };
    },
  }),
  routes.post('/patients/:patientId/opt-outs', {
    right: 'patients',
    summary: 'Never call the phone on file again; one that is on the list stays on it',
    description: 'It counts for the phone, no matter who else has it, and for calls that are due already.',
    body: NewPatientOptOut,
    isIdempotent: true,
    responses: {
      200: { description: 'The entry', schema: OptOut },
      404: unknown,
      409: { description: 'No phone is on file, or the patient was merged into another' },
    },
    async handle({ caller: { clinicId }, params: { patientId }, body: { scope }, by }, { stores }) {
      const patient = await findCurrent({ stores }, clinicId, patientId);
      if (patient.phone === null) throw new AppError('conflict', `Patient ${patientId} has no phone`);
      const added = await stores.optOuts.add(clinicId, patient.phone, by, { scope });
      return { body: toOptOut(added, await staffNames(stores, clinicId)) };
    },
  }),
  routes.post('/patients/:patientId/opt-outs/lift', {
    right: 'patients',
    summary: 'Allow calls to the phone on file again, for a reason that stays in the audit',
    description:
      'It counts for the phone, no matter who else has it. Open workflows may call it again. Repeating it is 404.',
    body: LiftedOptOut,
    responses: {
      204: { description: 'Taken off the list' },
      404: { description: 'No such patient of this clinic, or the phone on file is not on the list' },
      409: merged,
    },
    async handle({ caller: { clinicId }, params: { patientId }, body: { reason }, by }, { stores }) {
      await findCurrent({ stores }, clinicId, patientId);
      if (!(await stores.optOuts.lift({ clinicId, patientId, reason }, by))) {
        throw new AppError('not_found', `Patient ${patientId} is not on the list of opt-outs`);
      }
      return { status: 204 };
    },
  }),
];

/** Throws `not_found`, and `conflict` for a patient who was merged into another: what is changed is changed there. */
async function findCurrent({ stores }: Deps<'stores'>, clinicId: string, patientId: string): Promise<PatientRecord> {
  const patient = await stores.patientRecords.find(clinicId, patientId);
  if (!patient) throw new AppError('not_found', `Patient ${patientId} not found`);
  if (patient.replacedBy !== null) throw mergedInto(patientId, patient.replacedBy);
  return patient;
}

/** A search without digits holds no date: the clinic's country is not asked for. */
async function searchedFor(
  { stores }: Deps<'stores'>,
  { clinicId, search, now }: { clinicId: string; search: string | undefined; now: Date },
): Promise<Pick<PatientFilter, 'search' | 'orSearch'>> {
  if (search === undefined || !/\d/.test(search)) return { search };
  const habits = { country: await storedCountry(stores, clinicId), year: now.getUTCFullYear() };
  const [read, orRead] = [withIsoBirthDates(search, habits), withUnmarkedBirthDates(search, habits)];
  return { search: read, orSearch: orRead === read ? undefined : orRead };
}

const detail = async ({ stores }: Deps<'stores'>, record: PatientRecord | null, patientId: string) => {
  if (!record) throw new AppError('not_found', `Patient ${patientId} not found`);
  const { clinicId, id } = record;
  // What was done with a record that is one with this by now is told here, too.
  const mergesOf = stores.patientMerges.inForce(clinicId, id);
  const done = async () => {
    const others = (await mergesOf).map(({ replacedId }) => replacedId);
    return stores.audit.changesOf(clinicId, [id, ...others], MAX_SHOWN);
  };
  const [appointments, documents, merges, changes] = await Promise.all([
    stores.appointments.list(clinicId, { patientId: id, limit: MAX_SHOWN }),
    stores.documents.ofPatient(clinicId, id, MAX_SHOWN),
    mergesOf,
    done(),
  ]);
  const names = merges.length + changes.length > 0 ? await staffNames(stores, clinicId) : new Map<string, string>();
  return {
    ...toPatient(record),
    merges: merges.map((merge) => toMerge(merge, names)),
    changes: changes.map((change) => toChange(change, names)),
    appointments: appointments.items.map(toView),
    documents: documents.map(toDocument),
  };
};

const toChange = (
  { id, at, actor, action, detail: told, ...change }: AuditedPatientChange,
  names: ReadonlyMap<string, string>,
): PatientView['changes'][number] => ({
  id,
  at: at.toISOString(),
  actor,
  actorName: names.get(actor) ?? null,
  action,
  detail: factsOf(told) ?? {},
  visit: visitOf(change.startsAt, change.providerDisplayName),
  movedFrom: visitOf(change.fromStartsAt, change.fromProviderDisplayName),
});

const visitOf = (startsAt: Date | null, providerDisplayName: string | null) =>
  startsAt && providerDisplayName !== null ? { startsAt: startsAt.toISOString(), providerDisplayName } : null;

/** Refuses a phone that cannot be read, and a date of birth that the clinic's calendar has not seen yet. */
const fieldsOf = async <Fields extends PatientChange>(
  { stores }: Deps<'stores'>,
  clinicId: string,
  { dateOfBirth, consent, ...fields }: Fields,
) => {
  const clinic = await stores.clinics.find(clinicId);
  const zone = clinic?.timezone ?? 'UTC';
  const country = clinic?.defaultCountry ?? DEFAULT_COUNTRY;
  const phone = fields.phone === undefined ? undefined : readPhone(fields.phone, country);
  if (phone === null) throw unreadablePhone(country);
  if (dateOfBirth && dateOfBirth >= localDate(new Date().toISOString(), zone)) {
    throw invalid('dateOfBirth', 'must be in the past');
  }
  return { ...fields, phone, birthDate: dateOfBirth, consent: consent && toConsent(consent) } satisfies PatientFields;
};

function toListed({
  birthDate,
  patientType,
  isPlaceholder,
  createdAt,
  nextAppointment,
  ...patient
}: ListedPatient): ListedPatientView {
  return {
    ...patient,
    dateOfBirth: birthDate,
    patientType: toPatientType(patientType),
    registrationStatus: registrationStatusOf(isPlaceholder),
    createdAt: createdAt.toISOString(),
    nextAppointment: nextAppointment && { ...nextAppointment, startsAt: nextAppointment.startsAt.toISOString() },
  };
}

const toConsent = ({ isGiven = true, basis, at, source = 'api' }: z.output<typeof NewConsent>): Consent => ({
  isGiven,
  basis,
  at: at ?? new Date().toISOString(),
  source,
});

/** Whom the clinic knew already need not register. */
const registrationStatusOf = (isPlaceholder: boolean) => (isPlaceholder ? 'ACTION_REQUIRED' : 'COMPLETE');

const toPatientType = (type: string) => (type === 'EXISTING' ? 'EXISTING' : 'NEW');

function toPatient(record: PatientRecord): Omit<PatientView, 'appointments' | 'changes' | 'documents' | 'merges'> {
  const { preferredLocation, medicareStatus, healthPlanName, referralSource, commsConsent } = record;
  return {
    ...ShownAsStored.parse(record satisfies z.input<typeof ShownAsStored>),
    dateOfBirth: record.birthDate,
    patientType: toPatientType(record.patientType),
    registration: {
      status: registrationStatusOf(record.isPlaceholder),
      missingFields: record.isPlaceholder ? missingFields(record) : [],
      preferredLocation,
      medicareStatus,
      healthPlanName,
      referralSource,
      commsConsent,
    },
    preferredCallHours: PreferredCallHoursView.nullable().parse(record.preferredCallHours),
    preferredLanguage: PreferredLanguage.nullable().parse(record.preferredLanguage),
    consent: ConsentView.nullable().parse(record.consent),
    replacedBy: record.replacedBy,
    insurance: factsOf(record.insurance),
    selfPay: factsOf(record.selfPay),
    billingNotes: record.billingNotes,
    crmSyncedAt: record.crmSyncedAt?.toISOString() ?? null,
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  };
}

function toDocument({ id, callId, content, createdAt, ...wishes }: DocumentRecord) {
  const notes = content.map(({ data }) => Buffer.from(data.slice(0, EXCERPT * 4), 'base64').toString('utf8'));
  return {
    id,
    callId,
    note: notes.join('\n\n').slice(0, EXCERPT),
    escalateToClinicalTeam: wishes.escalateToClinicalTeam ?? false,
    requestExternalRecords: wishes.requestExternalRecords ?? false,
    createdAt: createdAt.toISOString(),
  };
}

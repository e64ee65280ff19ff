import { NewPatientOptOut, OptOut } from '@clinic/shared/contracts/calling-policy';
import { ConsentView, type NewConsent } from '@clinic/shared/contracts/consent';
import {
  DocumentView,
  ListedPatientView,
  ListPatients,
  NewNote,
  NewPatient,
  PatientChange,
  PatientView,
} from '@clinic/shared/contracts/patients';
import { localDate } from '@clinic/shared/domain/clinic-time';
import { readPhone } from '@clinic/shared/domain/phone';
import type { Consent } from '@clinic/shared/domain/consent';
import { missingFields } from '@clinic/shared/domain/registration';
import { AppError } from '@clinic/shared/errors';
import type { DocumentRecord } from '@clinic/prisma/stores/documents';
import type { ListedPatient, PatientFields, PatientRecord } from '@clinic/prisma/stores/patient-records';
import { z } from 'zod';
import { factsOf } from '../http/facts';
import { countedPage, listRoute, mapPage } from '../http/list-route';
import { actorOf, ofPatientPath, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';
import { staffNames } from '../staff-names';
import { momentOf, toView } from './appointments';
import { toOptOut, unreadablePhone } from './integrations/calling-policy';

const tag = 'Patients';
const PatientPath = z.object({ patientId: z.string() });
const unknown = { description: 'No such patient of this clinic' };

/** What of a note is shown in a list. */
const EXCERPT = 10_000;
const MAX_SHOWN = 50;

/** The clinic's patients (decisions, sections 4 and 11). */
export function patientRecordRoutes({ stores }: RouteDeps): Route[] {
  const detail = async (record: PatientRecord | null, patientId: string) => {
    if (!record) throw new AppError('not_found', `Patient ${patientId} not found`);
    const { clinicId, id } = record;
    const [appointments, documents] = await Promise.all([
      stores.appointments.list(clinicId, { patientId: id, limit: MAX_SHOWN }),
      stores.documents.ofPatient(clinicId, id, MAX_SHOWN),
    ]);
    return { ...toPatient(record), appointments: appointments.items.map(toView), documents: documents.map(toDocument) };
  };

  /** Refuses a phone that cannot be read, and a date of birth that the clinic's calendar has not seen yet. */
  const fieldsOf = async <Fields extends PatientChange>(
    clinicId: string,
    { dateOfBirth, consent, ...fields }: Fields,
  ) => {
    const clinic = await stores.clinics.find(clinicId);
    const zone = clinic?.timezone ?? 'UTC';
    const phone = fields.phone === undefined ? undefined : readPhone(fields.phone, clinic?.defaultCountry ?? 'US');
    if (phone === null) throw unreadablePhone();
    if (dateOfBirth && dateOfBirth >= localDate(new Date().toISOString(), zone)) {
      throw new AppError('bad_request', 'dateOfBirth must be in the past', [
        { path: 'dateOfBirth', message: 'must be in the past' },
      ]);
    }
    return { ...fields, phone, birthDate: dateOfBirth, consent: consent && toConsent(consent) } satisfies PatientFields;
  };

  return [
    listRoute({
      path: '/patients',
      access: 'api-key-or-clinic',
      patientData: { action: 'patient.list' },
      tag,
      summary: 'List patients, newest first; those who are still registering are left out unless they are searched for',
      query: ListPatients,
      item: ListedPatientView,
      items: 'patients',
      isCounted: true,
      subjectOf: ({ id }) => id,
      async read({ caller: { clinicId }, query: { limit, cursor, total, search, from, until } }) {
        const agenda = await stores.agendas.of(clinicId);
        const zone = agenda?.zone ?? 'UTC';
        const now = await stores.agendas.now(clinicId);
        const filter = { search, from: momentOf('from', from, zone), until: momentOf('until', until, zone) };
        const page = await countedPage(
          { cursor, total },
          {
            list: () => stores.patientRecords.list(clinicId, { ...filter, limit, cursor, now }),
            count: () => stores.patientRecords.count(clinicId, filter),
          },
        );
        return mapPage(page, toListed);
      },
    }),
    route({
      method: 'post',
      path: '/patients',
      access: 'api-key-or-clinic',
      patientData: { action: 'patient.create', isChange: true },
      tag,
      summary: 'Create a patient',
      body: NewPatient,
      isIdempotent: true,
      responses: { 200: { description: 'The patient', schema: PatientView } },
      async handle({ caller: { clinicId }, body, idOfNew }) {
        const fields = await fieldsOf(clinicId, body);
        const created = await stores.patientRecords.create(clinicId, idOfNew, fields);
        return { body: await detail(created, idOfNew), subjects: [idOfNew] };
      },
    }),
    route({
      method: 'get',
      path: '/patients/:patientId',
      access: 'api-key-or-clinic',
      patientData: { action: 'patient.read', asksFor: ofPatientPath },
      tag,
      summary: 'One patient with registration, appointments and notes',
      params: PatientPath,
      responses: { 200: { description: 'The patient', schema: PatientView }, 404: unknown },
      handle: async ({ caller: { clinicId }, params: { patientId } }) => ({
        body: await detail(await stores.patientRecords.find(clinicId, patientId), patientId),
      }),
    }),
    route({
      method: 'patch',
      path: '/patients/:patientId',
      access: 'api-key-or-clinic',
      patientData: { action: 'patient.change', isChange: true },
      tag,
      summary: 'Change what is on file; null takes a field away',
      params: PatientPath,
      body: PatientChange,
      responses: { 200: { description: 'The patient', schema: PatientView }, 404: unknown },
      async handle({ caller: { clinicId }, params: { patientId }, body }) {
        const changed = await stores.patientRecords.change(clinicId, patientId, await fieldsOf(clinicId, body));
        return { body: await detail(changed, patientId), subjects: [patientId] };
      },
    }),
    route({
      method: 'post',
      path: '/patients/:patientId/notes',
      access: 'api-key-or-clinic',
      patientData: { action: 'patient.note', isChange: true },
      tag,
      summary: 'Write a note into the record of a patient',
      params: PatientPath,
      body: NewNote,
      isIdempotent: true,
      responses: { 200: { description: 'The note', schema: DocumentView }, 404: unknown },
      async handle({ caller: { clinicId }, params: { patientId }, body: { note }, idOfNew: id }) {
        const content = [{ contentType: 'text/plain', data: Buffer.from(note).toString('base64') }];
        const { kind } = await stores.documents.write({ id, clinicId, patientId, content });
        if (kind === 'unknown_patient') throw new AppError('not_found', `Patient ${patientId} not found`);
        const written = (await stores.documents.ofPatient(clinicId, patientId, MAX_SHOWN)).find(
          (each) => each.id === id,
        );
        if (!written) throw new AppError('not_found', `Note ${id} not found`);
        return { body: toDocument(written), subjects: [patientId] };
      },
    }),
    route({
      method: 'post',
      path: '/patients/:patientId/opt-outs',
      access: 'api-key-or-clinic',
      tag,
      summary: 'Never call the phone on file again; one that is on the list stays on it',
      params: PatientPath,
      body: NewPatientOptOut,
      isIdempotent: true,
      responses: {
        200: { description: 'The entry', schema: OptOut },
        404: unknown,
        409: { description: 'No phone is on file' },
      },
      async handle({ caller, params: { patientId }, body: { scope }, requestId }) {
        const { clinicId } = caller;
        const patient = await stores.patientRecords.find(clinicId, patientId);
        if (!patient) throw new AppError('not_found', `Patient ${patientId} not found`);
        if (patient.phone === null) throw new AppError('conflict', `Patient ${patientId} has no phone`);
        const by = actorOf(caller, requestId);
        const added = await stores.optOuts.add(clinicId, patient.phone, by, { scope });
        return { body: toOptOut(added, await staffNames(stores, clinicId)) };
      },
    }),
  ];
}

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

function toPatient(record: PatientRecord): Omit<PatientView, 'appointments' | 'documents'> {
  const { id, identifier, firstName, lastName, phone, email, address, reasonForVisit } = record;
  const { preferredLocation, medicareStatus, healthPlanName, referralSource, commsConsent } = record;
  return {
    id,
    identifier,
    firstName,
    lastName,
    phone,
    email,
    address,
    reasonForVisit,
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
    consent: ConsentView.nullable().parse(record.consent),
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

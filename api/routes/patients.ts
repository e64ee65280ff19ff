import { Instant } from '@clinic/shared/contracts/primitives';
import { AppointmentView, ListPatients, NewPatient, PatientChange } from '@clinic/shared/contracts/scheduling';
import { localDate } from '@clinic/shared/domain/clinic-time';
import { missingFields, registrationFields } from '@clinic/shared/domain/registration';
import { AppError } from '@clinic/shared/errors';
import type { Stores } from '@clinic/prisma/stores';
import type { DocumentRecord } from '@clinic/prisma/stores/documents';
import type { ListedPatient, PatientFields, PatientRecord } from '@clinic/prisma/stores/patient-records';
import { z } from 'zod';
import { route, type Route } from '../http/route';
import { toView } from './appointments';

const tag = 'Patients';
const PatientPath = z.object({ patientId: z.string() });
const unknown = { description: 'No such patient of this clinic' };

/** What of a note is shown in a list. */
const EXCERPT = 10_000;
const MAX_SHOWN = 50;

const PatientType = z.enum(['NEW', 'EXISTING']);

const ListedPatientView = z
  .object({
    id: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    phone: z.string().nullable(),
    email: z.string().nullable(),
    dateOfBirth: z.string().nullable(),
    patientType: PatientType,
    createdAt: Instant,
    nextAppointment: z.object({ id: z.string(), startsAt: Instant, providerDisplayName: z.string() }).nullable(),
  })
  .meta({ id: 'ListedPatient' });

const DocumentView = z
  .object({
    id: z.string(),
    callId: z.string().nullable(),
    note: z.string(),
    escalateToClinicalTeam: z.boolean(),
    requestExternalRecords: z.boolean(),
    createdAt: Instant,
  })
  .meta({ id: 'PatientDocument' });

const PatientView = z
  .object({
    id: z.string(),
    identifier: z.string().nullable(),
    firstName: z.string(),
    lastName: z.string(),
    phone: z.string().nullable(),
    email: z.string().nullable(),
    dateOfBirth: z.string().nullable(),
    address: z.string().nullable(),
    reasonForVisit: z.string().nullable(),
    patientType: PatientType,
    registration: z.object({
      status: z.enum(['ACTION_REQUIRED', 'COMPLETE']),
      missingFields: z.array(z.enum(registrationFields)),
      preferredLocation: z.string().nullable(),
      medicareStatus: z.string().nullable(),
      healthPlanName: z.string().nullable(),
      referralSource: z.string().nullable(),
      commsConsent: z.boolean().nullable(),
    }),
    insurance: z.record(z.string(), z.unknown()).nullable(),
    selfPay: z.record(z.string(), z.unknown()).nullable(),
    billingNotes: z.unknown(),
    crmSyncedAt: Instant.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
    appointments: z.array(AppointmentView),
    documents: z.array(DocumentView),
  })
  .meta({ id: 'PatientRecord' });

/** The clinic's patients (decisions, sections 4 and 11). */
export function patientRecordRoutes({ stores }: { stores: Stores }): Route[] {
  const detail = async (record: PatientRecord | null, patientId: string) => {
    if (!record) throw new AppError('not_found', `Patient ${patientId} not found`);
    const { clinicId, id } = record;
    const [appointments, documents] = await Promise.all([
      stores.appointments.list(clinicId, { patientId: id, limit: MAX_SHOWN }),
      stores.documents.ofPatient(clinicId, id, MAX_SHOWN),
    ]);
    return { ...toPatient(record), appointments: appointments.items.map(toView), documents: documents.map(toDocument) };
  };

  /** Refuses a date of birth that the clinic's calendar has not seen yet. */
  const fieldsOf = async <Fields extends PatientChange>(clinicId: string, { dateOfBirth, ...fields }: Fields) => {
    const zone = (await stores.agendas.of(clinicId))?.zone ?? 'UTC';
    if (dateOfBirth && dateOfBirth >= localDate(new Date().toISOString(), zone)) {
      throw new AppError('bad_request', 'dateOfBirth must be in the past', [
        { path: 'dateOfBirth', message: 'must be in the past' },
      ]);
    }
    return { ...fields, birthDate: dateOfBirth } satisfies PatientFields;
  };

  return [
    route({
      method: 'get',
      path: '/patients',
      access: 'api-key-or-clinic',
      tag,
      summary: 'List patients, newest first; those who are still registering are left out',
      query: ListPatients,
      responses: {
        200: {
          description: 'A page of patients',
          schema: z.object({ items: z.array(ListedPatientView), nextCursor: z.string().nullable() }),
        },
      },
      async handle({ caller: { clinicId }, query }) {
        const { items, nextCursor } = await stores.patientRecords.list(clinicId, { ...query, now: new Date() });
        return { body: { items: items.map(toListed), nextCursor } };
      },
    }),
    route({
      method: 'post',
      path: '/patients',
      access: 'api-key-or-clinic',
      tag,
      summary: 'Create a patient',
      body: NewPatient,
      isIdempotent: true,
      responses: { 200: { description: 'The patient', schema: PatientView } },
      async handle({ caller: { clinicId }, body, idOfNew }) {
        const fields = await fieldsOf(clinicId, body);
        return { body: await detail(await stores.patientRecords.create(clinicId, idOfNew, fields), idOfNew) };
      },
    }),
    route({
      method: 'get',
      path: '/patients/:patientId',
      access: 'api-key-or-clinic',
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
      tag,
      summary: 'Change what is on file; null takes a field away',
      params: PatientPath,
      body: PatientChange,
      responses: { 200: { description: 'The patient', schema: PatientView }, 404: unknown },
      async handle({ caller: { clinicId }, params: { patientId }, body }) {
        const changed = await stores.patientRecords.change(clinicId, patientId, await fieldsOf(clinicId, body));
        return { body: await detail(changed, patientId) };
      },
    }),
  ];
}

function toListed({ birthDate, patientType, createdAt, nextAppointment, ...patient }: ListedPatient) {
  return {
    ...patient,
    dateOfBirth: birthDate,
    patientType: toPatientType(patientType),
    createdAt: createdAt.toISOString(),
    nextAppointment: nextAppointment && { ...nextAppointment, startsAt: nextAppointment.startsAt.toISOString() },
  };
}

const toPatientType = (type: string) => (type === 'EXISTING' ? 'EXISTING' : 'NEW');

function toPatient(record: PatientRecord) {
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
      // Whom the clinic knew already need not register.
      status: record.isPlaceholder ? 'ACTION_REQUIRED' : 'COMPLETE',
      missingFields: record.isPlaceholder ? missingFields(record) : [],
      preferredLocation,
      medicareStatus,
      healthPlanName,
      referralSource,
      commsConsent,
    },
    insurance: record.insurance,
    selfPay: record.selfPay,
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

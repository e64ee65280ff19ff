import { z } from 'zod';
import type { ClinicAction } from './approved-api';

/** What a clinic's own system is told, as the `json` kind of approved API gets it and as other kinds are made from it. */

const text = z.string().nullish();

export const PatientNotice = z.object({
  patientId: z.string(),
  externalId: text,
  firstName: z.string(),
  lastName: z.string(),
  phone: text,
  email: text,
  dateOfBirth: text,
  address: text,
  preferredLocation: text,
});
export type PatientNotice = z.infer<typeof PatientNotice>;

export const AppointmentNotice = z.object({
  appointmentId: z.string(),
  externalId: text,
  status: z.enum(['booked', 'cancelled']),
  providerName: z.string(),
  visitType: z.string(),
  startsAt: z.iso.datetime(),
  endsAt: z.iso.datetime(),
  patient: PatientNotice,
});
export type AppointmentNotice = z.infer<typeof AppointmentNotice>;

export const DocumentNotice = z.object({
  documentId: z.string(),
  externalPatientId: text,
  text: z.string(),
  escalateToClinicalTeam: z.boolean().default(false),
  requestExternalRecords: z.boolean().default(false),
  createdAt: z.iso.datetime(),
});
export type DocumentNotice = z.infer<typeof DocumentNotice>;

export const InsuranceQuestion = z.object({
  patientId: z.string(),
  payerName: z.string(),
  memberId: z.string(),
  groupId: z.string().optional(),
  subscriberName: z.string().optional(),
});
export type InsuranceQuestion = z.infer<typeof InsuranceQuestion>;

const ExternalId = z
  .union([z.string(), z.number().transform(String)])
  .pipe(z.string().trim().min(1).max(200))
  .nullish()
  .catch(null);

/** What may come back of what was told: the other system's own ids of the record and of its patient. */
export const NoticeAnswer = z.object({ externalId: ExternalId, externalPatientId: ExternalId });

/** Something a call changed that the clinic's own system is told of. */
export interface ClinicNotice {
  clinicId: string;
  workflowId: string;
  callId: string;
  action: Exclude<ClinicAction, 'form.progress' | 'insurance.verify'>;
  /** Of the appointment actions. */
  appointmentId?: string;
}

/** An appointment as it stands in our records; `externalId` is the clinic's own id of it. */
export interface AppointmentOnRecord {
  id: string;
  externalId: string | null;
  status: string;
  providerName: string;
  visitType: string;
  startsAt: Date;
  endsAt: Date;
}

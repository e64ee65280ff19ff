import type { ToldConsent } from '@clinic/shared/contracts/patients/consent';
import {
  AppointmentApproaching,
  AppointmentCreated,
  InboundAccepted,
  type InboundPath,
  inboundEvents,
  PatientFollowUpRequired,
  PaymentFailed,
  PrescriptionStatusChanged,
} from '@clinic/shared/contracts/events/inbound-events';
import type { FollowUpReason, RunContext } from '@clinic/shared/contracts/outreach/run-context';
import { readToldBirthDate } from '@clinic/shared/domain/patients/intake';
import { readPhone } from '@clinic/shared/domain/patients/phone';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import type { z } from 'zod';
import type { Route } from '../../http/route';
import { routesOf } from '../../http/routes-of';
import { consentIn } from './consent';

/** The run that an event starts. */
interface StartedRun {
  workflowType: Exclude<WorkflowType, 'abandonment-recovery'>;
  context: RunContext;
}

interface PatientEvent {
  path: InboundPath;
  summary: string;
  description: string;
  body: z.ZodType<{ data: { event_id: string; patient: Person; consent?: z.output<typeof ToldConsent> | null } }>;
  /** The run that a parsed body starts. */
  runOf(body: unknown): StartedRun;
}

interface Person {
  phi_first_name: string;
  phi_last_name: string;
  phi_phone: string;
  phi_email?: string | null;
  phi_date_of_birth?: string | null;
  patient_id?: string | null;
}

function patientEvent<Body extends PatientEvent['body']>(event: {
  path: InboundPath;
  summary: string;
  description: string;
  body: Body;
  runOf(data: z.output<Body>['data']): StartedRun;
}): PatientEvent {
  return { ...event, runOf: (body) => event.runOf((body as z.output<Body>).data) };
}

const followUps: Record<FollowUpReason, StartedRun['workflowType']> = {
  cancellation: 'cancellation-follow-up',
  reschedule: 'reschedule-follow-up',
  care_gap: 'care-gap-follow-up',
};

/** The events about a known patient, and the workflow each one starts (docs/contract.md, 6 and 7). */
const patientEvents = [
  patientEvent({
    path: 'appointment-created',
    summary: 'An appointment was booked: the patient is asked to confirm it',
    description:
      'Starts one appointment-confirmation for `data.event_id`, however often it is sent. The time of the appointment that is on record here goes before the one that is told. Of several events of a patient’s `appointment_id` the one that was sent last counts (`sent_at`): the runs of the others end without a call.',
    body: AppointmentCreated,
    runOf: ({ appointment }) => ({ workflowType: 'appointment-confirmation', context: aboutAppointment(appointment) }),
  }),
  patientEvent({
    path: 'appointment-approaching',
    summary: 'An appointment is coming up: the patient is reminded of it',
    description:
      'Starts one appointment-reminder for `data.event_id`, however often it is sent. Send it early enough for calling hours: nobody is reminded of a visit that has begun. Of several reminders of a patient’s `appointment_id` the one that was sent last counts (`sent_at`): the runs of the others end without a call.',
    body: AppointmentApproaching,
    runOf: ({ appointment }) => ({ workflowType: 'appointment-reminder', context: aboutAppointment(appointment) }),
  }),
  patientEvent({
    path: 'payment-failed',
    summary: 'A payment failed: the patient is called about it',
    description:
      'Starts one payment-recovery for `data.event_id`, however often it is sent. `failure_reason` is the word of your payment provider. Of several events of a patient’s `payment_id` the one that was sent last counts (`sent_at`): the runs of the others end without a call.',
    body: PaymentFailed,
    runOf: ({ payment }) => ({
      workflowType: 'payment-recovery',
      context: {
        payment: {
          paymentId: payment.payment_id,
          amountCents: payment.amount_cents,
          currency: payment.currency,
          failureReason: payment.failure_reason,
        },
      },
    }),
  }),
  patientEvent({
    path: 'prescription-status-changed',
    summary: 'A prescription changed: the patient is told',
    description:
      'Starts one prescription-follow-up for `data.event_id`, however often it is sent: each change of status is an event of its own. Of several events of a patient’s `prescription_id` the one that was sent last counts (`sent_at`): the runs of the others end without a call.',
    body: PrescriptionStatusChanged,
    runOf: ({ prescription }) => ({
      workflowType: 'prescription-follow-up',
      context: {
        prescription: {
          prescriptionId: prescription.prescription_id,
          medicationName: prescription.medication_name,
          status: prescription.status,
          previousStatus: prescription.previous_status ?? undefined,
        },
      },
    }),
  }),
  patientEvent({
    path: 'patient-follow-up-required',
    summary: 'A patient needs a new appointment: they are called to book it',
    description:
      'Starts one cancellation-, reschedule- or care-gap-follow-up for `data.event_id`, as `follow_up.reason` says, however often it is sent.',
    body: PatientFollowUpRequired,
    runOf: ({ follow_up: followUp }) => ({
      workflowType: followUps[followUp.reason],
      context: { followUp: { dueBy: followUp.due_by ?? undefined, note: followUp.note ?? undefined } },
    }),
  }),
];

function aboutAppointment(told: z.output<typeof AppointmentCreated>['data']['appointment']): RunContext {
  const { appointment_id: appointmentId, provider_name: providerName, starts_at: startsAt } = told;
  return { appointment: { appointmentId, providerName, startsAt, visitType: told.visit_type } };
}

const routes = routesOf({ tag: 'Inbound webhooks', access: 'inbound', right: 'events', countsOnce: true });

/** A URL for each event about a known patient: stored with the run it starts before the response. */
export const patientEventRoutes: Route[] = patientEvents.map(({ path, summary, description, body, runOf }) =>
  routes.post(`/automation/webhook/:clinicId/${path}`, {
    summary,
    description: `${description} An unreadable \`phi_phone\` is accepted, and nobody is called; a wrong secret or clinic is 401.`,
    body,
    responses: { 200: { description: 'Stored; a repetition gets the response of the first', schema: InboundAccepted } },
    async handle({ caller: { clinicId }, body: told }, { stores, temporal, metrics, countryOf }) {
      const { event_id: sessionId, patient } = told.data;
      const country = await countryOf(clinicId);
      const phone = patient.phi_phone ? readPhone(patient.phi_phone, country) : null;
      const { workflowType, context } = runOf(told);
      const opened = await stores.runs.openRun({
        clinicId,
        sessionId,
        workflowType,
        context,
        patient: {
          firstName: patient.phi_first_name.trim(),
          lastName: patient.phi_last_name.trim(),
          phone,
          email: patient.phi_email?.trim() || null,
          dateOfBirth: readToldBirthDate(patient.phi_date_of_birth, country, new Date()),
          patientId: patient.patient_id || null,
          consent: consentIn(told.data.consent, inboundEvents[path]),
        },
        hasUnreadablePhone: phone === null && patient.phi_phone.trim() !== '',
        inbound: { event: inboundEvents[path], payload: told },
      });
      const { workflowId, patientId, isNew, isDuplicateEvent: duplicate } = opened;
      if (isNew) temporal.dispatch({ workflowId, clinicId, workflowType, sessionId, patientId, caseId: null });
      metrics.inbound.inc({ event: inboundEvents[path], duplicate: String(duplicate) });
      return { body: { accepted: true, duplicate, workflowId } };
    },
  }),
);

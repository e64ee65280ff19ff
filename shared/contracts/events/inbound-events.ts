import { z } from 'zod';
import { ToldConsent } from '../patients/consent';
import { Count, DueBy, Instant, Line, Prose, SessionId, Timestamp } from '../primitives';
import { FollowUpReason } from '../outreach/run-context';

const Text = z.string().max(1_000);

/** In any currency; what forms are worth is added up, and a sum of larger ones is no number any more. */
const UnitPrice = z.number().min(-1e12).max(1e12);

/** A platform's word for a date of birth; what is no date counts as none. */
const ToldBirthDate = Text.nullish().describe(
  'As 1980-03-05. What the patient is verified by in calls, where nothing is on file yet',
);

/** What a browser would run, or read from its own machine: nothing that a patient is led to. */
const unsafeSchemes = ['javascript:', 'vbscript:', 'data:', 'file:', 'filesystem:', 'blob:', 'about:', 'view-source:'];

/** Where a patient goes on with a form: a web address, or a link into the clinic's own app, as `clinicapp://resume/1`. */
const ResumeUrl = z
  .string()
  .trim()
  .max(2_000)
  .refine((text) => URL.canParse(text) && !unsafeSchemes.includes(new URL(text).protocol), {
    error: 'must be an http(s) URL, or a link into an app',
  })
  .meta({ format: 'uri', examples: ['https://clinic.example/resume/1'] });

/** Envelope fields that every inbound event shares. `tenant_id` is recorded, not checked. */
const envelope = <Name extends string>(event: Name) => ({
  event: z.literal(event, { error: `must be ${event} on this URL` }),
  tenant_id: z.string().min(1).max(200),
  sent_at: Timestamp.nullish(),
});

/** `POST /api/automation/webhook/{clinicId}/forms-abandoned`. */
export const FormsAbandoned = z.object({
  ...envelope('forms.abandoned'),
  event: envelope('forms.abandoned').event.optional(),
  data: z.object({
    session_id: SessionId,
    form_id: z.string().min(1).max(500),
    form_name: z.string().min(1).max(500),
    last_page_reached: Count,
    total_pages: Count,
    completion_percentage: z.number(),
    last_activity_at: Timestamp,
    draft_age_hours: z.number(),
    abandoned_at: Timestamp,
    abandoned_at_checkout: z.boolean().nullish(),
    resume_url: ResumeUrl.nullish(),
    consent: ToldConsent.nullish(),
    partial_form_data: z
      .object({
        phi_first_name: Text.nullish(),
        phi_last_name: Text.nullish(),
        phi_email: Text.nullish(),
        phi_phone: Text.nullish(),
        phi_date_of_birth: ToldBirthDate,
        selectedProducts: z
          .array(z.object({ productName: Text, unitPrice: UnitPrice }))
          .max(200)
          .nullish(),
      })
      .nullish(),
  }),
});
export type FormsAbandoned = z.infer<typeof FormsAbandoned>;

/** `POST /api/automation/webhook/{clinicId}/forms-completed`: only the session is required. */
export const FormsCompleted = z.object({
  event: envelope('forms.completed').event.optional(),
  tenant_id: z.string().max(200).nullish(),
  data: z.object({ session_id: SessionId }),
});
export type FormsCompleted = z.infer<typeof FormsCompleted>;

/** What the events about a known patient share (docs/contract.md, 7): `event_id` is what they are deduplicated by. */
const about = {
  event_id: SessionId,
  consent: ToldConsent.nullish(),
  patient: z.object({
    phi_first_name: Text,
    phi_last_name: Text,
    phi_phone: Text,
    phi_date_of_birth: ToldBirthDate,
    phi_email: Text.nullish(),
    patient_id: z.string().trim().max(200).nullish(),
  }),
};

const Appointment = z.object({
  appointment_id: Line,
  provider_name: Line,
  starts_at: Timestamp,
  visit_type: Line,
});

/** `POST /api/automation/webhook/{clinicId}/appointment-created`. */
export const AppointmentCreated = z.object({
  ...envelope('appointment.created'),
  data: z.object({ ...about, appointment: Appointment }),
});

/** `POST /api/automation/webhook/{clinicId}/appointment-approaching`. */
export const AppointmentApproaching = z.object({
  ...envelope('appointment.approaching'),
  data: z.object({ ...about, appointment: Appointment }),
});

/** `POST /api/automation/webhook/{clinicId}/payment-failed`. */
export const PaymentFailed = z.object({
  ...envelope('payment.failed'),
  data: z.object({
    ...about,
    payment: z.object({ payment_id: Line, amount_cents: Count, currency: Line, failure_reason: Prose }),
  }),
});

/** `POST /api/automation/webhook/{clinicId}/prescription-status-changed`. */
export const PrescriptionStatusChanged = z.object({
  ...envelope('prescription.status_changed'),
  data: z.object({
    ...about,
    prescription: z.object({
      prescription_id: Line,
      medication_name: Line,
      status: Line,
      previous_status: Line.nullish(),
    }),
  }),
});

/** `POST /api/automation/webhook/{clinicId}/patient-follow-up-required`. */
export const PatientFollowUpRequired = z.object({
  ...envelope('patient.follow_up_required'),
  data: z.object({
    ...about,
    follow_up: z.object({ reason: FollowUpReason, due_by: DueBy.nullish(), note: Prose.nullish() }),
  }),
});

export const InboundAccepted = z
  .object({
    accepted: z.literal(true),
    duplicate: z.boolean(),
    workflowId: z.string().optional(),
    recoveryCaseId: z.string().optional(),
  })
  .meta({ id: 'InboundAccepted' });

/** Path of each inbound URL and the event it takes. */
export const inboundEvents = {
  'forms-abandoned': 'forms.abandoned',
  'forms-completed': 'forms.completed',
  'appointment-created': 'appointment.created',
  'appointment-approaching': 'appointment.approaching',
  'payment-failed': 'payment.failed',
  'prescription-status-changed': 'prescription.status_changed',
  'patient-follow-up-required': 'patient.follow_up_required',
} as const;
export type InboundPath = keyof typeof inboundEvents;
export const inboundPaths = Object.keys(inboundEvents) as [InboundPath, ...InboundPath[]];

/** One of the URLs of `GET /api/integrations/inbound`. */
const InboundUrl = z
  .object({
    event: z.enum(inboundPaths).describe('The end of the URL'),
    name: z.enum(Object.values(inboundEvents)).describe('The event in the body'),
    url: z.string(),
    secret: z.object({ createdAt: Instant, lastUsedAt: Instant.nullable() }).nullable(),
    previousSecret: z
      .object({ createdAt: Instant, lastUsedAt: Instant.nullable(), expiresAt: Instant })
      .nullable()
      .describe('Still accepted until it expires or is retired'),
  })
  .meta({ id: 'InboundUrl' });

export const InboundUrls = z.object({ items: z.array(InboundUrl) });

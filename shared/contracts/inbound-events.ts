import { z } from 'zod';
import { Count, HttpUrl, SessionId, Timestamp } from './primitives';

const Text = z.string().max(1_000);

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
    resume_url: HttpUrl.nullish(),
    partial_form_data: z
      .object({
        phi_first_name: Text.nullish(),
        phi_last_name: Text.nullish(),
        phi_email: Text.nullish(),
        phi_phone: Text.nullish(),
        selectedProducts: z
          .array(z.object({ productName: Text, unitPrice: z.number() }))
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

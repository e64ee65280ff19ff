import { randomUUID } from 'node:crypto';
import type { InboundPath } from '@clinic/shared/contracts/events/inbound-events';
import { aPhone } from './builders';

export interface About {
  eventId?: string;
  phone?: string;
  patientId?: string;
  firstName?: string;
  lastName?: string;
  /** Replaces or adds fields of `data`. */
  data?: Record<string, unknown>;
}

const inTwoDays = () => new Date(Date.now() + 2 * 24 * 3_600_000).toISOString();

export const anAppointment = (about: Record<string, unknown> = {}) => ({
  appointment_id: `apt-${randomUUID()}`,
  provider_name: 'Dr.Chen',
  starts_at: inTwoDays(),
  visit_type: 'Follow-up consultation',
  ...about,
});

const aPayment = { payment_id: 'pay-1', amount_cents: 12_000, currency: 'USD', failure_reason: 'card_declined' };
const aPrescription = {
  prescription_id: 'rx-1',
  medication_name: 'Amoxicillin',
  status: 'ready',
  previous_status: 'sent',
};

/** The events about a known patient: the name, and what `data` holds beside the patient. */
const events = {
  'appointment-created': ['appointment.created', () => ({ appointment: anAppointment() })],
  'appointment-approaching': ['appointment.approaching', () => ({ appointment: anAppointment() })],
  'payment-failed': ['payment.failed', () => ({ payment: aPayment })],
  'prescription-status-changed': ['prescription.status_changed', () => ({ prescription: aPrescription })],
  'patient-follow-up-required': ['patient.follow_up_required', () => ({ follow_up: { reason: 'cancellation' } })],
} as const satisfies { [path in InboundPath]?: readonly [string, () => Record<string, unknown>] };

export type PatientEventPath = keyof typeof events;

/** The body of one of them, as docs/contract.md, 7, describe it. */
export function aPatientEvent(path: PatientEventPath, about: About = {}) {
  const [event, subject] = events[path];
  return {
    event: event as string,
    tenant_id: 'tenant-1',
    sent_at: '2026-11-20T10:05:00.000Z',
    data: {
      event_id: about.eventId ?? `event-${randomUUID()}`,
      patient: {
        phi_first_name: about.firstName ?? 'Ann',
        phi_last_name: about.lastName ?? 'Lee',
        phi_phone: about.phone ?? aPhone(),
        ...(about.patientId && { patient_id: about.patientId }),
      },
      ...subject(),
      ...about.data,
    },
  };
}

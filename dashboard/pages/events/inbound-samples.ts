import type * as api from '#api';

/** Sent again under the same id it would be a duplicate: whoever opens the page another time sends something new. */
const opened = Date.now().toString(36);
const sessionId = `session-${opened}`;

/** A body that each inbound URL accepts, to begin with. */
const patient = {
  phi_first_name: 'Ann',
  phi_last_name: 'Lee',
  phi_phone: '+15005550001',
  phi_date_of_birth: '1980-03-05',
};
const appointment = {
  appointment_id: 'appointment-1',
  provider_name: 'Dr.Chen',
  starts_at: '2030-01-07T16:00:00Z',
  visit_type: 'Follow-up consultation',
};

const samples: Record<api.InboundUrl['event'], object> = {
  'forms-abandoned': {
    session_id: sessionId,
    form_id: 'intake',
    form_name: 'New patient intake',
    last_page_reached: 3,
    total_pages: 7,
    completion_percentage: 42.5,
    last_activity_at: '2026-01-05T10:00:00Z',
    draft_age_hours: 2.5,
    abandoned_at: '2026-01-05T10:00:00Z',
    partial_form_data: { ...patient, selectedProducts: [{ productName: 'Annual physical', unitPrice: 120 }] },
  },
  'forms-completed': { session_id: sessionId },
  'appointment-created': { event_id: `created-${opened}`, patient, appointment },
  'appointment-approaching': { event_id: `approaching-${opened}`, patient, appointment },
  'payment-failed': {
    event_id: `payment-${opened}`,
    patient,
    payment: { payment_id: 'payment-1', amount_cents: 12000, currency: 'USD', failure_reason: 'card_declined' },
  },
  'prescription-status-changed': {
    event_id: `prescription-${opened}`,
    patient,
    prescription: { prescription_id: 'prescription-1', medication_name: 'Amoxicillin', status: 'ready' },
  },
  'patient-follow-up-required': { event_id: `follow-up-${opened}`, patient, follow_up: { reason: 'care_gap' } },
};

/** The event as it would be sent from a shell. */
export function curlOf({ event, name, url }: api.InboundUrl, secret: string): string {
  const body = { event: name, tenant_id: 'my-platform', data: samples[event] };
  return [
    `curl "${url}" \\`,
    `  -H "x-automation-secret: ${secret}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}'`,
  ].join('\n');
}

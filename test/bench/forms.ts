/** A form left at page three. Without a phone nobody is called: the case ends at once. */
export const anAbandonedForm = (session: string, phone?: string) => ({
  event: 'forms.abandoned',
  tenant_id: 'bench',
  data: {
    session_id: session,
    form_id: 'intake',
    form_name: 'Intake',
    last_page_reached: 3,
    total_pages: 7,
    completion_percentage: 42.5,
    last_activity_at: '2026-11-20T10:00:00Z',
    draft_age_hours: 2.5,
    abandoned_at: '2026-11-20T10:00:00Z',
    partial_form_data: { phi_first_name: 'Ann', phi_last_name: session, ...(phone && { phi_phone: phone }) },
  },
});

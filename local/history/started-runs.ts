import type { DevClinic, DevStack } from '../dev-file';
import { sendEvent } from '../send-event';
import { forms } from './forms';
import type { Rows } from './rows';

const FORMS = 5;
const CARE_GAPS = 4;

/** Some runs of today, over HTTP: forms whose calls the simulator plays at once, and care gaps, which are paused. */
export async function startRuns({
  dev,
  clinic,
  people,
  say,
}: {
  dev: DevStack;
  clinic: DevClinic;
  people: Rows['patients'];
  say: (line: string) => void;
}): Promise<void> {
  const now = new Date().toISOString();
  for (const [index, person] of people.slice(0, FORMS + CARE_GAPS).entries()) {
    const form = forms[index % forms.length];
    const { firstName, lastName, phone, birthDate } = person;
    const told = { phi_first_name: firstName, phi_last_name: lastName, phi_phone: phone };
    if (index < FORMS && form) {
      const data = {
        session_id: `session-of-${person.id}`,
        form_id: form.id,
        form_name: form.name,
        last_page_reached: 3,
        total_pages: form.pages,
        completion_percentage: Math.round(200 / form.pages),
        last_activity_at: now,
        draft_age_hours: 1,
        abandoned_at: now,
        resume_url: 'https://forms.example/resume',
        partial_form_data: { ...told, selectedProducts: form.products.slice(0, 1) },
      };
      await sendEvent({ dev, clinic, path: 'forms-abandoned', event: 'forms.abandoned', data });
    } else {
      const data = {
        event_id: `care-gap-of-${person.id}`,
        patient: { ...told, phi_date_of_birth: birthDate, patient_id: person.id },
        follow_up: { reason: 'care_gap', note: 'Flu vaccine is due' },
      };
      await sendEvent({ dev, clinic, path: 'patient-follow-up-required', event: 'patient.follow_up_required', data });
    }
  }
  say(
    `  ${String(FORMS).padStart(6)} forms of today, and ${CARE_GAPS} runs that wait for a pause to end, are really started`,
  );
}

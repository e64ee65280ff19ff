import { FormsAbandoned, FormsCompleted, InboundAccepted } from '@clinic/shared/contracts/events/inbound-events';
import { readToldBirthDate } from '@clinic/shared/domain/patients/intake';
import { readPhone } from '@clinic/shared/domain/patients/phone';
import type { FormProgress } from '@clinic/prisma/stores/outreach/run-openers';
import { consentIn } from './consent';
import { patientEventRoutes } from './patient-events';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Inbound webhooks', access: 'inbound', right: 'events', countsOnce: true });

const accepted = {
  200: { description: 'Stored; a repetition gets the response of the first', schema: InboundAccepted },
};

/** Events a platform pushes: stored for ever before the response (docs/contract.md, 7). */
export const webhookRoutes = [
  routes.post('/automation/webhook/:clinicId/forms-abandoned', {
    summary: 'A patient left a form or checkout unfinished',
    description:
      'Opens one recovery case for `data.session_id`, however often it is sent, and starts its workflow; the reply names both. Without a readable `phi_phone` the case ends as PATIENT_NOT_REACHED and nobody is called. A missing required field is 400, a wrong secret or clinic 401.',
    body: FormsAbandoned,
    responses: accepted,
    async handle({ caller: { clinicId }, body }, { stores, temporal, metrics, countryOf }) {
      const { data } = body;
      const person = data.partial_form_data;
      const country = await countryOf(clinicId);
      const phone = person?.phi_phone ? readPhone(person.phi_phone, country) : null;
      const opened = await stores.runs.openRecovery({
        clinicId,
        sessionId: data.session_id,
        patient: {
          firstName: person?.phi_first_name?.trim() ?? '',
          lastName: person?.phi_last_name?.trim() ?? '',
          phone,
          email: person?.phi_email?.trim() || null,
          dateOfBirth: readToldBirthDate(person?.phi_date_of_birth, country, new Date()),
          consent: consentIn(data.consent, 'forms.abandoned'),
        },
        form: toProgress(data),
        inbound: { payload: body },
        hasUnreadablePhone: phone === null && Boolean(person?.phi_phone?.trim()),
      });
      const { workflowId, caseId, isNew, isDuplicateEvent: duplicate } = opened;
      if (isNew) {
        temporal.dispatch({
          workflowId,
          clinicId,
          caseId,
          patientId: opened.patientId,
          workflowType: 'abandonment-recovery',
          sessionId: data.session_id,
        });
      }
      metrics.inbound.inc({ event: 'forms.abandoned', duplicate: String(duplicate) });
      return { body: { accepted: true, duplicate, workflowId, recoveryCaseId: caseId ?? undefined } };
    },
  }),
  routes.post('/automation/webhook/:clinicId/forms-completed', {
    summary: 'A patient completed a form: pending recovery is cancelled',
    description:
      'Ends the open case of `data.session_id` as ALREADY_COMPLETED, or RECOVERED where a call led to it. A session that is not known yet is remembered, and ends its case when that comes.',
    body: FormsCompleted,
    responses: accepted,
    async handle({ caller: { clinicId }, body }, { stores, temporal, metrics }) {
      const told = await stores.inboundEvents.formCompleted({
        clinicId,
        sessionId: body.data.session_id,
        payload: body,
      });
      if (told.messageId) temporal.tell({ clinicId, messageId: told.messageId });
      metrics.inbound.inc({ event: 'forms.completed', duplicate: String(told.isDuplicate) });
      const found = told.workflowId ? { workflowId: told.workflowId, recoveryCaseId: told.caseId } : {};
      return { body: { accepted: true, duplicate: told.isDuplicate, ...found } };
    },
  }),

  ...patientEventRoutes,
];

function toProgress(data: FormsAbandoned['data']): FormProgress {
  return {
    formId: data.form_id,
    formName: data.form_name,
    lastPageReached: data.last_page_reached,
    totalPages: data.total_pages,
    completionPercentage: data.completion_percentage,
    abandonedAt: data.abandoned_at,
    abandonedAtCheckout: data.abandoned_at_checkout ?? undefined,
    resumeUrl: data.resume_url ?? undefined,
    selectedProducts: data.partial_form_data?.selectedProducts ?? undefined,
  };
}

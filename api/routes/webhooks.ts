import { FormsAbandoned, FormsCompleted, InboundAccepted } from '@clinic/shared/contracts/inbound-events';
import { readPhone } from '@clinic/shared/domain/phone';
import { Remembered } from '@clinic/shared/remembered';
import type { FormProgress } from '@clinic/prisma/stores/run-openers';
import { z } from 'zod';
import { route, type Route } from '../http/route';
import { consentIn } from '../consent';
import type { RouteDeps } from '../route-deps';
import { patientEventRoutes } from './patient-events';

const tag = 'Inbound webhooks';
const ClinicPath = z.object({ clinicId: z.string() });
const accepted = {
  200: { description: 'Stored; a repetition gets the response of the first', schema: InboundAccepted },
};

/** Events a platform pushes: stored for ever before the response (contract, "Inbound webhooks"; decisions, section 7). */
export function webhookRoutes({ stores, temporal, metrics }: RouteDeps): Route[] {
  const countries = new Remembered<string>(60_000);
  const countryOf = (clinicId: string) =>
    countries.get(clinicId, async () => (await stores.clinics.find(clinicId))?.defaultCountry ?? 'US');

  return [
    route({
      method: 'post',
      path: '/automation/webhook/:clinicId/forms-abandoned',
      access: 'inbound',
      tag,
      summary: 'A patient left a form or checkout unfinished',
      params: ClinicPath,
      body: FormsAbandoned,
      responses: accepted,
      async handle({ caller, body }) {
        const { clinicId } = caller;
        const { data } = body;
        const person = data.partial_form_data;
        const phone = person?.phi_phone ? readPhone(person.phi_phone, await countryOf(clinicId)) : null;
        const opened = await stores.runs.openRecovery({
          clinicId,
          sessionId: data.session_id,
          patient: {
            firstName: person?.phi_first_name?.trim() ?? '',
            lastName: person?.phi_last_name?.trim() ?? '',
            phone,
            email: person?.phi_email?.trim() || null,
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

    route({
      method: 'post',
      path: '/automation/webhook/:clinicId/forms-completed',
      access: 'inbound',
      tag,
      summary: 'A patient completed a form: pending recovery is cancelled',
      params: ClinicPath,
      body: FormsCompleted,
      responses: accepted,
      async handle({ caller, body }) {
        const { clinicId } = caller;
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

    ...patientEventRoutes({ stores, temporal, metrics, countryOf }),
  ];
}

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

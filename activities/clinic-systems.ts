import { ApplicationFailure } from '@temporalio/activity';
import type { ClinicAction } from '@clinic/shared/contracts/approved-api';
import { FormProgressAnswer } from '@clinic/shared/contracts/approved-api';
import type { ClinicApiInput, ClinicApiResult } from '@clinic/shared/outbound/clinic-api';
import type { ClinicSystems } from '@clinic/shared/outbound/clinic-systems';
import type { ClinicNotice } from '@clinic/prisma/stores/clinic-notices';
import type { Stores } from '@clinic/prisma/stores';
import { withHeartbeat } from './heartbeat';

export type { ClinicNotice } from '@clinic/prisma/stores/clinic-notices';

export interface ClinicSystemActivityDeps {
  stores: Stores;
  systems: ClinicSystems;
}

/** A clinic's own approved API, within its workflows. What it has not permitted is never asked. */
export function createClinicSystemActivities({ stores, systems }: ClinicSystemActivityDeps) {
  const requestsFor = async ({ clinicId, callId, action, appointmentId }: ClinicNotice): Promise<ClinicApiInput[]> => {
    const patient = await stores.callSubjects.patient(clinicId, callId);
    if (!patient) throw ApplicationFailure.nonRetryable(`call ${callId} is unknown`, 'not_found');
    const { patientId } = patient;
    switch (action) {
      case 'patient.upsert':
        return [{ params: { patientId }, body: patient, idempotencyKey: `${callId}-patient` }];
      case 'document.write': {
        const documents = await stores.callSubjects.documents(clinicId, callId);
        return documents.map((document) => ({
          params: { patientId, documentId: document.documentId },
          body: { patientId, externalPatientId: patient.externalId, ...document },
          idempotencyKey: document.documentId,
        }));
      }
      case 'appointment.book':
      case 'appointment.cancel': {
        const found = appointmentId ? await stores.appointments.find(clinicId, appointmentId) : null;
        // What was booked and then cancelled again, or the other way round, is told as it stands.
        const status = action === 'appointment.book' ? 'booked' : 'cancelled';
        if (found?.status !== status) return [];
        const { id, providerName, visitType } = found;
        const [startsAt, endsAt] = [found.startsAt.toISOString(), found.endsAt.toISOString()];
        return [
          {
            params: { appointmentId: id, patientId },
            body: { appointmentId: id, status, providerName, visitType, startsAt, endsAt, patient },
            idempotencyKey: `${id}-${status}-${startsAt}`,
          },
        ];
      }
    }
  };

  return {
    /** Whether the clinic itself says that the form or checkout is done. False where it does not say. */
    checkFormProgress: ({
      clinicId,
      caseId,
    }: {
      clinicId: string;
      caseId: string;
    }): Promise<{ isCompleted: boolean }> =>
      withHeartbeat(async (signal) => {
        const [found, api] = await Promise.all([stores.cases.find(clinicId, caseId), systems.approvedApi(clinicId)]);
        if (!found || !api) return { isCompleted: false };
        const { sessionId, formId, abandonedAtCheckout } = found;
        const params = { sessionId, ...(formId && { formId }) };
        const answer = await api.call('form.progress', { params, timeoutMs: 10_000, signal });
        const progress = answer.kind === 'answered' ? FormProgressAnswer.safeParse(answer.body).data : undefined;
        const isFormDone = abandonedAtCheckout ? false : progress?.formCompleted === true;
        return { isCompleted: isFormDone || progress?.checkoutCompleted === true };
      }),

    tellClinicSystem: (notice: ClinicNotice): Promise<{ told: number }> =>
      withHeartbeat(async (signal) => {
        const api = await systems.approvedApi(notice.clinicId);
        const requests = api ? await requestsFor(notice) : [];
        for (const request of requests) {
          const answer = await api?.call(notice.action, { ...request, signal });
          if (answer) check(notice.action, answer);
        }
        await stores.clinicNotices.settle(notice);
        return { told: requests.length };
      }),
  };
}

/** Throws for what was not taken. Says nothing of what the other side said: it may quote a patient. */
function check(action: ClinicAction, answer: ClinicApiResult): void {
  switch (answer.kind) {
    case 'answered':
    case 'not_permitted':
      return;
    case 'unavailable':
      throw ApplicationFailure.retryable(`${action}: ${answer.error}`, 'unavailable');
    case 'refused':
      throw ApplicationFailure.nonRetryable(`${action}: the clinic's API answered ${answer.fault}`, 'refused');
    case 'unusable':
      throw ApplicationFailure.nonRetryable(`${action}: ${answer.reason}`, 'unusable');
  }
}

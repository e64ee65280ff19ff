import { ApplicationFailure } from '@temporalio/activity';
import { FormProgressAnswer } from '@clinic/shared/contracts/events/approved-api';
import type { ClinicSystems } from '@clinic/gateways/clinic-systems';
import { tellClinic } from '@clinic/gateways/clinic-api/tell-clinic';
import type { ClinicNotice } from '@clinic/shared/contracts/events/clinic-notice';
import type { Stores } from '@clinic/prisma/stores';
import { withHeartbeat } from './heartbeat';

export type { ClinicNotice } from '@clinic/shared/contracts/events/clinic-notice';

export interface ClinicSystemActivityDeps {
  stores: Stores;
  systems: ClinicSystems;
}

/** A clinic's own approved API, within its workflows. What it has not permitted is never asked. */
export function createClinicSystemActivities({ stores, systems }: ClinicSystemActivityDeps) {
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
        const telling = api
          ? await tellClinic({ api, records: stores.callSubjects }, notice, { signal })
          : ({ kind: 'told', told: 0 } as const);
        switch (telling.kind) {
          case 'told':
            await stores.clinicNotices.settle(notice);
            return { told: telling.told };
          case 'unknown':
            throw ApplicationFailure.nonRetryable(`call ${notice.callId} is unknown`, 'not_found');
          case 'failed':
            if (telling.result === 'unavailable') throw ApplicationFailure.retryable(telling.why, 'unavailable');
            throw ApplicationFailure.nonRetryable(telling.why, telling.result);
        }
      }),
  };
}

import { isCancellation, proxyActivities, rootCause } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { ClinicNotice } from '@clinic/activities/clinic-systems';
import type { CallReview } from '@clinic/activities/runs';
import type { ToolFact } from '@clinic/shared/domain/conversation';
import { telling } from './timeouts';

/** The action of the clinic's approved API that is told of a change; null for what only we record. */
const actions: Record<ToolFact, ClinicNotice['action'] | null> = {
  booked: 'appointment.book',
  rescheduled: 'appointment.book',
  cancelled: 'appointment.cancel',
  documented: 'document.write',
  escalated: 'document.write',
  billing_escalated: null,
  self_pay: null,
  insurance_updated: 'patient.upsert',
  registered: 'patient.upsert',
};

/** What the calls of a workflow changed, as far as the clinic permits that its own systems are told of it. */
export function createClinicSystems(
  { clinicId, workflowId }: { clinicId: string; workflowId: string },
  carried: ClinicNotice[] = [],
) {
  const keyOf = ({ action, appointmentId, callId }: ClinicNotice) => `${action} ${appointmentId ?? callId}`;
  const untold = new Map(carried.map((notice) => [keyOf(notice), notice]));

  return {
    untold: () => [...untold.values()],

    note(callId: string, { changes, permitted }: CallReview) {
      for (const { fact, detail } of changes) {
        const action = actions[fact];
        if (!action || !permitted.includes(action)) continue;
        const notice = { clinicId, workflowId, callId, action, appointmentId: detail.appointmentId };
        // Told once, with what is then on record, however often it was changed.
        untold.set(keyOf(notice), notice);
      }
    },

    /** One activity for each. What the clinic's system refuses, or does not take in time, becomes a task. */
    async tell(leaveToStaff: (notice: ClinicNotice, why: string) => Promise<void>) {
      for (const notice of untold.values()) {
        const { tellClinicSystem } = proxyActivities<Activities>({ ...telling, summary: notice.action });
        try {
          await tellClinicSystem(notice);
        } catch (error) {
          if (isCancellation(error)) throw error;
          await leaveToStaff(notice, rootCause(error) ?? 'unknown');
        }
      }
    },
  };
}

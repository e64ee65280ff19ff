import { isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { ClinicDeed } from '@clinic/activities/clinic-systems';
import { telling } from './timeouts';

/** The action of the clinic's approved API that hears of a change. */
const actions: Record<string, ClinicDeed['action']> = {
  booked: 'appointment.book',
  rescheduled: 'appointment.book',
  cancelled: 'appointment.cancel',
  documented: 'document.write',
  escalated: 'document.write',
  registered: 'patient.upsert',
  insurance_updated: 'patient.upsert',
};

/** What calls changed, as far as the clinic has approved that its own systems hear of it; one activity for each. */
export function createClinicSystems({ clinicId, workflowId }: { clinicId: string; workflowId: string }) {
  const owed = new Map<string, ClinicDeed>();

  return {
    owe(callId: string, facts: { fact: string; detail: Record<string, string> }[], permitted: string[]) {
      for (const { fact, detail } of facts) {
        const action = actions[fact];
        if (!action || !permitted.includes(action)) continue;
        const { appointmentId } = detail;
        // Told once with what is then on record, however often it was changed.
        owed.set(`${action} ${appointmentId ?? callId}`, { clinicId, workflowId, callId, action, appointmentId });
      }
    },

    /** One that the clinic's system will not hear of, or not in time, becomes a task. */
    async tell(askStaff: (reason: string) => Promise<void>) {
      for (const deed of owed.values()) {
        const { tellClinicSystem } = proxyActivities<Activities>({ ...telling, summary: deed.action });
        try {
          await tellClinicSystem(deed);
        } catch (error) {
          if (isCancellation(error)) throw error;
          await askStaff('clinic_system_not_told');
        }
      }
    },
  };
}

import { ActivityFailure, isCancellation, proxyActivities, rootCause, TimeoutFailure } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { ClinicNotice } from '@clinic/activities/clinic-systems';
import type { CallReview } from '@clinic/activities/runs';
import type { ToolFact } from '@clinic/shared/domain/conversation';
import { announcing, records, telling } from './timeouts';

const { wakeDeliveries } = proxyActivities<Activities>(records);
const { attemptDelivery } = proxyActivities<Activities>(announcing);

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
  declined: null,
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

/**
 * Sends the events of a subject while its receiver takes them. What it does not take at once is left to a workflow of its
 * own, which tries again.
 */
export async function sendEvents(owner: { clinicId: string; subject: string }): Promise<void> {
  for (;;) {
    const attempt = await attemptDelivery(owner).catch(laterWhereNoPlaceIsFree);
    if (attempt.kind === 'failed' || attempt.kind === 'later') return wakeDeliveries(owner);
    if (attempt.kind === 'none' || !attempt.hasMore) return undefined;
  }
}

function laterWhereNoPlaceIsFree(error: unknown): { kind: 'later' } {
  const isTooLate = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure;
  if (!isTooLate) throw error;
  return { kind: 'later' };
}

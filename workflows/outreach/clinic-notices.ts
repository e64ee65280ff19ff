import { isCancellation, proxyActivities, rootCause } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { ClinicNotice } from '@clinic/activities/clinic-systems';
import type { CallReview } from '@clinic/activities/runs';
import type { ToolFact } from '@clinic/shared/domain/outreach/conversation';
import { telling, TELLING_MS } from '../timeouts';

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

/**
 * Notes what a call changed, as far as the clinic permits that its own systems are told of it. They are told once of each thing,
 * with what is then on record, however often it was changed.
 */
export function noteChanges(
  untold: ClinicNotice[],
  { clinicId, workflowId, callId }: { clinicId: string; workflowId: string; callId: string },
  { changes, permitted }: CallReview,
): void {
  for (const { fact, detail } of changes) {
    const action = actions[fact];
    if (!action || !permitted.includes(action)) continue;
    const notice = { clinicId, workflowId, callId, action, appointmentId: detail.appointmentId };
    const known = untold.findIndex((other) => subjectOf(other) === subjectOf(notice));
    if (known === -1) untold.push(notice);
    else untold[known] = notice;
  }
}

/** What comes after one that has used up the time is tried for so long all the same. */
const LAST_TRY_MS = 60_000;

const subjectOf = ({ action, appointmentId, callId }: ClinicNotice) => `${action} ${appointmentId ?? callId}`;

/** One activity for each notice. What the clinic's system refuses, or does not take in time, becomes a task. */
export async function tellClinicSystems(
  untold: ClinicNotice[],
  leaveToStaff: (notice: ClinicNotice, why: string) => Promise<void>,
): Promise<void> {
  const until = Date.now() + TELLING_MS;
  for (const notice of untold) {
    const scheduleToCloseTimeout = Math.max(until - Date.now(), LAST_TRY_MS);
    const { tellClinicSystem } = proxyActivities<Activities>({
      ...telling,
      scheduleToCloseTimeout,
      summary: notice.action,
    });
    try {
      await tellClinicSystem(notice);
    } catch (error) {
      if (isCancellation(error)) throw error;
      await leaveToStaff(notice, rootCause(error) ?? 'unknown');
    }
  }
}

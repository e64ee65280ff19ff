import { ActivityFailure, proxyActivities, rootCause, sleep } from '@temporalio/workflow';
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

const subjectOf = ({ action, appointmentId, callId }: ClinicNotice) => `${action} ${appointmentId ?? callId}`;

/**
 * In their order, as the answer to one may hold an id that the next is told with; what is not taken is told again after all others, later
 * and later. What the clinic's system refuses, or does not take in time, becomes a task.
 */
export async function tellClinicSystems(
  untold: ClinicNotice[],
  leaveToStaff: (notice: ClinicNotice, why: string) => Promise<void>,
): Promise<void> {
  const until = Date.now() + TELLING_MS;
  for (let waiting = untold, round = 0; waiting.length > 0; round += 1) {
    const failed: { notice: ClinicNotice; why: string }[] = [];
    for (const notice of waiting) {
      const fault = await tell(notice);
      if (fault?.isFinal) await leaveToStaff(notice, fault.why);
      else if (fault) failed.push({ notice, why: fault.why });
    }
    const waitMs = Math.min(FIRST_WAIT_MS * 3 ** round, LONGEST_WAIT_MS);
    if (Date.now() + waitMs >= until) {
      for (const { notice, why } of failed) await leaveToStaff(notice, why);
      return;
    }
    waiting = failed.map(({ notice }) => notice);
    if (waiting.length > 0) await sleep(waitMs, { summary: "a clinic's system is down" });
  }
}

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 3_600_000;

/** Null once it is told. */
async function tell(notice: ClinicNotice): Promise<{ why: string; isFinal: boolean } | null> {
  const { tellClinicSystem } = proxyActivities<Activities>({ ...telling, summary: notice.action });
  try {
    await tellClinicSystem(notice);
    return null;
  } catch (error) {
    const isFinal = error instanceof ActivityFailure && error.retryState === 'NON_RETRYABLE_FAILURE';
    return { why: rootCause(error) ?? 'unknown', isFinal };
  }
}

import type { TaskReason } from '@clinic/shared/domain/tasks/task';
import { localDate, plusDays, toInstant } from '@clinic/shared/domain/calendar/clinic-time';
import { dayMs, hourMs } from '@clinic/shared/domain/calendar/zone-offsets';
import type { ClinicToFill } from './clinic';
import type { Rows } from './rows';

const notes = [
  'Left a voicemail, trying again tomorrow.',
  'Spoke with the patient: will ring back on Friday.',
  'Sent the price list by post, as they asked.',
  'Dr. Chen looked at it and called back.',
  'Insurance confirmed, nothing else to do.',
];

interface Cause {
  reason: TaskReason;
  at: number;
  patientId: string;
  caseId: string | null;
  callId: string | undefined;
  id: string;
}

/** The task that an outcome leaves to staff: old ones are done, most of this week's are not. */
export function openTask(
  { clinicId, newId, now, random, userIds, zone }: ClinicToFill,
  rows: Rows,
  cause: Cause,
): void {
  const { reason, at, patientId, caseId, callId, id: workflowId } = cause;
  const age = now - at;
  const isOpen = random.chance(age < 3 * dayMs ? 0.9 : age < 10 * dayMs ? 0.6 : age < 40 * dayMs ? 0.12 : 0);
  const resolvedAt = Math.min(at + random.between(1, 60) * hourMs, now - 60_000);
  const id = newId(at);
  const assigneeId = random.chance(isOpen ? 0.4 : 0.8) ? random.pick(userIds) : undefined;
  const isUrgent = reason === 'clinical_escalation';
  const dueOn = plusDays(localDate(toInstant(at), zone), isUrgent ? 1 : random.whole(1, 5));
  rows.tasks.push({
    id,
    clinicId,
    reason,
    state: isOpen ? 'OPEN' : 'RESOLVED',
    assigneeId,
    patientId,
    callId,
    caseId: caseId ?? undefined,
    workflowId,
    cause: `${reason}:${caseId ?? workflowId}`,
    priority: isUrgent ? 'HIGH' : random.chance(0.15) ? 'LOW' : 'NORMAL',
    dueOn: random.chance(0.7) ? new Date(dueOn) : undefined,
    createdAt: new Date(at),
    resolvedAt: isOpen ? undefined : new Date(resolvedAt),
  });
  if (assigneeId === undefined || !random.chance(0.5)) return;
  rows.notes.push({
    id: newId(at),
    clinicId,
    taskId: id,
    writtenBy: `account:${assigneeId}`,
    note: random.pick(notes),
    createdAt: new Date(isOpen ? Math.min(at + hourMs, now) : resolvedAt),
  });
}

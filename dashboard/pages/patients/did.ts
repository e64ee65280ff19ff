import type * as api from '#api';
import { t } from '#texts';
import { useWhen } from '../calendar/bookable';
import { deedWords, sentenceOf } from '../operations/patient-deeds';
import { outcomes } from '../tasks/task-due';
import { taskTitle } from '../tasks/task-reasons';
import { details } from './details';

type Change = api.PatientRecord['changes'][number];
type Visit = NonNullable<Change['visit']>;
type Note = api.PostAppointmentsByAppointmentIdAttendanceData['body']['status'];

/** What somebody did with a patient, as that patient's page says it: with the time of a visit, and the fields that were changed. */
export function Did({ change, patient }: { change: Change; patient: api.PatientName }) {
  const when = useWhen();
  const timeOf = ({ startsAt, providerDisplayName }: Visit) => t`${when(startsAt)} with ${providerDisplayName}`;
  const words =
    ofVisit(change, timeOf) ?? ofFields(change) ?? ofTask(change) ?? deedWords[change.action] ?? change.action;
  return sentenceOf({ ...change, patient }, words);
}

function ofVisit({ action, visit, movedFrom, detail }: Change, timeOf: (visit: Visit) => string): string | undefined {
  if (!visit) return undefined;
  const time = timeOf(visit);
  const [, noted] = Object.entries(notes).find(([status]) => status === detail['status']) ?? [];
  switch (action) {
    case 'appointment.book':
      return t`booked a visit: ${time}`;
    case 'appointment.reschedule':
      return movedFrom ? t`moved a visit from ${timeOf(movedFrom)} to ${time}` : t`moved a visit to ${time}`;
    case 'appointment.cancel':
      return t`cancelled the visit of ${time}`;
    case 'appointment.restore':
      return t`undid the cancellation of the visit of ${time}`;
    case 'appointment.note':
      return noted?.(time);
    default:
      return undefined;
  }
}

const notes: Record<Note, (time: string) => string> = {
  arrived: (time) => t`noted that they came: ${time}`,
  noshow: (time) => t`noted that they did not come: ${time}`,
  fulfilled: (time) => t`noted that the visit is over: ${time}`,
  booked: (time) => t`took back what was noted of the visit of ${time}`,
};

function ofFields({ action, detail: { fields } }: Change): string | undefined {
  if (action !== 'patient.change' || !Array.isArray(fields)) return undefined;
  const changed = Object.entries(fieldNames).filter(([field]) => fields.includes(field));
  return t`changed the record: ${changed.map(([, name]) => name).join(', ')}`;
}

function ofTask({ action, detail: { reason, state, outcome, assigneeId } }: Change): string | undefined {
  if (action !== 'task.change' || typeof reason !== 'string') return undefined;
  const task = taskTitle(reason as api.TaskReason);
  if (outcome === 'try_later') return t`put off the task “${task}”`;
  if (state === 'RESOLVED') {
    const cameTo = outcomes[outcome as api.TaskOutcome];
    return cameTo ? t`resolved the task “${task}”: ${cameTo}` : t`resolved the task “${task}”`;
  }
  if (state === 'OPEN') return t`opened the task “${task}” again`;
  return assigneeId ? t`assigned the task “${task}”` : t`changed the task “${task}”`;
}

const fieldNames: Record<keyof NonNullable<api.PatchPatientsByPatientIdData['body']>, string> = {
  firstName: details.firstName.label,
  lastName: details.lastName.label,
  phone: details.phone.label,
  email: details.email.label,
  dateOfBirth: details.dateOfBirth.label,
  address: details.address.label,
  preferredCallHours: t`When to call`,
  preferredLanguage: t`Language`,
  consent: t`Consent`,
};

import type { ProposedAppointment } from '@clinic/shared/contracts/fhir';
import { toAppointment } from '@clinic/shared/contracts/fhir-appointment';
import { AppError } from '@clinic/shared/errors';
import type { AppointmentRecord } from '@clinic/prisma/stores/appointments';
import type { z } from 'zod';
import type { Reply } from '../http/route';
import { idOfReference } from './search';

/** What is said of a start that has passed. */
export const PAST = 'start lies in the past';

/** The one participant of a type. */
export function participantOf(
  { participant }: z.output<typeof ProposedAppointment>,
  type: 'Patient' | 'Practitioner',
): string {
  const references = participant.flatMap(({ actor }) => actor?.reference ?? []);
  const [reference, ...more] = references.filter((each) => each.startsWith(`${type}/`));
  if (reference !== undefined && more.length === 0) return idOfReference(type, reference, 'participant');
  const message = `must hold one ${type}/ reference`;
  throw new AppError('bad_request', `participant ${message}`, [{ path: 'participant', message }]);
}

export const show = (record: AppointmentRecord): Reply => ({
  body: toAppointment(record),
  subjects: [record.patientId],
});

import { dayMs } from '@clinic/shared/domain/calendar/zone-offsets';
import type { ClinicToFill } from './clinic';
import { duplicatesOf, peopleOf } from './people';
import { noRows, type Rows } from './rows';
import { addCases, addOtherRuns } from './runs';
import { addVisits, addWaitlist } from './visits';

/** A year of a clinic. */
export function rowsOf(clinic: ClinicToFill): Rows {
  const rows = noRows();
  const people = peopleOf(clinic, Math.ceil(clinic.cases * 0.75));
  addCases(clinic, rows, people);
  addOtherRuns(clinic, rows, people);
  addVisits(clinic, rows, people);
  addWaitlist(clinic, rows, people);
  addOptOuts(clinic, rows);
  putOnRecord(rows, people);
  rows.patients = [...people, ...duplicatesOf(clinic, people, Math.ceil(people.length / 60))];
  return rows;
}

/** Nobody is on record later than what is recorded of them. */
function putOnRecord({ runs, cases, appointments }: Rows, people: Rows['patients']): void {
  const byId = new Map(people.map((person) => [person.id, person]));
  const recorded = [...runs.map((run) => ({ ...run, createdAt: run.startedAt })), ...cases, ...appointments];
  for (const { patientId, createdAt } of recorded) {
    const person = patientId ? byId.get(patientId) : undefined;
    if (!person?.createdAt || !createdAt) continue;
    if (new Date(createdAt) < new Date(person.createdAt)) person.createdAt = createdAt;
  }
}

/** Of an import, for numbers of nobody here too. */
function addOptOuts({ clinicId, newId, now, userIds, random }: ClinicToFill, rows: Rows): void {
  const createdAt = now - 200 * dayMs;
  for (let index = 0; index < 8; index += 1) {
    rows.optOuts.push({
      id: newId(createdAt),
      clinicId,
      phone: `+1555555${String(100 + index).padStart(4, '0')}`,
      scope: index % 3 === 0 ? 'recovery_and_reminders' : 'all',
      source: 'import',
      addedBy: `account:${random.pick(userIds)}`,
      createdAt: new Date(createdAt),
    });
  }
}

import type * as api from '#api';

/** An entry, with how often the same page read more of its patient by itself. */
export type ToldEntry = api.AuditEntry & { readBeside?: number };

/** What the page of a patient reads besides the record. */
const besides = new Set([
  'legal-hold.read',
  'patient.decisions',
  'patient.proposals',
  'patient.match',
  'case.list',
  'call.list',
  'task.list',
  'delivery.list',
  'waitlist.list',
  'opt-out.list',
]);
/** The service notes an opening once in this time, however often the page comes back to it. */
const NOTED_ONCE_MS = 5 * 60_000;
/** What a page asks for at once comes in any order. */
const AT_ONCE_MS = 2_000;

/** One line for each opening of a patient's page: what else the page reads by itself is counted there, and told by the export alone. */
export function foldPageReads(entries: ToldEntry[]): ToldEntry[] {
  const openings = entries.filter(({ action, route }) => action === 'patient.read' && route?.endsWith('/:patientId'));
  const counts = new Map<string, number>();
  const shown = entries.filter((entry) => {
    const opening = besides.has(entry.action) && openings.find((each) => isBeside(entry, each));
    if (opening) counts.set(opening.id, (counts.get(opening.id) ?? 0) + 1);
    return !opening;
  });
  return shown.map((entry) => ({ ...entry, readBeside: counts.get(entry.id) }));
}

function isBeside(entry: api.AuditEntry, opening: api.AuditEntry): boolean {
  const after = Date.parse(entry.at) - Date.parse(opening.at);
  const isOfPage = entry.actor === opening.actor && entry.subjects.every((id) => opening.subjects.includes(id));
  return isOfPage && after >= -AT_ONCE_MS && after <= NOTED_ONCE_MS;
}

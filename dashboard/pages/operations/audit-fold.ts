/** What an entry of the audit is folded by. */
interface Entry {
  id: string;
  at: string;
  actor: string;
  action: string;
  route: string | null;
  subjects: string[];
}

/** An entry, with how often the same page read more of its patient by itself, or searched on while somebody typed. */
export type Told<E> = E & { readBeside?: number; searchedBeside?: number };

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

/** Between two searches of one typing is less. */
const TYPING_PAUSE_MS = 10_000;

/** One line for each opening of a patient's page, and for each time that somebody typed what they searched for. */
export const foldEntries = <E extends Entry>(entries: E[]): Told<E>[] => foldSearches(foldPageReads(entries));

/** One line for each opening of a patient's page: what else the page reads by itself is counted there, and told by the export alone. */
function foldPageReads<E extends Entry>(entries: E[]): Told<E>[] {
  const openings = entries.filter(({ action, route }) => action === 'patient.read' && route?.endsWith('/:patientId'));
  const counts = new Map<string, number>();
  const shown = entries.filter((entry) => {
    const opening = besides.has(entry.action) && openings.find((each) => isBeside(entry, each));
    if (opening) counts.set(opening.id, (counts.get(opening.id) ?? 0) + 1);
    return !opening;
  });
  return shown.map((entry) => ({ ...entry, readBeside: counts.get(entry.id) }));
}

function isBeside(entry: Entry, opening: Entry): boolean {
  const after = Date.parse(entry.at) - Date.parse(opening.at);
  const isOfPage = entry.actor === opening.actor && entry.subjects.every((id) => opening.subjects.includes(id));
  return isOfPage && after >= -AT_ONCE_MS && after <= NOTED_ONCE_MS;
}

/** Each letter may search anew, and several kinds of records at once; the export has them all. */
function foldSearches<E extends Entry>(entries: E[]): Told<E>[] {
  const typings: E[][] = [];
  const last = new Map<string, E[]>();
  for (const entry of entries.filter(isSearch)) {
    const typing = last.get(entry.actor);
    const later = typing?.at(-1);
    if (typing && later && Date.parse(later.at) - Date.parse(entry.at) <= TYPING_PAUSE_MS) typing.push(entry);
    else {
      const begun = [entry];
      typings.push(begun);
      last.set(entry.actor, begun);
    }
  }
  const told = new Map<E | undefined, number | undefined>(
    typings.map((typing) => [
      typing.find(({ action }) => action === 'patient.search') ?? typing[0],
      typing.length > 1 ? typing.length - 1 : undefined,
    ]),
  );
  return entries
    .filter((entry) => !isSearch(entry) || told.has(entry))
    .map((entry) => ({ ...entry, searchedBeside: told.get(entry) }));
}

const isSearch = ({ action }: Entry) => action.endsWith('.search');

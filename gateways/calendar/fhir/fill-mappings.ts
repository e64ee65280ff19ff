import { z } from 'zod';
import type { FhirSettings } from '@clinic/shared/contracts/events/approved-api';
import type { ApiFinding, MappingChoices } from '@clinic/shared/contracts/events/approved-api-check';
import { idOf, plainReference, type Resource } from '@clinic/shared/contracts/calendar/fhir-reading';
import { type FhirCheckOptions, faultOf, note, shownName } from './check';
import { askFhir } from './exchange';
import { plainName } from '@clinic/shared/domain/patients/plain-name';
import { search } from './requests';

const ROWS_A_PAGE = '200';
/** Which visit types a clinic uses shows within half a year. */
const PAST_DAYS = 180;
const MAX_ROWS = 500;
const MAX_SHOWN = 20;

export interface FilledMappings {
  settings: FhirSettings;
  /** Everything that a name of ours could be mapped to. */
  choices: MappingChoices;
  /** What could not be read, or not be decided. */
  gaps: ApiFinding[];
}

/**
 * The mappings as the server itself suggests them: each of our names beside the one thing there that is called so. A row that
 * leads to something there stays as it is. It changes nothing there, and of past appointments it takes the types alone.
 */
export async function fillMappings(options: FhirCheckOptions): Promise<FilledMappings> {
  const { settings, names } = options;
  const there = await readThere(options);
  const people = peopleIn(there);
  const visitTypes = visitTypesIn(there);
  const places = placesIn(there);
  const wanted = names.providers.map(({ name, displayName = name }) => ({ name, called: displayName }));
  const types = [...new Set(names.providers.flatMap((provider) => provider.visitTypes))];

  const providers = fillRows('fhir.providers', { rows: settings.providers, wanted, there: people, keyOf: referenceOf });
  const coded = fillRows('fhir.visitTypes', {
    rows: settings.visitTypes,
    wanted: types.map((name) => ({ name, called: name })),
    there: visitTypes,
    keyOf: ({ system, code }) => `${system ?? ''}|${code}`,
  });
  const locations = fillRows('fhir.locations', {
    rows: settings.locations,
    // Patients say which of them they prefer: each goes by its own name.
    wanted: places.map(({ shown }) => ({ name: shown, called: shown })),
    there: places,
    keyOf: referenceOf,
  });
  const gaps = [
    ...there.gaps,
    ...providers.gaps,
    ...coded.gaps,
    ...locations.gaps,
    ...leftOver(
      'fhir.providers',
      'providers',
      providers.left.filter(({ isBookable }) => isBookable),
    ),
    ...leftOver('fhir.visitTypes', 'visit types', coded.left),
  ];
  return {
    settings: { ...settings, providers: providers.rows, visitTypes: coded.rows, locations: locations.rows },
    choices: {
      providers: people.slice(0, MAX_ROWS).map(({ row, shown }) => ({ ...row, shown })),
      visitTypes: choicesOf(visitTypes),
      locations: places.slice(0, MAX_ROWS).map(({ row, shown }) => ({ ...row, shown })),
    },
    gaps,
  };
}

/**
 * What visits are called there, those of the most appointments first. It changes nothing there, and of past appointments it takes
 * the types alone.
 */
export async function readVisitTypes(options: ToRead): Promise<{ visitTypes: VisitTypeChoices; gaps: ApiFinding[] }> {
  const { read, gaps } = readerOf(options);
  const [Schedule, HealthcareService, Appointment] = await Promise.all([
    read('Schedule'),
    read('HealthcareService'),
    read('Appointment'),
  ]);
  return { visitTypes: choicesOf(visitTypesIn({ Schedule, HealthcareService, Appointment })), gaps };
}

type VisitTypeChoices = MappingChoices['visitTypes'];

const choicesOf = (visitTypes: Candidate<Coded>[]): VisitTypeChoices =>
  visitTypes.slice(0, MAX_ROWS).map(({ row, shown }) => ({ ...row, shown }));

/** Something there that a name of ours could be mapped to. */
interface Candidate<Row extends object> {
  row: Row;
  shown: string;
  /** What it is called there, in every way. */
  names: string[];
  /** Before others of the same name: a practitioner with a schedule. */
  isBookable: boolean;
}
type Reference = { reference: string };
type Coded = { system?: string; code: string };

const referenceOf = ({ reference }: Reference) => reference;

interface ToFill<Row extends object> {
  rows: (Row & { name: string })[];
  wanted: { name: string; called: string }[];
  there: Candidate<Row>[];
  keyOf: (row: Row) => string;
}

function fillRows<Row extends object>(path: string, { rows, wanted, there, keyOf }: ToFill<Row>) {
  const found = new Map(wanted.map(({ name, called }) => [name, oneOf(called, there)]));
  const isThere = (row: Row) => there.some((each) => keyOf(each.row) === keyOf(row));
  const kept = rows.filter((row) => isThere(row) || found.get(row.name)?.length !== 1);
  const missing = wanted.filter(({ name }) => !kept.some((row) => row.name === name));
  const added = missing.flatMap(({ name }) => {
    const [only, ...others] = found.get(name) ?? [];
    return only && others.length === 0 ? [{ ...only.row, name }] : [];
  });
  const filled = [...kept, ...added].slice(0, MAX_ROWS);
  const gaps = [...new Set(missing.map(({ name }) => name))].flatMap((name) => {
    const could = found.get(name) ?? [];
    if (could.length < 2) return [];
    return [note(path, 'unmapped', `${name} could be one of ${could.length} there: ${listed(could)}`)];
  });
  const keys = new Set(filled.map(keyOf));
  return { rows: filled, gaps, left: there.filter(({ row }) => !keys.has(keyOf(row))) };
}

/** Those of exactly this name; where there are none, those whose name holds every word of it. The bookable before others. */
function oneOf<Row extends object>(called: string, there: Candidate<Row>[]): Candidate<Row>[] {
  const wanted = wordsOf(called);
  if (wanted.length === 0) return [];
  const isSame = (name: string) => wordsOf(name).toSorted().join(' ') === wanted.toSorted().join(' ');
  const holds = (name: string) => wanted.every((word) => wordsOf(name).includes(word));
  for (const is of [isSame, holds]) {
    const found = there.filter(({ names }) => names.some(is));
    const bookable = found.filter(({ isBookable }) => isBookable);
    if (found.length > 0) return bookable.length > 0 ? bookable : found;
  }
  return [];
}

const titles = new Set(['dr', 'dra', 'doctor', 'prof', 'mr', 'mrs', 'ms', 'md', 'do', 'np', 'pa', 'rn', 'phd']);
const wordsOf = (name: string) =>
  plainName(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !titles.has(word));

const listed = <Row extends object>(candidates: Candidate<Row>[]) => {
  const shown = candidates.slice(0, MAX_SHOWN).map(({ row, shown: name }) => `${name} (${keyShown(row)})`);
  return [...shown, ...(candidates.length > MAX_SHOWN ? ['…'] : [])].join(', ');
};
const keyShown = (row: object) => ('reference' in row ? String(row.reference) : 'code' in row ? String(row.code) : '');

const leftOver = <Row extends object>(path: string, what: string, left: Candidate<Row>[]): ApiFinding[] =>
  left.length === 0 ? [] : [note(path, 'unmapped', `not among your ${what} there: ${listed(left)}`)];

const sources = {
  Schedule: 'fhir.providers',
  Practitioner: 'fhir.providers',
  PractitionerRole: 'fhir.providers',
  HealthcareService: 'fhir.visitTypes',
  Appointment: 'fhir.visitTypes',
  Location: 'fhir.locations',
} as const;
type Source = keyof typeof sources;
type There = Record<Source, z.infer<typeof Entry>[]> & { gaps: ApiFinding[] };

type ToRead = Pick<FhirCheckOptions, 'send' | 'baseUrl' | 'now'>;

/** Reads what names what can be booked; what cannot be read is a gap, and the rest is used. */
function readerOf({ send, baseUrl, now = () => new Date() }: ToRead) {
  const gaps: ApiFinding[] = [];
  const past = (days: number) => new Date(now().getTime() - days * 24 * 3_600_000).toISOString();
  const read = async (type: Source): Promise<z.infer<typeof Entry>[]> => {
    const query: [string, string][] = [['_count', ROWS_A_PAGE]];
    if (type === 'Appointment')
      query.unshift(['date', `ge${past(PAST_DAYS)}`], ['date', `lt${past(0)}`], ['_elements', 'status,serviceType']);
    try {
      const { resources, isWhole } = await search((request) => askFhir(send, baseUrl, request), type, query);
      if (!isWhole) gaps.push(note(sources[type], 'not_tried', `${type}: there are more than were read`));
      return resources.flatMap((resource) => entryIn(resource));
    } catch (error) {
      const [code, said] = faultOf(error);
      gaps.push(note(sources[type], code, `${type} cannot be read: the server ${said}`));
      return [];
    }
  };
  return { read, gaps };
}

async function readThere(options: ToRead): Promise<There> {
  const { read, gaps } = readerOf(options);
  const [Schedule, Practitioner, PractitionerRole] = await Promise.all([
    read('Schedule'),
    read('Practitioner'),
    read('PractitionerRole'),
  ]);
  const [HealthcareService, Appointment, Location] = await Promise.all([
    read('HealthcareService'),
    read('Appointment'),
    read('Location'),
  ]);
  return { Schedule, Practitioner, PractitionerRole, HealthcareService, Appointment, Location, gaps };
}

const Referred = z.object({ reference: z.string().optional(), display: z.string().optional() });
const Concept = z.object({
  text: z.string().optional(),
  coding: z
    .array(z.object({ system: z.string().optional(), code: z.string().optional(), display: z.string().optional() }))
    .default([]),
});
const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).default([]).catch([]);

/** What is looked at of all of them; what a server writes otherwise counts as not there. */
const Entry = z.object({
  reference: z.string(),
  shown: z.string().nullable(),
  active: z.boolean().default(true).catch(true),
  status: z.string().default('').catch(''),
  actor: listOf(Referred),
  practitioner: Referred.optional().catch(undefined),
  location: listOf(Referred),
  type: listOf(Concept),
  serviceType: listOf(Concept),
});

function entryIn(resource: Resource): z.infer<typeof Entry>[] {
  const id = idOf(resource);
  const reference = id === null ? null : `${String(resource['resourceType'])}/${id}`;
  const entry = Entry.safeParse({ ...resource, reference, shown: shownName(resource) }).data;
  return entry?.active && !['suspended', 'inactive', 'entered-in-error'].includes(entry.status) ? [entry] : [];
}

/** Practitioners by the reference that their schedule goes by; those without one after them. */
function peopleIn({ Schedule, Practitioner, PractitionerRole }: There): Candidate<Reference>[] {
  const names = new Map(Practitioner.map(({ reference, shown }) => [reference, shown]));
  for (const { reference, practitioner = {} } of PractitionerRole) {
    const whose = plainReference(practitioner.reference, 'Practitioner');
    names.set(reference, (whose && names.get(whose)) ?? practitioner.display ?? null);
  }
  const people = new Map<string, Candidate<Reference>>();
  const add = (reference: string, display: string | undefined, isBookable: boolean) => {
    const shown = names.get(reference) ?? display ?? reference;
    if (!people.has(reference)) people.set(reference, { row: { reference }, shown, names: [shown], isBookable });
  };
  for (const { actor } of Schedule) {
    const actors = actor.map((each) => ({
      ...each,
      whose: plainReference(each.reference, 'PractitionerRole|Practitioner'),
    }));
    const found = actors.find(({ whose }) => whose !== null);
    if (found?.whose) add(found.whose, found.display, true);
  }
  for (const { reference } of Practitioner) add(reference, undefined, false);
  return [...people.values()];
}

/** Visit types by the first code of each, those of the most appointments first. */
function visitTypesIn({
  Schedule,
  HealthcareService,
  Appointment,
}: Pick<There, 'Schedule' | 'HealthcareService' | 'Appointment'>): Candidate<Coded>[] {
  const found = new Map<string, Candidate<Coded> & { used: number }>();
  const add = ({ coding, text }: z.infer<typeof Concept>, uses: number, more: string[] = []) => {
    const { system, code, display = text } = coding.find((each) => each.code) ?? {};
    if (!code) return;
    const key = `${system ?? ''}|${code}`;
    const known = found.get(key) ?? {
      row: { ...(system && { system }), code },
      shown: '',
      names: [],
      isBookable: true,
      used: 0,
    };
    const names = [...new Set([...known.names, ...(display ? [display] : []), ...more])];
    found.set(key, { ...known, names, shown: names[0] ?? code, used: known.used + uses });
  };
  for (const { serviceType } of Appointment) for (const concept of serviceType) add(concept, 1);
  for (const { serviceType } of Schedule) for (const concept of serviceType) add(concept, 0);
  for (const { type, shown } of HealthcareService) {
    const more = type.length === 1 && shown ? [shown] : [];
    for (const concept of type) add(concept, 0, more);
  }
  return [...found.values()]
    .toSorted((one, other) => other.used - one.used)
    .map(({ row, shown, names, isBookable }) => ({ row, shown, names, isBookable }));
}

/** Where somebody works or something is offered; where nobody says so, every location: beds and rooms are locations too. */
function placesIn({ Location, PractitionerRole, HealthcareService, Schedule }: There): Candidate<Reference>[] {
  const named = [...PractitionerRole, ...HealthcareService].flatMap(({ location }) => location);
  const scheduled = Schedule.flatMap(({ actor }) => actor);
  const used = new Set(
    [...named, ...scheduled].map((each) => plainReference(each.reference, 'Location')).filter(Boolean),
  );
  return Location.filter(({ reference }) => used.size === 0 || used.has(reference)).flatMap(({ reference, shown }) =>
    shown ? [{ row: { reference }, shown, names: [shown], isBookable: true }] : [],
  );
}

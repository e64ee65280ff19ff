import { ListedAsStored, type PatientChange } from '@clinic/shared/contracts/patients/patients';
import type { PatientOrder } from '@clinic/shared/domain/list-order';
import type { Consent } from '@clinic/shared/domain/patients/consent';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Patient, Prisma } from '../../generated/client';
import { allOf, condition } from '../../sql';
import { assertHeld } from '../../while-held';
import {
  between,
  byTime,
  type Cursors,
  cursorsIn,
  inOrderOf,
  type PageOf,
  refusedCursor,
  type Sorting,
} from '../cursor';
import { patientExists } from './patients';
import { personOnly, type PersonRecord } from '../outreach/call-records';
import { mergedInto } from './patient-merges';
import { type Found, type Page, searchedIn } from '../search';
import { boundedTotal, countUpTo, MAX_COUNTED, type Total } from '../total';

export type PatientRecord = Patient;

const listedAsStored = Object.fromEntries(ListedAsStored.keyof().options.map((name) => [name, true])) as {
  [Name in keyof typeof ListedAsStored.shape]: true;
};

/** What a row of the list shows. */
const listedColumns = {
  ...listedAsStored,
  birthDate: true,
  patientType: true,
  /** Known only from a form or a call so far. */
  isPlaceholder: true,
  createdAt: true,
} as const satisfies Prisma.PatientSelect;

/** A patient in the list, with what is booked next. */
export type ListedPatient = Pick<Patient, keyof typeof listedColumns> & {
  nextAppointment: { id: string; startsAt: Date; providerDisplayName: string } | null;
  /** Found by a name that is written nearly as it was typed. */
  isSimilar: boolean;
};

/** Where words find fewer than these, names that are written nearly so stand below them. */
const FEW = 5;
const MAX_SIMILAR = 10;

/** What a client may write, as the columns are named. */
export type PatientFields = Omit<PatientChange, 'dateOfBirth' | 'consent'> & {
  birthDate?: string | null;
  consent?: Consent | null;
};

export interface PatientFilter {
  search?: string;
  /** What `search` may mean as well: eight digits are part of a phone, or a day of birth. */
  orSearch?: string;
  /** First known at this instant or later, and before `until`. */
  from?: string;
  until?: string;
}

interface Context {
  database: Database;
  cursors: Cursors;
}

export const createPatientRecordStores = (database: Database, cursors: Cursors) =>
  bound({ database, cursors }, { find, named, list, count, create, change });

/** Also of a placeholder, to which a call's page leads, and of who was merged into another patient. */
const find = ({ database: { prisma } }: Context, clinicId: string, id: string): Promise<PatientRecord | null> =>
  prisma.patient.findFirst({ where: { clinicId, id } });

/** The names of those of them who are patients. */
const named = ({ database: { prisma } }: Context, clinicId: string, ids: readonly string[]): Promise<PersonRecord[]> =>
  prisma.patient.findMany({ where: { clinicId, id: { in: [...new Set(ids)] } }, ...personOnly });

/**
 * Newest first unless asked otherwise. Placeholders are left out, unless they are found by `search`: words of a name, an e-mail or an identifier, a
 * phone, or a date of birth. Below a few, or none, that words find stand those whose name is written nearly so.
 */
async function list(
  { database, database: { prisma }, cursors }: Context,
  clinicId: string,
  {
    limit,
    cursor,
    order = 'newest',
    now,
    ...filter
  }: PatientFilter & { limit: number; cursor?: string; order?: PatientOrder; now: Date },
): Promise<PageOf<ListedPatient>> {
  const ofOrder = cursorsIn(order, cursors);
  const position = ofOrder.decode(cursor, clinicId);
  const { ids, isCut } = await chosen(database, clinicId, filter, { limit, position, order });
  // By name nobody comes after somebody who was erased.
  if (
    position !== null &&
    byName.includes(order) &&
    ids.length === 0 &&
    !(await patientExists(database, clinicId, position.id))
  ) {
    throw refusedCursor('cursor', 'comes after a patient who is gone: read the list from its beginning');
  }
  const isSparse = position === null && !isCut && ids.length < Math.min(FEW, limit);
  const similar = isSparse ? await namedLike(database, clinicId, filter, ids) : [];
  const rows = await prisma.patient.findMany({
    where: { clinicId, id: { in: [...ids, ...similar] } },
    select: {
      ...listedColumns,
      appointments: {
        where: { status: 'booked', startsAt: { gt: now } },
        orderBy: { startsAt: 'asc' },
        take: 1,
        select: { id: true, startsAt: true, provider: { select: { displayName: true } } },
      },
    },
  });
  const sorted = inOrderOf([...ids, ...similar], rows);
  const listed = sorted.map(({ appointments: [next], ...patient }): ListedPatient => {
    const { id, startsAt, provider } = next ?? {};
    const isBooked = id !== undefined && startsAt !== undefined && provider !== undefined;
    return {
      ...patient,
      nextAppointment: isBooked ? { id, startsAt, providerDisplayName: provider.displayName } : null,
      isSimilar: similar.includes(patient.id),
    };
  });
  return ofOrder.page(clinicId, isSparse ? listed.slice(0, limit) : listed, limit, ({ createdAt, id }) => ({
    at: createdAt,
    id,
  }));
}

const count = ({ database }: Context, clinicId: string, { orSearch, ...filter }: PatientFilter): Promise<Total> =>
  boundedTotal(filter, {
    newest: () => Promise.resolve(null),
    count: (asked) =>
      countUpTo(chosen(database, clinicId, { ...asked, orSearch }, { limit: MAX_COUNTED, isCounted: true })),
  });

/** A patient whom the clinic knows. The same `id` again returns the patient it made. */
async function create(
  { database: { prisma } }: Context,
  clinicId: string,
  id: string,
  fields: PatientFields & Required<Pick<PatientFields, 'firstName' | 'lastName' | 'phone'>>,
): Promise<PatientRecord> {
  const data = { ...columnsOf(fields), id, clinicId, patientType: 'EXISTING' };
  // As late as this a patient who was erased since would be there again.
  assertHeld();
  await prisma.patient.createMany({ data, skipDuplicates: true });
  return prisma.patient.findFirstOrThrow({ where: { clinicId, id } });
}

/** Null when the clinic has no such patient. Throws `conflict` for one who was merged into another. */
async function change(
  context: Context,
  clinicId: string,
  patientId: string,
  fields: PatientFields,
): Promise<PatientRecord | null> {
  const { prisma } = context.database;
  await prisma.patient.updateMany({ where: { clinicId, id: patientId, replacedBy: null }, data: columnsOf(fields) });
  const changed = await find(context, clinicId, patientId);
  if (changed && changed.replacedBy !== null) throw mergedInto(patientId, changed.replacedBy);
  return changed;
}

const columnsOf = ({ consent, preferredCallHours, ...fields }: PatientFields) => ({
  ...fields,
  preferredCallHours: preferredCallHours === null ? Prisma.DbNull : preferredCallHours,
  consent: consent === null ? Prisma.DbNull : consent && { ...consent },
});

/** Whose name is nearly what is searched for, alone or with a birth date; of less than four letters everybody's is. */
async function namedLike(
  { sql }: Pick<Database, 'sql'>,
  clinicId: string,
  { search = '', orSearch = search, ...span }: PatientFilter,
  found: string[],
): Promise<string[]> {
  if (search.replaceAll(/[^\p{L}]/gu, '').length < 4) return [];
  const rows = await sql<{ id: string }>`
    select c.id from patients_named_like(${clinicId}, ${orSearch}, ${found.length > 0}, ${MAX_SIMILAR + FEW}) with ordinality found(id, place)
    cross join lateral (
      select id from patients c where clinic_id = ${clinicId} and id = found.id and ${between(span)} offset 0) c
    where c.id <> all (${found}::text[]) order by found.place limit ${MAX_SIMILAR}`;
  return rows.map(({ id }) => id);
}

const byName: readonly PatientOrder[] = ['name', '-name'];

/** By which patients are listed; the index over it is of those who are registered. */
const name = condition`folded(c.last_name || ' ' || c.first_name)`;

/** The name of the patient after whom a page begins is looked up: a cursor holds none. */
const nameAt = (clinicId: string, id: string) => condition`
  (select folded(last_name || ' ' || first_name) from patients where clinic_id = ${clinicId} and id = ${id})`;

const sortingOf = (clinicId: string): Record<PatientOrder, Sorting> => ({
  ...byTime,
  name: {
    by: condition`${name}, c.id`,
    after: ({ id }) => condition`(${name}, c.id) > (${nameAt(clinicId, id)}, ${id})`,
  },
  '-name': {
    by: condition`${name} desc, c.id desc`,
    after: ({ id }) => condition`(${name}, c.id) < (${nameAt(clinicId, id)}, ${id})`,
  },
});

/** The ids of a page of patients, in an order, and of one more. What is searched for is read by time. */
async function chosen(
  database: Database,
  clinicId: string,
  { search, orSearch, ...span }: PatientFilter,
  { limit, position = null, order = 'newest', isCounted }: Page & { order?: PatientOrder },
): Promise<Found> {
  const { by, after } = sortingOf(clinicId)[order];
  const own = allOf(between(span), position !== null && after(position));
  if (search === undefined) {
    const rows = await database.sql<{ id: string }>`
      select c.id from patients c where c.clinic_id = ${clinicId} and not c.is_placeholder and c.replaced_by is null and ${own}
      order by ${by} limit ${limit + 1}`;
    return { ids: rows.map(({ id }) => id), isCut: false };
  }
  return searchedIn(
    database,
    { search, orSearch, limit, isCounted },
    {
      byWords: (tx, { patterns, orPatterns, atMost }) => tx<{ matches: number; id: string | null }>`
        with found as materialized (
          select id from patients_matching(${clinicId}, ${patterns}, ${atMost}) id
          union select id from patients_matching(${clinicId}, ${orPatterns}, ${atMost}) id
        )
        select (select count(*)::int from found) as matches, page.id
        from (select 1) one left join lateral (
          select c.id from found cross join lateral (
            select id, created_at from patients where clinic_id = ${clinicId} and id = found.id offset 0) c
          where (select count(*) from found) < ${atMost} and ${own}
          order by ${by} limit ${limit + 1}
        ) page on true`,
      amongFirst: (tx, { patterns, orPatterns, atMost }) => tx<{ id: string }>`
        select c.id from (
          select id, created_at, search_text from patients c where c.clinic_id = ${clinicId} and ${own}
          order by ${by} limit ${atMost}
        ) c
        where c.search_text like all (${patterns}::text[]) and ${patterns}::text[] <> '{}'
          or c.search_text like all (${orPatterns}::text[]) and ${orPatterns}::text[] <> '{}'
        order by ${by} limit ${limit + 1}`,
    },
  );
}

import type { Consent } from '@clinic/shared/domain/consent';
import type { Database } from '../client';
import { type Patient, Prisma } from '../generated/client';
import { type Cursors, olderThan, type PageOf, type Position } from './cursor';
import { afterOf, type Found, type Search, searchedIn } from './search';
import { boundedTotal, MAX_COUNTED, newestRows, type Total } from './total';

export type PatientRecord = Patient;

/** A patient in the list, with what is booked next. */
export interface ListedPatient {
  id: string;
  firstName: string;
  lastName: string;
  phone: string | null;
  email: string | null;
  birthDate: string | null;
  patientType: string;
  /** Known only from a form or a call so far. */
  isPlaceholder: boolean;
  createdAt: Date;
  nextAppointment: { id: string; startsAt: Date; providerDisplayName: string } | null;
}

export interface PatientFields {
  firstName?: string;
  lastName?: string;
  phone?: string;
  birthDate?: string | null;
  email?: string | null;
  address?: string | null;
  consent?: Consent | null;
}

export interface PatientFilter {
  search?: string;
  /** First known at this instant or later, and before `until`. */
  from?: string;
  until?: string;
}

export interface PatientRecordStores {
  /** Also of a placeholder: a call's page leads to it. */
  find(clinicId: string, patientId: string): Promise<PatientRecord | null>;
  /**
   * Newest first. Placeholders are left out, unless they are found by `search`: words of a name, an e-mail or an identifier, a
   * phone, or a date of birth.
   */
  list(
    clinicId: string,
    filter: PatientFilter & { limit: number; cursor?: string; now: Date },
  ): Promise<PageOf<ListedPatient>>;
  count(clinicId: string, filter: PatientFilter): Promise<Total>;
  /** A patient whom the clinic knows. The same `id` again returns the patient it made. */
  create(
    clinicId: string,
    id: string,
    fields: PatientFields & Required<Pick<PatientFields, 'firstName' | 'lastName' | 'phone'>>,
  ): Promise<PatientRecord>;
  /** Null when the clinic has no such patient. */
  change(clinicId: string, patientId: string, fields: PatientFields): Promise<PatientRecord | null>;
}

export function createPatientRecordStores(database: Database, cursors: Cursors): PatientRecordStores {
  const { prisma, sql } = database;
  const find: PatientRecordStores['find'] = (clinicId, id) => prisma.patient.findFirst({ where: { clinicId, id } });

  return {
    find,

    async list(clinicId, { search, from, until, limit, cursor, now }) {
      const after = cursors.decode(cursor, clinicId);
      const found = search ? await patientsFound(database, clinicId, { search, from, until, limit, after }) : null;
      const rows = await prisma.patient.findMany({
        where: {
          clinicId,
          ...(found
            ? { id: { in: found.ids } }
            : { isPlaceholder: false, AND: [{ createdAt: { gte: from, lt: until } }, olderThan('createdAt', after)] }),
        },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
        select: {
          id: true,
          firstName: true,
          lastName: true,
          phone: true,
          email: true,
          birthDate: true,
          patientType: true,
          isPlaceholder: true,
          createdAt: true,
          appointments: {
            where: { status: 'booked', startsAt: { gt: now } },
            orderBy: { startsAt: 'asc' },
            take: 1,
            select: { id: true, startsAt: true, provider: { select: { displayName: true } } },
          },
        },
      });
      const listed = rows.map(({ appointments: [next], ...patient }): ListedPatient => {
        const { id, startsAt, provider } = next ?? {};
        const isBooked = id !== undefined && startsAt !== undefined && provider !== undefined;
        return {
          ...patient,
          nextAppointment: isBooked ? { id, startsAt, providerDisplayName: provider.displayName } : null,
        };
      });
      return cursors.page(clinicId, listed, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    count(clinicId, filter) {
      const { countUpTo } = newestRows(prisma.patient, clinicId, 'createdAt');
      return boundedTotal(filter, {
        newest: () => Promise.resolve(null),
        async count({ search, ...span }) {
          if (search) {
            const asked = { ...span, search, limit: MAX_COUNTED, after: null, isCounted: true };
            const { ids, isCut } = await patientsFound(database, clinicId, asked);
            return { count: ids.length, isCut };
          }
          return countUpTo({ clinicId, isPlaceholder: false, createdAt: { gte: span.from, lt: span.until } });
        },
      });
    },

    async create(clinicId, id, { firstName, lastName, phone, birthDate, email, address, consent }) {
      await sql`
        insert into patients (id, clinic_id, first_name, last_name, phone, birth_date, email, address, consent, patient_type)
        values (${id}, ${clinicId}, ${firstName}, ${lastName}, ${phone}, ${birthDate ?? null}, ${email ?? null},
          ${address ?? null}, ${consent ? JSON.stringify(consent) : null}::jsonb, 'EXISTING')
        on conflict (id) do nothing`;
      return prisma.patient.findFirstOrThrow({ where: { clinicId, id } });
    },

    async change(clinicId, patientId, { firstName, lastName, phone, birthDate, email, address, consent }) {
      await prisma.patient.updateMany({
        where: { clinicId, id: patientId },
        data: {
          firstName,
          lastName,
          phone,
          birthDate,
          email,
          address,
          consent: consent === null ? Prisma.DbNull : consent && { ...consent },
        },
      });
      return find(clinicId, patientId);
    },
  };
}

/** The ids of a page of patients, newest first, and of one more. */
function patientsFound(
  database: Database,
  clinicId: string,
  { search, limit, isCounted, after, ...span }: PatientFilter & Search & { after: Position | null },
): Promise<Found> {
  const { from = null, until = null } = span;
  const { at, id } = afterOf(after);
  return searchedIn(
    database,
    { search, limit, isCounted },
    {
      byWords: (tx, { patterns, atMost }) => tx<{ matches: number; id: string | null }>`
        with found as materialized (select id from patients_matching(${clinicId}, ${patterns}, ${atMost}) id)
        select (select count(*)::int from found) as matches, page.id
        from (select 1) one left join lateral (
          select p.id from found cross join lateral (
            select id, created_at from patients where clinic_id = ${clinicId} and id = found.id offset 0) p
          where (select count(*) from found) < ${atMost}
            and p.created_at >= coalesce(${from}::timestamptz, '-infinity') and p.created_at < coalesce(${until}::timestamptz, 'infinity')
            and (p.created_at, p.id) < (coalesce(${at}::timestamptz, 'infinity'), coalesce(${id}::text, ''))
          order by p.created_at desc, p.id desc limit ${limit + 1}
        ) page on true`,
      amongNewest: (tx, { patterns, atMost }) => tx<{ id: string }>`
        select id from (
          select id, created_at, search_text from patients
          where clinic_id = ${clinicId} and (created_at, id) < (coalesce(${at}::timestamptz, 'infinity'), coalesce(${id}::text, ''))
            and created_at >= coalesce(${from}::timestamptz, '-infinity') and created_at < coalesce(${until}::timestamptz, 'infinity')
          order by created_at desc, id desc limit ${atMost}
        ) newest
        where search_text like all (${patterns}::text[]) and ${patterns}::text[] <> '{}'
        order by created_at desc, id desc limit ${limit + 1}`,
    },
  );
}

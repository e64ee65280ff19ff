import type { Consent } from '@clinic/shared/domain/consent';
import type { Database } from '../client';
import { type Patient, Prisma } from '../generated/client';
import { type Cursors, olderThan, type PageOf } from './cursor';

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

export interface PatientRecordStores {
  /** Also of a placeholder: a call's page leads to it. */
  find(clinicId: string, patientId: string): Promise<PatientRecord | null>;
  /** Newest first, placeholders left out. `search` is words of a name, an e-mail, a phone or an identifier. */
  list(
    clinicId: string,
    filter: { search?: string; limit: number; cursor?: string; now: Date },
  ): Promise<PageOf<ListedPatient>>;
  /** A patient whom the clinic knows. The same `id` again returns the patient it made. */
  create(
    clinicId: string,
    id: string,
    fields: PatientFields & Required<Pick<PatientFields, 'firstName' | 'lastName' | 'phone'>>,
  ): Promise<PatientRecord>;
  /** Null when the clinic has no such patient. */
  change(clinicId: string, patientId: string, fields: PatientFields): Promise<PatientRecord | null>;
}

export function createPatientRecordStores({ prisma, sql }: Database, cursors: Cursors): PatientRecordStores {
  const find: PatientRecordStores['find'] = (clinicId, id) => prisma.patient.findFirst({ where: { clinicId, id } });

  return {
    find,

    async list(clinicId, { search, limit, cursor, now }) {
      const rows = await prisma.patient.findMany({
        where: {
          clinicId,
          isPlaceholder: false,
          AND: [...wordsOf(search).map(holds), olderThan('createdAt', cursors.decode(cursor, clinicId))],
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

const wordsOf = (search: string | undefined) => (search ?? '').split(/\s+/).filter(Boolean).slice(0, 5);

function holds(word: string): Prisma.PatientWhereInput {
  // Prisma hands the text to LIKE as it is.
  const contains = { contains: word.replaceAll(/[\\%_]/g, String.raw`\$&`), mode: 'insensitive' } as const;
  const digits = word.replaceAll(/\D/g, '');
  return {
    OR: [
      { firstName: contains },
      { lastName: contains },
      { email: contains },
      { identifier: word },
      ...(digits.length >= 3 ? [{ phone: { contains: digits } }] : []),
    ],
  };
}

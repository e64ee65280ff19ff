import type { LookUps, PersonFacts } from '@clinic/shared/domain/patient-matching';
import type { Database } from '../client';

/** Somebody on file who may be meant. */
export interface MatchCandidate extends PersonFacts {
  id: string;
}

export interface PatientMatchStores {
  /** The patient with exactly this identifier. */
  identified(clinicId: string, identifier: string): Promise<MatchCandidate | null>;
  /** Who agrees in one of the look-ups, some hundreds at most; placeholders are left out. Each part is read by an index. */
  candidates(clinicId: string, lookUps: LookUps): Promise<MatchCandidate[]>;
}

/** Of those who share one date, one name or one phone with what is asked. */
const MAX_ALIKE = 300;

export function createPatientMatchStores({ sql }: Pick<Database, 'sql'>): PatientMatchStores {
  return {
    async identified(clinicId, identifier) {
      const [found] = await sql<MatchCandidate>`
        select id, first_name as "firstName", last_name as "lastName", birth_date as "birthDate", phone, email, address, identifier
        from patients where clinic_id = ${clinicId} and identifier = ${identifier}`;
      return found ?? null;
    },

    candidates(clinicId, { identifier, phone, birthDates, fullNames }) {
      const [birthDate = null, ...slips] = birthDates;
      return sql<MatchCandidate>`
        select id, first_name as "firstName", last_name as "lastName", birth_date as "birthDate", phone, email, address, identifier
        from patients where clinic_id = ${clinicId} and not is_placeholder and id in (
          select id from patients where clinic_id = ${clinicId} and identifier = ${identifier}
          union (select id from patients where clinic_id = ${clinicId} and phone = ${phone} limit ${MAX_ALIKE})
          union (select id from patients where clinic_id = ${clinicId} and birth_date = ${birthDate} limit ${MAX_ALIKE})
          union (select id from patients where clinic_id = ${clinicId} and birth_date = any (${slips}::text[]) limit ${MAX_ALIKE})
          union (select id from patients where clinic_id = ${clinicId}
            and lower(first_name || ' ' || last_name) = any (${fullNames}::text[]) limit ${MAX_ALIKE}))`;
    },
  };
}

import type { LookUps, PersonFacts } from '@clinic/shared/domain/patients/patient-matching';
import { bound } from '../../bound';
import type { Database } from '../../client';

/** Somebody on file who may be meant. */
export interface MatchCandidate extends PersonFacts {
  id: string;
  /** Who was merged into them, where that is looked up. */
  replaces?: string[];
  preferredLanguage: string | null;
}

/** The same, where those who are known only from a form or a call are among them. */
export interface KnownCandidate extends MatchCandidate {
  isPlaceholder: boolean;
}

/** Of those who share one date, one name or one phone with what is asked. */
const MAX_ALIKE = 300;

export const createPatientMatchStores = (pick: Pick<Database, 'sql'>) => bound(pick, { identified, candidates, known });

/** The patient with exactly this identifier; of who was merged into another, that one. */
export async function identified(
  { sql }: Pick<Database, 'sql'>,
  clinicId: string,
  identifier: string,
): Promise<MatchCandidate | null> {
  const [found] = await sql<MatchCandidate>`
    select p.id, p.first_name as "firstName", p.last_name as "lastName", p.birth_date as "birthDate", p.phone, p.email, p.address,
      p.identifier, p.preferred_language as "preferredLanguage",
      array(select r.id from patients r where r.clinic_id = p.clinic_id and r.replaced_by = p.id order by r.id) as replaces
    from patients found join patients p on p.clinic_id = found.clinic_id and p.id = coalesce(found.replaced_by, found.id)
    where found.clinic_id = ${clinicId} and found.identifier = ${identifier}`;
  return found ?? null;
}

/** Who agrees in one of the look-ups, some hundreds at most, without placeholders and who was merged. Each part is read by an index. */
function candidates(
  { sql }: Pick<Database, 'sql'>,
  clinicId: string,
  { identifier, phone, birthDates, fullNames }: LookUps,
): Promise<MatchCandidate[]> {
  const [birthDate = null, ...slips] = birthDates;
  return sql<MatchCandidate>`
    select p.id, first_name as "firstName", last_name as "lastName", birth_date as "birthDate", phone, email, address, identifier,
      preferred_language as "preferredLanguage"
    from (
      select id from patients where clinic_id = ${clinicId} and identifier = ${identifier}
      union (select id from patients where clinic_id = ${clinicId} and phone = ${phone} limit ${MAX_ALIKE})
      union (select id from patients where clinic_id = ${clinicId} and birth_date = ${birthDate} limit ${MAX_ALIKE})
      union (select id from patients where clinic_id = ${clinicId} and birth_date = any (${slips}::text[]) limit ${MAX_ALIKE})
      union (select id from patients where clinic_id = ${clinicId}
        and lower(first_name || ' ' || last_name) = any (${fullNames}::text[]) limit ${MAX_ALIKE})) found
    cross join lateral (
      select * from patients where clinic_id = ${clinicId} and id = found.id and not is_placeholder and replaced_by is null offset 0) p`;
}

/** The same, and with them whoever is known only from a form or a call by this phone. */
async function known(context: Pick<Database, 'sql'>, clinicId: string, lookUps: LookUps): Promise<KnownCandidate[]> {
  const [registered, callers] = await Promise.all([
    candidates(context, clinicId, lookUps),
    context.sql<MatchCandidate>`
      select id, first_name as "firstName", last_name as "lastName", birth_date as "birthDate", phone, email, address, identifier,
        preferred_language as "preferredLanguage"
      from patients where clinic_id = ${clinicId} and phone = ${lookUps.phone} and is_placeholder and replaced_by is null
      order by created_at desc limit ${MAX_ALIKE}`,
  ]);
  return [
    ...registered.map((candidate) => ({ ...candidate, isPlaceholder: false })),
    ...callers.map((candidate) => ({ ...candidate, isPlaceholder: true })),
  ];
}

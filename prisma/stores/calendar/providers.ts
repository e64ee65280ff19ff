import { newId } from '@clinic/shared/crypto';
import type { WorkingHours } from '@clinic/shared/domain/calendar/slots';
import type { SpecialDays } from '@clinic/shared/domain/calendar/weekly-hours';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Actor, audit } from '../operations/audit';
import { type Agendas, providerNamed, type ProviderRecord, providerSpokenOf } from './agendas';

export type { ProviderRecord } from './agendas';

export interface NewProvider {
  name: string;
  displayName: string;
  workingHours: WorkingHours;
  visitTypes: string[];
  /** Left out: as it is. */
  specialDays?: SpecialDays;
  noticeMinutes?: number;
}

interface Context {
  database: Database;
  agendas: Agendas;
}

export const createProviderStores = (database: Database, agendas: Agendas) =>
  bound({ database, agendas }, { list, find, recognise, knownVisitTypes, replace });

/** Those who can be booked, by name. */
const list = async ({ agendas }: Context, clinicId: string): Promise<ProviderRecord[]> =>
  (await agendas.of(clinicId))?.providers ?? [];

/** The provider of exactly this name, as FHIR asks for it. */
async function find({ agendas }: Context, clinicId: string, name: string): Promise<ProviderRecord | null> {
  const agenda = await agendas.of(clinicId);
  return agenda && providerNamed(agenda, name);
}

/** The provider a caller speaks of: name or display name, whatever the case, spaces and full stops. */
async function recognise({ agendas }: Context, clinicId: string, spoken: string): Promise<ProviderRecord | null> {
  const agenda = await agendas.of(clinicId);
  return agenda && providerSpokenOf(agenda, spoken);
}

/** What visits are called: the types of the providers, and those of more than one of the latest thousand appointments. */
async function knownVisitTypes({ database: { sql } }: Context, clinicId: string): Promise<string[]> {
  const found = await sql<{ name: string | null }>`
    select unnest(visit_types) as name from providers where clinic_id = ${clinicId} and is_active
    union
    select visit_type from (
      select visit_type from appointments where clinic_id = ${clinicId} and held_until is null
      order by starts_at desc limit 1000
    ) latest group by visit_type having count(*) > 1
    order by name`;
  return found.flatMap(({ name }) => name ?? []);
}

/** Makes these the clinic's providers. One that is left out takes no more bookings; what it has stays. */
async function replace(
  context: Context,
  clinicId: string,
  providers: NewProvider[],
  by?: Actor,
): Promise<ProviderRecord[]> {
  const { database, agendas } = context;
  const { transaction } = database;
  await transaction(async (tx) => {
    await tx`select 1 from clinics where id = ${clinicId} for no key update`;
    await tx`
      update providers set is_active = false
      where clinic_id = ${clinicId} and is_active and not name = any (${providers.map(({ name }) => name)}::text[])`;
    for (const { name, displayName, workingHours, visitTypes, specialDays, noticeMinutes = null } of providers) {
      const days = specialDays === undefined ? null : JSON.stringify(specialDays);
      await tx`
        insert into providers (id, clinic_id, name, display_name, working_hours, visit_types, special_days, notice_minutes)
        values (${newId()}, ${clinicId}, ${name}, ${displayName}, ${JSON.stringify(workingHours)}, ${visitTypes},
          coalesce(${days}::jsonb, '{}'), coalesce(${noticeMinutes}::int, 0))
        on conflict (clinic_id, name) do update set display_name = excluded.display_name, is_active = true,
          working_hours = excluded.working_hours, visit_types = excluded.visit_types,
          special_days = coalesce(${days}::jsonb, providers.special_days),
          notice_minutes = coalesce(${noticeMinutes}::int, providers.notice_minutes)`;
    }
    const detail = { names: providers.map(({ name }) => name) };
    await audit(tx, by, { clinicId, action: 'providers.change', detail });
  });
  agendas.forget({ table: 'providers', clinicId, id: '*' });
  return list(context, clinicId);
}

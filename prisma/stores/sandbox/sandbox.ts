import { hasRealPatients } from '@clinic/shared/domain/patients/real-patients';
import { AppError } from '@clinic/shared/errors';
import { derivedId, newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { fixturePatientOf, patientFixtures, planAppointments } from '../../fixture-patients';
import type { Sql } from '../../sql';
import type { Agendas } from '../calendar/agendas';
import type { AppointmentRecord } from '../calendar/appointment-records';
import { audit, type Actor } from '../operations/audit';
import { identified } from '../patients/patient-matches';

/** A patient as FHIR shows one. */
export interface MatchedPatient {
  id: string;
  firstName: string;
  lastName: string;
  birthDate: string | null;
  phone: string | null;
  email: string | null;
  /** Who was merged into them. */
  replaces?: string[];
  /** BCP 47; null where the patient asked for none. */
  preferredLanguage: string | null;
}

interface Context {
  database: Database;
  agendas: Agendas;
}

export const createSandboxStores = (database: Database, agendas: Agendas) =>
  bound({ database, agendas }, { isEnabled: isSandboxEnabled, setEnabled, match, duplicate, upcomingAsOf });

async function isSandboxEnabled({ agendas }: Context, clinicId: string): Promise<boolean> {
  return (await agendas.of(clinicId))?.isSandboxEnabled ?? false;
}

/** Why a clinic with real patients has no sandbox, and where to try things instead. */
export const noSandboxHere = () =>
  new AppError(
    'conflict',
    'This clinic has real patients, so it has no sandbox: use a named sandbox (POST /api/sandboxes, or Connections › Sandbox), or have the operator make a clinic for trying (clinic create --demo)',
  );

/**
 * Turns the sandbox on or off. The first time that it is turned on, for ever, the clinic gets its fixture patients. Throws `conflict`
 * where the clinic has real ones.
 */
async function setEnabled(
  { database: { transaction }, agendas }: Context,
  { clinicId, isEnabled, now, by }: { clinicId: string; isEnabled: boolean; now: Date; by?: Actor },
): Promise<void> {
  await transaction(async (tx) => {
    // Anyone who comes at the same time waits here, and finds the seeding done.
    const [clinic] = await tx<{
      zone: string;
      wasEnabled: boolean;
      isSeeded: boolean;
      isDemo: boolean;
      voiceProvider: string;
    }>`
      select timezone as zone, sandbox_enabled as "wasEnabled", sandbox_seeded_at is not null as "isSeeded",
        is_demo as "isDemo", voice_provider as "voiceProvider"
      from clinics where id = ${clinicId} for no key update`;
    if (!clinic || clinic.wasEnabled === isEnabled) return;
    if (isEnabled && hasRealPatients(clinic)) throw noSandboxHere();
    // First, so that the fixtures are the sandbox's.
    await tx`
      update clinics set sandbox_enabled = ${isEnabled}::boolean,
        sandbox_seeded_at = case when ${isEnabled}::boolean then coalesce(sandbox_seeded_at, ${now}::timestamptz) else sandbox_seeded_at end
      where id = ${clinicId}`;
    if (isEnabled && !clinic.isSeeded) await seedSandbox(tx, { clinicId, zone: clinic.zone, now });
    await audit(tx, by, { clinicId, action: isEnabled ? 'sandbox.enable' : 'sandbox.disable' });
  });
  agendas.forget({ table: 'clinics', clinicId: null, id: clinicId });
}

/**
 * The patient with exactly this identifier, else a new fixture patient who has it from now on. `isMade` is true of a patient who was made so,
 * now or before.
 */
async function match(
  context: Context,
  clinicId: string,
  identifier: string,
): Promise<{ patient: MatchedPatient; isNew: boolean; isMade: boolean }> {
  const { sql } = context.database;
  const { firstName, lastName, birthDate, phone, email } = fixturePatientOf(identifier);
  const old = (patient: MatchedPatient) => ({
    patient,
    isNew: false,
    isMade: patient.firstName === firstName && patient.lastName === lastName && patient.birthDate === birthDate,
  });
  const found = await identified(context.database, clinicId, identifier);
  if (found) return old(found);
  const [made] = await sql<MatchedPatient>`
    insert into patients (id, clinic_id, identifier, first_name, last_name, birth_date, phone, email, patient_type)
    values (${newId()}, ${clinicId}, ${identifier}, ${firstName}, ${lastName}, ${birthDate}, ${phone}, ${email},
      'EXISTING')
    on conflict (clinic_id, identifier) do nothing
    returning id, first_name as "firstName", last_name as "lastName", birth_date as "birthDate", phone, email,
      preferred_language as "preferredLanguage"`;
  if (made) return { patient: made, isNew: true, isMade: true };
  // Somebody else made the patient just now.
  const other = await identified(context.database, clinicId, identifier);
  if (!other) throw new Error('a patient that stood in the way is gone');
  return old(other);
}

/** A second record of the same person, always the same one: its id; null where there is no such patient. */
async function duplicate({ database: { sql } }: Context, clinicId: string, patientId: string): Promise<string | null> {
  const id = derivedId('sandbox', clinicId, 'duplicate', patientId);
  await sql`
    insert into patients (id, clinic_id, identifier, first_name, last_name, birth_date, phone, email, patient_type)
    select ${id}, clinic_id, left('DUPLICATE-' || coalesce(identifier, id), 128), first_name, last_name, birth_date, phone, email,
      patient_type
    from patients where clinic_id = ${clinicId} and id = ${patientId}
    on conflict do nothing`;
  const [twin] = await sql<{ id: string }>`select id from patients where clinic_id = ${clinicId} and id = ${id}`;
  return twin?.id ?? null;
}

/** The patient's next appointment as it was on record at an instant of real time, as far as it was not moved since. */
async function upcomingAsOf(
  { database: { sql } }: Context,
  {
    clinicId,
    patientId,
    asOf,
    now,
  }: {
    clinicId: string;
    patientId: string;
    asOf: Date;
    now: Date;
  },
): Promise<AppointmentRecord | null> {
  const [found] = await sql<AppointmentRecord>`
    select a.id, a.clinic_id as "clinicId", a.patient_id as "patientId", p.name as "providerName",
      p.display_name as "providerDisplayName", a.status, a.visit_type as "visitType", a.starts_at as "startsAt",
      a.ends_at as "endsAt", a.cancellation_reason as "cancellationReason"
    from appointments a join providers p on p.id = a.provider_id
    where a.clinic_id = ${clinicId} and a.patient_id = ${patientId} and a.starts_at > ${now} and a.created_at <= ${asOf}
      and (a.status = 'booked' or a.cancelled_at > ${asOf}) and a.held_until is null
    order by a.starts_at limit 1`;
  return found ?? null;
}

/**
 * Gives a clinic its fixture patients and their appointments, seen from `now`. Who is there already keeps their id; ids are derived
 * from the clinic's `id_salt`, so that the same clinic gets the same ones again; the id of somebody who was erased never comes back.
 */
export async function seedSandbox(
  tx: Sql,
  { clinicId, zone, now }: { clinicId: string; zone: string; now: Date },
): Promise<void> {
  const [clinic] = await tx<{ idSalt: string }>`select id_salt as "idSalt" from clinics where id = ${clinicId}`;
  const idOf = (...parts: string[]) => derivedId('sandbox', clinic?.idSalt ?? '', clinicId, ...parts);
  const fixtures = patientFixtures.map(({ appointments: _planned, ...patient }) => ({
    ...patient,
    id: idOf('patient', patient.identifier),
  }));
  await tx`
    insert into patients (id, clinic_id, identifier, first_name, last_name, birth_date, phone, email, patient_type)
    select case when exists (select from tombstones t where t.clinic_id = ${clinicId} and t.kind = 'patient' and t.key = fixture.id)
        then gen_random_uuid()::text else id end,
      ${clinicId}, identifier, "firstName", "lastName", "birthDate", phone, email, 'EXISTING'
    from json_to_recordset(${JSON.stringify(fixtures)}::json) as fixture(id text, identifier text, "firstName" text,
      "lastName" text, "birthDate" text, phone text, email text)
    on conflict do nothing`;

  const [{ providers, booked } = { providers: [], booked: [] }] = await tx<{
    providers: Parameters<typeof planAppointments>[0]['providers'];
    booked: string[];
  }>`
    select
      (select coalesce(json_agg(json_build_object(
        'id', id, 'name', name, 'workingHours', working_hours, 'visitTypes', visit_types) order by name), '[]'::json)
       from providers where clinic_id = ${clinicId} and is_active) as providers,
      (select coalesce(json_agg(provider_id || ' ' || floor(extract(epoch from starts_at))::bigint), '[]'::json)
       from appointments where clinic_id = ${clinicId} and status = 'booked') as booked`;
  const bookedTimes = new Set(booked);
  const planned = planAppointments({
    providers,
    zone,
    now: now.toISOString(),
    isFree: (providerId, { startsAt }) => !bookedTimes.has(`${providerId} ${Date.parse(startsAt) / 1_000}`),
  });
  const appointments = planned.map((appointment, index) => ({
    ...appointment,
    id: idOf('appointment', String(index)),
  }));
  await tx`
    insert into appointments (id, clinic_id, patient_id, provider_id, status, visit_type, starts_at, ends_at, cancelled_at)
    select fixture.id, ${clinicId}, p.id, "providerId", fixture.status, "visitType", "startsAt", "endsAt",
      case when fixture.status = 'cancelled' then least(${now}::timestamptz, "startsAt") end
    from json_to_recordset(${JSON.stringify(appointments)}::json) as fixture(id text, identifier text, "providerId" text,
      status text, "visitType" text, "startsAt" timestamptz, "endsAt" timestamptz)
    join patients p on p.clinic_id = ${clinicId} and p.identifier = fixture.identifier
    on conflict do nothing`;
}

import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';
import { fixturePatientOf, patientFixtures, planAppointments } from '../fixture-patients';
import type { Sql } from '../sql';
import type { Agendas } from './agendas';
import { audit, type Actor } from './audit';

/** A patient as FHIR shows one. */
export interface MatchedPatient {
  id: string;
  firstName: string;
  lastName: string;
  birthDate: string | null;
  phone: string | null;
  email: string | null;
}

export interface SandboxStores {
  isEnabled(clinicId: string): Promise<boolean>;
  /** Turns the sandbox on or off. The first time that it is turned on, for ever, the clinic gets its fixture patients. */
  setEnabled(change: { clinicId: string; isEnabled: boolean; now: Date; by?: Actor }): Promise<void>;
  /** The patient with exactly this identifier, else a new fixture patient who has it from now on. */
  match(clinicId: string, identifier: string): Promise<{ patient: MatchedPatient; isNew: boolean }>;
}

export function createSandboxStores({ sql, transaction }: Database, agendas: Agendas): SandboxStores {
  const known = async (clinicId: string, identifier: string): Promise<MatchedPatient | null> => {
    const [found] = await sql<MatchedPatient>`
      select id, first_name as "firstName", last_name as "lastName", birth_date as "birthDate", phone, email
      from patients where clinic_id = ${clinicId} and identifier = ${identifier}`;
    return found ?? null;
  };

  return {
    async isEnabled(clinicId) {
      return (await agendas.of(clinicId))?.isSandboxEnabled ?? false;
    },

    async setEnabled({ clinicId, isEnabled, now, by }) {
      await transaction(async (tx) => {
        // Whoever comes at the same time waits here, and finds the seeding done.
        const [clinic] = await tx<{ zone: string; wasEnabled: boolean; isSeeded: boolean }>`
          select timezone as zone, sandbox_enabled as "wasEnabled", sandbox_seeded_at is not null as "isSeeded"
          from clinics where id = ${clinicId} for no key update`;
        if (!clinic || clinic.wasEnabled === isEnabled) return;
        if (isEnabled && !clinic.isSeeded) await seed(tx, { clinicId, zone: clinic.zone, now });
        await tx`
          update clinics set sandbox_enabled = ${isEnabled}::boolean,
            sandbox_seeded_at = case when ${isEnabled}::boolean then coalesce(sandbox_seeded_at, ${now}::timestamptz) else sandbox_seeded_at end
          where id = ${clinicId}`;
        await audit(tx, by, { clinicId, action: isEnabled ? 'sandbox.enable' : 'sandbox.disable' });
      });
      agendas.forget({ table: 'clinics', clinicId: null, id: clinicId });
    },

    async match(clinicId, identifier) {
      const found = await known(clinicId, identifier);
      if (found) return { patient: found, isNew: false };
      const { firstName, lastName, birthDate, phone, email } = fixturePatientOf(identifier);
      const [made] = await sql<MatchedPatient>`
        insert into patients (id, clinic_id, identifier, first_name, last_name, birth_date, phone, email, patient_type)
        values (${newId()}, ${clinicId}, ${identifier}, ${firstName}, ${lastName}, ${birthDate}, ${phone}, ${email},
          'EXISTING')
        on conflict (clinic_id, identifier) do nothing
        returning id, first_name as "firstName", last_name as "lastName", birth_date as "birthDate", phone, email`;
      if (made) return { patient: made, isNew: true };
      // Somebody else made the patient just now.
      const other = await known(clinicId, identifier);
      if (!other) throw new Error('a patient that stood in the way is gone');
      return { patient: other, isNew: false };
    },
  };
}

async function seed(tx: Sql, { clinicId, zone, now }: { clinicId: string; zone: string; now: Date }): Promise<void> {
  const ids = new Map(patientFixtures.map(({ identifier }) => [identifier, newId()]));
  const patients = patientFixtures.map((patient) => ({ ...patient, id: ids.get(patient.identifier) }));
  await tx`
    insert into patients (id, clinic_id, identifier, first_name, last_name, birth_date, phone, email, patient_type)
    select id, ${clinicId}, identifier, "firstName", "lastName", "birthDate", phone, email, 'EXISTING'
    from json_to_recordset(${JSON.stringify(patients)}::json) as fixture(id text, identifier text, "firstName" text,
      "lastName" text, "birthDate" text, phone text, email text)
    on conflict (clinic_id, identifier) do nothing`;

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
  const appointments = planned.map(({ identifier, ...appointment }) => ({
    ...appointment,
    id: newId(),
    patientId: ids.get(identifier),
  }));
  await tx`
    insert into appointments (id, clinic_id, patient_id, provider_id, status, visit_type, starts_at, ends_at, cancelled_at)
    select fixture.id, ${clinicId}, p.id, "providerId", fixture.status, "visitType", "startsAt", "endsAt",
      case when fixture.status = 'cancelled' then least(${now}::timestamptz, "startsAt") end
    from json_to_recordset(${JSON.stringify(appointments)}::json) as fixture(id text, "patientId" text, "providerId" text,
      status text, "visitType" text, "startsAt" timestamptz, "endsAt" timestamptz)
    join patients p on p.clinic_id = ${clinicId} and p.id = "patientId"
    on conflict do nothing`;
}

import { newId } from '@clinic/shared/crypto';
import { aBooking } from '../../support/fhir';
import { compare, load, report } from './load';
import type { BenchStack } from './stack';

const PATIENTS = 400;
const CLIENTS = 16;
/** One booking in so many wants a slot that is taken. */
const CONFLICTS = 20;
const FIRST_SLOT = Date.parse('2032-01-05T00:00:00Z');
const allDay = [{ opens: '00:00', closes: '24:00' }];
const nineToFive = [{ opens: '09:00', closes: '17:00' }];
const workdays = (hours: typeof allDay) => ({
  monday: hours,
  tuesday: hours,
  wednesday: hours,
  thursday: hours,
  friday: hours,
});

/** The searches and the booking of the sandbox EMR, beside bare Express routes with the same SQL. */
export async function emr(stack: BenchStack): Promise<void> {
  const { api, baseline, get, post } = stack;
  const { clinicId, patients, providerId, headers } = await prepare(stack);
  const patientOf = (index: number) => patients[index % PATIENTS] ?? '';

  const askAppointments = () =>
    load({
      clients: CLIENTS,
      times: 4_000,
      work: (index) => get(`${api}/Appointment?patient=Patient/${patientOf(index)}`, headers),
    });
  const appointments = await compare({
    ours: askAppointments,
    baseline: () =>
      load({
        clients: CLIENTS,
        times: 4_000,
        work: (index) => get(`${baseline}/appointment?clinicId=${clinicId}&patientId=${patientOf(index)}`),
      }),
  });
  report(`GET /Appointment (${CLIENTS} clients)`, appointments, '>= 0.65');
  await stack.steps('GET /Appointment', 4_000, askAppointments);

  for (const count of [100, 20]) {
    const search = `${api}/Slot?schedule=Schedule/Dr.Day&_count=${count}`;
    await post(`${baseline}/slots-text`, await get(search, headers), { 'content-type': 'text/plain' });
    const askSlots = () => load({ clients: CLIENTS, times: 3_000, work: () => get(search, headers) });
    const slots = await compare({
      ours: askSlots,
      baseline: () =>
        load({
          clients: CLIENTS,
          times: 3_000,
          work: () => get(`${baseline}/slots?providerId=${providerId['Dr.Day']}`),
        }),
    });
    report(`GET /Slot, ${count} of 14 days (${CLIENTS} clients)`, slots, '>= 0.65');
    await stack.steps(`GET /Slot, ${count}`, 3_000, askSlots);
  }

  let slot = 0;
  const nextStart = (index: number) => {
    if (index % CONFLICTS !== CONFLICTS - 1 || slot === 0) slot += 1;
    return new Date(FIRST_SLOT + slot * 1_800_000).toISOString();
  };
  const orTaken = (error: Error) => {
    if (!error.message.startsWith('409')) throw error;
  };
  const book = () =>
    load({
      clients: CLIENTS,
      times: 2_000,
      work: (index) =>
        post(
          `${api}/Appointment/$book`,
          aBooking({ patient: patientOf(index), start: nextStart(index), provider: 'Dr.Night' }),
          headers,
        ).catch(orTaken),
    });
  const bookings = await compare({
    ours: book,
    baseline: () =>
      load({
        clients: CLIENTS,
        times: 2_000,
        work: (index) =>
          post(`${baseline}/book`, {
            ...aBooking({ patient: patientOf(index), start: '2032-01-05T00:00:00Z', provider: 'Dr.Night' }),
            id: newId(),
            clinicId,
            patientId: patientOf(index),
            providerId: providerId['Dr.Night'],
            startsAt: nextStart(index),
          }).catch(orTaken),
      }),
  });
  report(`POST /Appointment/$book, ${100 / CONFLICTS} % conflicts (${CLIENTS} clients)`, bookings, '>= 0.70');
  await stack.steps('POST /Appointment/$book', 2_000, book);
}

/** Patients with an appointment each, a provider whose calendar is half full, and one who is on duty round the clock. */
async function prepare({ api, clinic, database, post, stores, analyze }: BenchStack) {
  const { clinicId, email, password } = clinic;
  await stores.sandbox.setEnabled({ clinicId, isEnabled: true, now: new Date() });
  const [day, night] = await stores.providers.replace(clinicId, [
    { name: 'Dr.Day', displayName: 'Dr. Day', workingHours: workdays(nineToFive), visitTypes: [] },
    {
      name: 'Dr.Night',
      displayName: 'Dr. Night',
      visitTypes: [],
      workingHours: { ...workdays(allDay), saturday: allDay, sunday: allDay },
    },
  ]);
  const patients = Array.from({ length: PATIENTS }, () => newId());
  await database.sql`
    insert into patients (id, clinic_id, first_name, last_name)
    select id, ${clinicId}, 'Ann', 'Lee' from unnest(${patients}::text[]) as id`;
  await database.sql`
    insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at)
    select gen_random_uuid()::text, ${clinicId}, id, ${day?.id}, 'x', at, at + interval '30 minutes'
    from unnest(${patients}::text[]) with ordinality as patient(id, n),
      lateral (select date_trunc('hour', now()) + n * interval '3 hours' as at) slot`;
  await analyze();
  const { token } = JSON.parse(await post(`${api}/auth/sign-in/email`, { email, password })) as { token: string };
  return {
    clinicId,
    patients,
    headers: { authorization: `Bearer ${token}` },
    providerId: { 'Dr.Day': day?.id, 'Dr.Night': night?.id },
  };
}

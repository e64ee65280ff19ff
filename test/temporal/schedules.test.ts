import { Client, Connection } from '@temporalio/client';
import { FULFILMENT_SCHEDULE_ID } from '@clinic/workflows/ids';
import { ensureSchedules } from '@clinic/temporal/schedules';
import { startApp, type App } from '../support/app';
import { eventually } from '../support/eventually';
import { type FhirClinic, openSandbox } from '../support/fhir';
import { temporalAddress } from '../support/temporal';

let app: App;
let clinic: FhirClinic;
let connection: Connection;
let client: Client;

beforeAll(async () => {
  app = await startApp();
  clinic = await openSandbox(app);
  connection = await Connection.connect({ address: temporalAddress() });
  client = new Client({ connection, namespace: app.namespace });
});
afterAll(async () => {
  await connection.close();
  await app.stop();
});

test('booked appointments that have ended become fulfilled, others stay as they are', async () => {
  const [ended, running, ahead, cancelled] = [
    await clinic.aBooked(),
    await clinic.aBooked(),
    await clinic.aBooked(),
    await clinic.aBooked(),
  ];
  await clinic.cancel(cancelled.id);
  await moveBack(ended.id, 45);
  await moveBack(running.id, 14);
  await moveBack(cancelled.id, 45);

  await client.schedule.getHandle(FULFILMENT_SCHEDULE_ID).trigger();

  await eventually(async () => (await statusOf(ended.id)) === 'fulfilled');
  expect(await Promise.all([running.id, ahead.id, cancelled.id].map(statusOf))).toEqual([
    'booked',
    'booked',
    'cancelled',
  ]);
});

test('more than one batch of past appointments is fulfilled in one run', async () => {
  const patient = await clinic.aPatient();
  await app.database.sql`
    insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at)
    select 'past-' || n, ${clinic.clinic.clinicId}, ${patient},
      (select id from providers where clinic_id = ${clinic.clinic.clinicId} limit 1), 'Visit',
      now() - make_interval(mins => 30 * (n + 2)), now() - make_interval(mins => 30 * (n + 1))
    from generate_series(1, 1200) n`;

  await client.schedule.getHandle(FULFILMENT_SCHEDULE_ID).trigger();

  await eventually(async () => {
    const [left] = await app.database.sql<{ count: number }>`
      select count(*)::int as count from appointments where patient_id = ${patient} and status = 'booked'`;
    return left?.count === 0;
  });
});

test('every worker makes sure of the schedule, and there is one', async () => {
  await Promise.all([ensureSchedules(client), ensureSchedules(client)]);

  const schedule = await client.schedule.getHandle(FULFILMENT_SCHEDULE_ID).describe();
  expect(schedule.spec.intervals).toMatchObject([{ every: 60_000 }]);
});

const moveBack = (id: string, minutes: number) => app.database.sql`
  update appointments set starts_at = now() - make_interval(mins => ${minutes}),
    ends_at = now() - make_interval(mins => ${minutes - 30})
  where id = ${id}`;

async function statusOf(id: string) {
  return (await app.stores.appointments.find(clinic.clinic.clinicId, id))?.status;
}

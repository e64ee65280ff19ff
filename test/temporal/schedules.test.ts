import { Client, Connection, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { readWorkerConfig } from '@clinic/shared/config';
import { createLog } from '@clinic/shared/log';
import { RETENTION_SCHEDULE_ID, TASK_QUEUE } from '@clinic/workflows/ids';
import { createSchedules, ensureSchedules } from '@clinic/temporal/schedules';
import { startWorker } from '@clinic/worker/start-worker';
import { startApp, type App } from '../support/app';
import { eventually } from '../support/eventually';
import { type FhirClinic, openSandbox } from '../support/fhir';
import { deleteSchedule, temporalAddress } from '../support/temporal';

/** What workers of before made schedules of. */
const former = { 'fulfil-past-appointments': 'fulfilAppointments', 'mail-tasks': 'mailTasks' };

let app: App;
let clinic: FhirClinic;
let connection: Connection;
let client: Client;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  clinic = await openSandbox(app);
  connection = await Connection.connect({ address: temporalAddress() });
  client = new Client({ connection, namespace: app.namespace });
});
afterAll(async () => {
  await connection.close();
  await app.stop();
  await deleteSchedule(app.namespace);
});

/** As a worker of before does it, which has also begun a run. */
async function asAnOlderWorker(): Promise<string[]> {
  for (const [scheduleId, workflowType] of Object.entries(former)) {
    const handle = await client.schedule.create({
      scheduleId,
      spec: { intervals: [{ every: '15 seconds' }] },
      action: { type: 'startWorkflow', workflowType, workflowId: scheduleId, taskQueue: TASK_QUEUE },
    });
    await handle.trigger(ScheduleOverlapPolicy.SKIP);
  }
  return Promise.all(
    Object.keys(former).map((scheduleId) =>
      eventually(async () => {
        const { info } = await client.schedule.getHandle(scheduleId).describe();
        return info.runningActions[0]?.workflow.workflowId;
      }),
    ),
  );
}

const formerSchedules = () =>
  Promise.all(
    Object.keys(former).map((scheduleId) =>
      client.schedule
        .getHandle(scheduleId)
        .describe()
        .catch((error: unknown) => error),
    ),
  );

const endOf = async (workflowId: string) => (await client.workflow.getHandle(workflowId).describe()).status.name;

test('a worker that starts fulfils what has ended since, batch after batch, and what an older one left in Temporal goes', async () => {
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
  const patient = await clinic.aPatient();
  await app.database.sql`
    insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at)
    select 'past-' || n, ${clinic.clinic.clinicId}, ${patient},
      (select id from providers where clinic_id = ${clinic.clinic.clinicId} limit 1), 'Visit',
      now() - make_interval(mins => 30 * (n + 2)), now() - make_interval(mins => 30 * (n + 1))
    from generate_series(1, 1200) n`;
  const runs = await asAnOlderWorker();

  const worker = await startWorker(readWorkerConfig(app.env), createLog({ process: 'test', level: 'silent' }));
  const isDone = async () => {
    const [left] = await app.database.sql<{ count: number }>`
      select count(*)::int as count from appointments where patient_id = ${patient} and status = 'booked'`;
    return left?.count === 0;
  };
  try {
    await eventually(isDone, { within: 30_000 });
  } finally {
    await worker.stop();
  }

  expect(await Promise.all([ended, running, ahead, cancelled].map(({ id }) => statusOf(id)))).toEqual([
    'fulfilled',
    'booked',
    'booked',
    'cancelled',
  ]);
  expect(await formerSchedules()).toEqual([expect.any(ScheduleNotFoundError), expect.any(ScheduleNotFoundError)]);
  expect(await Promise.all(runs.map(endOf))).toEqual(['TERMINATED', 'TERMINATED']);
});

test('the one schedule is there once, however many workers start, and those of one that is older do not stay', async () => {
  await Promise.all([ensureSchedules(client), ensureSchedules(client)]);
  await asAnOlderWorker();
  await createSchedules(client);

  const schedule = await client.schedule.getHandle(RETENTION_SCHEDULE_ID).describe();
  expect(schedule.spec.intervals).toMatchObject([{ every: 6 * 3_600_000 }]);
  expect(await formerSchedules()).toEqual([expect.any(ScheduleNotFoundError), expect.any(ScheduleNotFoundError)]);
});

test('a worker that starts gives the schedule of another version the form of its own, which other processes leave as it is', async () => {
  const purge = client.schedule.getHandle(RETENTION_SCHEDULE_ID);
  const formOf = async () => {
    const { spec, action, policies } = await purge.describe();
    return {
      every: spec.intervals?.map(({ every }) => every),
      type: action.workflowType,
      queue: action.taskQueue,
      ...policies,
    };
  };
  await ensureSchedules(client);
  const own = await formOf();
  await purge.update((known) => ({
    ...known,
    spec: { intervals: [{ every: '1 day' }] },
    action: { ...known.action, workflowType: 'purgeAsBefore', taskQueue: 'of-before' },
    policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL, catchupWindow: '1 day' },
  }));
  const another = await formOf();
  await createSchedules(client);
  const left = await formOf();
  await ensureSchedules(client);

  expect(own).toMatchObject({
    every: [6 * 3_600_000],
    type: 'purgeOldContents',
    queue: TASK_QUEUE,
    overlap: ScheduleOverlapPolicy.SKIP,
    catchupWindow: 60_000,
  });
  expect(another).toMatchObject({ every: [24 * 3_600_000], type: 'purgeAsBefore', queue: 'of-before' });
  expect(left).toEqual(another);
  expect(await formOf()).toEqual(own);
});

const moveBack = (id: string, minutes: number) => app.database.sql`
  update appointments set starts_at = now() - make_interval(mins => ${minutes}),
    ends_at = now() - make_interval(mins => ${minutes - 30})
  where id = ${id}`;

async function statusOf(id: string) {
  return (await app.stores.appointments.find(clinic.clinic.clinicId, id))?.status;
}

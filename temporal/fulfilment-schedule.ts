import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { fulfilAppointments } from '@clinic/workflows/fulfil-appointments';
import { FULFILMENT_SCHEDULE_ID, TASK_QUEUE } from '@clinic/workflows/ids';

/** Has past appointments marked as fulfilled once a minute. Safe to run at every start, by any number of workers. */
export async function ensureFulfilmentSchedule(client: Client): Promise<void> {
  if (await createFulfilmentSchedule(client)) return;
  await client.schedule.getHandle(FULFILMENT_SCHEDULE_ID).update((known) => ({ ...known, ...schedule }));
}

/** Creates the schedule where Temporal has none, and leaves it as it is where there is one: false. */
export async function createFulfilmentSchedule(client: Client): Promise<boolean> {
  try {
    await client.schedule.create({ scheduleId: FULFILMENT_SCHEDULE_ID, ...schedule });
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

const schedule = {
  spec: { intervals: [{ every: '1 minute' as const }] },
  action: {
    type: 'startWorkflow' as const,
    workflowType: fulfilAppointments,
    workflowId: FULFILMENT_SCHEDULE_ID,
    taskQueue: TASK_QUEUE,
    args: [] as [],
  },
  // What was missed while Temporal was down is made good by the next run.
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' as const },
};

import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { fulfilAppointments } from '@clinic/workflows/fulfil-appointments';
import { FULFILMENT_SCHEDULE_ID, TASK_QUEUE } from '@clinic/workflows/ids';

/** Has past appointments marked as fulfilled once a minute. Safe to run at every start, by any number of workers. */
export async function ensureFulfilmentSchedule(client: Client): Promise<void> {
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
  try {
    await client.schedule.create({ scheduleId: FULFILMENT_SCHEDULE_ID, ...schedule });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule.getHandle(FULFILMENT_SCHEDULE_ID).update((known) => ({ ...known, ...schedule }));
  }
}

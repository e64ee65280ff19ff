import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { fulfilAppointments } from '@clinic/workflows/fulfil-appointments';
import {
  FULFILMENT_SCHEDULE_ID,
  RETENTION_SCHEDULE_ID,
  TASK_MAIL_SCHEDULE_ID,
  TASK_QUEUE,
} from '@clinic/workflows/ids';
import { mailTasks } from '@clinic/workflows/mail-tasks';
import { purgeOldContents } from '@clinic/workflows/purge-old-contents';

/** Has what recurs done: past appointments marked as fulfilled, people mailed about new tasks, old contents purged. Safe to run at every start, by any number of workers. */
export async function ensureSchedules(client: Client): Promise<void> {
  for (const schedule of schedules) {
    if (await isCreated(client, schedule)) continue;
    await client.schedule.getHandle(schedule.scheduleId).update((known) => ({ ...known, ...schedule }));
  }
}

/** Creates the schedules that Temporal lacks, and leaves the others as they are. */
export async function createSchedules(client: Client): Promise<void> {
  for (const schedule of schedules) await isCreated(client, schedule);
}

async function isCreated(client: Client, schedule: Schedule): Promise<boolean> {
  try {
    await client.schedule.create(schedule);
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

const scheduled = (
  scheduleId: string,
  workflowType: () => Promise<unknown>,
  every: '15 seconds' | '1 minute' | '6 hours',
) => ({
  scheduleId,
  spec: { intervals: [{ every }] },
  action: {
    type: 'startWorkflow' as const,
    workflowType,
    workflowId: scheduleId,
    taskQueue: TASK_QUEUE,
    args: [] as [],
  },
  // What was missed while Temporal was down is made good by the next run.
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' as const },
});

type Schedule = ReturnType<typeof scheduled>;

const schedules = [
  scheduled(FULFILMENT_SCHEDULE_ID, fulfilAppointments, '1 minute'),
  scheduled(TASK_MAIL_SCHEDULE_ID, mailTasks, '15 seconds'),
  scheduled(RETENTION_SCHEDULE_ID, purgeOldContents, '6 hours'),
];

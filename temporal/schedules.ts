import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { RETENTION_SCHEDULE_ID, TASK_QUEUE } from '@clinic/workflows/ids';
import { purgeOldContents } from '@clinic/workflows/purge-old-contents';

/** Has old contents purged every six hours, as this version has it. Safe to run at every start, by any number of workers. */
export async function ensureSchedules(client: Client): Promise<void> {
  if (await isCreated(client)) return;
  await client.schedule.getHandle(purge.scheduleId).update((known) => ({ ...known, ...purge }));
}

/** Creates the schedule where Temporal lacks it, and leaves it as it is otherwise. Those of an older worker, which may run still, go. */
export async function createSchedules(client: Client): Promise<void> {
  await isCreated(client);
}

async function isCreated(client: Client): Promise<boolean> {
  for (const scheduleId of formerScheduleIds) await remove(client, scheduleId);
  try {
    await client.schedule.create(purge);
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

const purge = {
  scheduleId: RETENTION_SCHEDULE_ID,
  spec: { intervals: [{ every: '6 hours' as const }] },
  action: {
    type: 'startWorkflow' as const,
    workflowType: purgeOldContents,
    workflowId: RETENTION_SCHEDULE_ID,
    taskQueue: TASK_QUEUE,
    args: [] as [],
  },
  // What was missed while Temporal was down is made good by the next run.
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' as const },
};

/** What they started is a duty of the worker now. */
const formerScheduleIds = ['fulfil-past-appointments', 'mail-tasks'];

/** With the run that it has started: no worker of this version has a workflow for it. */
async function remove(client: Client, scheduleId: string): Promise<void> {
  const schedule = client.schedule.getHandle(scheduleId);
  try {
    await schedule.pause();
    const { info } = await schedule.describe();
    for (const { workflow } of info.runningActions) {
      await client.workflow.getHandle(workflow.workflowId).terminate('it is a duty of the worker now');
    }
    await schedule.delete();
  } catch (error) {
    // Another worker removes it too, or its run has just ended: the next look does the rest.
    if (error instanceof ScheduleNotFoundError || error instanceof WorkflowNotFoundError) return;
    throw error;
  }
}

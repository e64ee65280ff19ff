import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import { records } from './timeouts';

const { fulfilPastAppointments } = proxyActivities<Activities>(records);

/** Well within an activity's time, and few enough to hold no lock for long. */
const BATCH = 500;
/** After a long standstill the next run goes on: a history stays short. */
const MAX_BATCHES = 200;

/** Marks every booked appointment that has ended as fulfilled. A Temporal Schedule runs it. */
export async function fulfilAppointments(): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const fulfilled = await fulfilPastAppointments({ limit: BATCH });
    if (fulfilled < BATCH) return;
  }
}

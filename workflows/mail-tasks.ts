import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import { workRecords, workStep } from './timeouts';

const { peopleToMail } = proxyActivities<Activities>(workRecords);
const { mailNewTasks } = proxyActivities<Activities>(workStep);

/** Few at once: mail servers permit few connections. */
const PEOPLE_AT_ONCE = 16;

/**
 * Mails those who want it about new tasks, one person after the other by their ids, beginning after one. Who cannot be mailed
 * now holds up nobody else, and is tried at the next run. A Temporal Schedule runs it.
 */
export async function mailTasks(after = ''): Promise<void> {
  let last = after;
  for (;;) {
    const people = await peopleToMail({ after: last, limit: PEOPLE_AT_ONCE });
    await Promise.all(people.map((accountId) => mailNewTasks({ accountId })));
    if (people.length < PEOPLE_AT_ONCE) return;
    last = people.at(-1) ?? last;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof mailTasks>(last);
  }
}

import type { TaskMails } from '@clinic/activities/task-mails';
import type { DutyStores } from '@clinic/prisma/stores/operations/duties';
import type { Logger } from '@clinic/shared/log';
import { type Duty, type OnPass, startDuty, type Turn } from './duty';
import { inBatches, pagesOf } from './in-batches';

const EVERY_MS = 15_000;

/**
 * Mails those who are to hear of something, in one process at a time. It is a duty by itself, because a mail server may be slow.
 * Anyone who cannot be mailed now holds up nobody else, and is tried in the next pass.
 */
export function startTaskMails({
  mails,
  duties,
  log,
  onPass,
  everyMs = EVERY_MS,
}: {
  mails: TaskMails;
  duties: DutyStores;
  log: Logger;
  onPass?: OnPass;
  everyMs?: number;
}): Duty {
  const pass = async ({ signal }: Turn): Promise<boolean> => {
    const failures: unknown[] = [];
    for await (const people of pagesOf(String, mails.peopleToMail)) {
      failures.push(...(await inBatches(people, signal, mails.mailNews)).failures);
      if (signal.aborted) break;
    }
    if (failures.length > 0) throw failures[0];
    return false;
  };
  // A lease that is seldom prolonged: what is mailed a little later after a process was killed matters to nobody.
  return startDuty({ name: 'mail', duties, everyMs, leaseMs: 2 * EVERY_MS, log, onPass, pass });
}

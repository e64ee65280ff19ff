import type { Logger } from '@clinic/shared/log';
import type { Mail } from '@clinic/shared/outbound/mail';
import type { Stores } from '@clinic/prisma/stores';
import type { TaskMailDue } from '@clinic/prisma/stores/task-mails';
import { type Duty, type OnPass, startDuty, type Turn } from './duty';
import { inBatches } from './in-batches';

const PEOPLE_AT_ONCE = 100;

interface TaskMailDeps {
  stores: Stores;
  mail: Mail;
  /** Where the dashboard is, without a slash at its end. */
  publicUrl: string;
}

/** Mails those who want it about new tasks, from one process at a time. */
export function startTaskMails({
  onPass,
  log,
  everyMs = 15_000,
  ...deps
}: TaskMailDeps & { log: Logger; onPass?: OnPass; everyMs?: number }): Duty {
  const { duties } = deps.stores;
  return startDuty({ name: 'mail', duties, everyMs, log, onPass, pass: createTaskMailPass(deps) });
}

/**
 * Mails whoever is due. It is noted after it was sent: a process that ends in between has somebody told twice, and nobody not at
 * all. What could not be sent is sent with the next ones.
 */
export function createTaskMailPass({ stores, mail, publicUrl }: TaskMailDeps): (turn: Turn) => Promise<boolean> {
  return async ({ signal }) => {
    const people = await stores.taskMails.due(PEOPLE_AT_ONCE);
    await inBatches(people, signal, async ({ accountId, until, ...told }) => {
      const sent = await mail.send({ to: told.email, ...messageOf(told, publicUrl) });
      if (sent === 'sent') await stores.taskMails.told(accountId, until);
    });
    return false;
  };
}

/** How many and why: a mail says nothing of a patient. */
function messageOf(
  { clinicName, tasks }: Pick<TaskMailDue, 'clinicName' | 'tasks'>,
  publicUrl: string,
): { subject: string; text: string } {
  const count = tasks.reduce((sum, each) => sum + each.count, 0);
  const title = count === 1 ? 'A new task' : `${count} new tasks`;
  const lines = tasks.map((each) => `  ${each.count} × ${each.reason.replaceAll('_', ' ')}`);
  return {
    subject: `${title} at ${clinicName}`,
    text: `${title} at ${clinicName}:\n\n${lines.join('\n')}\n\n${publicUrl}/tasks\n\nMy account, Notifications, turns these mails off: ${publicUrl}/my-account\n`,
  };
}

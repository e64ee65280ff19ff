import type { Mail } from '@clinic/gateways/mail/mail';
import type { Stores } from '@clinic/prisma/stores';
import type { NewTasks } from '@clinic/prisma/stores/tasks/task-mails';
import { withHeartbeat } from './heartbeat';

export interface TaskMailActivityDeps {
  stores: Stores;
  mail: Mail;
  /** Where the dashboard is, without a slash at its end. */
  publicUrl: string;
}

/** Mail about new tasks. */
export function createTaskMailActivities({ stores, mail, publicUrl }: TaskMailActivityDeps) {
  return {
    /** Whom to mail, in the order of ids, beginning after one. Nobody where the deployment sends no mail. */
    peopleToMail: async ({ after, limit }: { after: string; limit: number }): Promise<string[]> =>
      mail.isSet ? stores.taskMails.due(after, limit) : [],

    /**
     * It is noted after it was sent: a process that ends in between has somebody told twice, and nobody not at all. What could not be
     * sent is sent with the next ones.
     */
    mailNewTasks: ({ accountId }: { accountId: string }): Promise<void> =>
      withHeartbeat(async () => {
        const told = await stores.taskMails.newTasks(accountId);
        if (!told) return;
        const sent = await mail.send({ to: told.email, ...messageOf(told, publicUrl) });
        if (sent === 'sent') await stores.taskMails.told(accountId, told.until);
      }),
  };
}

/** How many and why: a mail says nothing of a patient. */
function messageOf({ clinicName, tasks }: NewTasks, publicUrl: string): { subject: string; text: string } {
  const count = tasks.reduce((sum, each) => sum + each.count, 0);
  const title = count === 1 ? 'A new task' : `${count} new tasks`;
  const lines = tasks.map((each) => `  ${each.count} × ${each.reason.replaceAll('_', ' ')}`);
  return {
    subject: `${title} at ${clinicName}`,
    text: `${title} at ${clinicName}:\n\n${lines.join('\n')}\n\n${publicUrl}/tasks\n\nMy account, Notifications, turns these mails off: ${publicUrl}/my-account\n`,
  };
}

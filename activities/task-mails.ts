import type { Mail } from '@clinic/gateways/mail/mail';
import type { Stores } from '@clinic/prisma/stores';
import type { NewAlarms } from '@clinic/prisma/stores/tasks/alarms';
import type { NewTasks } from '@clinic/prisma/stores/tasks/task-mails';
import { createMonthMails } from './month-mails';

export type TaskMails = ReturnType<typeof createTaskMails>;

/** Mail about new tasks and the results of a month to those who want it, and about alarms to every administrator. `publicUrl` is the dashboard's, without a slash at its end. */
export function createTaskMails({ stores, mail, publicUrl }: { stores: Stores; mail: Mail; publicUrl: string }) {
  const months = createMonthMails({ stores, mail, publicUrl });
  const mailAlarms = async (accountId: string): Promise<void> => {
    const alarms = await stores.alarms.newAlarms(accountId);
    if (!alarms) return;
    const sent = await mail.send({ to: alarms.email, ...alarmMessage(alarms, publicUrl) });
    if (sent !== 'sent') return;
    await stores.alarms.told(
      accountId,
      alarms.alarms.map(({ taskId }) => taskId),
    );
  };
  const mailNewTasks = async (accountId: string): Promise<void> => {
    const told = await stores.taskMails.newTasks(accountId);
    if (!told) return;
    const sent = await mail.send({ to: told.email, ...messageOf(told, publicUrl) });
    if (sent === 'sent') await stores.taskMails.told(accountId, told.until);
  };
  return {
    /** Whom to mail, in the order of ids, beginning after one. Nobody where the deployment sends no mail. */
    async peopleToMail(after: string, limit: number): Promise<string[]> {
      if (!mail.isSet) return [];
      const due = await Promise.all([
        stores.taskMails.due(after, limit),
        stores.alarms.due(after, limit),
        months.due(after, limit),
      ]);
      return [...new Set(due.flat())].toSorted().slice(0, limit);
    },

    /**
     * Of alarms and tasks it is noted after it was sent: a process that ends in between has somebody told twice, and nobody not at all.
     * What could not be sent is sent with the next ones.
     */
    async mailNews(accountId: string): Promise<void> {
      await mailAlarms(accountId);
      await mailNewTasks(accountId);
      await months.mailMonth(accountId);
    },
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

const MAX_LINKS = 20;

/** What kind, and where to look: a mail names neither a patient nor who it was. */
function alarmMessage({ clinicName, alarms }: NewAlarms, publicUrl: string): { subject: string; text: string } {
  const title = alarms.length === 1 ? 'An alarm' : `${alarms.length} alarms`;
  const lines = alarms
    .slice(0, MAX_LINKS)
    .map(({ taskId, kind }) => `  ${kind.replaceAll('_', ' ')}: ${publicUrl}/tasks?task=${taskId}`);
  return {
    subject: `${title} at ${clinicName}`,
    text: `${title} at ${clinicName}:\n\n${lines.join('\n')}\n\nEvery administrator gets this mail. Whether it was meant to happen is for you to find out: the task leads to the audit of that day.\n`,
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { createTaskMails, type TaskMails } from '@clinic/activities/task-mails';
import { createMail } from '@clinic/gateways/mail/mail';
import { readWorkerConfig } from '@clinic/shared/config';
import { createLog } from '@clinic/shared/log';
import { startTaskMails } from '@clinic/worker/mail-tasks';
import { startWorker } from '@clinic/worker/start-worker';
import { type App, startApp } from '../support/app';
import { aPhone, aSession } from '../support/builders';
import { eventually } from '../support/eventually';
import { type SmtpServer, startSmtpServer } from '../support/outside/smtp-server';
import { deleteSchedule } from '../support/temporal';

const log = createLog({ process: 'test', level: 'silent' });

let smtp: SmtpServer;
let app: App;

beforeAll(async () => {
  smtp = await startSmtpServer();
  app = await startApp({ hasWorker: false, env: { SMTP_URL: smtp.url } });
});
afterAll(async () => {
  await app.stop();
  await deleteSchedule(app.namespace);
  await smtp.close();
});

/** One pass; the next one is a long time away. */
async function passOver(people: string[], mailNews: TaskMails['mailNews']): Promise<string[]> {
  const mailed: string[] = [];
  const mails: TaskMails = {
    peopleToMail: async (after, limit) => people.filter((each) => each > after).slice(0, limit),
    async mailNews(accountId) {
      await mailNews(accountId);
      mailed.push(accountId);
    },
  };
  let passes = 0;
  const onPass = () => (passes += 1);
  const duty = startTaskMails({ mails, duties: app.stores.duties, log, onPass, everyMs: 600_000 });
  try {
    await eventually(() => passes > 0);
    await delay(60);
  } finally {
    await duty.stop();
  }
  expect(passes).toBe(1);
  return mailed;
}

test('everybody who is due is mailed once in a pass, however many they are and whoever cannot be', async () => {
  const people = Array.from({ length: 1_040 }, (_each, index) => `account-${1_000 + index}`);

  const mailed = await passOver(people, async (accountId) => {
    if (accountId === 'account-1001') throw new Error('cut off');
  });

  expect(mailed.toSorted()).toEqual(people.filter((each) => each !== 'account-1001'));
});

test('after a pass in which all could be mailed, the next one waits for its turn', async () => {
  const people = ['account-1', 'account-2'];

  expect(await passOver(people, () => delay(1))).toEqual(people);
});

test('a slow mail server holds up nothing else, and a mail that is under way when the worker stops is sent once', async () => {
  const { clinicId, email } = app.clinic;
  const admin = await app.admin();
  await app.request('PUT', '/auth/notifications', { bearer: admin, body: { taskMails: true } });
  await app.stores.tasks.open({ clinicId, reason: 'follow_up_required', cause: 'mail-once' });
  await app.database.sql`update staff_tasks set created_at = now() - interval '1 minute'`;
  await app.database.sql`update task_mails set told_until = now() - interval '1 hour'`;
  const person = { firstName: 'Ann', lastName: 'Lee', phone: aPhone() };
  const sessionId = aSession();
  const run = await app.stores.runs.openRecovery({ clinicId, sessionId, patient: person, form: {} });
  const release = smtp.hold();
  const config = readWorkerConfig(app.env);
  const worker = await startWorker(config, log);
  const isDone = async () =>
    smtp.mails.length === 1 && (await app.stores.runs.find(clinicId, run.workflowId))?.status === 'completed';
  try {
    await eventually(isDone, { within: 30_000 });
  } finally {
    setTimeout(release, 3_000);
    await worker.stop();
  }
  const mail = createMail(config, log);
  const due = await createTaskMails({ stores: app.stores, mail, publicUrl: '' }).peopleToMail('', 10);

  expect(smtp.mails.map(({ to }) => to)).toEqual([email]);
  expect(due).toEqual([]);
});

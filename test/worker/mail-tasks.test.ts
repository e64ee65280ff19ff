import { setTimeout as delay } from 'node:timers/promises';
import { createTaskMails, type TaskMails } from '@clinic/activities/task-mails';
import { createMail } from '@clinic/gateways/mail/mail';
import { readWorkerConfig } from '@clinic/shared/config';
import { createLog } from '@clinic/shared/log';
import type { OnPass } from '@clinic/worker/duty';
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

/** One pass, whose next one is a long time away: who was mailed in it, what came of it, and of what it warned. */
async function passOver(people: string[], mailNews: TaskMails['mailNews']) {
  const mailed: string[] = [];
  const warned = jest.spyOn(log, 'warn');
  const mails: TaskMails = {
    peopleToMail: async (after, limit) => people.filter((each) => each > after).slice(0, limit),
    async mailNews(accountId) {
      await mailNews(accountId);
      mailed.push(accountId);
    },
  };
  const results: string[] = [];
  const onPass: OnPass = ({ result }) => void results.push(result);
  const duty = startTaskMails({ mails, duties: app.stores.duties, log, onPass, everyMs: 600_000 });
  try {
    await eventually(() => results.length > 0);
    await delay(60);
  } finally {
    await duty.stop();
  }
  const warnings = warned.mock.calls.map(([about]) => about);
  warned.mockRestore();
  return { mailed, results, warnings };
}

test('everybody who is due is mailed once in a pass, however many they are and whoever cannot be', async () => {
  const people = Array.from({ length: 1_040 }, (_each, index) => `account-${1_000 + index}`);

  const { mailed, results, warnings } = await passOver(people, async (accountId) => {
    if (accountId === 'account-1001') throw new TypeError('cut off');
  });

  expect(mailed.toSorted()).toEqual(people.filter((each) => each !== 'account-1001'));
  expect([results, warnings]).toEqual([['failed'], [expect.objectContaining({ name: 'TypeError', duty: 'mail' })]]);
});

test('after a pass in which all could be mailed, the next one waits for its turn', async () => {
  const people = ['account-1', 'account-2'];

  expect(await passOver(people, () => delay(1))).toEqual({ mailed: people, results: ['done'], warnings: [] });
});

test('a pass that is stopped asks for nobody more', async () => {
  const asked: string[] = [];
  const mails: TaskMails = {
    async peopleToMail(after, limit) {
      asked.push(after);
      return Array.from({ length: limit }, (_each, index) => `account-${1_000 + index}`);
    },
    mailNews: () => delay(40),
  };
  const duty = startTaskMails({ mails, duties: app.stores.duties, log, everyMs: 600_000 });
  await eventually(() => asked.length > 0);

  await duty.stop();
  await duty.ended;

  expect(asked).toEqual(['']);
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

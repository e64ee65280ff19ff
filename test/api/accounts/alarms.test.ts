import { createTaskMails } from '@clinic/activities/task-mails';
import { documentedRoutes } from '@clinic/api/openapi/documented-routes';
import { createMail } from '@clinic/gateways/mail/mail';
import { createLog } from '@clinic/shared/log';
import { createAlarms } from '@clinic/worker/alarms';
import { type App, startApp } from '../../support/app';
import { aPhone } from '../../support/builders';
import { typed } from '../../support/command';
import { eventually } from '../../support/eventually';
import { type SmtpServer, startSmtpServer } from '../../support/outside/smtp-server';

const log = createLog({ process: 'test', level: 'silent' });
const dashboard = 'https://dashboard.example';

let app: App;
let smtp: SmtpServer;
let admin: string;
let staff: string;
let staffId: string;

beforeAll(async () => {
  smtp = await startSmtpServer();
  app = await startApp({ hasWorker: false });
  [admin, staff] = await Promise.all([app.admin(), app.staff()]);
  staffId = (await get('/auth/session', staff)).body.accountId;
}, 240_000);
afterAll(async () => {
  await app.stop();
  await smtp.close();
});

const get = (path: string, bearer = admin) => app.request('GET', path, { bearer });
const alarmsOf = async (bearer = admin) =>
  (await get('/tasks', bearer)).body.items.filter(({ reason }: { reason: string }) => reason !== 'bad_number');

async function look(): Promise<void> {
  await app.stores.auditChain.seal(1_000);
  await createAlarms({ stores: app.stores, log })();
}

/** As the duty does it. */
async function mail(): Promise<void> {
  const config = { SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@service.example', PUBLIC_URL: dashboard };
  const mails = createTaskMails({
    stores: app.stores,
    mail: createMail(config, log),
    publicUrl: dashboard,
  });
  const people = await mails.peopleToMail('', 100);
  for (const accountId of people) await mails.mailNews(accountId);
}

test('who pages through the patients of a clinic is an alarm to its administrators alone, by mail too, that names no patient', async () => {
  const { clinicId } = app.clinic;
  await app.database.sql`
    insert into patients (id, clinic_id, first_name, last_name, phone)
    select 'many-' || n, ${clinicId}, 'Wilhelmina', 'Featherstone', ${aPhone()} from generate_series(1, 210) n`;
  for (let path = '/patients?limit=100'; ;) {
    const { body } = await get(path, staff);
    if (body.nextCursor === null) break;
    path = `/patients?limit=100&cursor=${encodeURIComponent(body.nextCursor)}`;
  }

  await look();
  await mail();
  await look();
  await mail();

  const [alarm, ...others] = await alarmsOf();
  expect(others).toEqual([]);
  expect(alarm).toMatchObject({
    reason: 'bulk_reads',
    patient: null,
    detail: { actor: `account:${staffId}`, usual: 0 },
  });
  expect(alarm.detail.patients).toBeGreaterThanOrEqual(210);
  const { actor, day } = alarm.detail;
  const found = await get(`/audit?reads=true&actor=${actor}&from=${day}T00:00:00.000Z`);
  expect(found.body.items[0]).toMatchObject({ action: 'patient.list', actorName: alarm.detail.who });
  expect(smtp.mails.map(({ to }) => to)).toEqual([app.clinic.email]);
  expect(smtp.mails[0]?.text).toMatch(/ bulk reads: https:\/\/dashboard/);
  expect(JSON.stringify([alarm, smtp.mails])).not.toMatch(/Wilhelmina|Featherstone|many-\d/);
});

test('the front desk neither sees, counts, changes nor notes an alarm; nor does emergency access', async () => {
  const cause = `alarm-${Date.now()}`;
  await app.stores.tasks.open({ clinicId: app.clinic.clinicId, reason: 'records_exported', cause });
  const { id } = (await alarmsOf()).find(({ reason }: { reason: string }) => reason === 'records_exported');
  const line = ['clinic', 'emergency', '--clinic', app.clinic.clinicId, '--reason', 'records-are-locked'];
  const byEmergency = await app.signIn((await typed(line, app.env)).shown);

  for (const bearer of [staff, byEmergency]) {
    const ask = (method: 'GET' | 'PATCH' | 'POST', path: string, body?: unknown) =>
      app.request(method, path, { bearer, body });
    const answers = await Promise.all([
      ask('GET', `/tasks/${id}`),
      ask('PATCH', `/tasks/${id}`, { state: 'RESOLVED' }),
      ask('POST', `/tasks/${id}/notes`, { note: 'Nothing to see here' }),
      ask('POST', `/tasks/${id}/retry`),
      ask('POST', `/tasks/${id}/confirm`),
    ]);
    const many = await ask('POST', '/tasks/changes', { tasks: [{ id }], change: { state: 'RESOLVED' } });
    const [listed, counted, overview] = await Promise.all([
      ask('GET', '/tasks?reason=records_exported'),
      ask('GET', '/tasks?total=true'),
      ask('GET', '/overview'),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(many.body.items).toEqual([{ id, result: 'unknown', task: null }]);
    expect([listed.body.items, counted.body.total.count, overview.body.tasks.open]).toEqual([[], 0, 0]);
  }
  expect((await get(`/tasks/${id}`)).body).toMatchObject({ state: 'OPEN', notes: [] });
  const resolved = await app.request('PATCH', `/tasks/${id}`, { bearer: admin, body: { state: 'RESOLVED' } });
  expect([resolved.status, resolved.body.state]).toEqual([200, 'RESOLVED']);
});

test('every export of records of patients, or of what was done with them, is an alarm of whoever made it', async () => {
  await app.database.sql`
    insert into patients (id, clinic_id, first_name, last_name, phone)
    values ('exported', ${app.clinic.clinicId}, 'Wilhelmina', 'Featherstone', ${aPhone()})`;
  const exports = documentedRoutes().filter(({ path, method }) => method === 'get' && path.endsWith('/export'));
  const alarms: unknown[] = [];
  for (const { path } of exports) {
    await app.database.sql`delete from staff_tasks where reason = 'records_exported'`;
    const { status } = await get(path.replace(':patientId', 'exported'));
    await look();
    const alarm = (await alarmsOf()).find(({ reason }: { reason: string }) => reason === 'records_exported');
    alarms.push([path, status, alarm?.detail.exports]);
  }

  expect(alarms).toEqual([
    ['/integrations/opt-outs/export', 200, 1],
    ['/patients/:patientId/export', 200, 2],
    // Counts of cases by day alone.
    ['/results/export', 200, 2],
    ['/audit/export', 200, 3],
  ]);
});

test('ten refused sign-ins of an account are an alarm', async () => {
  const { email } = app.clinic.staff;
  for (let tries = 0; tries < 10; tries += 1) {
    await app.request('POST', '/auth/sign-in/email', { body: { email, password: `a wrong one ${tries}` } });
  }
  await eventually(async () => (await get('/audit?action=sign-in.refused')).body.items.length === 10);

  await look();

  expect((await alarmsOf()).map(({ reason }: { reason: string }) => reason)).toContain('refused_sign_ins');
});

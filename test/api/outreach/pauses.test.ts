import { newId } from '@clinic/shared/crypto';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { type App, startApp } from '../../support/app';
import { aPhone, aSession } from '../../support/builders';
import { typed } from '../../support/command';
import { openStream } from '../../support/event-stream';

let app: App;
let admin: string;
let staff: string;
/** The other clinic's admin. */
let stranger: string;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  [admin, staff, stranger] = await Promise.all([app.admin(), app.staff(), app.signIn(app.otherClinic)]);
});
afterAll(() => app.stop());

const pauses = async (bearer = staff) => (await app.request('GET', '/pauses', { bearer })).body;
const pause = (body: object, bearer = admin) => app.request('POST', '/pauses', { bearer, body });
const resume = (id: string, bearer = admin) => app.request('DELETE', `/pauses/${id}`, { bearer });

test('an admin pauses a workflow type and resumes it; staff see it, and the other clinic does not', async () => {
  const until = '2099-01-01T00:00:00.000Z';
  const made = await pause({ workflowType: 'care-gap-follow-up', reason: 'wrong list', until });

  expect(made).toMatchObject({
    status: 200,
    body: { workflowType: 'care-gap-follow-up', until, isForEveryClinic: false, pausedByName: 'Clinic admin' },
  });
  expect(await pauses()).toEqual({ items: [made.body], workflowTypes: workflowTypeNames });
  expect((await pauses(stranger)).items).toEqual([]);
  expect((await resume(String(made.body.id), stranger)).status).toBe(404);
  expect((await resume(String(made.body.id), staff)).status).toBe(403);

  expect((await resume(String(made.body.id))).status).toBe(204);
  expect((await resume(String(made.body.id))).status).toBe(404);
  expect((await pauses()).items).toEqual([]);
});

test('a pause whose answer was never stored is found again under its Idempotency-Key, also when it was resumed', async () => {
  const once = () =>
    app.request('POST', '/pauses', {
      bearer: admin,
      body: { reason: 'night' },
      headers: { 'idempotency-key': 'lost-pause' },
    });
  const lose = () => app.database.sql`delete from idempotency_records where key = 'lost-pause'`;
  const first = await once();

  await lose();
  expect(await once()).toMatchObject({ status: 200, body: first.body });
  expect((await pauses()).items).toEqual([first.body]);

  await resume(String(first.body.id));
  await lose();
  expect(await once()).toMatchObject({ status: 200, body: first.body });
  expect((await pauses()).items).toEqual([]);
  const { items } = await app.stores.audit.list(app.clinic.clinicId, { limit: 20 });
  expect(items.filter(({ subject }) => subject === first.body.id).map(({ action }) => action)).toEqual([
    'outreach.resume',
    'outreach.pause',
  ]);
});

test('a pause needs a reason, an end that is still to come where it has one, and an admin', async () => {
  expect((await pause({})).status).toBe(400);
  expect((await pause({ reason: 'stop', until: '2026-01-01T00:00:00.000Z' })).body).toMatchObject({
    statusCode: 400,
    details: [{ path: 'until', message: 'must be in the future' }],
  });
  expect((await pause({ reason: 'stop' }, staff)).status).toBe(403);
});

test('a pause of everything is told on the stream of every clinic, and is not theirs to resume', async () => {
  const streams = [await openStream(app.baseUrl, staff), await openStream(app.baseUrl, stranger)];

  const everything = { clinicId: null, workflowType: null, reason: 'maintenance', until: null };
  const { id } = await app.stores.pauses.pause(everything, { actor: 'operator' });

  for (const stream of streams) {
    await stream.change('outreach_pauses', id);
    stream.close();
  }
  expect((await pauses()).items).toMatchObject([
    { id, isForEveryClinic: true, pausedBy: 'operator', pausedByName: null },
  ]);
  expect((await resume(id)).status).toBe(404);
  await app.stores.pauses.resume(null, id, { actor: 'operator' });
});

describe('the queue', () => {
  test('is for staff: their lines, and who waits for one; another clinic has its own', async () => {
    const { clinicId } = app.clinic;
    const queue = async (bearer = staff) => (await app.request('GET', '/calling-queue', { bearer })).body;
    const { lines } = await queue();
    const { workflowId, recoveryCaseId } = (await app.abandon({ sessionId: aSession(), phone: aPhone() })).body;
    await app.database.sql`
      insert into line_tickets (workflow_id, clinic_id, phone, priority, due_at)
      values (${workflowId}, ${clinicId}, '+15005550001', 1, '2026-11-20T10:00:00Z')`;

    const other = (await app.abandon({ sessionId: aSession(), phone: aPhone() })).body;
    await app.database.sql`
      insert into line_tickets (workflow_id, clinic_id, phone, priority, due_at)
      values (${other.workflowId}, ${clinicId}, '+15005550002', 2, '2026-11-20T09:00:00Z')`;

    const found = await queue();

    expect(found).toMatchObject({
      lines: { total: lines.total, inUse: 0 },
      waiting: 2,
      items: [
        { workflowId, recoveryCaseId, dueAt: '2026-11-20T10:00:00.000Z', goesFirst: true, isPhoneInCall: false },
        { workflowId: other.workflowId, dueAt: '2026-11-20T09:00:00.000Z', goesFirst: false },
      ],
      nextCursor: null,
    });
    expect(Object.keys(found.items[0].patient).toSorted()).toEqual(['firstName', 'id', 'lastName']);
    expect(await queue(stranger)).toMatchObject({ waiting: 0, items: [] });
    expect((await app.request('GET', '/calling-queue', { bearer: app.clinic.apiKey })).status).toBe(401);
    const { body } = await app.request('GET', `/cases/${recoveryCaseId}`, { bearer: staff });
    expect(body.queuedAt).toBe(found.items[0].queuedAt);
  });
});

test('a command that ends pauses says which, and what still holds', async () => {
  const { clinicId } = app.clinic;
  const [forClinic, reason] = [
    ['--clinic', clinicId],
    ['--reason', 'of a test'],
  ];
  const command = async (...args: string[]) => (await typed(['pause', ...args], app.env)).shown;
  expect(await command('on', ...reason)).toMatchObject([{ clinicId: null, reason: 'of a test' }]);
  await command('on', ...forClinic, ...reason);

  const ofClinic = await command('off', ...forClinic);
  const ofAll = await command('off');

  expect(ofClinic).toMatchObject({ ended: [{ clinicId, reason: 'of a test' }], inForce: [{ clinicId: null }] });
  expect(ofAll).toMatchObject({ ended: [{ clinicId: null }], inForce: [] });
  expect(await command('off')).toEqual({ ended: [], note: 'There is no pause of every clinic.', inForce: [] });
});

test('a command without a type leaves the pause of a type in force, and says what ends it', async () => {
  const { clinicId, name } = app.clinic;
  const command = async (...args: string[]) => (await typed(['pause', ...args], app.env)).shown;
  const ofType = ['--clinic', clinicId, '--type', 'care-gap-follow-up'];
  const everything = ['--clinic', clinicId];
  const endedBy = expect.stringMatching(/^pause off --id [\w-]+$/);
  await command('on', ...ofType, '--reason', 'wrong list');
  await command('on', ...everything, '--reason', 'night');

  const first = await command('off', ...everything);
  const second = await command('off', ...everything);
  const third = await command('off', ...ofType);
  await command('on', ...ofType, '--reason', 'wrong list');
  const fourth = await command('off', ...everything, '--all');

  expect(first).toMatchObject({
    ended: [{ reason: 'night' }],
    inForce: [{ clinicName: name, reason: 'wrong list', endedBy }],
  });
  expect(second).toMatchObject({
    ended: [],
    note: `There is no pause of ${clinicId} for all its types.`,
    inForce: [{ clinicName: name, endedBy }],
  });
  expect(third).toMatchObject({ ended: [{ reason: 'wrong list' }], inForce: [] });
  expect(fourth).toMatchObject({ ended: [{ reason: 'wrong list' }], inForce: [] });
  for (const args of [['on', '--reason', 'night'], ['off'], ['off', '--all']]) {
    await expect(command(...args, '--clinic', 'nope')).rejects.toThrow('There is no clinic nope.');
  }
  await expect(command('off', '--all')).rejects.toThrow('--all needs --clinic.');
});

test('one of two pauses of a clinic ends by its id; the other, which the clinic has set, holds on', async () => {
  const { clinicId } = app.clinic;
  const command = async (...args: string[]) => (await typed(['pause', ...args], app.env)).shown;
  const { id } = (await pause({ reason: 'the line is down' })).body;
  await command('on', '--clinic', clinicId, '--reason', 'night');
  const { items } = await pauses();
  const night = items.find(({ reason }: { reason: string }) => reason === 'night').id;

  const ended = await command('off', '--id', night);
  const again = await command('off', '--id', night);

  expect(ended).toMatchObject({ ended: [{ reason: 'night' }], inForce: [{ id, endedBy: `pause off --id ${id}` }] });
  expect(again).toMatchObject({ ended: [], note: `There is no pause ${night}.` });
  await expect(command('off', '--id', id, '--clinic', clinicId)).rejects.toThrow(
    /cannot be used with.*Usage: pause off /s,
  );
  expect((await resume(id)).status).toBe(204);
});

test('staff and systems stop calls to a patient; a patient without a phone cannot be stopped', async () => {
  const patient = { firstName: 'Ann', lastName: 'Lee', phone: '+14155550188' };
  const { id } = (await app.request('POST', '/patients', { bearer: staff, body: patient })).body;
  const stop = (bearer: string, patientId = id, body = {}) =>
    app.request('POST', `/patients/${patientId}/opt-outs`, { bearer, body });

  const bySystem = await stop(app.clinic.apiKey, id, { scope: 'recovery_and_reminders' });
  const byStaff = await stop(staff);

  expect(bySystem.body).toMatchObject({ scope: 'recovery_and_reminders', addedBy: expect.stringMatching(/^api-key:/) });
  expect(byStaff.body).toMatchObject({ id: bySystem.body.id, phone: patient.phone, scope: 'all' });
  expect((await stop(stranger)).status).toBe(404);
  const nobody = newId();
  const { clinicId } = app.clinic;
  await app.database.prisma.patient.create({ data: { id: nobody, clinicId, firstName: 'A', lastName: 'B' } });
  expect((await stop(staff, nobody)).status).toBe(409);
});

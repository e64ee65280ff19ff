import { accountsOf } from '@clinic/accounts/seed';
import { readApiConfig } from '@clinic/shared/config';
import { type App, startApp } from '../../support/app';
import { eventually } from '../../support/eventually';
import { openStream } from '../../support/event-stream';
import { type FhirClinic, openSandbox } from '../../support/fhir';
import { answeredOnceWritten } from '../../support/locks';

/** Who looks at a record, or edits it, as the others of the clinic see it. */

let app: App;
let sandbox: FhirClinic;
let admin: string;
let staff: string;
const password = 'quiet orange lighthouse';

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  sandbox = await openSandbox(app);
  [admin, staff] = await Promise.all([app.admin(), app.staff()]);
});
afterAll(() => app.stop());

const look = (id: string, bearer: string, body: unknown = {}) =>
  app.request('PUT', `/records/${id}/viewers`, { bearer, body });
const leave = (id: string, bearer: string) => app.request('DELETE', `/records/${id}/viewers`, { bearer });
const others = async (id: string, bearer: string) => (await look(id, bearer)).body.items;

const ofStaff = { accountId: expect.any(String), name: 'Clinic staff', isEditing: false, isEmergency: false };

/** One more person of the clinic. */
async function aPerson(role: 'auditor' | 'staff'): Promise<{ id: string; bearer: string }> {
  const { SECRET_KEYS: secretKeys, AUTH_SECRET: authSecret } = readApiConfig(app.env);
  const accounts = accountsOf({ database: app.database, secretKeys, authSecret });
  const email = `${role}-${Date.now()}@viewers.example`;
  const { clinicId } = app.clinic;
  const { id } = await accounts.createAccount({ name: 'Ana Ruiz', email, password, clinicId, role });
  return { id, bearer: await app.signIn({ email, password }) };
}

test('each sees who else looks at a record, who edits it and who has left, and is told of it at once', async () => {
  const patientId = await sandbox.aPatient();
  expect((await look(patientId, admin)).body).toEqual({ items: [] });
  const stream = await openStream(app.baseUrl, admin);
  const told = () => stream.changes().filter(({ table }) => table === 'viewers').length;

  expect(await others(patientId, staff)).toMatchObject([{ name: 'Clinic admin' }]);
  await stream.change('viewers');
  expect(await others(patientId, admin)).toEqual([ofStaff]);

  const before = told();
  await look(patientId, staff, { isEditing: true });
  await eventually(() => told() > before);
  expect(await others(patientId, admin)).toEqual([{ ...ofStaff, isEditing: true }]);

  expect((await leave(patientId, staff)).status).toBe(204);
  expect((await leave(patientId, staff)).status).toBe(204);
  expect(await others(patientId, admin)).toEqual([]);
  stream.close();
});

test('who looks is told of the others once it is noted that they look too', async () => {
  const patientId = await sandbox.aPatient();
  await look(patientId, admin);

  const { before, answer } = await answeredOnceWritten(app.database, 'viewers', () => look(patientId, staff));

  expect([before, answer.body.items]).toMatchObject([false, [{ name: 'Clinic admin' }]]);
  expect(await others(patientId, admin)).toEqual([ofStaff]);
});

test('who is still there is no news, and who has said nothing for a minute is not there any more', async () => {
  const patientId = await sandbox.aPatient();
  const stream = await openStream(app.baseUrl, admin);
  await look(patientId, staff);
  const [own] = await app.database.sql<{ id: string }>`select id from viewers where record_id = ${patientId}`;
  // Of this look alone: the test before has left another record.
  const told = () => stream.changes().filter(({ id }) => id === own?.id).length;
  await stream.change('viewers', own?.id);
  const before = told();
  await look(patientId, staff);
  await look(patientId, staff);
  // What comes after both is heard.
  const { clinicId } = app.clinic;
  await app.database.sql`update clinics set id = id where id = ${clinicId}`;
  await stream.change('clinics', clinicId);
  expect(told()).toBe(before);
  expect(await others(patientId, admin)).toEqual([ofStaff]);

  const goBy = (seconds: number) => app.database.sql`
    update viewers set seen_at = seen_at - make_interval(secs => ${seconds}) where record_id = ${patientId}`;
  await goBy(50);
  expect(await others(patientId, admin)).toHaveLength(1);
  await goBy(11);
  expect(await others(patientId, admin)).toEqual([]);

  const gone = told();
  await look(patientId, staff);
  await eventually(() => told() > gone);
  expect(await others(patientId, admin)).toEqual([ofStaff]);
  stream.close();

  const elsewhere = await sandbox.aPatient();
  await look(elsewhere, staff);
  await goBy(61);
  await app.stores.viewers.forgetLeft();
  const rows = await app.database.sql<{ id: string }>`
    select record_id as id from viewers where record_id in (${patientId}, ${elsewhere})`;
  expect(rows).toEqual([{ id: elsewhere }]);
});

test('who leaves a record leaves that one alone, and nobody else with it', async () => {
  const [patientId, another] = [await sandbox.aPatient(), await sandbox.aPatient()];
  for (const [id, bearer] of [
    [patientId, staff],
    [another, staff],
    [patientId, admin],
  ] as const)
    await look(id, bearer);

  await leave(patientId, staff);

  const { bearer: third } = await aPerson('staff');
  expect(await others(patientId, third)).toMatchObject([{ name: 'Clinic admin' }]);
  expect(await others(another, third)).toMatchObject([{ name: 'Clinic staff' }]);
});

test('a person counts once, whatever they have open, and no longer once they have signed out', async () => {
  const patientId = await sandbox.aPatient();
  const { id, bearer } = await aPerson('staff');
  const { email } = (await app.request('GET', '/auth/session', { bearer })).body;
  const second = await app.request('POST', '/auth/sign-in/email', { body: { email, password } });
  const ana = { accountId: id, name: 'Ana Ruiz', isEditing: true, isEmergency: false };

  await look(patientId, bearer);
  const seen = await look(patientId, second.body.token, { isEditing: true });
  expect(seen.body.items).toEqual([]);
  expect(await others(patientId, staff)).toEqual([ana]);
  await app.request('POST', '/auth/sign-out', { bearer: second.body.token });
  expect(await others(patientId, staff)).toEqual([{ ...ana, isEditing: false }]);

  await app.database.sql`update users set ends_at = now() + interval '1 hour' where id = ${id}`;
  expect(await others(patientId, staff)).toEqual([{ ...ana, isEditing: false, isEmergency: true }]);
});

test('only those who may see a record may look at it; an alarm only those whose it is; no key ever', async () => {
  const { clinicId, apiKey } = app.clinic;
  const patientId = await sandbox.aPatient();
  const appointmentId = (await sandbox.aBooked()).id;
  const { recoveryCaseId } = (await app.abandon()).body;
  const task = { clinicId, reason: 'clinical_escalation', cause: 'viewers', patientId } as const;
  await app.stores.tasks.open(task);
  await app.stores.tasks.open({ ...task, reason: 'bulk_reads', cause: 'an-alarm', patientId: undefined });
  const { items } = await app.stores.tasks.list(clinicId, { limit: 10 });
  const [alarm, taskId] = ['bulk_reads', 'clinical_escalation'].map(
    (reason) => items.find((each) => each.reason === reason)!.id,
  );
  const { bearer: auditor } = await aPerson('auditor');
  const stranger = await app.signIn(app.otherClinic);
  const statuses = async (bearer: string) => {
    const asked = [patientId, appointmentId, recoveryCaseId, taskId!, alarm!].flatMap((id) => [
      look(id, bearer),
      leave(id, bearer),
    ]);
    return (await Promise.all(asked)).map(({ status }) => status);
  };

  expect(await statuses(admin)).toEqual([200, 204, 200, 204, 200, 204, 200, 204, 200, 204]);
  expect(await statuses(staff)).toEqual([200, 204, 200, 204, 200, 204, 200, 204, 404, 404]);
  expect(await statuses(auditor)).toEqual(Array(10).fill(404));
  expect(await statuses(stranger)).toEqual(Array(10).fill(404));
  expect(await statuses(apiKey)).toEqual(Array(10).fill(401));
  expect((await look('no-such-record', staff)).status).toBe(404);
  expect((await look(patientId, staff, { isEditing: 'yes' })).status).toBe(400);
});

import { demoPolicy } from '@clinic/prisma/fixtures';
import { testCallRoutes } from '@clinic/api/routes/voice/test-calls';
import { type App, startApp } from '../../support/app';
import { aPhone, aSession } from '../../support/builders';
import { eventually } from '../../support/eventually';

let app: App;

beforeAll(async () => {
  app = await startApp();
  await app.stores.clinics.setPolicy(app.clinic.clinicId, { ...demoPolicy, firstCallDelaySeconds: 3_600 });
}, 240_000);

afterAll(() => app.stop());

const open = (body: unknown, bearer: string) => app.request('POST', '/voice/test-calls', { body, bearer });
const statusOf = async (recoveryCaseId: string) =>
  (await app.stores.cases.find(app.clinic.clinicId, recoveryCaseId))?.status;

test('only an admin of a clinic opens one', async () => {
  const unlinked = await app.signIn(app.unlinkedAccount);

  const [admin, staff, nobody, withoutClinic, key] = await Promise.all([
    open({}, await app.admin()),
    open({}, await app.staff()),
    app.request('POST', '/voice/test-calls', { body: {} }),
    open({}, unlinked),
    open({}, app.clinic.apiKey),
  ]);

  expect(admin).toMatchObject({ status: 200, body: { callId: expect.any(String) } });
  expect([staff.status, nobody.status, withoutClinic.status, key.status]).toEqual([403, 401, 403, 401]);
  expect(staff.body).toEqual({ statusCode: 403, message: expect.any(String), error: 'Forbidden', code: 'forbidden' });
});

test('its case is CALLING while it is open, and PENDING again after it', async () => {
  const { body } = await app.abandon({ phone: aPhone() });
  const before = await statusOf(body.recoveryCaseId);

  const callId = await app.openTestCall({ recoveryCaseId: body.recoveryCaseId });
  const during = await statusOf(body.recoveryCaseId);
  await app.voiceEvent({ type: 'status-update', status: 'ended', call: { id: callId } });

  await eventually(async () => (await statusOf(body.recoveryCaseId)) === 'PENDING');
  expect([before, during]).toEqual(['PENDING', 'CALLING']);
  expect((await app.workflow(body.workflowId)).body).toMatchObject({ status: 'started', attempts: 0 });
});

test('two of one case: it stays CALLING until the last one is over', async () => {
  const { body } = await app.abandon({ phone: aPhone() });
  const [first, second] = await Promise.all([
    app.openTestCall({ recoveryCaseId: body.recoveryCaseId }),
    app.openTestCall({ recoveryCaseId: body.recoveryCaseId }),
  ]);
  const barrier = (callId: string) =>
    app.tool('abandonment-recovery-tools/record_abandonment_barrier', callId, { primaryBarrier: 'time' });

  await app.voiceEvent({ type: 'status-update', status: 'ended', call: { id: first } });
  await eventually(async () => (await app.stores.calls.find(app.clinic.clinicId, first))?.state === 'ENDED');

  expect(await barrier(second)).toEqual({ success: true });
  expect(await statusOf(body.recoveryCaseId)).toBe('CALLING');
});

test('can be opened for a case whose workflow has not reached Temporal yet', async () => {
  const { clinicId } = app.clinic;
  const patient = { firstName: 'Ann', lastName: 'Lee', phone: aPhone() };
  const stored = await app.stores.runs.openRecovery({ clinicId, sessionId: aSession(), patient, form: {} });

  await app.openTestCall({ recoveryCaseId: stored.caseId });

  expect(await statusOf(stored.caseId ?? '')).toBe('CALLING');
});

test('for a case that has ended is 409', async () => {
  const { body } = await app.abandon({ phone: null });
  await app.ended(body.workflowId);

  const answer = await open({ recoveryCaseId: body.recoveryCaseId }, await app.admin());

  expect(answer).toMatchObject({ status: 409, body: { statusCode: 409, error: 'Conflict' } });
});

test('is closed again where its workflow cannot be reached', async () => {
  const { body } = await app.abandon({ phone: null });
  const { clinicId } = app.clinic;
  const route = testCallRoutes.find(({ method }) => method === 'post');
  const unreachable = { ask: () => Promise.reject(new Error('unreachable')), startNow: async () => undefined };
  const asked = { caller: { clinicId }, body: { recoveryCaseId: body.recoveryCaseId }, by: { actor: 'account:ann' } };

  const opening = route?.handle(asked as never, { stores: app.stores, temporal: unreachable } as never);

  await expect(opening).rejects.toThrow('unreachable');
  const calls = await app.database.prisma.call.findMany({ where: { caseId: body.recoveryCaseId, isTest: true } });
  expect(calls).toMatchObject([{ clinicId, state: 'ENDED', endedReason: 'not-opened' }]);
});

test('is not taken over by a person', async () => {
  const bearer = await app.admin();
  const { callId } = (await open({}, bearer)).body;

  const { status, body } = await app.request('POST', `/calls/${callId}/take-over`, { bearer });

  expect([status, body.code, body.message]).toEqual([409, 'conflict', 'A test call is not taken over']);
  expect(await app.database.prisma.staffTask.count({ where: { callId } })).toBe(0);
});

test("for another clinic's case or patient is answered as unknown", async () => {
  const { body } = await app.abandon({ phone: null }, app.otherClinic);
  const patientId = await app.stores.patients.createPlaceholder(app.otherClinic.clinicId);
  const admin = await app.admin();

  const [foreignCase, foreignPatient, unknown] = await Promise.all([
    open({ recoveryCaseId: body.recoveryCaseId }, admin),
    open({ patientId }, admin),
    open({ recoveryCaseId: 'nothing' }, admin),
  ]);

  expect(foreignCase).toMatchObject({
    status: 404,
    body: { statusCode: 404, message: `Recovery case ${body.recoveryCaseId} not found`, error: 'Not Found' },
  });
  expect(foreignPatient).toMatchObject({ status: 404, body: { message: `Patient ${patientId} not found` } });
  expect(unknown.status).toBe(404);
});

test.each([
  ['an unknown field', { colour: 'red' }],
  ['an unknown workflow type', { workflowType: 'recall' }],
  ['a phone that is none', { phone: '555' }],
  ['a list', []],
  ['a text', '"x"'],
])('with %s is 400', async (_what, body) => {
  const answer = await open(body, await app.admin());

  expect([answer.status, answer.body.error]).toEqual([400, 'Bad Request']);
});

test('with a phone belongs to its patient, or to a new one that is hidden until it is registered', async () => {
  const phone = aPhone();
  const admin = await app.admin();

  const [first, second] = [await open({ phone }, admin), await open({ phone }, admin)];

  const { clinicId } = app.clinic;
  const [one, other] = await Promise.all(
    [first, second].map(({ body }) => app.stores.calls.find(clinicId, body.callId)),
  );
  expect(one?.patientId).toBe(other?.patientId);
  const patients = await app.database
    .sql`select is_placeholder as "isPlaceholder" from patients where phone = ${phone}`;
  expect(patients).toEqual([{ isPlaceholder: true }]);
});

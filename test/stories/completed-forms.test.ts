import { demoPolicy } from '@clinic/prisma/fixtures';
import { type App, startApp } from '../support/app';
import { aPhone, aSession } from '../support/builders';
import { eventually } from '../support/eventually';
import { startVoicePlatform, type VoicePlatform } from '../support/live-call';

const HOUR = 3_600;

let platform: VoicePlatform;
let app: App;

beforeAll(async () => {
  platform = await startVoicePlatform();
  app = await startApp({ env: platform.env });
  await app.database.sql`update clinics set voice_provider = 'vapi' where id = ${app.clinic.clinicId}`;
}, 240_000);

afterEach(() => app.stores.clinics.setPolicy(app.clinic.clinicId, demoPolicy));

afterAll(async () => {
  await app.stop();
  await platform.close();
});

test('a form completed before it was reported abandoned ends its case without a call', async () => {
  const [sessionId, phone] = [aSession(), aPhone()];

  const completed = await app.complete(sessionId);
  const abandoned = await app.abandon({ sessionId, phone });
  const workflow = await app.ended(abandoned.body.workflowId);

  expect(completed).toMatchObject({ status: 200, body: { accepted: true, duplicate: false } });
  expect(completed.body.workflowId).toBeUndefined();
  expect(workflow).toMatchObject({ status: 'completed', outcome: 'ALREADY_COMPLETED', attempts: 0 });
  expect(platform.ringsOf(phone)).toBe(0);
});

test('a case that opens after its form was completed says when that was', async () => {
  const sessionId = aSession();
  await app.complete(sessionId);

  const { body } = await app.abandon({ sessionId });
  await app.ended(body.workflowId);

  const bearer = await app.staff();
  const { body: opened } = await app.request('GET', `/cases/${body.recoveryCaseId}`, { bearer });
  expect(Date.parse(opened.form.completedAt)).toBeLessThanOrEqual(Date.parse(opened.createdAt));
  expect(opened).toMatchObject({ recoveryStatus: 'ALREADY_COMPLETED', nextCall: null });
});

test('a form completed before the first call ends its case without a call', async () => {
  await app.stores.clinics.setPolicy(app.clinic.clinicId, { ...demoPolicy, firstCallDelaySeconds: HOUR });
  const [sessionId, phone] = [aSession(), aPhone()];
  const { body } = await app.abandon({ sessionId, phone });

  const completed = await app.complete(sessionId);
  const workflow = await app.ended(body.workflowId);

  expect(completed.body).toEqual({
    accepted: true,
    duplicate: false,
    workflowId: body.workflowId,
    recoveryCaseId: body.recoveryCaseId,
  });
  expect(workflow).toMatchObject({ outcome: 'ALREADY_COMPLETED', attempts: 0 });
  expect(platform.ringsOf(phone)).toBe(0);
});

test('a form completed between two calls means no further call', async () => {
  await app.stores.clinics.setPolicy(app.clinic.clinicId, { ...demoPolicy, secondsBetweenAttempts: HOUR });
  const call = await platform.ring(app);
  await call.ends('customer-did-not-answer');
  await eventually(
    async () => (await app.stores.cases.find(app.clinic.clinicId, call.recoveryCaseId))?.status === 'PENDING',
  );

  await app.complete(call.sessionId);
  const workflow = await app.ended(call.workflowId);

  expect(workflow).toMatchObject({ outcome: 'ALREADY_COMPLETED', attempts: 1 });
  expect(platform.ringsOf(call.phone)).toBe(1);
});

test.each(['customer-ended-call', 'customer-did-not-answer', 'silence-timed-out'])(
  'a form completed during a call that ends without a resolution (%s) counts as recovered',
  async (endedReason) => {
    const call = await platform.ring(app);
    await call.says('in-progress');

    await app.complete(call.sessionId);
    const during = await app.workflow(call.workflowId);
    await call.ends(endedReason);
    const workflow = await app.ended(call.workflowId);

    expect(during.body.status).toBe('started');
    expect(workflow).toMatchObject({ status: 'completed', outcome: 'RECOVERED', attempts: 1 });
    expect(platform.ringsOf(call.phone)).toBe(1);
  },
);

test('what the agent resolves wins over a form completed during the same call', async () => {
  const call = await platform.ring(app);
  await call.says('in-progress');
  await app.complete(call.sessionId);

  const progress = await call.tool('check_recovery_session_status');
  const resolved = await call.tool('resolve_recovery_outcome', {
    recoveryStatus: 'PRICING_ESCALATION',
    resumeLinkSent: false,
  });
  const workflow = await app.ended(call.workflowId);

  expect(progress).toEqual({ success: true, completionPercentage: 100, formCompleted: true, checkoutCompleted: true });
  expect(resolved).toEqual({ success: true });
  expect(workflow.outcome).toBe('PRICING_ESCALATION');
});

test('a form completed after its case has ended changes nothing, however often it is reported', async () => {
  const call = await platform.ring(app);
  await call.tool('resolve_recovery_outcome', { recoveryStatus: 'PATIENT_NOT_INTERESTED', resumeLinkSent: false });

  const [first, again] = [await app.complete(call.sessionId), await app.complete(call.sessionId)];
  const repeated = await app.abandon({ sessionId: call.sessionId });

  expect([first.body.duplicate, again.body.duplicate, repeated.body.duplicate]).toEqual([false, true, true]);
  expect((await app.ended(call.workflowId)).outcome).toBe('PATIENT_NOT_INTERESTED');
});

test('a phone that cannot be read counts as none and makes a task for staff', async () => {
  const { body } = await app.abandon({ phone: 'call my sister' });

  const workflow = await app.ended(body.workflowId);

  const { items } = await app.stores.tasks.list(app.clinic.clinicId, { reason: 'unreadable_phone', limit: 10 });
  expect(workflow).toMatchObject({ outcome: 'PATIENT_NOT_REACHED', attempts: 0 });
  expect(items.map(({ caseId }) => caseId)).toEqual([body.recoveryCaseId]);
});

test('without a phone no call is placed, and staff have nothing to do about it', async () => {
  const { body } = await app.abandon({ phone: null });

  const workflow = await app.ended(body.workflowId);

  const { items } = await app.stores.tasks.list(app.clinic.clinicId, { limit: 100 });
  expect(workflow).toMatchObject({ outcome: 'PATIENT_NOT_REACHED', attempts: 0 });
  expect(items.filter(({ caseId }) => caseId === body.recoveryCaseId)).toEqual([]);
});

test('a national number is read with the country of the clinic', async () => {
  const { body } = await app.abandon({ phone: '(415) 555-2671' });

  const bearer = await app.admin();
  const { body: found } = await app.request('GET', `/cases/${body.recoveryCaseId}`, { bearer });

  expect(body.accepted).toBe(true);
  expect(found.patient.phone).toBe('+14155552671');
});

test('a national number is read anew from when the country is set, and one that is none there is a task', async () => {
  const bearer = await app.admin();
  const country = async (to: string) =>
    (await app.request('PUT', '/integrations/country', { bearer, body: { country: to } })).body;
  const phone = '020 7946 0321';
  const inTheStates = (await app.abandon({ phone })).body;

  const set = await country('GB');
  const inBritain = (await app.abandon({ phone })).body;
  const refused = await country('UK');
  await country('US');

  const { items } = await app.stores.tasks.list(app.clinic.clinicId, { limit: 100 });
  const { body: found } = await app.request('GET', `/cases/${inBritain.recoveryCaseId}`, { bearer });
  expect(items.find(({ caseId }) => caseId === inTheStates.recoveryCaseId)).toMatchObject({
    reason: 'unreadable_phone',
  });
  expect(set).toEqual({ country: 'GB' });
  expect(found.patient.phone).toBe('+442079460321');
  expect(refused).toMatchObject({ statusCode: 400, details: [{ path: 'country' }] });
});

test('a number on the opt-out list is never called', async () => {
  const { clinicId } = app.clinic;
  const phone = aPhone();
  await app.database.prisma.optOut.create({ data: { id: `opt-out-${phone}`, clinicId, phone } });

  const { body } = await app.abandon({ phone });
  const workflow = await app.ended(body.workflowId);

  expect(workflow).toMatchObject({ outcome: 'PATIENT_NOT_INTERESTED', attempts: 0 });
  expect(platform.ringsOf(phone)).toBe(0);
});

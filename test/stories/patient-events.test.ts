import { randomUUID } from 'node:crypto';
import type { DevClinic } from '@clinic/accounts/seed';
import type { ClinicAction, PermittedAction } from '@clinic/shared/contracts/events/approved-api';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { type App, startApp } from '../support/app';
import { aPhone, aSession, phones } from '../support/builders';
import { eventually } from '../support/eventually';
import { type HttpReceiver, type ReceivedRequest, startHttpReceiver } from '../support/outside/http-receiver';
import { anAppointment, aPatientEvent, type PatientEventPath } from '../support/patient-events';

const paths: PatientEventPath[] = [
  ...(['appointment-created', 'appointment-approaching', 'payment-failed'] as const),
  ...(['prescription-status-changed', 'patient-follow-up-required'] as const),
];

let app: App;

beforeAll(async () => {
  app = await startApp();
  await app.request('PUT', '/abandonment-recovery/sandbox-emr/config', {
    body: { enabled: true },
    bearer: await app.admin(),
  });
}, 240_000);

afterAll(() => app.stop());

const patients = (where: Record<string, unknown>) => app.database.prisma.patient.findMany({ where });
const tasksOf = async (workflowId: string) =>
  (await app.database.prisma.staffTask.findMany({ where: { workflowId } })).map(({ reason }) => reason);
const start = (workflowType: WorkflowType, phone: string, { clinic = app.clinic, sessionId = aSession() } = {}) =>
  app.start(
    {
      workflowType,
      clinicId: clinic.clinicId,
      context: { sessionId },
      patient: { firstName: 'Ann', lastName: 'Lee', phone },
    },
    clinic,
  );

async function aClinicWith(policy: Record<string, unknown>): Promise<DevClinic> {
  const clinic = await app.addClinic();
  const { clinicId } = clinic;
  await app.stores.clinics.setPolicy(clinicId, { ...(await app.stores.clinics.policy(clinicId)), ...policy });
  return clinic;
}

/** A patient of the first clinic with a booked appointment. */
async function aBookedPatient(phone = aPhone()) {
  const bearer = app.clinic.apiKey;
  const person = { firstName: 'Ann', lastName: 'Lee', phone };
  const { body: patient } = await app.request('POST', '/patients', { bearer, body: person });
  const { body } = await app.request('GET', '/availability?limit=200', { bearer });
  const { providerName, startsAt } = body.slots.at(-1);
  const { body: appointment } = await app.request('POST', '/appointments', {
    bearer,
    body: { patientId: patient.id, providerName, startsAt },
  });
  return {
    phone,
    patientId: patient.id as string,
    appointmentId: appointment.id as string,
    startsAt: startsAt as string,
  };
}

describe('an event', () => {
  test.each(paths)('%s is refused when it contradicts its URL or lacks what it must have', async (path) => {
    const event = aPatientEvent(path);
    const { event_id: _id, ...unnamed } = event.data;
    const { patient: _patient, ...unpatient } = event.data;
    const { event: _event, ...anonymous } = event;
    const { tenant_id: _tenant, ...homeless } = event;
    const [subject] = Object.keys(unnamed).filter((name) => name !== 'patient');

    for (const body of [
      { ...event, event: 'forms.abandoned' },
      { ...event, data: unnamed },
      { ...event, data: unpatient },
      { ...event, data: { ...event.data, [subject!]: undefined } },
      { ...event, data: { ...event.data, [subject!]: {} } },
      { ...event, data: { ...event.data, event_id: ' ' } },
      anonymous,
      homeless,
      {},
    ]) {
      expect(await app.inbound(path, body)).toMatchObject({ status: 400, body: { statusCode: 400 } });
    }
    const secret = app.clinic.inboundSecrets['forms-abandoned'];
    const wrong = await app.request('POST', `/automation/webhook/${app.clinic.clinicId}/${path}`, {
      body: {},
      headers: { 'x-automation-secret': secret },
    });
    expect(wrong.status).toBe(401);
  });

  test('sent fifty times at once is one workflow, one patient and one call', async () => {
    const phone = aPhone();
    const event = aPatientEvent('payment-failed', { phone });

    const answers = await Promise.all(Array.from({ length: 50 }, () => app.inbound('payment-failed', event)));

    expect(answers.filter(({ body }) => body.duplicate === false)).toHaveLength(1);
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.workflowId}`)).size).toBe(1);
    await app.ended(answers[0]!.body.workflowId);
    expect(await patients({ phone })).toHaveLength(1);
    expect(await app.callsOf(answers[0]!.body.workflowId)).toHaveLength(1);
  });

  test('and a REST start of the same key meet in one workflow', async () => {
    const event = aPatientEvent('payment-failed');
    const { event_id: sessionId, patient } = event.data;

    const started = await start('payment-recovery', patient.phi_phone, { sessionId });
    const told = await app.inbound('payment-failed', event);
    const again = await app.inbound('payment-failed', event);

    expect(told.body).toEqual({ accepted: true, duplicate: false, workflowId: started.body.workflowId });
    expect(again.body).toEqual({ accepted: true, duplicate: true, workflowId: started.body.workflowId });
  });

  test('that comes again for another reason stays with the workflow it began', async () => {
    const eventId = `event-${randomUUID()}`;
    const because = (reason: string) =>
      aPatientEvent('patient-follow-up-required', { eventId, data: { follow_up: { reason } } });

    const first = await app.inbound('patient-follow-up-required', because('cancellation'));
    const again = await app.inbound('patient-follow-up-required', because('care_gap'));

    expect(again.body).toEqual({ ...first.body, duplicate: true });
    expect(first.body.workflowId).toMatch(/^cancellation-follow-up-/);
  });

  test('with a phone that cannot be read leaves a task and calls nobody', async () => {
    const { body } = await app.inbound('payment-failed', aPatientEvent('payment-failed', { phone: 'call my son' }));

    expect(await app.ended(body.workflowId)).toMatchObject({ outcome: 'PATIENT_NOT_REACHED', attempts: 0 });
    expect(await tasksOf(body.workflowId)).toEqual(['unreadable_phone']);
  });

  test("is read with the clinic's country", async () => {
    const { body } = await app.inbound('payment-failed', aPatientEvent('payment-failed', { phone: '(415) 555-9999' }));

    await app.ended(body.workflowId);
    expect(await app.callsOf(body.workflowId)).toMatchObject([{ phone: '+14155559999' }]);
  });
});

describe('events of one appointment, prescription or payment', () => {
  const kinds = ['appointment-created', 'prescription-status-changed', 'payment-failed'] as const;
  const appointment = anAppointment();
  const tell = async (path: (typeof kinds)[number], about: { phone: string; sentAt: string }) => {
    const data = path === 'appointment-created' ? { appointment } : {};
    const event = { ...aPatientEvent(path, { phone: about.phone, data }), sent_at: about.sentAt };
    return (await app.inbound(path, event, clinic)).body.workflowId as string;
  };
  const [earlier, later] = ['2026-11-20T10:00:00.000Z', '2026-11-20T11:00:00.000Z'];
  let clinic: typeof app.clinic;
  beforeAll(async () => {
    clinic = await aClinicWith({ firstCallDelaySeconds: 3_600 });
  });

  test.each(kinds)('%s: the later one ends the run of the earlier one without a call', async (path) => {
    const phone = aPhone();
    const first = await tell(path, { phone, sentAt: earlier });
    const second = await tell(path, { phone, sentAt: later });

    expect(await app.ended(first, clinic)).toMatchObject({ outcome: 'PATIENT_NOT_REACHED', attempts: 0 });
    expect((await app.workflow(second, { clinic })).body.status).toBe('started');
    expect(await tasksOf(first)).toEqual([]);
  });

  test.each(kinds)('%s: an earlier one that comes late calls nobody', async (path) => {
    const phone = aPhone();
    const first = await tell(path, { phone, sentAt: later });
    const late = await tell(path, { phone, sentAt: earlier });

    expect(await app.ended(late, clinic)).toMatchObject({ outcome: 'PATIENT_NOT_REACHED', attempts: 0 });
    expect((await app.workflow(first, { clinic })).body.status).toBe('started');
  });
});

describe('the patient of an event', () => {
  const workflowOf = async (about: Parameters<typeof aPatientEvent>[1], clinic = app.clinic) => {
    const { body } = await app.inbound('payment-failed', aPatientEvent('payment-failed', about), clinic);
    return app.database.prisma.workflowRun.findUniqueOrThrow({ where: { id: body.workflowId } });
  };

  test('is the one that the event names, whatever else it says', async () => {
    const { patientId } = await aBookedPatient();

    expect((await workflowOf({ patientId, firstName: 'Somebody', lastName: 'Else' })).patientId).toBe(patientId);
  });

  test("is never another clinic's", async () => {
    const { patientId } = await aBookedPatient();

    expect((await workflowOf({ patientId }, app.otherClinic)).patientId).not.toBe(patientId);
  });

  test("is known again by the platform's own id, and by phone and name", async () => {
    const [patientId, phone] = [`their-${randomUUID()}`, aPhone()];

    const first = await workflowOf({ patientId, phone });
    const byId = await workflowOf({ patientId, phone: aPhone(), firstName: 'Anne' });
    const byName = await workflowOf({ phone, firstName: 'ANN' });
    const other = await workflowOf({ phone, firstName: 'Ben' });

    expect([byId.patientId, byName.patientId]).toEqual([first.patientId, first.patientId]);
    expect(other.patientId).not.toBe(first.patientId);
  });
});

describe('an appointment', () => {
  const approaching = (about: { phone: string; appointmentId: string; startsAt: string }) =>
    aPatientEvent('appointment-approaching', {
      phone: about.phone,
      data: { appointment: anAppointment({ appointment_id: about.appointmentId, starts_at: about.startsAt }) },
    });

  test('that was cancelled meanwhile is not called about', async () => {
    const booked = await aBookedPatient();
    await app.request('POST', `/appointments/${booked.appointmentId}/cancel`, { bearer: app.clinic.apiKey });

    const { body } = await app.inbound('appointment-approaching', approaching(booked));

    expect(await app.ended(body.workflowId)).toMatchObject({ outcome: 'CANCELLED', attempts: 0 });
  });

  test('that has begun, as far as anybody knows, is not called about', async () => {
    const past = { phone: aPhone(), appointmentId: 'theirs', startsAt: '2026-01-05T10:00:00Z' };

    const { body } = await app.inbound('appointment-approaching', approaching(past));

    expect(await app.ended(body.workflowId)).toMatchObject({ outcome: 'PATIENT_NOT_REACHED', attempts: 0 });
  });

  test('that was moved is called about although its event names a time that has passed', async () => {
    const booked = await aBookedPatient();

    const event = approaching({ ...booked, startsAt: '2026-01-05T10:00:00Z' });
    const { body } = await app.inbound('appointment-approaching', event);

    expect(await app.ended(body.workflowId)).toMatchObject({ outcome: 'CONFIRMED', attempts: 1 });
  });

  test('is really moved by the patient who is followed up', async () => {
    const { phone, appointmentId, startsAt } = await aBookedPatient();

    const { body } = await start('reschedule-follow-up', phone);

    expect(await app.ended(body.workflowId)).toMatchObject({ outcome: 'REBOOKED' });
    const { body: moved } = await app.request('GET', `/appointments/${appointmentId}`, { bearer: app.clinic.apiKey });
    expect(moved.status).toBe('booked');
    expect(moved.startsAt).not.toBe(startsAt);
    expect(await tasksOf(body.workflowId)).toEqual([]);
  });

  test('that only the patient speaks of is checked by staff', async () => {
    const { body } = await start('reschedule-follow-up', aPhone());

    expect(await app.ended(body.workflowId)).toMatchObject({ outcome: 'REBOOKED' });
    expect(await tasksOf(body.workflowId)).toEqual(['booking_to_check']);
  });
});

describe('staff and patients', () => {
  test('a workflow that waits is cancelled over REST', async () => {
    const clinic = await aClinicWith({ firstCallDelaySeconds: 3_600 });
    const { body } = await start('payment-recovery', aPhone(), { clinic });
    const { workflowId } = body;

    const cancelled = await app.request('POST', `/workflows/${workflowId}/cancel`, { bearer: clinic.apiKey });
    const again = await app.request('POST', `/workflows/${workflowId}/cancel`, { bearer: clinic.apiKey });

    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled', outcome: 'FOLLOW_UP_REQUIRED' } });
    expect(again.status).toBe(409);
    expect(await tasksOf(workflowId)).toEqual(['follow_up_required']);
  });

  test('one patient is called once a day, whatever it is about', async () => {
    const clinic = await aClinicWith({ callsPerPatientPerDay: 1 });
    const phone = aPhone();
    const abouts = ['payment-recovery', 'prescription-follow-up', 'care-gap-follow-up'] as const;

    const started = await Promise.all(abouts.map((type) => start(type, phone, { clinic })));

    const calls = () => app.database.prisma.call.findMany({ where: { phone } });
    await eventually(async () => (await calls()).some(({ state }) => state === 'ENDED'));
    const ended = await eventually(async () => {
      const { items } = (await app.request('GET', '/workflows?status=completed', { bearer: clinic.apiKey })).body;
      return items.length > 0 && items;
    });
    expect(started.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(ended).toHaveLength(1);
    // Anyone who lost the race has looked again, and waits for tomorrow.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await calls()).toHaveLength(1);
  });

  test('what was not asked for is not sent', async () => {
    const events = () =>
      app.database.prisma.delivery.findMany({
        where: { clinicId: app.clinic.clinicId, event: { event: 'workflow.completed' } },
      });
    await app.sendEventsTo('http://127.0.0.1:9/events');

    const { body } = await start('payment-recovery', aPhone());
    await app.ended(body.workflowId);

    expect(await app.database.prisma.outboundEvent.count({ where: { subject: body.workflowId } })).toBe(1);
    expect(await events()).toEqual([]);
  });
});

describe("the clinic's own API", () => {
  const requests: ReceivedRequest[] = [];
  let theirs: HttpReceiver;
  let isCompleted = false;
  let status = 200;

  beforeAll(async () => {
    theirs = await startHttpReceiver((request, response) => {
      requests.push(request);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ completionPercentage: 80, formCompleted: isCompleted, checkoutCompleted: isCompleted }),
      );
    });
  });
  afterAll(() => theirs.close());

  const aClinicThatPermits = async (actions: Partial<Record<ClinicAction, PermittedAction>>) => {
    const clinic = await app.addClinic();
    await app.stores.settings.setApprovedApi(clinic.clinicId, {
      baseUrl: theirs.url,
      auth: { method: 'bearer', token: 'their-token' },
      actions,
    });
    return clinic;
  };
  const heard = (path: string) => requests.filter((request) => request.path === path);

  test('is asked before a call whether the form is done meanwhile', async () => {
    const clinic = await aClinicThatPermits({ 'form.progress': { method: 'GET', path: '/forms/{sessionId}' } });
    const [open, done] = [aSession(), aSession()];

    isCompleted = false;
    const first = await app.abandon({ sessionId: open, phone: aPhone() }, clinic);
    expect(await app.ended(first.body.workflowId, clinic)).toMatchObject({ outcome: 'RECOVERED', attempts: 1 });
    isCompleted = true;
    const second = await app.abandon({ sessionId: done, phone: aPhone() }, clinic);
    expect(await app.ended(second.body.workflowId, clinic)).toMatchObject({
      outcome: 'ALREADY_COMPLETED',
      attempts: 0,
    });

    expect(heard(`/forms/${open}`)[0]?.headers.authorization).toBe('Bearer their-token');
    expect(heard(`/forms/${done}`)).toHaveLength(1);
  });

  test('that does not answer holds no call back', async () => {
    const clinic = await aClinicThatPermits({ 'form.progress': { method: 'GET', path: '/broken/{sessionId}' } });
    status = 500;

    const { body } = await app.abandon({ phone: aPhone() }, clinic);

    expect(await app.ended(body.workflowId, clinic)).toMatchObject({ outcome: 'RECOVERED', attempts: 1 });
    status = 200;
  });

  test('hears of a registration once, and of nothing it has not approved', async () => {
    const clinic = await aClinicThatPermits({ 'patient.upsert': { method: 'PUT', path: '/patients/{patientId}' } });
    const before = requests.length;

    const { body } = await start('new-patient-journey', aPhone(), { clinic });
    expect(await app.ended(body.workflowId, clinic)).toMatchObject({ outcome: 'REGISTERED' });

    const told = await eventually(() => requests.slice(before).at(-1));
    const run = await app.database.prisma.workflowRun.findUniqueOrThrow({ where: { id: body.workflowId } });
    expect(told).toMatchObject({ method: 'PUT', path: `/patients/${run.patientId}` });
    expect(JSON.parse(told.body)).toMatchObject({
      patientId: run.patientId,
      firstName: 'Ann',
      email: expect.anything(),
    });
    expect(requests.length - before).toBe(1);
    // Written once the clinic's system has answered.
    const where = { clinicId: clinic.clinicId, action: 'outbound.patient.upsert' };
    const entries = await eventually(async () => (await app.database.prisma.auditEntry.count({ where })) || null);
    expect(entries).toBe(1);
  });

  test('that refuses leaves a task', async () => {
    const clinic = await aClinicThatPermits({ 'patient.upsert': { method: 'PUT', path: '/refused/{patientId}' } });
    status = 422;

    const { body } = await start('new-patient-journey', aPhone(), { clinic });

    await app.ended(body.workflowId, clinic);
    await eventually(async () => (await tasksOf(body.workflowId)).includes('clinic_system_not_told'));
    status = 200;
  });
});

test('a patient who never answers leaves other workflows alone', async () => {
  const clinic = await aClinicWith({ secondsBetweenAttempts: 3_600 });
  const first = await start('payment-recovery', phones.neverAnswers, { clinic });
  await eventually(async () => (await app.callsOf(first.body.workflowId)).some(({ state }) => state === 'ENDED'));

  const { body } = await start('payment-recovery', aPhone(), { clinic });

  expect(await app.ended(body.workflowId, clinic)).toMatchObject({ outcome: 'SELF_PAY' });
  expect((await app.workflow(first.body.workflowId, { clinic })).body).toMatchObject({
    status: 'started',
    attempts: 1,
  });
});

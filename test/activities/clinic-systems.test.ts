import { createClinicSystemActivities } from '@clinic/activities/clinic-systems';
import type { ApprovedApi } from '@clinic/shared/contracts/events/approved-api';
import { createClinicHttp } from '@clinic/gateways/http/clinic-http';
import { createClinicSystems } from '@clinic/gateways/clinic-systems';
import { createSafeHttp, type SafeHttp } from '@clinic/gateways/http/safe-http';
import { type HttpReceiver, json, startHttpReceiver } from '../support/outside/http-receiver';
import { type FhirServer, outcome, startFhirServer } from '../support/outside/fhir-server';
import { inActivity } from '../support/activity';
import { answeredOncePatientIsWritten } from '../support/locks';
import { openRecords, type OpenedRun, type Records } from '../support/records';

let records: Records;
let http: SafeHttp;
let clinic: HttpReceiver;
let run: OpenedRun;
let callId: string;
beforeAll(async () => {
  [records, http] = [await openRecords(), createSafeHttp({ allowPrivateTargets: true })];
});
beforeEach(async () => {
  clinic = await startHttpReceiver(json(200, {}));
  await permit({
    'patient.upsert': { method: 'POST', path: '/patients/{patientId}' },
    'appointment.book': { method: 'POST', path: '/appointments/{appointmentId}' },
    'appointment.cancel': { method: 'POST', path: '/appointments/{appointmentId}/cancel' },
    'form.progress': { method: 'GET', path: '/forms/{sessionId}' },
  });
  run = await records.aRun();
  callId = (await records.aPlacedCall(run)).callId;
});
afterEach(() => clinic.close());
afterAll(() => Promise.all([records.close(), http.close()]));

const permit = (actions: ApprovedApi['actions']) =>
  records.stores.settings.setApprovedApi(records.clinicId, {
    baseUrl: clinic.url,
    auth: { method: 'bearer', token: 'a-token-of-the-clinic' },
    actions,
  });

const activities = () => {
  const clinicHttp = createClinicHttp({ http, audit: () => undefined, adjustWait: () => 0 });
  const systems = createClinicSystems({
    http: clinicHttp,
    settings: records.stores.settings,
    clientKeys: records.stores.clientKeys,
    ehrTimes: records.stores.ehrTimes,
    publicUrl: 'https://us.example',
  });
  return createClinicSystemActivities({ stores: records.stores, systems });
};
type Told = Parameters<ReturnType<typeof activities>['tellClinicSystem']>[0];
const tell = (about: Partial<Told> = {}) => {
  const { clinicId, workflowId } = run;
  const told: Told = { clinicId, workflowId, callId, action: 'patient.upsert', ...about };
  return inActivity(() => activities().tellClinicSystem(told));
};
const keys = () => clinic.received.map(({ headers }) => headers['idempotency-key']);

async function anAppointment(startsAt: string): Promise<string> {
  const booking = await records.stores.appointments.book({
    clinicId: run.clinicId,
    patientId: run.patientId,
    provider: 'Dr.Vega',
    visitType: 'Follow-up consultation',
    startsAt,
    now: new Date('2035-01-01T00:00:00Z'),
  });
  if (booking.kind !== 'booked') throw new Error(booking.kind);
  return booking.appointment.id;
}

describe('telling the clinic', () => {
  test('settles what the run had to tell; what the clinic does not take is still to be told', async () => {
    const { clinicId, workflowId } = run;
    const owed = () => records.database.prisma.clinicNotice.count({ where: { workflowId } });
    await records.stores.runs.end({
      clinicId,
      workflowId,
      status: 'completed',
      outcome: 'DECLINED',
      taskReason: null,
      resolution: null,
      notices: [{ clinicId, workflowId, callId, action: 'patient.upsert' }],
    });

    clinic.answer(json(503, {}));
    await expect(tell()).rejects.toMatchObject({ type: 'unavailable' });
    const before = await owed();
    clinic.answer(json(200, {}));
    await tell();

    expect([before, await owed()]).toEqual([1, 0]);
  });

  test('again sends the same key, so that the clinic can tell', async () => {
    await tell();
    await tell();

    expect(clinic.received).toHaveLength(2);
    expect(new Set(keys()).size).toBe(1);
    expect(keys()[0]).toContain(callId);
  });

  test('is tried again later while its API is down', async () => {
    clinic.answer(json(503, {}));

    await expect(tell()).rejects.toMatchObject({ type: 'unavailable', nonRetryable: false });
  });

  test('is tried again later when it is asked to slow down', async () => {
    clinic.answer(json(429, {}));

    await expect(tell()).rejects.toMatchObject({ type: 'unavailable', nonRetryable: false });
  });

  test('is not tried again when its API refuses, and what it said is kept out of the failure', async () => {
    clinic.answer(json(422, { error: 'Ann Lee is unknown' }));

    const failure = await tell().catch((error: unknown) => error);

    expect(failure).toMatchObject({ type: 'refused', nonRetryable: true });
    expect((failure as Error).message).not.toContain('Ann');
  });

  test('is not told when its API says 200 and means a failure', async () => {
    const issue = [{ severity: 'error', code: 'not-found' }];
    clinic.answer(json(200, { resourceType: 'OperationOutcome', issue }));

    await expect(tell()).rejects.toMatchObject({
      type: 'refused',
      message: expect.stringContaining('an OperationOutcome of not-found'),
    });
  });

  test('is not tried again when its path cannot be filled in', async () => {
    await permit({ 'patient.upsert': { method: 'POST', path: '/patients/{unknownName}' } });

    await expect(tell()).rejects.toMatchObject({ type: 'unusable', nonRetryable: true });
    expect(clinic.received).toEqual([]);
  });

  test('sends nothing that is not permitted, nor where no API is set', async () => {
    await permit({});
    await tell();
    await records.stores.settings.removeApprovedApi(records.clinicId);

    expect(await tell()).toEqual({ told: 0 });
    expect(clinic.received).toEqual([]);
  });

  test('of an appointment tells how it stands now', async () => {
    const appointmentId = await anAppointment('2035-03-05T10:00:00.000Z');
    await tell({ action: 'appointment.cancel', appointmentId });
    const whileBooked = clinic.received.length;
    await tell({ action: 'appointment.book', appointmentId });
    await records.stores.appointments.cancel({ clinicId: run.clinicId, appointmentId });
    await tell({ action: 'appointment.book', appointmentId });
    await tell({ action: 'appointment.cancel', appointmentId });

    expect(whileBooked).toBe(0);
    expect(clinic.received.map(({ path }) => path)).toEqual([
      `/appointments/${appointmentId}`,
      `/appointments/${appointmentId}/cancel`,
    ]);
  });

  test('of an appointment that was moved is something new', async () => {
    const appointmentId = await anAppointment('2035-03-06T10:00:00.000Z');
    await tell({ action: 'appointment.book', appointmentId });
    await records.stores.appointments.reschedule({
      clinicId: run.clinicId,
      appointmentId,
      startsAt: '2035-03-07T10:00:00.000Z',
      now: new Date('2035-01-01T00:00:00Z'),
    });
    await tell({ action: 'appointment.book', appointmentId });

    expect(new Set(keys()).size).toBe(2);
  });

  test.each<[string, object]>([
    ['externalId', { externalId: 'mrn-1' }],
    ['externalPatientId', { externalPatientId: 'mrn-1' }],
  ])('is done once the id that its API knows the patient by is kept: %s', async (_what, said) => {
    const { clinicId, patientId } = run;
    clinic.answer(json(200, said));

    const { before, answer } = await answeredOncePatientIsWritten(records.database, patientId, tell);

    expect([before, answer]).toEqual([false, { told: 1 }]);
    expect(await records.database.prisma.patient.findUnique({ where: { id: patientId } })).toMatchObject({
      clinicId,
      externalId: 'mrn-1',
    });
  });

  test("of another clinic's call fails for good", async () => {
    const elsewhere = await records.aRun({ clinicId: records.otherClinicId });
    const foreign = await records.aReservedCall(elsewhere);

    await expect(tell({ callId: foreign })).rejects.toMatchObject({ type: 'not_found', nonRetryable: true });
  });
});

describe('telling a FHIR server', () => {
  let ehr: FhirServer;
  beforeEach(async () => {
    ehr = await startFhirServer();
    ehr.add({ resourceType: 'Practitioner', id: '7' });
    await records.stores.settings.setApprovedApi(records.clinicId, {
      kind: 'fhir-r4',
      baseUrl: ehr.url,
      auth: { method: 'none' },
      fhir: {
        isOn: true,
        permitted: ['patient.upsert', 'appointment.book', 'appointment.cancel'],
        providers: [{ name: 'Dr.Vega', reference: 'Practitioner/7' }],
      },
      capabilities: { canBook: false, canHold: false, hasSlots: false, findsAppointments: true },
    });
  });
  afterEach(() => ehr.close());

  test('keeps the ids that come back, and uses them', async () => {
    const appointmentId = await anAppointment('2035-03-12T10:00:00.000Z');
    await tell({ action: 'appointment.book', appointmentId });
    await tell({ action: 'appointment.book', appointmentId });
    await records.stores.appointments.cancel({ clinicId: run.clinicId, appointmentId });
    await tell({ action: 'appointment.cancel', appointmentId });

    const [patient, appointment] = [ehr.all('Patient'), ehr.all('Appointment')];
    expect([patient.length, appointment.length, appointment[0]?.['status']]).toEqual([1, 1, 'cancelled']);
    expect(await records.stores.callSubjects.patient(run.clinicId, callId)).toMatchObject({
      externalId: patient[0]!.id,
    });
    expect(await records.stores.callSubjects.appointment(run.clinicId, appointmentId)).toMatchObject({
      externalId: appointment[0]!.id,
    });
    expect(ehr.asked().filter((request) => request === 'POST Patient')).toHaveLength(1);
  });

  test('of somebody whom it cannot tell apart is left to staff, in words of our own', async () => {
    ehr.instead = () => outcome(422, 'invariant', 'Ann Lee is unknown');

    await expect(tell()).rejects.toMatchObject({
      type: 'refused',
      message: expect.stringMatching(
        /^patient\.upsert: the clinic's API answered http 422 .* invariant: a rule of its profile/,
      ),
    });
  });
});

describe('asking how far a form has come', () => {
  const ask = async (about: { abandonedAtCheckout?: boolean } = {}) => {
    const { clinicId, caseId } = await records.aCase();
    const id = caseId ?? '';
    await records.database.prisma.recoveryCase.update({ where: { id }, data: about });
    return inActivity(() => activities().checkFormProgress({ clinicId, caseId: id }));
  };

  test.each([
    [{ formCompleted: true, checkoutCompleted: false }, {}, true],
    [{ formCompleted: false, checkoutCompleted: true }, {}, true],
    [{ formCompleted: false, checkoutCompleted: false }, {}, false],
    // The form of a patient who left at the checkout was done before.
    [{ formCompleted: true, checkoutCompleted: false }, { abandonedAtCheckout: true }, false],
    [{ formCompleted: true, checkoutCompleted: true }, { abandonedAtCheckout: true }, true],
  ])('of %j, %j: completed is %s', async (progress, about, isCompleted) => {
    clinic.answer(json(200, progress));

    expect(await ask(about)).toEqual({ isCompleted });
  });

  test('is not asked of what is no case of the clinic, nor where nothing is approved', async () => {
    clinic.answer(json(200, { formCompleted: true, checkoutCompleted: true }));
    const { caseId } = await records.aCase({ clinicId: records.otherClinicId });
    const of = (clinicId: string) =>
      inActivity(() => activities().checkFormProgress({ clinicId, caseId: caseId ?? '' }));

    const answers = [await of(records.clinicId), await of(records.otherClinicId)];

    expect([answers, clinic.received]).toEqual([[{ isCompleted: false }, { isCompleted: false }], []]);
  });

  test.each([
    ['is down', json(503, {})],
    ['refuses', json(404, { formCompleted: true })],
    ['says something else', json(200, { formCompleted: 'yes' })],
  ])('holds no call back when the API %s', async (_how, answer) => {
    clinic.answer(answer);

    expect(await ask()).toEqual({ isCompleted: false });
  });

  test('asks nobody where the clinic has not permitted it', async () => {
    await permit({ 'patient.upsert': { method: 'POST', path: '/patients' } });

    expect(await ask()).toEqual({ isCompleted: false });
    expect(clinic.received).toEqual([]);
  });
});

import { type App, startApp } from '../../support/app';
import { at, BIRTH_DATE, type LiveClinic, openLiveClinic } from '../../support/live-ehr';

/** How often a caller waits for the EHR, one answer after the other. `EHR_TIMES=1` prints how long it takes at slow gateways. */

let app: App;
let clinic: LiveClinic;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
}, 240_000);
beforeEach(async () => {
  clinic = await openLiveClinic(app);
  clinic.ehr.keepsSlots = false;
});
afterEach(() => clinic.close());
afterAll(() => app.stop());

const booking = { providerName: 'Dr.Vega', visitType: 'Visit', scheduledAt: at('15:00') };

/** Ann has said her date of birth, and has a visit at 11:00. */
async function aVerifiedCall(workflowType: 'reschedule-follow-up' | 'new-patient-journey' = 'reschedule-follow-up') {
  const patientId = await clinic.aPatient({ birthDate: BIRTH_DATE });
  clinic.appointmentThere(clinic.annThere().id, '11:00');
  clinic.slots('15:00');
  const call = await clinic.aCall({ workflowType, patientId });
  const verified =
    workflowType === 'reschedule-follow-up'
      ? await call.ask('verify_patient', { dateOfBirth: BIRTH_DATE })
      : await call.ask('patient-journey/resolve_patient_identity', { statedName: 'A', statedDateOfBirth: BIRTH_DATE });
  expect(verified.success ?? verified.verified).toBe(true);
  clinic.ehr.inSequence = 0;
  clinic.ehr.receiver.received.length = 0;
  return call;
}

test.each([
  [{}, {}],
  [{ rescheduling: 'update' as const }, { marksSlots: true }],
])('a move waits for four answers at most, one after the other (%j, %j)', async (fhir, declared) => {
  await clinic.change(fhir, declared);
  const call = await aVerifiedCall();
  clinic.ehr.delayMs = 40;

  expect(await call.ask('reschedule_appointment', { newDateTime: at('15:00') })).toMatchObject({ success: true });

  expect(clinic.ehr.inSequence).toBeLessThanOrEqual(4);
});

test('so does a booking; a cancellation and a look-up wait for less', async () => {
  const [call, first] = [await aVerifiedCall(), await aVerifiedCall('new-patient-journey')];
  clinic.ehr.delayMs = 40;
  const waits: Record<string, number> = {};
  const wait = async (name: string, work: () => Promise<unknown>) => {
    clinic.ehr.inSequence = 0;
    await work();
    waits[name] = clinic.ehr.inSequence;
  };

  // The second Ann there would be somebody else.
  clinic.ehr.records.delete(`Patient/${clinic.ehr.all('Patient')[1]!.id}`);
  await wait('read', () => call.ask('get_upcoming_appointment'));
  await wait('book', () => first.ask('book_appointment', booking));
  await wait('cancel', () => call.ask('cancel_appointment'));

  expect(waits['read']).toBeLessThanOrEqual(1);
  expect(waits['book']).toBeLessThanOrEqual(4);
  expect(waits['cancel']).toBeLessThanOrEqual(2);
});

test('behind a gateway that adds 750 ms a move is done', async () => {
  const call = await aVerifiedCall();
  clinic.ehr.delayMs = 750;

  expect(await call.ask('reschedule_appointment', { newDateTime: at('15:00') })).toMatchObject({ success: true });
  expect(await call.tasks()).toEqual([]);
});

test('behind one that is too slow the caller hears that staff call back, and staff have the task', async () => {
  const call = await aVerifiedCall();
  clinic.ehr.delayMs = 7_000;

  const answer = await call.ask('reschedule_appointment', { newDateTime: at('15:00') });

  expect(answer).toEqual({ success: false, error: expect.stringContaining('will call them back') });
  expect(answer.error).not.toContain('confirm');
  expect(await call.tasks()).toMatchObject([{ reason: 'booking_to_check' }]);
});

// Nothing is skipped where nobody asks for it.
const delays = process.env.EHR_TIMES ? [0, 750, 1_500] : [0];

test.each(delays)('a move with %d ms more', async (delayMs) => {
  const call = await aVerifiedCall();
  clinic.ehr.delayMs = delayMs;
  const startedAt = performance.now();
  const answer = await call.ask('reschedule_appointment', { newDateTime: at('15:00') });
  const took = Math.round(performance.now() - startedAt);
  const { inSequence } = clinic.ehr;
  expect(answer).toMatchObject({ success: true });
  if (process.env.EHR_TIMES)
    console.info({ delayMs, took, inSequence, requests: clinic.ehr.asked(), success: answer.success });
});

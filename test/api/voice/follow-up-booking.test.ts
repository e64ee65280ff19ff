import { offeredTools } from '@clinic/api/tools/definitions';
import { clinicCalendar } from '@clinic/gateways/calendar/clinic-calendar';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { type App, startApp } from '../../support/app';
import { at, BIRTH_DATE, type LiveClinic, openLiveClinic } from '../../support/live-ehr';

/** A follow-up books for a patient who has no visit where the clinic has chosen so; nobody else's tools change. */

let app: App;
let clinic: LiveClinic;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
}, 240_000);
afterAll(() => app.stop());
afterEach(() => clinic.close());

const NOT_AVAILABLE = { success: false, error: 'tool not available for this call' };

async function choose(booksFollowUps: boolean): Promise<void> {
  const { clinicId } = clinic;
  const policy = await app.stores.clinics.policy(clinicId);
  await app.stores.clinics.setPolicy(clinicId, { ...policy, booksFollowUps });
}

const aCallOf = async (workflowType: WorkflowType) =>
  clinic.aCall({ workflowType, patientId: await clinic.aPatient({ birthDate: BIRTH_DATE }) });

const asked = { providerName: 'Dr.Vega', visitType: 'Follow-up', scheduledAt: at('09:00') };

test.each(['cancellation-follow-up', 'care-gap-follow-up'] as const)(
  'a %s call books where the clinic lets it, once the caller is verified',
  async (workflowType) => {
    clinic = await openLiveClinic(app, { isLive: false });
    const call = await aCallOf(workflowType);
    const before = await call.ask('book_appointment', asked);

    await choose(true);
    const unverified = await call.ask('book_appointment', asked);
    await call.ask('verify_patient', { dateOfBirth: BIRTH_DATE });
    const booked = await call.ask('book_appointment', asked);
    const upcoming = await call.ask('get_upcoming_appointment');

    expect(before).toEqual(NOT_AVAILABLE);
    expect(unverified).toMatchObject({ reason: 'not_verified', error: expect.stringContaining('verify_patient') });
    expect(booked).toMatchObject({ success: true, status: 'booked', scheduledAt: at('09:00') });
    expect(upcoming).toMatchObject({ found: true, appointmentId: booked.appointmentId });
    expect(await call.tasks()).toEqual([]);
  },
);

test('it books at the EHR of a clinic that has one', async () => {
  clinic = await openLiveClinic(app);
  clinic.slots('09:00');
  const phone = '+442079460123';
  clinic.annThere({ telecom: [{ system: 'phone', value: phone }] });
  await choose(true);
  const patientId = await clinic.aPatient({ phone });
  const call = await clinic.aCall({ workflowType: 'care-gap-follow-up', patientId });
  await call.verify();

  expect(await call.ask('book_appointment', asked)).toMatchObject({ success: true, status: 'booked' });
});

test('a patient with nothing on file is not somebody new: a follow-up books nothing for who is not verified', async () => {
  clinic = await openLiveClinic(app, { isLive: false });
  await choose(true);
  const call = await clinic.aCall({ workflowType: 'care-gap-follow-up', patientId: await clinic.aPatient() });

  expect(await call.ask('book_appointment', asked)).toMatchObject({ success: false, reason: 'not_verified' });
});

test('no other call gets the tool by it, and assistants get what calls have', async () => {
  clinic = await openLiveClinic(app, { isLive: false });
  const bookingTypes = async () => {
    const calendar = await clinicCalendar(app.stores, clinic.clinicId);
    const types = [
      'cancellation-follow-up',
      'care-gap-follow-up',
      'reschedule-follow-up',
      'new-patient-journey',
    ] as const;
    return types.filter((type) => offeredTools(type, calendar).some(({ name }) => name === 'book_appointment'));
  };
  const before = await bookingTypes();
  await choose(true);
  const refused = await (await aCallOf('reschedule-follow-up')).ask('book_appointment', asked);

  expect(before).toEqual(['new-patient-journey']);
  expect(await bookingTypes()).toEqual(['cancellation-follow-up', 'care-gap-follow-up', 'new-patient-journey']);
  expect(refused).toEqual(NOT_AVAILABLE);
});

import { type App, startApp } from '../../support/app';
import { aPhone } from '../../support/builders';
import { at, BIRTH_DATE, type LiveClinic, openLiveClinic } from '../../support/live-ehr';
import { patientOf } from '../../support/calls';

/** Nobody is verified by silence, where patients are real. */

let app: App;
let clinic: LiveClinic;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
}, 240_000);
afterAll(() => app.stop());
afterEach(() => clinic.close());

const phone = aPhone();
/** The clinic's patient as her form has told of her, and as the EHR has her. */
async function annIn(opened: LiveClinic, given: { birthDate?: string | null; there?: object | null } = {}) {
  clinic = opened;
  const { birthDate = null, there = {} } = given;
  const patientId = await clinic.aPatient({ phone, birthDate });
  const record = there && clinic.annThere({ telecom: [{ system: 'phone', value: phone }], ...there });
  return { patientId, record };
}
const NOT_VERIFIED = { success: false, reason: 'not_verified', error: expect.stringContaining('verif') };
const verifyBy = (dateOfBirth: string) => ({ dateOfBirth });

describe('with a live EHR', () => {
  test('the birth date of the EHR decides, and a caller who states another one hears and changes nothing', async () => {
    const { patientId, record } = await annIn(await openLiveClinic(app));
    const visit = clinic.appointmentThere(record!.id, '11:00');
    clinic.slots('15:00');
    const call = await clinic.aCall({ workflowType: 'appointment-reminder', patientId });

    const wrong = await call.ask('verify_patient', verifyBy('1911-11-11'));
    const refused = [
      await call.ask('get_upcoming_appointment'),
      await call.ask('reschedule_appointment', { newDateTime: at('15:00') }),
      await call.ask('cancel_appointment'),
    ];
    const right = await call.ask('verify_patient', verifyBy(BIRTH_DATE));
    const told = await call.ask('get_upcoming_appointment');

    expect([wrong, right]).toEqual([{ verified: false }, { verified: true }]);
    expect(refused).toEqual([{ found: false, ...NOT_VERIFIED }, NOT_VERIFIED, NOT_VERIFIED]);
    expect(told).toMatchObject({ found: true, appointmentId: visit.id });
    expect(clinic.ehr.records.get(`Appointment/${visit.id}`)).toMatchObject({ status: 'booked', start: at('11:00') });
  });

  test('it goes before what our own record says', async () => {
    const { patientId, record } = await annIn(await openLiveClinic(app), { birthDate: '1911-11-11' });
    await app.database.prisma.patient.update({ where: { id: patientId }, data: { externalId: record!.id } });
    const call = await clinic.aCall({ workflowType: 'appointment-reminder', patientId });

    expect(await call.ask('verify_patient', verifyBy('1911-11-11'))).toEqual({ verified: false });
    expect(await call.ask('verify_patient', verifyBy(BIRTH_DATE))).toEqual({ verified: true });
  });

  test('a caller who is never asked is told and allowed no more than one who failed', async () => {
    const { patientId, record } = await annIn(await openLiveClinic(app));
    clinic.appointmentThere(record!.id, '11:00');
    clinic.slots('15:00');
    const call = await clinic.aCall({ workflowType: 'appointment-confirmation', patientId });

    expect(await call.ask('get_upcoming_appointment')).toEqual({ found: false, ...NOT_VERIFIED });
    expect(await call.ask('reschedule_appointment', { newDateTime: at('15:00') })).toEqual(NOT_VERIFIED);
    expect(await call.ask('cancel_appointment')).toEqual(NOT_VERIFIED);
  });

  test.each([
    ['where the EHR has no such patient', null],
    ['where the EHR has no date of birth', { birthDate: undefined }],
    ['where the EHR has the year alone', { birthDate: '1990' }],
  ])('nothing on file anywhere is not verified and left to staff: %s', async (_where, there) => {
    const { patientId } = await annIn(await openLiveClinic(app), { there });
    const call = await clinic.aCall({ workflowType: 'appointment-reminder', patientId });

    const answer = await call.ask('verify_patient', verifyBy(BIRTH_DATE));

    expect(answer).toEqual({ verified: false, reason: 'nothing_on_file' });
    expect(await call.ask('get_upcoming_appointment')).toEqual({ found: false, ...NOT_VERIFIED });
    expect(await call.ask('cancel_appointment')).toEqual(NOT_VERIFIED);
    expect(await call.tasks()).toMatchObject([{ reason: 'nothing_on_file', patientId }]);
  });

  test('an EHR that cannot be asked verifies nobody, whatever our own record says', async () => {
    const { patientId } = await annIn(await openLiveClinic(app), { birthDate: BIRTH_DATE });
    clinic.ehr.instead = () => ({ status: 503 });
    const call = await clinic.aCall({ workflowType: 'appointment-reminder', patientId });

    const answer = await call.ask('verify_patient', verifyBy(BIRTH_DATE));

    expect(answer).toEqual({ verified: false, success: false, error: expect.stringContaining('call them back') });
    expect(await call.tasks()).toMatchObject([{ reason: 'booking_to_check' }]);
  });

  test('a new patient books unverified; whom the EHR knows must state the date of birth that it has', async () => {
    const { patientId: known } = await annIn(await openLiveClinic(app));
    clinic.slots('09:00', '10:00');
    const stranger = await clinic.aPatient({ firstName: 'Zoe', lastName: 'New' });
    const booking = (time: string) => ({ providerName: 'Dr.Vega', visitType: 'Visit', scheduledAt: at(time) });
    const [knownCall, newCall] = [
      await clinic.aCall({ workflowType: 'new-patient-journey', patientId: known }),
      await clinic.aCall({ workflowType: 'new-patient-journey', patientId: stranger }),
    ];
    const identity = (statedDateOfBirth: string) => ({ statedName: 'Ann Lee', statedDateOfBirth });

    const unasked = await knownCall.ask('book_appointment', booking('09:00'));
    await knownCall.ask('patient-journey/resolve_patient_identity', identity('1911-11-11'));
    const wrong = await knownCall.ask('book_appointment', booking('09:00'));
    await knownCall.ask('patient-journey/resolve_patient_identity', identity(BIRTH_DATE));
    const right = await knownCall.ask('book_appointment', booking('09:00'));

    expect([unasked, wrong]).toEqual([NOT_VERIFIED, NOT_VERIFIED]);
    expect(right).toMatchObject({ success: true });
    expect(await newCall.ask('book_appointment', booking('10:00'))).toMatchObject({ success: true });
    expect(clinic.ehr.all('Patient')).toHaveLength(2);
  });

  test('an intake with another date of birth than the EHR has makes nobody else of the patient', async () => {
    const { patientId } = await annIn(await openLiveClinic(app));
    clinic.slots('09:00');
    const call = await clinic.aCall({ workflowType: 'new-patient-journey', patientId });
    const intake = {
      firstName: 'Ann',
      lastName: 'Lee',
      dateOfBirth: '1911-11-11',
      phone,
      email: 'ann@example.com',
      address: '1 Main St',
      reasonForVisit: 'cough',
    };

    await call.ask('patient-intake/submit_intake', intake);
    const booked = await call.ask('book_appointment', {
      providerName: 'Dr.Vega',
      visitType: 'Visit',
      scheduledAt: at('09:00'),
    });

    expect(booked).toEqual(NOT_VERIFIED);
    expect((await patientOf(app, patientId)).birthDate).toBeNull();
    expect([clinic.ehr.all('Patient').length, clinic.ehr.all('Appointment').length]).toEqual([1, 0]);
  });

  test('ten guesses in a day end the search, beside five in an hour', async () => {
    const { patientId } = await annIn(await openLiveClinic(app));
    const outcomes: boolean[] = [];
    for (let guess = 0; guess < 12; guess += 1) {
      const call = await clinic.aCall({ workflowType: 'appointment-reminder', patientId });
      const answer = await call.ask('verify_patient', verifyBy(`1970-01-${10 + guess}`));
      outcomes.push(answer.success === undefined);
      await app.database.sql`
        update verification_attempts set at = at - interval '61 minutes' where patient_id = ${patientId}`;
    }

    expect(outcomes.filter(Boolean)).toHaveLength(10);
    const call = await clinic.aCall({ workflowType: 'appointment-reminder', patientId });
    expect(await call.ask('verify_patient', verifyBy(BIRTH_DATE))).toMatchObject({ verified: false, success: false });
    expect(await call.tasks()).toEqual([]);
  });
});

describe('in a clinic with real patients and the calendar of this service', () => {
  test('the same holds', async () => {
    const { patientId } = await annIn(await openLiveClinic(app, { isLive: false }), { birthDate: BIRTH_DATE });
    const unknown = await clinic.aPatient({ firstName: 'Una', birthDate: null });
    const call = await clinic.aCall({ workflowType: 'appointment-reminder', patientId });
    const silent = await clinic.aCall({ workflowType: 'appointment-reminder', patientId: unknown });

    expect(await call.ask('get_upcoming_appointment')).toEqual({ found: false, ...NOT_VERIFIED });
    expect(await call.ask('verify_patient', verifyBy(BIRTH_DATE))).toEqual({ verified: true });
    expect(await call.ask('get_upcoming_appointment')).toEqual({ found: false });
    expect(await silent.ask('verify_patient', verifyBy(BIRTH_DATE))).toEqual({
      verified: false,
      reason: 'nothing_on_file',
    });
    expect(await silent.ask('cancel_appointment')).toEqual(NOT_VERIFIED);
    expect(clinic.ehr.receiver.received).toEqual([]);
  });

  test('somebody new is registered and booked in one call', async () => {
    clinic = await openLiveClinic(app, { isLive: false });
    const patientId = await clinic.aPatient({ firstName: '', lastName: '', phone: null, isPlaceholder: true });
    const call = await clinic.aCall({ workflowType: 'new-patient-journey', patientId });
    const { slots } = await call.ask('check_availability');

    const taken = await call.ask('patient-intake/submit_intake', {
      firstName: 'Nia',
      lastName: 'New',
      dateOfBirth: '1999-09-09',
      phone: aPhone(),
      email: 'nia@example.com',
      address: '1 Main St',
      reasonForVisit: 'cough',
    });
    const { providerName, startsAt } = slots[0];
    const booked = await call.ask('book_appointment', { providerName, visitType: 'Visit', scheduledAt: startsAt });

    expect([taken, booked]).toMatchObject([{ success: true }, { success: true }]);
  });
});

describe('a date of birth that the clinic’s own systems tell', () => {
  const told = (dateOfBirth: string, phiPhone: string, id: string) => ({
    event: 'appointment.approaching',
    tenant_id: 't',
    data: {
      event_id: id,
      patient: {
        phi_first_name: 'Ann',
        phi_last_name: 'Told',
        phi_phone: phiPhone,
        phi_date_of_birth: dateOfBirth,
      },
      appointment: {
        appointment_id: 'a',
        provider_name: 'Dr.Chen',
        starts_at: '2035-03-05T09:00:00Z',
        visit_type: 'x',
      },
    },
  });
  const birthDateOf = async (number: string) =>
    (await app.database.prisma.patient.findFirstOrThrow({ where: { phone: number } })).birthDate;

  beforeEach(async () => {
    clinic = await openLiveClinic(app);
  });

  test('is on file from then on, and stays', async () => {
    const [event, rest, form] = [aPhone(), aPhone(), aPhone()];

    await app.inbound('appointment-approaching', told('3 February 1990', event, `dob-${event}`));
    await app.inbound('appointment-approaching', told('1911-11-11', event, `dob-again-${event}`));
    await app.start({
      workflowType: 'appointment-reminder',
      clinicId: app.clinic.clinicId,
      patient: { firstName: 'Ann', lastName: 'Told', phone: rest, dateOfBirth: BIRTH_DATE },
      context: { sessionId: `dob-${rest}` },
    });
    const person = { phi_first_name: 'Ann', phi_last_name: 'Told', phi_phone: form, phi_date_of_birth: BIRTH_DATE };
    await app.inbound('forms-abandoned', aForm(`dob-${form}`, person));

    expect([await birthDateOf(event), await birthDateOf(rest), await birthDateOf(form)]).toEqual([
      BIRTH_DATE,
      BIRTH_DATE,
      BIRTH_DATE,
    ]);
  });

  test('is read as the country of the clinic writes it', async () => {
    const [event, form] = [aPhone(), aPhone()];
    const bearer = await app.admin();
    const setCountry = (country: string) => app.request('PUT', '/integrations/country', { bearer, body: { country } });

    await setCountry('GB');
    await app.inbound('appointment-approaching', told('03/02/1990', event, `dob-${event}`));
    const person = { phi_first_name: 'Ann', phi_last_name: 'Told', phi_phone: form, phi_date_of_birth: '3.2.1990' };
    await app.inbound('forms-abandoned', aForm(`dob-${form}`, person));
    await setCountry('US');

    expect([await birthDateOf(event), await birthDateOf(form)]).toEqual(['1990-02-03', '1990-02-03']);
  });

  test('of a form goes on file with nobody whom the clinic knows already, and what is no date with nobody', async () => {
    const [known, unread] = [aPhone(), aPhone()];
    await app.inbound('appointment-approaching', told('no date', unread, `dob-${unread}`));
    await app.inbound(
      'forms-abandoned',
      aForm(`dob-1-${known}`, { phi_first_name: 'A', phi_last_name: 'T', phi_phone: known }),
    );
    const person = { phi_first_name: 'A', phi_last_name: 'T', phi_phone: known, phi_date_of_birth: '1911-11-11' };
    await app.inbound('forms-abandoned', aForm(`dob-2-${known}`, person));

    expect([await birthDateOf(unread), await birthDateOf(known)]).toEqual([null, null]);
  });
});

const aForm = (sessionId: string, person: object) => ({
  event: 'forms.abandoned',
  tenant_id: 't',
  data: {
    session_id: sessionId,
    form_id: 'f',
    form_name: 'Form',
    last_page_reached: 1,
    total_pages: 2,
    completion_percentage: 50,
    last_activity_at: '2026-11-20T10:00:00Z',
    draft_age_hours: 1,
    abandoned_at: '2026-11-20T10:00:00Z',
    partial_form_data: person,
  },
});

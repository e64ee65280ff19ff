import { randomUUID } from 'node:crypto';
import { type App, startApp } from '../../support/app';
import { anEnvelope, aPhone } from '../../support/builders';
import { aCall, aPatient, tasksOf } from '../../support/calls';
import { at, type LiveClinic, openLiveClinic } from '../../support/live-ehr';

/** How much a caller whom nobody has verified may try. */

let app: App;
beforeAll(async () => {
  app = await startApp({ hasWorker: false });
}, 240_000);
afterAll(() => app.stop());

describe('resolve_patient_identity', () => {
  const resolve = (pointer: string, n: number) =>
    app.tool('patient-journey/resolve_patient_identity', pointer, { statedName: `Somebody Nr${n}` });
  const LEFT_TO_STAFF = { success: false, error: expect.stringContaining('staff') };

  test('five tries in a call, then the agent leaves it to staff, who get one task', async () => {
    const patientId = await aPatient(app);
    const { callId, pointer } = await aCall(app, { workflowType: 'new-patient-journey', patientId });

    const answers = [];
    for (let n = 0; n < 8; n += 1) answers.push(await resolve(pointer, n));

    expect(answers.slice(0, 5)).toEqual(answers.slice(0, 5).map(() => ({ success: true, patientType: 'NEW' })));
    expect(answers.slice(5)).toEqual(answers.slice(5).map(() => LEFT_TO_STAFF));
    expect(await tasksOf(app, { callId })).toMatchObject([
      { reason: 'unverified_caller', patientId, detail: { what: 'too_many_tries' } },
    ]);
  });

  test('many at once are counted one after the other', async () => {
    const patientId = await aPatient(app);
    const { pointer } = await aCall(app, { workflowType: 'new-patient-journey', patientId });
    const calls = Array.from({ length: 20 }, (_none, n) => ({
      id: randomUUID(),
      arguments: { statedName: `Other Nr${n}` },
    }));

    const sent = await Promise.all(
      calls.map((call) => app.asVoice('/patient-journey/resolve_patient_identity', anEnvelope(pointer, [call]))),
    );

    const answers = sent.map(({ body }) => JSON.parse(body.results[0].result));
    expect(answers.filter(({ success }) => success)).toHaveLength(5);
  });

  test('twenty an hour of one number, over its calls; another number has its own', async () => {
    const [phone, patientId] = [aPhone(), await aPatient(app)];
    const answers = [];
    for (let call = 0; call < 5; call += 1) {
      const { callId, pointer } = await aCall(app, { workflowType: 'new-patient-journey', patientId, phone });
      for (let n = 0; n < 5; n += 1) answers.push(await resolve(pointer, call * 10 + n));
      await app.database.prisma.call.update({ where: { id: callId }, data: { state: 'ENDED' } });
    }
    const other = await aCall(app, { workflowType: 'new-patient-journey', patientId });

    expect(answers.filter(({ success }) => success)).toHaveLength(20);
    expect(await resolve(other.pointer, 1)).toEqual({ success: true, patientType: 'NEW' });
  });

  test('a test call tries as often as its engineers want', async () => {
    const callId = await app.openTestCall();
    const answers = [];
    for (let n = 0; n < 8; n += 1) answers.push(await resolve(callId, n));

    expect(answers.map(({ success }) => success)).toEqual(answers.map(() => true));
  });
});

describe('bookings of callers who are not verified, in a clinic with real patients', () => {
  let clinic: LiveClinic;
  const opened = async (given: { isLive?: boolean } = {}) => {
    clinic = await openLiveClinic(app, { isLive: false, ...given });
    return clinic;
  };
  afterEach(() => clinic.close());
  const booking = (time: string) => ({ providerName: 'Dr.Vega', visitType: 'Visit', scheduledAt: at(time) });
  const bookedOf = (patientId: string) =>
    app.database.prisma.appointment.count({ where: { patientId, status: 'booked' } });
  const REFUSED = { success: false, reason: 'left_to_staff', error: expect.stringContaining('call') };

  test('one in a call, however many are asked for at once, and staff are told', async () => {
    const { aPatient: someone, aCall: calling } = await opened();
    const patientId = await someone();
    const { ask, tasks } = await calling({ workflowType: 'new-patient-journey', patientId });
    const times = ['09:00', '09:30', '10:00', '10:30', '11:00', '11:30'];

    const answers = await Promise.all(times.map((time) => ask('book_appointment', booking(time))));

    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.filter(({ success }) => !success)).toEqual(times.slice(1).map(() => REFUSED));
    expect(await bookedOf(patientId)).toBe(1);
    expect((await tasks()).map(({ detail }) => detail)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ what: 'booked' }),
        expect.objectContaining({ what: 'too_many_bookings' }),
      ]),
    );
  });

  test('two of a patient in a day, over their calls, at the EHR too', async () => {
    const { aPatient: someone, aCall: calling, slots, annThere } = await opened({ isLive: true });
    const patientId = await someone();
    const there = annThere({ birthDate: undefined });
    await app.database.prisma.patient.update({ where: { id: patientId }, data: { externalId: there.id } });
    slots('09:00', '10:00', '11:00');
    const answers = [];
    for (const time of ['09:00', '10:00', '11:00']) {
      const { ask } = await calling({ workflowType: 'new-patient-journey', patientId });
      answers.push(await ask('book_appointment', booking(time)));
    }

    expect(answers).toMatchObject([{ success: true }, { success: true }, REFUSED]);
  });

  test('a time that was not to be had counts for nothing', async () => {
    const { aPatient: someone, aCall: calling } = await opened();
    const { ask } = await calling({ workflowType: 'new-patient-journey', patientId: await someone() });

    const outside = await ask('book_appointment', booking('20:00'));
    const booked = await ask('book_appointment', booking('09:00'));

    expect([outside, booked]).toMatchObject([{ success: false, reason: 'slot_unavailable' }, { success: true }]);
  });

  test('a verified caller books as often as they need, and staff have no task', async () => {
    const { aPatient: someone, aCall: calling } = await opened();
    const patientId = await someone({ birthDate: '1990-02-03' });
    const { ask, verify, tasks } = await calling({ workflowType: 'new-patient-journey', patientId });
    await verify();

    const answers = [await ask('book_appointment', booking('09:00')), await ask('book_appointment', booking('10:00'))];

    expect([answers.map(({ success }) => success), await tasks()]).toEqual([[true, true], []]);
  });

  test('where the clinic wants it, such a booking is a request that staff confirm', async () => {
    const { clinicId, aPatient: someone, aCall: calling } = await opened();
    await app.database.sql`update calling_policies set confirms_bookings = true where clinic_id = ${clinicId}`;
    const patientId = await someone();
    const { ask, tasks } = await calling({ workflowType: 'new-patient-journey', patientId });

    const asked = await ask('book_appointment', booking('09:00'));

    expect(asked).toEqual({ success: false, reason: 'requested', error: expect.stringContaining('confirm') });
    expect(await bookedOf(patientId)).toBe(0);
    expect(await tasks()).toMatchObject([
      {
        reason: 'unverified_caller',
        detail: { what: 'requested', startsAt: at('09:00'), providerName: 'Dr.Vega', visitType: 'Visit' },
      },
    ]);
  });
});

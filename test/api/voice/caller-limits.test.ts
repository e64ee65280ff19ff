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
    const told = [];
    for (let call = 0; call < 5; call += 1) {
      const { callId, pointer } = await aCall(app, { workflowType: 'new-patient-journey', patientId, phone });
      for (let n = 0; n < 5; n += 1) answers.push(await resolve(pointer, call * 10 + n));
      await app.database.prisma.call.update({ where: { id: callId }, data: { state: 'ENDED' } });
      told.push(...(await tasksOf(app, { callId })));
    }
    const other = await aCall(app, { workflowType: 'new-patient-journey', patientId });

    expect(answers.filter(({ success }) => success)).toHaveLength(20);
    expect(answers.slice(20)).toEqual(answers.slice(20).map(() => LEFT_TO_STAFF));
    expect(told).toMatchObject([{ reason: 'unverified_caller', detail: { what: 'too_many_tries' } }]);
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
  /** The EHR's record of a caller whom it knows by name and phone. */
  const withoutBirthDate = (phone: string) => ({ birthDate: undefined, telecom: [{ system: 'phone', value: phone }] });
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
    const phone = aPhone();
    const patientId = await someone({ phone });
    const there = annThere(withoutBirthDate(phone));
    await app.database.prisma.patient.update({ where: { id: patientId }, data: { externalId: there.id } });
    slots('09:00', '10:00', '11:00');
    const answers = [];
    const told = [];
    for (const time of ['09:00', '10:00', '11:00']) {
      const { ask, tasks } = await calling({ workflowType: 'new-patient-journey', patientId });
      answers.push(await ask('book_appointment', booking(time)));
      told.push((await tasks()).map(({ detail }) => (detail as { what: string }).what));
    }

    expect(answers).toMatchObject([{ success: true }, { success: true }, REFUSED]);
    expect(told).toEqual([['booked'], ['booked'], ['too_many_bookings']]);
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

  describe('a requested time', () => {
    const requested = async (given: { isLive?: boolean } = {}) => {
      const { clinicId, aPatient: someone, aCall: calling, ehr, slots, annThere } = await opened(given);
      await app.database.sql`update calling_policies set confirms_bookings = true where clinic_id = ${clinicId}`;
      const phone = aPhone();
      const patientId = await someone({ phone });
      if (given.isLive) {
        const there = annThere(withoutBirthDate(phone));
        await app.database.prisma.patient.update({ where: { id: patientId }, data: { externalId: there.id } });
        slots('09:00', '10:00');
      }
      const { ask, callId } = await calling({ workflowType: 'new-patient-journey', patientId });
      await ask('book_appointment', booking('09:00'));
      const [task] = await tasksOf(app, { callId });
      const bearer = await signedIn(clinicId);
      const confirm = () => app.request('POST', `/tasks/${task?.id}/confirm`, { bearer });
      return { clinicId, patientId, callId, confirm, ehr };
    };
    /** Somebody who was made in another clinic, and works in this one. */
    const signedIn = async (clinicId: string) => {
      const { staff, clinicId: before } = await app.addClinic();
      await app.database.sql`update users set clinic_id = ${clinicId} where clinic_id = ${before} and role = 'staff'`;
      return app.signIn(staff);
    };

    const audited = async (clinicId: string, patientId: string) => {
      await app.stores.auditChain.seal(1);
      const { items } = await app.stores.audit.list(clinicId, {
        subject: patientId,
        action: 'appointment.book',
        limit: 9,
      });
      return items.map(({ actor, detail }) => ({ actor, detail }));
    };

    test('is booked by one click of staff, once however often they click, which is in the audit', async () => {
      const { clinicId, patientId, confirm } = await requested();

      const [one, other] = await Promise.all([confirm(), confirm()]);
      const after = await confirm();

      const done = [one, other].filter(({ status }) => status === 200);
      expect(done.length).toBeGreaterThan(0);
      for (const { body } of done) expect(body).toMatchObject({ isDone: true, task: { state: 'RESOLVED' } });
      expect([await bookedOf(patientId), after.status]).toEqual([1, 409]);
      const [{ id: appointmentId } = { id: '' }] = await app.database.prisma.appointment.findMany({
        where: { patientId },
      });
      expect((await audited(clinicId, patientId))[0]).toEqual({
        actor: expect.stringMatching(/^account:/),
        detail: { taskId: done[0]?.body.task.id, appointmentId },
      });
    });

    test('that is gone is said, with other times of that provider; the task stays open, and nothing is audited as booked', async () => {
      const { clinicId, patientId, confirm } = await requested();
      const taken = await app.stores.appointments.book({
        clinicId,
        patientId: await aPatient(app, { clinicId }),
        appointmentId: randomUUID(),
        provider: 'Dr.Vega',
        visitType: 'Visit',
        startsAt: at('09:00'),
        now: new Date(),
      });

      const { status, body } = await confirm();

      expect([taken.kind, status]).toEqual(['booked', 200]);
      expect(body).toMatchObject({ isDone: false, reason: 'slot_taken', task: { state: 'OPEN', canConfirm: true } });
      expect(body.alternatives).toEqual(
        ['09:30', '10:00', '10:30', '11:00', '11:30'].map((time) => ({ providerName: 'Dr.Vega', startsAt: at(time) })),
      );
      expect([await bookedOf(patientId), await audited(clinicId, patientId)]).toEqual([0, []]);
    });

    test('is booked at the EHR where calls act there', async () => {
      const { confirm, ehr } = await requested({ isLive: true });

      const { body } = await confirm();

      expect(body).toMatchObject({ isDone: true, reason: null });
      expect(ehr.all('Appointment')).toHaveLength(1);
    });
  });
});

describe('times held and places on the waitlist for callers who are not verified', () => {
  let clinic: LiveClinic;
  afterEach(() => clinic.close());
  const opened = async () => {
    clinic = await openLiveClinic(app, { isLive: false });
    await app.database.sql`update clinics set call_hold_minutes = 10 where id = ${clinic.clinicId}`;
    const patientId = await clinic.aPatient();
    const calling = () => clinic.aCall({ workflowType: 'new-patient-journey', patientId });
    return { calling };
  };
  const asks = {
    hold_time: (time: string) => ({ providerName: 'Dr.Vega', startsAt: at(time) }),
    join_waitlist: (time: string) => ({ earliestOn: '2035-03-05', latestOn: '2035-03-09', fromTime: time }),
  };
  const LEFT_TO_STAFF = { success: false, reason: 'left_to_staff' };

  test.each(['hold_time', 'join_waitlist'] as const)('%s: one in a call, and staff are told', async (tool) => {
    const { calling } = await opened();
    const { ask, tasks } = await calling();

    const answers = await Promise.all(
      ['09:00', '10:00', '11:00', '12:00'].map((time) => ask(`calling-tools/${tool}`, asks[tool](time))),
    );

    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.filter(({ success }) => !success)).toMatchObject([LEFT_TO_STAFF, LEFT_TO_STAFF, LEFT_TO_STAFF]);
    expect(await tasks()).toMatchObject([{ reason: 'unverified_caller', detail: { what: 'too_many_bookings' } }]);
  });

  test.each(['hold_time', 'join_waitlist'] as const)(
    '%s: two of a patient in a day, over their calls',
    async (tool) => {
      const { calling } = await opened();
      const answers = [];
      for (const time of ['09:00', '10:00', '11:00']) {
        const { ask } = await calling();
        answers.push(await ask(`calling-tools/${tool}`, asks[tool](time)));
      }

      expect(answers).toMatchObject([{ success: true }, { success: true }, LEFT_TO_STAFF]);
    },
  );

  test('what could not be held counts for nothing', async () => {
    const { calling } = await opened();
    const { ask } = await calling();

    const outside = await ask('calling-tools/hold_time', asks.hold_time('20:00'));
    const held = await ask('calling-tools/hold_time', asks.hold_time('09:00'));

    expect([outside, held]).toMatchObject([{ success: false, reason: 'slot_unavailable' }, { success: true }]);
  });

  test('a verified caller is not limited', async () => {
    const { calling } = await opened();
    const { ask, verify } = await calling();
    await verify();

    const answers = [];
    for (const time of ['09:00', '10:00', '11:00'])
      answers.push(await ask('calling-tools/join_waitlist', asks.join_waitlist(time)));

    expect(answers).toMatchObject([{ success: true }, { success: true }, { success: true }]);
  });
});

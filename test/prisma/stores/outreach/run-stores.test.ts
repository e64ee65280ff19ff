import type { NewPatient } from '@clinic/prisma/stores/outreach/run-openers';
import { newId } from '@clinic/shared/crypto';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { aPhone, aSession } from '../../../support/builders';
import { openRecords, type OpenedRun, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS);

const prisma = () => records.database.prisma;
const runOf = ({ workflowId }: { workflowId: string }) =>
  prisma().workflowRun.findUniqueOrThrow({ where: { id: workflowId } });
const setRun = ({ workflowId }: { workflowId: string }, data: object) =>
  prisma().workflowRun.update({ where: { id: workflowId }, data });
const ended = { status: 'completed', outcome: 'PATIENT_NOT_REACHED', completedAt: new Date() };

const open = (about: {
  patient?: Partial<NewPatient>;
  sessionId?: string;
  workflowType?: Exclude<WorkflowType, 'abandonment-recovery'>;
  inbound?: { event: string; payload: unknown };
  hasUnreadablePhone?: boolean;
  context?: object;
}) =>
  records.stores.runs.openRun({
    clinicId: records.clinicId,
    sessionId: aSession(),
    workflowType: 'care-gap-follow-up',
    ...about,
    patient: { firstName: 'Ann', lastName: 'Lee', phone: null, ...about.patient },
  });

describe('the patient of a run that opens', () => {
  const withPhone = (id: string) => prisma().patient.findUniqueOrThrow({ where: { id } });

  test('whom the clinic knows by name and phone is that patient, and is not written again', async () => {
    const phone = aPhone();
    const patientId = await records.aPatient({ phone });

    const opened = await open({ patient: { firstName: 'ANN', lastName: 'lee', phone } });

    expect(opened.patientId).toBe(patientId);
    expect(await prisma().patient.count({ where: { phone } })).toBe(1);
  });

  test('who shares the phone of another is somebody else', async () => {
    const phone = aPhone();
    const patientId = await records.aPatient({ phone });

    const opened = await open({ patient: { firstName: 'Ben', phone } });

    expect(opened.patientId).not.toBe(patientId);
  });

  test("named by the platform's id goes before one with the same name and phone", async () => {
    const phone = aPhone();
    await records.aPatient({ phone });
    const [byId, externalId] = [await records.aPatient(), newId()];
    await prisma().patient.update({ where: { id: byId }, data: { externalId } });

    const opened = await open({ patient: { phone, patientId: externalId } });

    expect(opened.patientId).toBe(byId);
  });

  test('who is registered goes before a placeholder of the same name and phone, though that is older', async () => {
    const phone = aPhone();
    const [placeholder, registered] = [await records.aPatient({ phone }), await records.aPatient({ phone })];
    await prisma().patient.update({
      where: { id: placeholder },
      data: { isPlaceholder: true, createdAt: inHours(-1) },
    });

    expect((await open({ patient: { phone } })).patientId).toBe(registered);
  });

  test('keeps the phone on file; one who has none gets that of the event', async () => {
    const [onFile, told] = [aPhone(), aPhone()];
    const [reachable, unreachable] = [await records.aPatient({ phone: onFile }), await records.aPatient()];
    await prisma().patient.update({ where: { id: unreachable }, data: { phone: null } });

    for (const patientId of [reachable, unreachable]) await open({ patient: { patientId, phone: told } });

    expect([(await withPhone(reachable)).phone, (await withPhone(unreachable)).phone]).toEqual([onFile, told]);
  });

  test('whose phone cannot be read is a task for staff', async () => {
    const { workflowId } = await open({ hasUnreadablePhone: true });

    const tasks = await prisma().staffTask.findMany({ where: { workflowId } });
    expect(tasks.map(({ reason }) => reason)).toEqual(['unreadable_phone']);
  });
});

describe('an event', () => {
  const inbound = { event: 'patient.follow_up_required', payload: {} };

  test('of a session that a REST start has opened is stored with that run', async () => {
    const sessionId = aSession();
    const { workflowId } = await open({ sessionId });

    await open({ sessionId, inbound });

    const stored = await prisma().inboundEvent.findFirstOrThrow({ where: { dedupeKey: sessionId } });
    expect(stored.workflowId).toBe(workflowId);
  });

  test('that comes again leads to its first run, also where another type has a run of that key', async () => {
    const sessionId = aSession();
    await open({ sessionId, workflowType: 'reschedule-follow-up' });
    const first = await open({ sessionId, inbound });

    const again = await open({ sessionId, inbound, workflowType: 'reschedule-follow-up' });

    expect(again).toMatchObject({ workflowId: first.workflowId, isDuplicateEvent: true, isNew: false });
  });

  test('of another name and the same key is none of a run that a REST start asks for again', async () => {
    const sessionId = aSession();
    const workflowType = 'reschedule-follow-up';
    const ofEvent = await open({ sessionId, inbound });
    const started = await open({ sessionId, workflowType });

    const again = [
      await open({ sessionId, workflowType }),
      await open({ sessionId, workflowType, inbound: { ...inbound, event: 'appointment.missed' } }),
    ];

    expect(started.workflowId).not.toBe(ofEvent.workflowId);
    expect(again.map(({ workflowId }) => workflowId)).toEqual([started.workflowId, started.workflowId]);
  });

  test('that a form is completed keeps the time of the first word', async () => {
    const { clinicId, sessionId, caseId } = await records.aCase();
    const at = inHours(-1);
    const id = caseId ?? '';
    await records.stores.inboundEvents.formCompleted({ clinicId, sessionId, payload: {} });
    await prisma().recoveryCase.update({ where: { id }, data: { formCompletedAt: at } });

    await records.stores.inboundEvents.formCompleted({ clinicId, sessionId, payload: {} });

    expect((await prisma().recoveryCase.findUniqueOrThrow({ where: { id } })).formCompletedAt).toEqual(at);
  });
});

describe('runs that are to be started', () => {
  const waiting = async () => (await records.stores.runs.undispatched(0, 1_000)).map(({ workflowId }) => workflowId);

  test('come oldest first, without those that have ended', async () => {
    const [young, old, over] = [await records.aRun(), await records.aRun(), await records.aRun()];
    await setRun(old, { startedAt: inHours(-2) });
    await setRun(over, { ...ended, startedAt: inHours(-3) });

    const ids = await waiting();

    expect(ids).not.toContain(over.workflowId);
    expect(ids.indexOf(old.workflowId)).toBeLessThan(ids.indexOf(young.workflowId));
  });

  test('that were started keep the time of the first start', async () => {
    const run = await records.aRun();
    const dispatchedAt = inHours(-1);
    await setRun(run, { dispatchedAt });

    await records.stores.runs.markDispatched([run.workflowId]);

    expect((await runOf(run)).dispatchedAt).toEqual(dispatchedAt);
  });

  test('that have ended are not started again when Temporal has lost them', async () => {
    const [open_, over] = [await records.aRun(), await records.aRun()];
    for (const run of [open_, over]) await setRun(run, { dispatchedAt: inHours(-1) });
    await setRun(over, ended);

    for (const { workflowId } of [open_, over]) await records.stores.runs.markLost(workflowId);

    expect((await runOf(open_)).dispatchedAt).toBeNull();
    expect((await runOf(over)).dispatchedAt).not.toBeNull();
  });
});

describe('runs of which Temporal should know', () => {
  const before = inHours(-1);
  const old = { startedAt: inHours(-2), dispatchedAt: inHours(-2) };

  test.each<[what: string, about: object, isExpected: boolean]>([
    ['one that it has had for long', old, true],
    ['one that it has not been given', { ...old, dispatchedAt: null }, false],
    ['one that was started lately', { ...old, startedAt: inHours(-0.5) }, false],
    ['one that was started just then', { ...old, startedAt: before }, false],
    ['one that has ended', { ...old, ...ended }, false],
  ])('%s is looked for, or is not', async (_what, about, isExpected) => {
    const { runs } = records.stores;
    const run = await records.aRun();
    await setRun(run, about);
    const ids = (found: { workflowId: string }[]) =>
      found.map(({ workflowId }) => workflowId).filter((id) => id === run.workflowId);

    const expected = isExpected ? [run.workflowId] : [];
    expect(ids(await runs.openAmong([run.workflowId], before))).toEqual(expected);
    expect(ids(await runs.openSince(before, 1_000, ''))).toEqual(expected);
    expect(ids(await runs.openSince(before, 1_000, run.workflowId))).toEqual([]);
    expect(await runs.openAmong([], before)).toEqual([]);
  });

  test.each<[what: string, about: object, isWaiting: boolean]>([
    ['one that it was not given', {}, true],
    ['one that it was given', { dispatchedAt: new Date() }, false],
    ['one that has ended', ended, false],
    ['one of a type that this release does not know', { workflowType: 'of-tomorrow' }, false],
    ['one of this moment', { startedAt: inHours(1) }, false],
  ])('%s is to be started, or is not', async (_what, about, isWaiting) => {
    const run = await records.aRun();
    await setRun(run, about);

    const found = await records.stores.runs.undispatched(0, 1_000);

    expect(found.some(({ workflowId }) => workflowId === run.workflowId)).toBe(isWaiting);
  });

  test('those of many clinics take turns, the oldest of each first', async () => {
    await prisma().workflowRun.updateMany({ data: { dispatchedAt: new Date() } });
    const started: Record<string, string> = {};
    for (const [name, owner, hour] of [
      ['one', records.clinicId, -9],
      ['two', records.clinicId, -8],
      ['three', records.clinicId, -7],
      ['other one', records.otherClinicId, -3],
      ['other two', records.otherClinicId, -2],
    ] as const) {
      const { workflowId } = await records.aRun({ clinicId: owner });
      await setRun({ workflowId }, { startedAt: inHours(hour) });
      started[workflowId] = name;
    }

    const found = await records.stores.runs.undispatched(0, 4);

    expect(found.map(({ workflowId }) => started[workflowId])).toEqual(['one', 'other one', 'two', 'other two']);
    const young = await records.stores.runs.undispatched(2.5 * HOUR_MS, 10);
    expect(young.map(({ workflowId }) => started[workflowId])).toEqual(['one', 'other one', 'two', 'three']);
  });

  test('one is recorded, or was erased, and nothing else of that name is one', async () => {
    const { workflowId, clinicId, patientId } = await records.aRun();
    const asked = { clinicId, patientId: await records.aPatient(), reason: 'patient_request' as const };
    await records.stores.erasures.request(asked, { actor: 'operator' });
    const erasure = await prisma().erasure.findFirstOrThrow({ where: { patientId: asked.patientId } });
    const stone = (kind: string, key: string) =>
      prisma().tombstone.create({ data: { clinicId, erasureId: erasure.id, kind, key } });
    await stone('run', 'erased-run');
    await stone('case', 'erased-case');

    const found = await records.stores.runs.recorded([workflowId, 'erased-run', 'erased-case', 'unknown', patientId]);

    expect(found.toSorted()).toEqual([workflowId, 'erased-run'].toSorted());
  });

  test('one is open until it has ended, in its clinic', async () => {
    const { runs } = records.stores;
    const { workflowId, clinicId } = await records.aRun();

    const answers = [await runs.isOpen(clinicId, workflowId), await runs.isOpen(records.otherClinicId, workflowId)];
    await setRun({ workflowId }, ended);

    expect([...answers, await runs.isOpen(clinicId, workflowId)]).toEqual([true, false, false]);
  });
});

describe('what a workflow is to hear', () => {
  const waiting = async (olderThanMs: number) =>
    (await records.stores.messages.unsent(olderThanMs, 1_000)).map(({ id }) => id);

  test.each<[what: string, run: object, message: object, isUnsent: boolean]>([
    ['by one that was started', { dispatchedAt: inHours(-1) }, {}, true],
    ['by one that was not', {}, {}, false],
    ['by one that has ended', ended, {}, true],
    ['and was sent', { dispatchedAt: inHours(-1) }, { sentAt: new Date() }, false],
    ['for less than two hours', { dispatchedAt: inHours(-1) }, { createdAt: inHours(-1.99) }, false],
  ])('%s is sent again after two hours, or is not', async (_what, run, message, isUnsent) => {
    const { workflowId, clinicId } = await records.aRun();
    await setRun({ workflowId }, run);
    const id = newId();
    const usual = { signal: 'rulesChanged', payload: {}, createdAt: inHours(-2.01) };
    await prisma().workflowMessage.create({ data: { id, clinicId, workflowId, ...usual, ...message } });

    expect((await waiting(2 * HOUR_MS)).includes(id)).toBe(isUnsent);
  });

  test('is found, and sent again, until it was sent itself; the others still are', async () => {
    const { workflowId, clinicId } = await records.aRun();
    await setRun({ workflowId }, { dispatchedAt: inHours(-1) });
    const ids = [newId(), newId(), newId()];
    const [first = '', sent = '', last = ''] = ids;
    const message = { clinicId, workflowId, signal: 'rulesChanged', payload: {} };
    for (const [index, id] of ids.entries()) {
      await prisma().workflowMessage.create({ data: { id, ...message, createdAt: inHours(-10 + index) } });
    }
    const { messages } = records.stores;

    await messages.markSent(sent);

    expect([await messages.find(first), await messages.find(sent), await messages.find(last)]).toEqual([
      { id: first, ...message },
      null,
      { id: last, ...message },
    ]);
    expect((await waiting(9 * HOUR_MS - 60_000)).filter((id) => ids.includes(id))).toEqual([first]);
    expect((await waiting(0)).filter((id) => ids.includes(id))).toEqual([first, last]);
  });
});

describe('what is known of a run', () => {
  const facts = ({ clinicId, workflowId }: OpenedRun) => records.stores.runs.facts(clinicId, workflowId);

  test('the calls that its workflow has not heard of, with their end where they have one', async () => {
    const run = await records.aRun();
    const over = await records.aPlacedCall(run, { dial: 1 });
    const { clinicId, workflowId } = run;
    await prisma().call.update({
      where: { id: over.callId },
      data: {
        state: 'ENDED',
        endedReason: 'silence',
        startedAt: new Date(),
        endedAt: new Date('2026-03-01T10:00:00.123Z'),
      },
    });
    const lost = await records.aPlacedCall(run, { dial: 2, attempt: 2 });
    const endedAt = new Date('2026-03-01T11:00:00Z');
    await prisma().call.update({ where: { id: lost.callId }, data: { state: 'ENDED', endedReason: null, endedAt } });
    const { callId } = await records.aPlacedCall(run, { dial: 3, attempt: 2 });
    const calls = async (after?: number) => (await records.stores.runs.facts(clinicId, workflowId, after))?.calls;

    const all = [
      {
        callId: over.callId,
        dial: 1,
        attempt: 1,
        end: { reason: 'silence', wasAnswered: true, endedAt: '2026-03-01T10:00:00.123Z' },
      },
      {
        callId: lost.callId,
        dial: 2,
        attempt: 2,
        end: { reason: 'unknown', wasAnswered: false, endedAt: '2026-03-01T11:00:00.000Z' },
      },
      { callId, dial: 3, attempt: 2, end: null },
    ];
    expect([await calls(0), await calls(2), await calls(3), await calls()]).toEqual([all, all.slice(2), [], []]);
  });

  const anAppointment = async (patientId: string, about: object) => {
    const { clinicId } = records;
    const { id: providerId } = await prisma().provider.findFirstOrThrow({ where: { clinicId } });
    const data = { id: newId(), clinicId, patientId, providerId, visitType: 'Consultation', ...aSlot(), ...about };
    return prisma().appointment.create({ data });
  };

  let slots = 0;
  /** Half an hour from `startsAt`: by default a time of the future that no other test uses. */
  const aSlot = (startsAt = inHours(24 * (slots += 1))) => ({
    startsAt,
    endsAt: new Date(startsAt.getTime() + HOUR_MS / 2),
  });

  test.each([
    ['booked after it was opened', {}, true],
    ['booked before', { updatedAt: inHours(-48) }, false],
    ['cancelled', { status: 'cancelled', cancelledAt: new Date() }, false],
    ['over', aSlot(inHours(-2)), false],
  ])('an appointment that is %s', async (_situation, about, hasBookedSince) => {
    const run = await records.aRun();
    await setRun(run, { startedAt: inHours(-24) });

    await anAppointment(run.patientId, about);

    expect(await facts(run)).toMatchObject({ hasBookedSince });
  });

  test('an appointment that was booked before, and of which the clinic tells its own id since', async () => {
    const run = await records.aRun();
    await setRun(run, { startedAt: inHours(-24) });
    const { id } = await anAppointment(run.patientId, { updatedAt: inHours(-48) });

    const { clinicId, stores } = records;
    await stores.callSubjects.keepExternalId({ clinicId, of: 'appointment', id, externalId: newId() });

    expect(await facts(run)).toMatchObject({ hasBookedSince: false });
  });

  test("the patient's own call is one that came in, and no test call", async () => {
    const [called, placed, tested] = [await records.aRun(), await records.aRun(), await records.aRun()];
    const call = ({ clinicId, patientId, workflowId, workflowType }: OpenedRun, about: object) =>
      prisma().call.create({
        data: {
          id: `call-of-${workflowId}`,
          clinicId,
          patientId,
          workflowId,
          workflowType,
          state: 'ENDED',
          direction: 'inbound',
          ...about,
        },
      });
    await call(called, {});
    await call(placed, { direction: 'outbound' });
    await call(tested, { isTest: true });

    const known = [(await facts(called))?.inboundCallId, (await facts(placed))?.inboundCallId];
    expect([...known, (await facts(tested))?.inboundCallId]).toEqual([`call-of-${called.workflowId}`, null, null]);
  });

  describe('a form counts as completed in a call', () => {
    const done = inHours(-1);
    const inMs = (ms: number) => new Date(done.getTime() + ms);
    const minute = 60_000;
    const over = { requestedAt: inMs(-minute), startedAt: inMs(-minute), endedAt: inMs(minute) };
    const isKnown = { state: 'ENDED', platformCallId: newId() };
    let recovery: OpenedRun;
    let other: OpenedRun;
    beforeAll(async () => {
      [recovery, other] = [await records.aCase(), await records.aCase()];
      for (const { caseId } of [recovery, other]) {
        await prisma().recoveryCase.update({ where: { id: caseId ?? '' }, data: { formCompletedAt: done } });
      }
    });

    test.each<[what: string, about: object, isInCall: boolean]>([
      ['that went on meanwhile', {}, true],
      ['that was asked for at that instant', { requestedAt: done, startedAt: inMs(minute) }, true],
      ['that was asked for after it', { requestedAt: inMs(1), startedAt: inMs(2) }, false],
      ['that was asked for after it, whenever it says that it began', { requestedAt: inMs(1) }, false],
      ['that nobody asked for and that began by then', { requestedAt: null, startedAt: done }, true],
      ['that nobody asked for and that began after it', { requestedAt: null, startedAt: inMs(1) }, false],
      ['that has not begun', { requestedAt: null, startedAt: null }, false],
      ['that ended at that instant', { endedAt: done }, true],
      ['that ended before it', { endedAt: inMs(-1) }, false],
      ['that goes on', { endedAt: null, state: 'IN_PROGRESS' }, true],
      ['that the platform never took', { platformCallId: null }, false],
      ['that the platform has not taken yet', { platformCallId: null, state: 'QUEUED', endedAt: null }, true],
      ['of a test', { platformCallId: null, isTest: true }, true],
    ])('%s', async (_what, about, isInCall) => {
      const { clinicId, patientId, workflowId, workflowType } = recovery;
      const run = { clinicId, patientId, workflowId, workflowType, direction: 'outbound' };
      const { id } = await prisma().call.create({ data: { id: newId(), ...run, ...isKnown, ...over, ...about } });

      expect((await facts(recovery))?.recovery).toMatchObject({ isFormCompleted: true, isCompletedInCall: isInCall });
      expect((await facts(other))?.recovery).toMatchObject({ isFormCompleted: true, isCompletedInCall: false });
      await prisma().call.delete({ where: { id } });
    });
  });

  test("an appointment counts as our records have it, by our id or the platform's; else as its event told", async () => {
    const told = '2035-05-05T10:00:00.000Z';
    const patientId = await records.aPatient();
    const about = async (appointmentId: string) => {
      const { workflowId } = await open({
        patient: { patientId },
        workflowType: 'appointment-reminder',
        context: { appointment: { appointmentId, startsAt: told } },
      });
      return (await records.stores.runs.facts(records.clinicId, workflowId))?.appointment;
    };
    const externalId = newId();
    const known = await anAppointment(patientId, { externalId });
    const ours = { status: 'booked', startsAt: known.startsAt.toISOString() };

    expect(await about(known.id)).toEqual(ours);
    expect(await about(externalId)).toEqual(ours);
    expect(await about('unknown')).toEqual({ status: 'booked', startsAt: told });
  });

  test.each(['cancelled', 'noshow'])(
    'a call about one that was %s, which its clinic has asked for, is not taken back',
    async (status) => {
      const patientId = await records.aPatient();
      const { id } = await anAppointment(patientId, { status });
      const { workflowId } = await open({
        patient: { patientId },
        workflowType: 'reschedule-follow-up',
        context: { appointment: { appointmentId: id, startsAt: '2035-05-05T10:00:00.000Z' } },
      });

      expect((await records.stores.runs.facts(records.clinicId, workflowId))?.isTakenBack).toBe(false);
    },
  );
});

describe('a patient', () => {
  test('who is calling us is not called', async () => {
    const [caller, run] = [await records.aRun(), await records.aRun()];
    const { clinicId, patientId } = caller;
    const call = { id: newId(), clinicId, patientId, direction: 'inbound', state: 'IN_PROGRESS', phone: run.phone };
    await prisma().call.create({ data: call });

    expect(await records.stores.calls.reserve(records.anIntent(run))).toEqual({ kind: 'queued' });
  });

  test('who had a call two days ago has had none today', async () => {
    const run = await records.aRun();
    const { callId } = await records.aPlacedCall(run);
    await records.stores.calls.close({ clinicId: run.clinicId, callId, reason: 'voicemail' });
    await prisma().call.update({ where: { id: callId }, data: { requestedAt: inHours(-48) } });
    const again = await records.aRun({ phone: run.phone });

    const reservation = await records.stores.calls.reserve(records.anIntent(again, { callsPerPatientPerDay: 1 }));

    expect(reservation.kind).toBe('reserved');
  });

  test.each<[what: string, about: object, isKnown: boolean, reservation: 'reserved' | 'limited' | 'queued']>([
    ['a minute less than seven days ago', { requestedAt: inHours(-7 * 24 + 1 / 60) }, true, 'limited'],
    ['a minute more than seven days ago', { requestedAt: inHours(-7 * 24 - 1 / 60) }, false, 'reserved'],
    ['which goes on, and does not ring yet', { state: 'QUEUED', endedAt: null, rangAt: null }, true, 'queued'],
    ['which did not ring', { rangAt: null }, false, 'reserved'],
    ['which the platform did not take', { platformCallId: null }, false, 'reserved'],
    ['which was a test', { isTest: true }, false, 'reserved'],
    ['at another number', { phone: aPhone() }, false, 'reserved'],
  ])('had a call %s: it counts for the week, or does not', async (_what, about, isKnown, reservation) => {
    const run = await records.aRun();
    const { callId } = await records.aPlacedCall(run);
    await records.stores.calls.close({ clinicId: run.clinicId, callId, reason: 'voicemail' });
    const { requestedAt } = await prisma().call.update({
      where: { id: callId },
      data: { requestedAt: inHours(-48), ...about },
    });
    const again = await records.aRun({ phone: run.phone });

    const facts = await records.stores.runs.facts(again.clinicId, again.workflowId);
    const reserved = await records.stores.calls.reserve(records.anIntent(again, { callsPerPatientPerWeek: 1 }));

    expect(facts?.previousCallsAt).toEqual(isKnown ? [requestedAt?.toISOString()] : []);
    expect(reserved.kind).toBe(reservation);
  });

  test('said what the first analysis heard, whatever is reported later', async () => {
    const { callId, platformCallId } = await records.aPlacedCall(await records.aRun());
    const report = (about: object) =>
      records.stores.calls.report({
        platformCallId,
        intentId: null,
        state: null,
        endedReason: null,
        summary: null,
        ...about,
      });

    await report({ analysis: { said: 'confirmed' } });
    await report({ analysis: { said: 'declined' } });
    await report({ summary: 'They agreed.' });

    expect(await prisma().call.findUniqueOrThrow({ where: { id: callId } })).toMatchObject({ said: 'confirmed' });
  });
});

test.each(['recovery', 'other'])(
  'the end of a %s that is told again after a restore has the id and the body of the first time',
  async (kind) => {
    const run = kind === 'recovery' ? await records.aCase() : await records.aRun();
    const { workflowId, caseId } = run;
    const end = () =>
      records.stores.runs.end({
        clinicId: run.clinicId,
        workflowId,
        outcome: 'FOLLOW_UP_REQUIRED',
        status: 'completed',
        taskReason: null,
        resolution: null,
        endedAt: '2026-03-02T10:00:00.123Z',
      });
    const told = () =>
      records.database.prisma.outboundEvent.findMany({
        where: { subject: caseId ?? workflowId, event: { not: 'recovery_case.created' } },
        omit: { sequence: true },
      });

    await end();
    const first = await told();
    await records.takeBackEnd(run);
    const restored = await told();
    await end();

    expect(first).toMatchObject([{ createdAt: new Date('2026-03-02T10:00:00.123Z') }]);
    expect(restored).toEqual([]);
    expect(await told()).toEqual(first);
  },
);

test.each([
  { outcome: 'FOLLOW_UP_REQUIRED', status: 'cancelled', resolution: null, cancelledBy: 'account:a' },
  { outcome: 'RECOVERED', status: 'completed', resolution: { recoveryStatus: 'RECOVERED', resumeLinkSent: true } },
] as const)('a run that has ended $outcome says so, whatever it is ended with again', async (end) => {
  const { stores } = records;
  const { clinicId, workflowId } = await records.aCase();
  const ending = { clinicId, workflowId, taskReason: null };
  const before = await stores.runs.facts(clinicId, workflowId);

  const first = await stores.runs.end({ ...ending, ...end, endedAt: '2026-03-02T10:00:00.123Z' });
  const again = await stores.runs.end({
    ...ending,
    outcome: 'PATIENT_NOT_REACHED',
    status: 'completed',
    resolution: null,
    endedAt: '2026-03-02T10:00:05.000Z',
  });

  const stands = { ...end, endedAt: '2026-03-02T10:00:00.123Z' };
  expect(before).toMatchObject({ outcome: null, end: null });
  expect([first, again]).toEqual([stands, stands]);
  expect(await stores.runs.facts(clinicId, workflowId)).toMatchObject({ outcome: end.outcome, end: stands });
});

test.each([
  ['cancelled by somebody', { status: 'cancelled', cancelledBy: 'account:a' }, { cancelledBy: 'account:a' }],
  ['cancelled by nobody', { status: 'cancelled' }, {}],
  ['completed, whoever wanted to cancel it', { status: 'completed', cancelledBy: 'account:a' }, {}],
] as const)('the task of a run that was %s names who cancelled it', async (_how, end, detail) => {
  const { clinicId, workflowId } = await records.aRun();
  const left = { outcome: 'FOLLOW_UP_REQUIRED', taskReason: 'follow_up_required', resolution: null } as const;

  await records.stores.runs.end({ clinicId, workflowId, ...left, ...end });

  const tasks = await records.database.prisma.staffTask.findMany({ where: { workflowId } });
  expect(tasks.map((task) => [task.reason, task.detail])).toEqual([['follow_up_required', detail]]);
});

test('the end of an unknown run comes to nothing, nor does another clinic end one', async () => {
  const { clinicId, workflowId } = await records.aCase();
  const end = { outcome: 'CONFIRMED', status: 'completed', taskReason: null, resolution: null } as const;

  expect(await records.stores.runs.end({ clinicId, workflowId: 'unknown', ...end })).toBeNull();
  expect(await records.stores.runs.end({ clinicId: records.otherClinicId, workflowId, ...end })).toBeNull();
  expect(await prisma().workflowRun.findUnique({ where: { id: workflowId } })).toMatchObject({ status: 'started' });
});

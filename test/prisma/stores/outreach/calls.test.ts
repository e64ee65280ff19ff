import { lockLines } from '@clinic/prisma/stores/outreach/lines';
import type { CallEvidence } from '@clinic/shared/domain/voice/report';
import type { CallIntent } from '@clinic/prisma/stores/outreach/reserved-calls';
import { newId } from '@clinic/shared/crypto';
import { aPhone, aSession } from '../../../support/builders';
import { eventually } from '../../../support/eventually';
import { waitingForLocks } from '../../../support/locks';
import { openRecords, type OpenedRun, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const stored = (id: string) => records.database.prisma.call.findUniqueOrThrow({ where: { id } });
const set = (id: string, data: object) => records.database.prisma.call.update({ where: { id }, data });
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
const day = 86_400;

const reserve = (...about: Parameters<Records['anIntent']>) => records.stores.calls.reserve(records.anIntent(...about));
const report = (platformCallId: string, about: object = {}) =>
  records.stores.calls.report({
    platformCallId,
    intentId: null,
    state: null,
    endedReason: null,
    summary: null,
    ...about,
  });

const begin = async (callId: string, { clinicId = '', requests = 0 } = {}) =>
  records.stores.calls.beginRequest({ clinicId: clinicId || (await stored(callId)).clinicId, callId, requests });

test('what is to be placed is told of the clinic whose call it is, and of nobody else', async () => {
  const run = await records.aRun();
  const callId = await records.aReservedCall(run);
  const { clinicId } = run;
  await records.database.prisma.clinic.update({ where: { id: clinicId }, data: { timezone: 'America/Denver' } });
  const clinic = await records.database.prisma.clinic.findUniqueOrThrow({ where: { id: clinicId } });

  expect(await records.stores.calls.toPlace(clinicId, callId)).toMatchObject({
    callId,
    clinicId,
    clinicName: clinic.name,
    voiceProvider: clinic.voiceProvider,
    clinicZone: 'America/Denver',
  });
  await records.database.prisma.clinic.update({ where: { id: clinicId }, data: { timezone: 'UTC' } });
});

test.each<[what: string, about: object, isTold: boolean]>([
  ['a call', {}, true],
  ['a call of no run', { workflowId: null }, true],
  ['a call without a phone', { phone: null }, false],
  ['a call that is about nothing', { workflowType: null }, false],
])('%s is to be placed, or is not', async (_what, about, isTold) => {
  const { clinicId, otherClinicId, stores } = records;
  const callId = await records.aReservedCall(await records.aRun());
  await set(callId, about);

  const told = await stores.calls.toPlace(clinicId, callId);

  expect(told?.callId ?? null).toBe(isTold ? callId : null);
  expect(await stores.calls.toPlace(otherClinicId, callId)).toBeNull();
});

test('what is to be placed is told with the form of its case, what its clinic discloses and how often the platform failed', async () => {
  const { stores, database } = records;
  const clinicId = await records.aClinic();
  const [ofCase, ofRun] = [await records.aCase({ clinicId }), await records.aRun({ clinicId })];
  const form = {
    formName: 'New patients',
    lastPageReached: 2,
    totalPages: 5,
    completionPercentage: 37.5,
    abandonedAtCheckout: true,
    selectedProducts: [{ productName: 'Visit', unitPrice: 90 }],
  };
  await database.prisma.recoveryCase.update({ where: { id: ofCase.caseId ?? '' }, data: form });
  const dials = [];
  for (const [dial, about] of [{}, { isTest: true }, {}, {}].entries()) {
    const callId = await records.aReservedCall(ofCase, { dial: dial + 1 });
    dials.push(callId);
    await set(callId, { state: 'ENDED', endedReason: 'vapifault', ...about });
  }
  const other = await records.aReservedCall(ofRun);
  await database.prisma.callingPolicy.update({ where: { clinicId }, data: { disclosesAutomation: false } });
  const toPlace = (callId: string) => stores.calls.toPlace(clinicId, callId);

  const told = [];
  for (const callId of dials) told.push((await toPlace(callId))?.earlierFaults);
  // What a test of the same run said is no fault of the platform.
  expect(told).toEqual([0, 1, 1, 2]);
  expect(await toPlace(dials[0] ?? '')).toMatchObject({ form, disclosesAutomation: false });
  expect(await toPlace(other)).toMatchObject({ form: null, disclosesAutomation: false, earlierFaults: 0 });
  const elsewhere = await records.aReservedCall(await records.aRun());
  expect(await stores.calls.toPlace(records.clinicId, elsewhere)).toMatchObject({ disclosesAutomation: true });
});

test('what is to be placed is told with what its own run is about, and how the appointment is by now', async () => {
  const { clinicId, stores, database } = records;
  const at = (time: string) => new Date(`2035-05-05T${time}:00.000Z`);
  const anAppointment = async (owner: string, patientId: string, startsAt: Date, externalId: string | null) => {
    const { id: providerId } = await database.prisma.provider.findFirstOrThrow({ where: { clinicId: owner } });
    const times = { startsAt, endsAt: new Date(startsAt.getTime() + 1_800_000) };
    const of = { id: newId(), externalId, clinicId: owner, patientId, providerId, visitType: 'Consultation' };
    return (await database.prisma.appointment.create({ data: { ...of, ...times } })).id;
  };
  const patientId = await records.aPatient();
  const stranger = await records.aRun({ clinicId: records.otherClinicId });
  await anAppointment(clinicId, patientId, at('08:00'), 'EHR-another');
  const known = await anAppointment(clinicId, patientId, at('10:00'), null);
  await anAppointment(clinicId, patientId, at('11:00'), 'EHR-known');
  const elsewhere = await anAppointment(records.otherClinicId, stranger.patientId, at('12:00'), 'EHR-elsewhere');
  const toPlace = async (appointmentId: string) => {
    const startsAt = '2035-01-01T09:00:00.000Z';
    const appointment = { appointmentId, startsAt, providerName: 'Dr.Before', visitType: 'Before' };
    const [sessionId, phone, workflowType] = [aSession(), aPhone(), 'appointment-reminder' as const];
    const patient = { firstName: 'Ann', lastName: 'Lee', phone };
    const { workflowId, patientId: of } = await stores.runs.openRun({
      clinicId,
      sessionId,
      workflowType,
      patient,
      context: { appointment },
    });
    const run = { clinicId, workflowId, workflowType, patientId: of ?? '', phone, caseId: null, sessionId };
    const callId = await records.aReservedCall(run);
    return { told: (await stores.calls.toPlace(clinicId, callId))?.context, appointment };
  };

  const startsAt = ({ told }: { told: unknown }) =>
    new Date((told as { appointment: { startsAt: string } }).appointment.startsAt);

  const [moved, theirs] = [await toPlace(known), await toPlace('EHR-known')];

  for (const unknown of ['unknown', elsewhere, 'EHR-elsewhere']) {
    const { told, appointment } = await toPlace(unknown);
    expect(told).toEqual({ appointment });
  }
  const now = { providerName: 'Dr. Luz Vega', visitType: 'Consultation' };
  expect(moved.told).toMatchObject({ appointment: { appointmentId: known, ...now } });
  expect(theirs.told).toMatchObject({ appointment: { appointmentId: 'EHR-known', ...now } });
  expect([startsAt(moved), startsAt(theirs)]).toEqual([at('10:00'), at('11:00')]);
});

test('a live tool sees whose data it may touch by the id at the platform, and the clinic by ours too', async () => {
  const { prisma } = records.database;
  const { calls } = records.stores;
  const clinicId = await records.aClinic();
  await prisma.clinic.update({ where: { id: clinicId }, data: { timezone: 'America/Toronto', defaultCountry: 'CA' } });
  const chosen = { booksInOwnCalendar: true, booksFollowUps: true, confirmsBookings: true };
  await prisma.callingPolicy.update({ where: { clinicId }, data: chosen });
  const run = await records.aCase({ clinicId });
  const { patientId, phone, workflowId, workflowType, caseId } = run;
  const { callId, platformCallId } = await records.aPlacedCall(run);
  const waiting = await records.aReservedCall(await records.aRun({ clinicId }));

  const seen = await calls.live(platformCallId);

  expect(seen).toEqual({
    callId,
    clinicId,
    patientId,
    phone,
    workflowId,
    workflowType,
    caseId,
    clinicZone: 'America/Toronto',
    clinicCountry: 'CA',
    isSandboxEnabled: false,
    isOwnCalendarOn: true,
    booksFollowUps: true,
    confirmsBookings: true,
    isLiveEhr: false,
    isDemo: false,
    voiceProvider: 'simulator',
    isMatchedByNumber: false,
    isTest: false,
    state: 'QUEUED',
  });
  expect(await calls.liveOf(clinicId, callId)).toEqual(seen);
  expect([await calls.liveOf(records.otherClinicId, callId), await calls.liveOf(clinicId, waiting)]).toEqual([
    null,
    null,
  ]);
  expect([await calls.live(callId), await calls.live('unknown')]).toEqual([null, null]);
});

describe('a live tool acts at the EHR', () => {
  const isLive = { isOn: true, isLive: true, testPatient: 'Patient/known' };
  interface Given {
    fhir?: object;
    kind?: string;
    voiceProvider?: string;
    isTest?: boolean;
    externalId?: string | null;
    isElsewhere?: boolean;
  }

  test.each<[what: string, given: Given, isLiveEhr: boolean]>([
    ['in a call to a phone', {}, true],
    ['in a simulated call', { voiceProvider: 'simulator' }, false],
    ['that is off', { fhir: { ...isLive, isOn: false } }, false],
    ['that calls do not act at', { fhir: { ...isLive, isLive: false } }, false],
    ['of which nothing was said', { fhir: {} }, false],
    ['that is none but an API', { kind: 'json' }, false],
    ['of another clinic', { isElsewhere: true }, false],
    ['in a test call about its test patient', { isTest: true, externalId: 'known' }, true],
    [
      'in a simulated test call about its test patient',
      { isTest: true, externalId: 'known', voiceProvider: 'simulator' },
      true,
    ],
    ['in a test call about another patient of it', { isTest: true, externalId: 'another' }, false],
    ['in a test call about a patient whom it does not know', { isTest: true }, false],
    [
      'in a test call where it has no test patient',
      { isTest: true, externalId: 'known', fhir: { isOn: true, isLive: true } },
      false,
    ],
  ])('%s, or does not', async (_what, given, isLiveEhr) => {
    const { prisma } = records.database;
    const [clinicId, elsewhere] = [await records.aClinic(), await records.aClinic()];
    const { fhir = isLive, kind = 'fhir-r4', voiceProvider = 'vapi', isTest = false, externalId = null } = given;
    const run = await records.aRun({ clinicId });
    const { callId, platformCallId } = await records.aPlacedCall(run);
    await set(callId, { isTest });
    await prisma.clinic.update({ where: { id: clinicId }, data: { voiceProvider } });
    await prisma.patient.update({ where: { id: run.patientId }, data: { externalId } });
    // Whom it means is known here too.
    const beside = await records.aRun({ clinicId });
    if (externalId !== 'known')
      await prisma.patient.update({ where: { id: beside.patientId }, data: { externalId: 'known' } });
    const settings = { kind, fhir, baseUrl: '', auth: '', credentials: '', actions: {} };
    await prisma.approvedApi.create({ data: { ...settings, clinicId: given.isElsewhere ? elsewhere : clinicId } });

    expect(await records.stores.calls.live(platformCallId)).toMatchObject({ callId, clinicId, isTest, isLiveEhr });
  });

  test('never where a request of the local stack points at no call; there the first test call of its first clinic is meant', async () => {
    const { prisma } = records.database;
    const { calls } = records.stores;
    const aClinicOf = async (createdAt: Date) => {
      const clinicId = await records.aClinic();
      await prisma.clinic.update({ where: { id: clinicId }, data: { isDemo: true, voiceProvider: 'vapi', createdAt } });
      return clinicId;
    };
    const aTest = async (clinicId: string, about: object = {}) => {
      const { patientId } = await records.aRun({ clinicId });
      const nothing = { workflowType: null, workflowId: null, caseId: null };
      const callId = await calls.openTestCall({ clinicId, patientId, ...nothing });
      await set(callId, about);
      return { callId, patientId };
    };
    const noCall = await calls.defaultTestCall();
    const [first, second] = [await aClinicOf(ago(200)), await aClinicOf(ago(100))];
    const ofSecond = await aTest(second, { createdAt: ago(900) });
    await aTest(await records.aClinic(), { createdAt: ago(900) });
    for (const about of [
      { isTest: false },
      { state: 'ENDED' },
      { workflowType: 'appointment-reminder' },
      { platformCallId: null },
    ])
      await aTest(first, { createdAt: ago(900), ...about });
    const alone = await calls.defaultTestCall();
    await aTest(first, { createdAt: ago(10) });
    const older = await aTest(first, { createdAt: ago(20) });
    await prisma.patient.update({ where: { id: older.patientId }, data: { externalId: 'known' } });
    const settings = { kind: 'fhir-r4', fhir: isLive, baseUrl: '', auth: '', credentials: '', actions: {} };
    await prisma.approvedApi.create({ data: { ...settings, clinicId: first } });

    const meant = await calls.defaultTestCall();

    expect([noCall, alone?.callId, meant?.callId]).toEqual([null, ofSecond.callId, older.callId]);
    expect(meant).toMatchObject({ clinicId: first, isLiveEhr: false, isTest: true });
    expect(await calls.live(older.callId)).toMatchObject({ isLiveEhr: true });
    await prisma.clinic.updateMany({ data: { isDemo: false } });
  });
});

test('calls under way are those in which a phone rings or people talk, the longest first', async () => {
  const clinicId = await records.aClinic();
  const names = new Map<string, string>();
  for (const [name, about] of Object.entries({
    ringing: { state: 'RINGING', createdAt: ago(60) },
    talking: { state: 'IN_PROGRESS', createdAt: ago(90) },
    waiting: { state: 'QUEUED' },
    over: { state: 'ENDED' },
    test: { state: 'IN_PROGRESS', isTest: true },
  })) {
    const { callId } = await records.aPlacedCall(await records.aRun({ clinicId }));
    await set(callId, about);
    names.set(callId, name);
  }
  await set((await records.aPlacedCall(await records.aRun({ clinicId: await records.aClinic() }))).callId, {
    state: 'RINGING',
  });

  const found = await records.stores.calls.underWay(clinicId);

  expect(found.map(({ id, takenOver }) => [names.get(id), takenOver])).toEqual([
    ['talking', null],
    ['ringing', null],
  ]);
  expect(await records.stores.calls.underWay(await records.aClinic())).toEqual([]);
});

describe('reserving', () => {
  test('the same dial of a workflow is one call, no matter who asks again', async () => {
    const run = await records.aRun();

    const [first, second] = [await reserve(run), await reserve(run)];

    expect(first.kind).toBe('reserved');
    expect(second).toEqual(first);
  });

  test('two at once for one dial are one call', async () => {
    const run = await records.aRun();

    const both = await Promise.all([reserve(run), reserve(run)]);

    expect(both[0]).toEqual(both[1]);
    expect(await records.database.prisma.call.count({ where: { workflowId: run.workflowId } })).toBe(1);
  });

  test('a phone that is in a call is not called by another workflow of the clinic', async () => {
    const run = await records.aRun();
    await records.aReservedCall(run);
    const another = await records.aRun({ phone: run.phone });

    expect(await reserve(another)).toEqual({ kind: 'queued' });
  });

  test('a call that is over holds no line', async () => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run);
    await records.stores.calls.close({ clinicId: run.clinicId, callId, reason: 'voicemail' });
    const another = await records.aRun({ phone: run.phone });

    expect((await reserve(another)).kind).toBe('reserved');
  });

  test('the clinic has so many lines and no more; other clinics have their own', async () => {
    const clinicId = records.otherClinicId;
    const [first, second] = [await records.aRun({ clinicId }), await records.aRun({ clinicId })];
    await records.aReservedCall(first, { maxConcurrentCalls: 1 });

    expect(await reserve(second, { maxConcurrentCalls: 1 })).toEqual({ kind: 'queued' });
    expect((await reserve(second, { maxConcurrentCalls: 2 })).kind).toBe('reserved');
    expect((await reserve(await records.aRun(), { maxConcurrentCalls: 100 })).kind).toBe('reserved');
  });

  test.each([
    ['a day', { callsPerPatientPerDay: 1 }, day - 60, day + 60],
    ['a week', { callsPerPatientPerWeek: 1 }, 7 * day - 60, 7 * day + 60],
  ])('a patient who has had their calls of %s is not called again within it', async (_name, limit, within, after) => {
    const run = await records.aRun();
    const { callId } = await records.aPlacedCall(run);
    await records.stores.calls.close({ clinicId: run.clinicId, callId, reason: 'voicemail' });
    const again = await records.aRun({ phone: run.phone });

    await set(callId, { requestedAt: ago(within) });
    const inside = await reserve(again, limit);
    await set(callId, { requestedAt: ago(after) });
    const outside = await reserve(again, limit);

    expect(inside).toEqual({ kind: 'limited' });
    expect(outside.kind).toBe('reserved');
  });

  test('a call that the platform never took counts towards no limit', async () => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run);
    await begin(callId);
    await records.stores.calls.close({ clinicId: run.clinicId, callId, reason: 'refused' });
    const again = await records.aRun({ phone: run.phone });

    expect((await reserve(again, { callsPerPatientPerDay: 1 })).kind).toBe('reserved');
  });

  test.each([
    ['counts when the phone had rung', { state: 'RINGING' }, 'limited'],
    ['counts when it was answered', { state: 'IN_PROGRESS' }, 'limited'],
    ['does not count when nothing had rung', {}, 'reserved'],
  ])('a call that the platform took and then failed %s', async (_situation, reported, expected) => {
    const run = await records.aRun();
    const { platformCallId } = await records.aPlacedCall(run);
    await report(platformCallId, reported);
    await report(platformCallId, { state: 'ENDED', endedReason: 'call.start.error-get-transport' });
    const again = await records.aRun({ phone: run.phone });

    expect((await reserve(again, { callsPerPatientPerDay: 1 })).kind).toBe(expected);
    const facts = await records.stores.runs.facts(again.clinicId, again.workflowId);
    expect(facts?.previousCallsAt).toHaveLength(expected === 'limited' ? 1 : 0);
  });

  test('a case that has ended is not called', async () => {
    const run = await records.aCase();
    await records.database.prisma.recoveryCase.updateMany({
      where: { id: run.caseId ?? '' },
      data: { status: 'RECOVERED' },
    });

    expect(await reserve(run)).toEqual({ kind: 'withdrawn' });
    const [call] = await records.database.prisma.call.findMany({ where: { workflowId: run.workflowId } });
    expect(call).toMatchObject({ state: 'ENDED', endedReason: 'withdrawn' });
  });

  describe('a refusal is stored as a decision', () => {
    const inputs = (now: string) => ({ now }) as CallIntent['inputs'];
    const decisions = ({ workflowId }: OpenedRun) =>
      records.database.prisma.callDecision.findMany({ where: { workflowId, stage: 'line' }, orderBy: { id: 'asc' } });

    test('of a patient who has had their calls, once for each time that it was asked', async () => {
      const run = await records.aRun();
      const { callId } = await records.aPlacedCall(run);
      await records.stores.calls.close({ clinicId: run.clinicId, callId, reason: 'voicemail' });
      const again = await records.aRun({ phone: run.phone });
      const limit = { callsPerPatientPerDay: 1 };

      for (const now of ['2040-01-02T10:00:00.000Z', '2040-01-02T10:00:00.000Z', '2040-01-03T10:00:00.000Z']) {
        expect(await reserve(again, { ...limit, inputs: inputs(now) })).toEqual({ kind: 'limited' });
      }

      const because = 'patient_limits';
      const looked = { callsInDay: 1, callsInWeek: 1, ...limit, callsPerPatientPerWeek: null, isCaseOver: false };
      const refusal = { rule: because, callId: null, decided: { kind: 'withdrawn', because }, inputs: looked };
      expect(await decisions(again)).toMatchObject([refusal, refusal]);
    });

    test('of a case that has ended, with the call', async () => {
      const run = await records.aCase();
      const where = { id: run.caseId ?? '' };
      await records.database.prisma.recoveryCase.updateMany({ where, data: { status: 'RECOVERED' } });

      await reserve(run);

      expect(await decisions(run)).toMatchObject([
        { rule: 'case_over', callId: expect.any(String), inputs: { isCaseOver: true } },
      ]);
    });

    test('and nothing where a line is given or waited for', async () => {
      const [run, waiting] = [await records.aRun(), await records.aRun()];
      await reserve(run);
      await reserve(waiting, { maxConcurrentCalls: 0 });

      expect([...(await decisions(run)), ...(await decisions(waiting))]).toEqual([]);
    });
  });

  test('reserving for a case makes it CALLING', async () => {
    const run = await records.aCase();
    await records.aReservedCall(run);

    expect(await records.stores.cases.find(run.clinicId, run.caseId ?? '')).toMatchObject({ status: 'CALLING' });
  });
});

describe('beginning a request', () => {
  test('a call that has ended is not dialled', async () => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run);
    await records.stores.calls.close({ clinicId: run.clinicId, callId, reason: 'withdrawn' });

    expect(await begin(callId)).toEqual({ kind: 'withdrawn', because: 'call_over' });
    expect((await stored(callId)).requestedAt).toBeNull();
  });

  test('a call of a run that has ended is not dialled', async () => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run);
    await records.database.prisma.workflowRun.updateMany({
      where: { id: run.workflowId },
      data: { status: 'cancelled', outcome: 'FOLLOW_UP_REQUIRED', completedAt: new Date() },
    });

    expect(await begin(callId)).toEqual({ kind: 'withdrawn', because: 'run_over' });
  });

  test('a call of a case whose form was completed a moment ago is not dialled', async () => {
    const run = await records.aCase();
    const callId = await records.aReservedCall(run);
    const { clinicId, sessionId } = run;
    await records.stores.inboundEvents.formCompleted({ clinicId, sessionId, payload: {} });

    expect(await begin(callId)).toEqual({ kind: 'withdrawn', because: 'form_completed' });
  });

  test('a call of a case that is no longer CALLING is not dialled', async () => {
    const run = await records.aCase();
    const callId = await records.aReservedCall(run);
    await records.stores.cases.setOpenStatus({ clinicId: run.clinicId, caseId: run.caseId ?? '', status: 'PENDING' });

    expect(await begin(callId)).toEqual({ kind: 'withdrawn', because: 'case_over' });
  });

  const refused: [situation: string, because: string, (run: OpenedRun, callId: string) => Promise<unknown>][] = [
    ['whose calling hours are over', 'window_over', (_run, callId) => set(callId, { notAfter: ago(1) })],
    [
      'whose phone opted out a moment ago',
      'opted_out',
      ({ clinicId, phone }) => records.stores.optOuts.add(clinicId, phone),
    ],
    [
      'whose appointment has begun',
      'appointment_changed',
      (_run, callId) => set(callId, { appointmentStartsAt: ago(1) }),
    ],
    [
      'to a patient who has had the calls of the day meanwhile',
      'patient_limits',
      async (run, callId) => {
        await set(callId, { phone: aPhone() });
        const { callId: other } = await records.aPlacedCall(await records.aRun({ phone: run.phone }));
        await records.stores.calls.close({ clinicId: run.clinicId, callId: other, reason: 'voicemail' });
        await set(callId, { phone: run.phone });
      },
    ],
  ];
  test.each(refused)('a call %s is withdrawn, and the record says why', async (_situation, because, happen) => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run);
    await happen(run, callId);

    expect(await begin(callId)).toEqual({ kind: 'withdrawn', because });
    expect(await stored(callId)).toMatchObject({
      state: 'ENDED',
      endedReason: 'withdrawn',
      withdrawnBecause: because,
      requestedAt: null,
    });
  });

  test('a call about an appointment that was moved or cancelled meanwhile is withdrawn', async () => {
    const startsAt = new Date(Date.now() + 86_400_000);
    const about = async (changed: object, externalId: string | null = null) => {
      const run = await records.aRun();
      const appointmentId = newId();
      const { id: providerId } = await records.database.prisma.provider.findFirstOrThrow({
        where: { clinicId: run.clinicId },
      });
      appointments += 1;
      const at = new Date(startsAt.getTime() + appointments * 3_600_000);
      await records.database.prisma.workflowRun.updateMany({
        where: { id: run.workflowId },
        data: { context: { appointment: { appointmentId: externalId ?? appointmentId } } },
      });
      await records.database.prisma.appointment.create({
        data: {
          id: appointmentId,
          externalId,
          clinicId: run.clinicId,
          patientId: run.patientId,
          providerId,
          visitType: 'checkup',
          startsAt: at,
          endsAt: new Date(at.getTime() + 1_800_000),
        },
      });
      const callId = await records.aReservedCall(run, { appointmentStartsAt: at.toISOString() });
      await records.database.prisma.appointment.update({ where: { id: appointmentId }, data: changed });
      return begin(callId);
    };
    let appointments = 0;
    const moved = new Date(startsAt.getTime() + 40 * 3_600_000);

    expect(await about({})).toEqual({ kind: 'begun' });
    expect(await about({}, 'platform-1')).toEqual({ kind: 'begun' });
    expect(await about({ status: 'cancelled' })).toMatchObject({ because: 'appointment_changed' });
    expect(await about({ status: 'cancelled' }, 'platform-2')).toMatchObject({ because: 'appointment_changed' });
    expect(await about({ startsAt: moved, endsAt: new Date(moved.getTime() + 1_800_000) })).toMatchObject({
      because: 'appointment_changed',
    });
  });

  test('the calls of another clinic, and one on which nothing rang, count towards no limit', async () => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run);
    const clinicId = records.otherClinicId;
    const elsewhere = await records.aPlacedCall(await records.aRun({ clinicId, phone: run.phone }));
    await records.stores.calls.close({ clinicId, callId: elsewhere.callId, reason: 'voicemail' });
    // A clinic never has two calls to one phone at once.
    await set(callId, { phone: aPhone() });
    const failed = await records.aPlacedCall(await records.aRun({ phone: run.phone }));
    await report(failed.platformCallId, { state: 'ENDED', endedReason: 'call.start.error-get-transport' });
    await set(callId, { phone: run.phone });

    expect(await begin(callId)).toEqual({ kind: 'begun' });
  });

  test('a request begins once by those who know of as many before', async () => {
    const callId = await records.aReservedCall(await records.aRun());

    const both = await Promise.all([begin(callId), begin(callId)]);

    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['begun', 'overtaken']);
    expect(await begin(callId, { requests: 1 })).toEqual({ kind: 'begun' });
    expect((await stored(callId)).requests).toBe(2);
  });

  test('the form of the same session at another clinic changes nothing', async () => {
    const run = await records.aCase();
    const callId = await records.aReservedCall(run);
    const { sessionId } = run;
    await records.stores.inboundEvents.formCompleted({ clinicId: records.otherClinicId, sessionId, payload: {} });

    expect(await begin(callId)).toEqual({ kind: 'begun' });
    expect(await begin(callId, { clinicId: records.otherClinicId, requests: 1 })).toMatchObject({ kind: 'withdrawn' });
  });
});

describe('what the platform reports', () => {
  test('the first id that the platform gave a call stays, and so does the highest attempt', async () => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run, { attempt: 2, dial: 3 });
    await begin(callId);
    const { clinicId } = run;

    await records.stores.calls.placed({ clinicId, callId, platformCallId: `first-${callId}` });
    await records.stores.calls.placed({ clinicId, callId, platformCallId: `second-${callId}` });
    const early = await records.aReservedCall(await records.aRun());
    await records.stores.calls.close({ clinicId, callId: early, reason: 'voicemail' });

    expect((await stored(callId)).platformCallId).toBe(`first-${callId}`);
    expect((await records.stores.runs.find(clinicId, run.workflowId))?.attempts).toBe(2);
  });

  test('that overtakes the answer to the request, or comes instead of it, counts the attempt', async () => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run, { attempt: 1 });
    await begin(callId);
    const heard = { endedReason: null, summary: null, intentId: callId, platformCallId: `early-${callId}` };
    const attempts = async () => (await records.stores.runs.find(run.clinicId, run.workflowId))?.attempts;
    const before = await attempts();

    await records.stores.calls.report({ ...heard, state: 'RINGING' });

    expect([before, await attempts()]).toEqual([0, 1]);
  });

  test('counts no attempt of another run', async () => {
    const [run, other] = [await records.aRun(), await records.aRun()];

    await records.aPlacedCall(run, { attempt: 3 });

    const { prisma } = records.database;
    const attempts = ({ workflowId }: OpenedRun) => prisma.workflowRun.findUniqueOrThrow({ where: { id: workflowId } });
    expect([(await attempts(run)).attempts, (await attempts(other)).attempts]).toEqual([3, 0]);
  });

  test('an answer to a request waits for its run before it holds its call, like the next request', async () => {
    const { database, stores } = records;
    const run = await records.aRun();
    const { clinicId, workflowId } = run;
    const callId = await records.aReservedCall(run);

    const placing = await database.transaction(async (tx) => {
      await tx`select 1 from workflow_runs where id = ${workflowId} for update`;
      const answer = stores.calls.placed({ clinicId, callId, platformCallId: newId() });
      await eventually(async () => (await waitingForLocks(database)) === 1);
      await tx`select 1 from calls where id = ${callId} for update nowait`;
      return [answer] as const;
    });
    await placing[0];

    expect((await stored(callId)).platformCallId).not.toBeNull();
  });

  test('an earlier attempt that is told late does not lower the count', async () => {
    const run = await records.aRun();
    const { callId } = await records.aPlacedCall(run, { attempt: 2, dial: 1 });
    await records.stores.calls.close({ clinicId: run.clinicId, callId, reason: 'voicemail' });

    await records.aPlacedCall(run, { attempt: 1, dial: 2 });

    expect((await records.stores.runs.find(run.clinicId, run.workflowId))?.attempts).toBe(2);
  });

  test('states only move forward', async () => {
    const { callId, platformCallId } = await records.aPlacedCall(await records.aRun());

    await report(platformCallId, { state: 'IN_PROGRESS' });
    const { startedAt } = await stored(callId);
    await report(platformCallId, { state: 'RINGING' });
    await report(platformCallId, { state: 'IN_PROGRESS' });

    expect(await stored(callId)).toMatchObject({ state: 'IN_PROGRESS', startedAt });
  });

  test('the end is told to the workflow once, with the first reason', async () => {
    const run = await records.aRun();
    const { callId, platformCallId } = await records.aPlacedCall(run);

    const first = await report(platformCallId, { state: 'ENDED', endedReason: 'voicemail' });
    const { endedAt } = await stored(callId);
    const second = await report(platformCallId, { state: 'ENDED', endedReason: 'customer-busy' });
    const third = await report(platformCallId, {
      state: 'ENDED',
      endedReason: 'customer-busy',
      summary: 'It was busy.',
    });

    expect(first?.messageIds).toHaveLength(1);
    expect([second?.messageIds, third?.messageIds]).toEqual([[], []]);
    expect(await stored(callId)).toMatchObject({
      state: 'ENDED',
      endedReason: 'voicemail',
      endedAt,
      summary: 'It was busy.',
    });
  });

  test('a call that we closed ourselves keeps its reason, and closing it again changes nothing', async () => {
    const run = await records.aRun();
    const { clinicId } = run;
    const { callId } = await records.aPlacedCall(run);

    await records.stores.calls.close({ clinicId: records.otherClinicId, callId, reason: 'by-another-clinic' });
    const untouched = await stored(callId);
    await records.stores.calls.close({ clinicId, callId, reason: 'call-lost-providerfault' });
    await records.stores.calls.close({ clinicId, callId, reason: 'later' });

    expect(untouched.state).not.toBe('ENDED');
    expect(await stored(callId)).toMatchObject({ state: 'ENDED', endedReason: 'call-lost-providerfault' });
  });

  test('an event that overtakes the answer to our request finds the call by our own id', async () => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run);
    const platformCallId = `early-${callId}`;

    const beforeTheRequest = await report(platformCallId, { intentId: callId, state: 'RINGING' });
    await begin(callId);
    const afterIt = await report(platformCallId, { intentId: callId, state: 'RINGING' });

    expect(beforeTheRequest).toBeNull();
    expect(afterIt).toMatchObject({ callId });
    expect((await stored(callId)).platformCallId).toBe(platformCallId);
  });

  test('"never call me again" is kept where the report is the first word of the call: its request got no answer', async () => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run);
    await begin(callId);

    const told = await report(`early-${callId}`, {
      intentId: callId,
      state: 'ENDED',
      endedReason: 'customer-ended-call',
      analysis: { said: 'declined', wantsNoCalls: true },
    });

    expect(told).toMatchObject({ callId });
    const optOuts = await records.database.prisma.optOut.findMany({ where: { phone: run.phone } });
    expect(optOuts).toMatchObject([{ clinicId: run.clinicId, scope: 'all', source: 'analysis' }]);
  });

  test.each([
    ['after it was answered', [{ state: 'IN_PROGRESS' }], 'pipeline-error-x', true],
    ['before it was answered', [{ state: 'RINGING' }], 'pipeline-error-x', false],
    ['after it was answered, by its reason', [{ state: 'RINGING' }], 'call.in-progress.error-x', true],
    ['after it was answered, as they hung up', [{ state: 'RINGING' }], 'customer-ended-call', true],
  ])('the end of a call tells that it came %s', async (_situation, reports, endedReason, wasAnswered) => {
    const run = await records.aRun();
    await records.stores.runs.markDispatched([run.workflowId]);
    const { callId, platformCallId } = await records.aPlacedCall(run);
    for (const about of reports) await report(platformCallId, about);
    await report(platformCallId, { state: 'ENDED', endedReason });

    const message = await records.stores.messages.find(`call-ended-${callId}`);
    expect(message?.payload).toMatchObject({ wasAnswered });
  });

  test('a call whose report alone tells that they talked was answered when they began to', async () => {
    const { callId, platformCallId } = await records.aPlacedCall(await records.aRun());
    await set(callId, { requestedAt: new Date(Date.now() - 600_000) });
    const evidence = { transcript: null, recordingUrl: null, costUsd: null, success: null, durationSeconds: 90 };

    await report(platformCallId, { state: 'ENDED', endedReason: 'pipeline-error-x' });
    const before = await stored(callId);
    await report(platformCallId, { state: 'ENDED', endedReason: 'pipeline-error-x', evidence });

    const { startedAt, endedAt, rangAt } = await stored(callId);
    expect([before.startedAt, before.rangAt]).toEqual([null, null]);
    expect(Number(endedAt) - Number(startedAt)).toBe(90_000);
    expect([endedAt, rangAt]).toEqual([before.endedAt, before.endedAt]);
  });

  describe('the end of a call that a patient placed', () => {
    const anInboundCall = async (clinicId: string, callerNumber: string | null, hasAnswer = true) => {
      const platformCallId = `inbound-${newId()}`;
      const owner = { clinicId, country: 'US' };
      await records.stores.inboundCalls.open({ owner, platformCallId, callerNumber, state: 'RINGING' });
      if (hasAnswer) await report(platformCallId, { state: 'IN_PROGRESS' });
      return platformCallId;
    };
    const endOf = (platformCallId: string, endedReason = 'customer-ended-call', evidence: CallEvidence | null = null) =>
      report(platformCallId, { state: 'ENDED', endedReason, evidence });
    const wakingOf = async ({ workflowId }: OpenedRun) =>
      (await records.database.prisma.workflowMessage.findMany({ where: { workflowId, signal: 'rulesChanged' } })).map(
        ({ id }) => id,
      );
    const calledAt = async ({ clinicId, workflowId }: OpenedRun) =>
      (await records.stores.runs.facts(clinicId, workflowId))?.patientCalledAt ?? null;

    test('has their open runs decide again, once, and counts from then on', async () => {
      const recovery = await records.aCase();
      const { clinicId, phone, patientId } = recovery;
      const [other, there] = [await records.aRun(), await records.aRun({ clinicId: records.otherClinicId, phone })];
      const over = await records.stores.runs.openRun({
        clinicId,
        sessionId: newId(),
        workflowType: 'payment-recovery',
        patient: { firstName: 'Ann', lastName: 'Lee', phone },
      });
      await records.database.prisma.workflowRun.update({
        where: { id: over.workflowId },
        data: { status: 'completed', outcome: 'SELF_PAY', completedAt: new Date() },
      });
      const platformCallId = await anInboundCall(clinicId, phone);
      const during = await calledAt(recovery);

      const told = await endOf(platformCallId);
      await endOf(platformCallId);

      const call = await records.database.prisma.call.findUniqueOrThrow({ where: { platformCallId } });
      expect(call).toMatchObject({ patientId });
      const woken = await wakingOf(recovery);
      expect(woken).toHaveLength(1);
      expect(told?.messageIds).toEqual(expect.arrayContaining(woken));
      const ofOthers = [other, there, { ...other, workflowId: over.workflowId }];
      expect(await Promise.all(ofOthers.map(wakingOf))).toEqual([[], [], []]);
      expect([during, await calledAt(recovery)]).toEqual([null, call.endedAt?.toISOString()]);
      expect([await calledAt(other), await calledAt(there)]).toEqual([null, null]);
      const [preview] = await records.stores.callPreview.openRuns(clinicId, { patientId, limit: 1 });
      expect(preview?.facts.patientCalledAt).toBe(call.endedAt?.toISOString());
      const later = await records.aRun({ phone });
      expect(await calledAt(later)).toBeNull();
    });

    test('counts where nothing was heard of it before its end, and where its report alone tells that they talked', async () => {
      const [run, other] = [await records.aRun(), await records.aRun()];
      const talked = { transcript: 'User: Hello', recordingUrl: null, costUsd: null, success: null };

      await endOf(await anInboundCall(run.clinicId, run.phone, false));
      const silent = await anInboundCall(other.clinicId, other.phone, false);
      await endOf(silent, 'silence-timed-out');
      const before = await wakingOf(other);
      const told = await endOf(silent, 'silence-timed-out', { ...talked, durationSeconds: null });
      await endOf(silent, 'silence-timed-out', { ...talked, durationSeconds: null });

      expect([(await wakingOf(run)).length, before]).toEqual([1, []]);
      expect(await wakingOf(other)).toEqual(told?.messageIds);
      expect([await calledAt(run), await calledAt(other)]).toEqual([expect.any(String), expect.any(String)]);
    });

    test('changes nothing where nobody answered, or nobody is known', async () => {
      const [run, first] = [await records.aRun(), await records.aRun()];
      await records.database.prisma.patient.update({ where: { id: first.patientId }, data: { isPlaceholder: false } });
      await records.database.prisma.patient.create({
        data: { id: newId(), clinicId: first.clinicId, phone: first.phone, firstName: 'Ben' },
      });

      const hungUp = 'call.ringing.sip-inbound-caller-hungup-before-call-connect';
      await endOf(await anInboundCall(run.clinicId, run.phone, false), hungUp);
      await endOf(await anInboundCall(run.clinicId, null));
      // Two of the clinic's patients have this phone.
      await endOf(await anInboundCall(first.clinicId, first.phone));

      expect([await wakingOf(run), await wakingOf(first)]).toEqual([[], []]);
      expect([await calledAt(run), await calledAt(first)]).toEqual([null, null]);
    });

    test('gives the line for which their run waits to others', async () => {
      const clinicId = await records.aClinic();
      const [run, next] = [await records.aRun({ clinicId }), await records.aRun({ clinicId })];
      const platformCallId = await anInboundCall(clinicId, run.phone);
      const intent = { maxConcurrentCalls: 1 };
      await records.database.prisma.callingPolicy.update({ where: { clinicId }, data: intent });
      await reserve(run, { ...intent, dueAt: new Date(Date.now() - 60_000).toISOString() });
      await reserve(next, intent);

      await endOf(platformCallId);

      const granted = await records.database.prisma.lineTicket.findMany({
        where: { clinicId, grantedAt: { not: null } },
      });
      expect(granted.map(({ workflowId }) => workflowId)).toEqual([next.workflowId]);
    });

    test('holds no place in line while it waits for the lock of whoever gives lines', async () => {
      const { database } = records;
      const clinicId = await records.aClinic();
      const run = await records.aRun({ clinicId });
      const platformCallId = await anInboundCall(clinicId, run.phone);
      await reserve(run);

      const [ended] = await database.transaction(async (tx) => {
        await lockLines(tx, clinicId);
        const end = endOf(platformCallId);
        await eventually(async () => (await waitingForLocks(database)) === 1);
        await tx`select 1 from line_tickets where workflow_id = ${run.workflowId} for update nowait`;
        return [end] as const;
      });

      await ended;
      expect((await database.prisma.lineTicket.findFirst({ where: { clinicId } }))?.notAfter).toBeInstanceOf(Date);
    });

    test('keeps a phone from ringing for what was decided before it', async () => {
      const run = await records.aRun();
      const callId = await records.aReservedCall(run);
      await endOf(await anInboundCall(run.clinicId, run.phone));

      expect(await begin(callId)).toEqual({ kind: 'withdrawn', because: 'patient_called' });
      const again = await records.aReservedCall(run, { dial: 2 });
      expect(await begin(again)).toEqual({ kind: 'begun' });
    });
  });

  test('our own id says nothing about a call that has another id at the platform', async () => {
    const { callId } = await records.aPlacedCall(await records.aRun());

    expect(await report(`forged-${newId()}`, { intentId: callId, state: 'ENDED' })).toBeNull();
    expect((await stored(callId)).state).not.toBe('ENDED');
  });

  test.each<[told: string, given: number | null, answered: number | null, endsAgo: number]>([
    ['no time', null, 300, 0],
    ['when it was', 100, 300, 100],
    ['a time before it was answered', 400, 300, 300],
    ['a time before it was asked for, and nobody answered', 900, null, 600],
    ['a time that is still to come', -600, 300, 0],
  ])('the end of a call that is told with %s lies after its begin and before now: %#', async (_told, ...about) => {
    const [given, answered, endsAgo] = about;
    const run = await records.aRun();
    await records.stores.runs.markDispatched([run.workflowId]);
    const { callId, platformCallId } = await records.aPlacedCall(run);
    const now = Date.now();
    const before = (seconds: number) => new Date(now - seconds * 1_000);
    await set(callId, { requestedAt: before(600), startedAt: answered === null ? null : before(answered) });
    const endedAt = given === null ? null : before(given).toISOString();

    await report(platformCallId, { state: 'ENDED', endedReason: 'voicemail', endedAt });

    const { endedAt: kept } = await stored(callId);
    const secondsAgo = Math.round((now - (kept?.getTime() ?? 0)) / 1_000);
    if (endsAgo === 0) expect(Math.abs(secondsAgo)).toBeLessThan(60);
    else expect(kept).toEqual(before(endsAgo));
    const message = await records.stores.messages.find(`call-ended-${callId}`);
    const payload = message?.payload as { endedAt?: string } | undefined;
    expect(payload?.endedAt).toBe(given === null ? undefined : kept?.toISOString());
  });

  test.each<[first: string | null, second: string | null]>([
    ['confirmed', 'declined'],
    [null, 'confirmed'],
    ['confirmed', null],
  ])('of two analyses of a call the first stays: %s before %s', async (first, second) => {
    const { callId, platformCallId } = await records.aPlacedCall(await records.aRun());

    await report(platformCallId, { analysis: { said: first } });
    const { analysedAt } = await stored(callId);
    await report(platformCallId, { summary: 'First.' });
    await report(platformCallId, { analysis: { said: second } });
    const kept = await stored(callId);
    await report(platformCallId, { summary: 'Last.' });

    expect(analysedAt).not.toBeNull();
    expect(kept).toMatchObject({ said: first, analysedAt, summary: 'First.' });
    expect(await stored(callId)).toMatchObject({ said: first, summary: 'Last.' });
  });

  test('is of the call with the id at the platform, whatever id of ours comes with it, and of that clinic alone', async () => {
    const run = await records.aRun();
    const waiting = await records.aReservedCall(run);
    await begin(waiting);
    const { callId, platformCallId } = await records.aPlacedCall(await records.aRun());
    const another = await records.aPlacedCall(await records.aRun());
    const of = async (about: object) => (await report(platformCallId, about))?.callId ?? null;

    expect(await of({ intentId: waiting })).toBe(callId);
    expect(await of({ intentId: another.callId })).toBe(callId);
    expect(await of({ clinicId: run.clinicId })).toBe(callId);
    expect(await of({ clinicId: records.otherClinicId })).toBeNull();
    expect((await stored(waiting)).platformCallId).toBeNull();
  });

  test.each([
    [0, 2],
    [2, 2],
    [5, 5],
  ])('as the first word of a second attempt makes of %d attempts %d', async (already, then) => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run, { attempt: 2 });
    await begin(callId);
    await records.database.prisma.workflowRun.update({ where: { id: run.workflowId }, data: { attempts: already } });

    const told = await report(`early-${callId}`, { intentId: callId, state: 'RINGING' });

    expect(told?.callId).toBe(callId);
    expect((await records.stores.runs.find(run.clinicId, run.workflowId))?.attempts).toBe(then);
  });

  test('a call is reviewed by what its tools changed, in the order in which they were done, and what was said', async () => {
    const { callId, platformCallId } = await records.aPlacedCall(await records.aRun());
    const other = await records.aPlacedCall(await records.aRun());
    const { clinicId } = await stored(callId);
    const tools: [of: string, fact: string | null, minute: number, detail?: object][] = [
      [callId, 'booked', 2, { appointmentId: 'a' }],
      [callId, 'cancelled', 1],
      [callId, null, 3],
      [callId, 'escalated', 4],
      [other.callId, 'declined', 1],
    ];
    for (const [of, fact, minute, detail] of tools) {
      const completedAt = new Date(Date.UTC(2026, 2, 3, 10, minute));
      const about = { family: 'emr', tool: 'book', arguments: {}, meaning: newId(), toolCallId: newId() };
      await records.database.prisma.toolCall.create({
        data: { id: newId(), clinicId, callId: of, ...about, fact, completedAt, ...(detail && { detail }) },
      });
    }
    await report(platformCallId, { analysis: { said: 'confirmed' } });

    expect(await records.stores.calls.review(clinicId, callId)).toEqual({
      said: 'confirmed',
      changes: [
        { fact: 'cancelled', detail: {} },
        { fact: 'booked', detail: { appointmentId: 'a' } },
        { fact: 'escalated', detail: {} },
      ],
    });
    expect(await records.stores.calls.review(records.otherClinicId, callId)).toBeNull();
    await set(callId, { said: null });
    await records.database.prisma.toolCall.deleteMany({ where: { callId } });
    expect(await records.stores.calls.review(clinicId, callId)).toEqual({ said: null, changes: [] });
  });

  test('the analysis of a call is told once, and not where a recovery case has a tool for it', async () => {
    const ofRun = await records.aPlacedCall(await records.aRun());
    const ofCase = await records.aPlacedCall(await records.aCase());
    const analysed = { analysis: { said: 'confirmed' }, summary: 'They agreed.' };

    const [first, second] = [
      await report(ofRun.platformCallId, analysed),
      await report(ofRun.platformCallId, analysed),
    ];
    const forACase = await report(ofCase.platformCallId, analysed);

    expect(first?.messageIds).toHaveLength(1);
    expect(second?.messageIds).toEqual([]);
    expect(forACase?.messageIds).toEqual([]);
  });
});

describe('test calls left open', () => {
  const aTestCall = async (ageSeconds: number) => {
    const { clinicId, patientId, workflowId, workflowType, caseId } = await records.aCase();
    const call = { clinicId, patientId, workflowId, workflowType, caseId };
    const callId = await records.stores.calls.openTestCall(call);
    await set(callId, { createdAt: ago(ageSeconds) });
    return { callId, workflowId };
  };

  test('one that is an hour old is ended and its workflow told, once', async () => {
    const [old, young] = [await aTestCall(3_660), await aTestCall(3_540)];
    const real = await records.aReservedCall(await records.aRun());
    await set(real, { createdAt: ago(7_200) });

    await records.stores.calls.expireTestCalls();
    await records.stores.calls.expireTestCalls();

    expect(await stored(old.callId)).toMatchObject({ state: 'ENDED', endedReason: 'expired' });
    expect((await stored(young.callId)).state).not.toBe('ENDED');
    expect((await stored(real)).state).not.toBe('ENDED');
    const told = await records.database.prisma.workflowMessage.findMany({ where: { workflowId: old.workflowId } });
    expect(told.map(({ signal }) => signal)).toEqual(['callEnded']);
  });

  test.each<[what: string, about: object, isExpired: boolean, isClosed: boolean]>([
    ['in the browser, of a run', {}, true, true],
    ['in the browser, of nobody', { workflowId: null }, false, true],
    ['to a phone, of nobody', { workflowId: null, direction: 'outbound' }, true, false],
    ['to a phone, of a run', { direction: 'outbound' }, true, false],
    ['that is over', { state: 'ENDED', endedReason: 'before' }, false, false],
    ['that rings', { state: 'RINGING' }, true, true],
    ['that is none', { isTest: false }, false, false],
  ])('one %s ends after an hour and is closed by its clinic, or is not', async (_what, about, isExpired, isClosed) => {
    const { calls } = records.stores;
    const [old, another] = [await aTestCall(3_660), await aTestCall(3_540)];
    for (const { callId } of [old, another]) await set(callId, about);

    const byOthers = await calls.closeTestCall(records.otherClinicId, another.callId);
    const closed = await calls.closeTestCall(records.clinicId, another.callId);
    await calls.expireTestCalls();

    const reasonOf = async ({ callId }: { callId: string }) => {
      const { state, endedReason } = await stored(callId);
      return state === 'ENDED' ? endedReason : null;
    };
    const before = 'endedReason' in about ? 'before' : null;
    expect([byOthers, closed]).toEqual([false, isClosed]);
    expect([await reasonOf(old), await reasonOf(another)]).toEqual([
      isExpired ? 'expired' : before,
      isClosed ? 'closed' : before,
    ]);
    const told = async ({ workflowId }: { workflowId: string }) =>
      (await records.database.prisma.workflowMessage.findMany({ where: { workflowId } })).map(({ payload }) => payload);
    const end = (reason: string) => ({ reason, wasAnswered: true, isTest: true });
    const isOfRun = !('workflowId' in about);
    expect(await told(old)).toMatchObject(isExpired && isOfRun ? [end('expired')] : []);
    expect(await told(another)).toMatchObject(isClosed && isOfRun ? [end('closed')] : []);
  });

  test.each<[what: string, third: object, isOpened: boolean]>([
    ['of the last ten minutes', { createdAt: ago(570) }, false],
    ['of before', { createdAt: ago(630) }, true],
    ['that is over', { state: 'ENDED' }, false],
    ['in the browser', { direction: 'inbound' }, true],
    ['that is no test', { isTest: false }, true],
  ])('a fourth trial by phone waits for a third %s, or does not', async (_what, third, isOpened) => {
    const clinicId = await records.aClinic();
    const elsewhere = await records.aRun();
    const { patientId, phone } = await records.aRun({ clinicId });
    const open = () =>
      records.stores.calls.openTrialCall({
        clinicId,
        patientId,
        phone,
        account: 'ours',
        workflowType: 'appointment-reminder',
      });
    const three = [await open(), await open(), await open()];
    await records.stores.calls.openTrialCall({ ...elsewhere, account: 'ours', workflowType: 'appointment-reminder' });
    const refused = await open();
    await set(three[2] ?? '', third);

    const fourth = await open();

    expect([three.every((id) => id !== null), refused, fourth !== null]).toEqual([true, null, isOpened]);
    const trial = { direction: 'outbound', isTest: true, state: 'QUEUED', phone, requests: 1, workflowId: null };
    expect(await stored(three[0] ?? '')).toMatchObject({ ...trial, clinicId, patientId });
  });
});

test.each<[what: string, requests: number, isPlaced: boolean, ofRequest: number | null, isEnded: boolean]>([
  ['its one request', 1, false, 1, true],
  ['a request before its last', 2, false, 1, false],
  ['its last request', 2, false, 2, true],
  ['a request that the platform has taken', 1, true, 1, false],
  ['ourselves, though the platform has it', 1, true, null, true],
])(
  'closing a call for %s ends it once or not at all, and no other call',
  async (_what, requests, isPlaced, ofRequest, isEnded) => {
    const [run, beside] = [await records.aRun(), await records.aRun()];
    const { clinicId } = run;
    const [callId, other] = [await records.aReservedCall(run), await records.aReservedCall(beside)];
    for (let before = 0; before < requests; before += 1) await begin(callId, { clinicId, requests: before });
    if (isPlaced) await records.stores.calls.placed({ clinicId, callId, platformCallId: newId() });

    const { close } = records.stores.calls;
    await close({ clinicId: records.otherClinicId, callId, reason: 'elsewhere', ofRequest });
    await close({ clinicId, callId, reason: 'refused', ofRequest });
    const { endedAt } = await stored(callId);
    await close({ clinicId, callId, reason: 'later', ofRequest });

    const { state, endedReason, endedAt: after } = await stored(callId);
    expect([state === 'ENDED', endedReason, endedAt !== null, after]).toEqual([
      isEnded,
      isEnded ? 'refused' : null,
      isEnded,
      endedAt,
    ]);
    expect(await stored(other)).toMatchObject({ state: 'QUEUED', endedReason: null });
  },
);

test('a reservation is withdrawn once, and not when it was dialled', async () => {
  const { calls } = records.stores;
  const { clinicId, ...run } = await records.aRun();
  const [waiting, dialled] = [
    await records.aReservedCall({ clinicId, ...run }),
    await records.aReservedCall(await records.aRun()),
  ];
  await set(dialled, { requestedAt: new Date() });

  expect(await calls.withdrawUnrequested(clinicId, waiting)).toBe(true);
  const { endedAt } = await stored(waiting);
  expect(await calls.withdrawUnrequested(clinicId, waiting)).toBe(false);
  expect(await stored(waiting)).toMatchObject({ state: 'ENDED', endedReason: 'withdrawn', endedAt });
  expect(await calls.withdrawUnrequested((await stored(dialled)).clinicId, dialled)).toBe(false);
  expect((await stored(dialled)).state).not.toBe('ENDED');
});

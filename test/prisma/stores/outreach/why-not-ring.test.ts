import { newId } from '@clinic/shared/crypto';
import { aPhone } from '../../../support/builders';
import { openRecords, type OpenedRun, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const prisma = () => records.database.prisma;

async function begin(
  run: OpenedRun,
  about: object = {},
  meanwhile: (callId: string) => Promise<unknown> = async () => null,
) {
  const { clinicId } = run;
  const callId = await records.aReservedCall(run, about);
  await meanwhile(callId);
  const begun = await records.stores.calls.beginRequest({ clinicId, callId, requests: 0 });
  return begun.kind === 'withdrawn' ? begun.because : null;
}

const ago = (days: number, seconds = 0) => new Date(Date.now() - days * 86_400_000 - seconds * 1_000);

describe('a patient has had their calls', () => {
  const lines: Record<string, object> = {
    day: { callsPerPatientPerDay: 1, callsPerPatientPerWeek: null },
    week: { callsPerPatientPerDay: null, callsPerPatientPerWeek: 1 },
    none: { callsPerPatientPerDay: null, callsPerPatientPerWeek: null },
    two: { callsPerPatientPerDay: 2, callsPerPatientPerWeek: 2 },
  };
  const usual = { state: 'ENDED', direction: 'outbound', rangAt: new Date() };

  test.each<[what: string, limit: string, about: () => object, isRefused: boolean]>([
    ['one of today', 'day', () => ({ requestedAt: ago(0, 60) }), true],
    ['one of today, of the week', 'week', () => ({ requestedAt: ago(0, 60) }), true],
    ['one of today, of two', 'two', () => ({ requestedAt: ago(0, 60) }), false],
    ['one of today, and no limit', 'none', () => ({ requestedAt: ago(0, 60) }), false],
    ['one of just a day ago', 'day', () => ({ requestedAt: ago(1, -60) }), true],
    ['one of more than a day ago', 'day', () => ({ requestedAt: ago(1, 60) }), false],
    ['one of more than a day ago, of the week', 'week', () => ({ requestedAt: ago(1, 60) }), true],
    ['one of just a week ago', 'week', () => ({ requestedAt: ago(7, -60) }), true],
    ['one of more than a week ago', 'week', () => ({ requestedAt: ago(7, 60) }), false],
    ['one that rang nobody', 'day', () => ({ requestedAt: ago(0, 60), rangAt: null }), false],
    [
      'one that goes on',
      'day',
      () => ({ requestedAt: ago(0, 60), rangAt: null, state: 'RINGING', direction: 'inbound' }),
      true,
    ],
    ['one that the platform has not', 'day', () => ({ requestedAt: ago(0, 60), platformCallId: null }), false],
    ['a test', 'day', () => ({ requestedAt: ago(0, 60), isTest: true }), false],
    ['one to another phone', 'day', () => ({ requestedAt: ago(0, 60), phone: aPhone() }), false],
  ])('with %s (a limit of: %s)', async (_what, limit, about, isRefused) => {
    const clinicId = await records.aClinic();
    await prisma().callingPolicy.update({ where: { clinicId }, data: lines[limit] ?? {} });
    const run = await records.aRun({ clinicId });
    const { patientId, phone } = run;
    const earlier = { clinicId, patientId, phone, platformCallId: newId(), ...usual, ...about() };

    const refusal = await begin(run, {}, () => prisma().call.create({ data: { id: newId(), ...earlier } }));

    expect(refusal).toBe(isRefused ? 'patient_limits' : null);
  });

  test('not with those of the same phone at another clinic', async () => {
    const clinicId = await records.aClinic();
    await prisma().callingPolicy.update({ where: { clinicId }, data: lines.day ?? {} });
    const run = await records.aRun({ clinicId });
    const there = await records.aRun({ clinicId: records.otherClinicId, phone: run.phone });
    const { patientId, phone } = there;
    const earlier = { clinicId: there.clinicId, patientId, phone, platformCallId: newId(), requestedAt: ago(0, 60) };

    const refusal = await begin(run, {}, () => prisma().call.create({ data: { id: newId(), ...usual, ...earlier } }));

    expect(refusal).toBeNull();
  });
});

test.each<[what: string, state: string, ofOther: boolean, refusal: string | null]>([
  ['is asked for', 'REQUESTED', false, 'opted_out'],
  ['goes on', 'ERASED', false, 'opted_out'],
  ['is done', 'DONE', false, null],
  ['is asked for, of somebody else', 'REQUESTED', true, null],
])('while an erasure %s no phone of the patient rings', async (_what, state, ofOther, refusal) => {
  const run = await records.aRun();
  const { clinicId } = run;
  const patientId = ofOther ? await records.aPatient() : run.patientId;
  const erasure = { id: newId(), clinicId, patientId, reason: 'court_order', requestedBy: 'operator', state };

  expect(await begin(run, {}, () => prisma().erasure.create({ data: erasure }))).toBe(refusal);
});

test.each<[what: string, about: { there?: true; other?: true; scope?: string }, type: string, refusal: string | null]>([
  ['of it', {}, 'care-gap-follow-up', 'opted_out'],
  ['of it, whatever it is about', {}, 'prescription-follow-up', 'opted_out'],
  ['of it, as to recovery and reminders', { scope: 'recovery_and_reminders' }, 'care-gap-follow-up', 'opted_out'],
  ['of it, as to other calls', { scope: 'recovery_and_reminders' }, 'prescription-follow-up', null],
  ['of it at another clinic', { there: true }, 'care-gap-follow-up', null],
  ['of another phone', { other: true }, 'care-gap-follow-up', null],
])('a phone rings unless an opt-out is %s', async (_what, { there, other, scope = 'all' }, workflowType, refusal) => {
  const run = await records.aRun();
  const clinicId = there ? records.otherClinicId : run.clinicId;
  const data = { id: newId(), clinicId, phone: other ? aPhone() : run.phone, scope };

  const optOut = async (callId: string) => {
    await prisma().call.update({ where: { id: callId }, data: { workflowType } });
    await prisma().optOut.create({ data });
  };

  expect(await begin(run, {}, optOut)).toBe(refusal);
});

test.each<[what: string, phone: () => string | null]>([
  ['was corrected', aPhone],
  ['was taken off', () => null],
])('a number that %s once the call was decided does not ring', async (_what, phone) => {
  const run = await records.aRun();
  const { clinicId, patientId } = run;

  const change = () => prisma().patient.update({ where: { id: patientId, clinicId }, data: { phone: phone() } });

  expect(await begin(run, {}, change)).toBe('number_changed');
});

describe('a phone that is in another call by the time it would ring', () => {
  type About = { state?: string; isTest?: boolean; phone?: string };
  const anInboundCall = async ({ clinicId, patientId, phone }: OpenedRun, about: About = {}) => {
    const data = { id: newId(), clinicId, patientId, phone, direction: 'inbound', state: 'IN_PROGRESS', ...about };
    return (await prisma().call.create({ data })).id;
  };

  test.each<[what: string, about: About, isElsewhere: boolean, refusal: string | null]>([
    ['of the patient’s own', {}, false, 'phone_in_call'],
    ['that begins to ring', { state: 'RINGING' }, false, 'phone_in_call'],
    ['that is over', { state: 'ENDED' }, false, null],
    ['that is a test', { isTest: true }, false, null],
    ['of another phone', { phone: aPhone() }, false, null],
    ['of another clinic', {}, true, null],
  ])('does not ring: one %s', async (_what, about, isElsewhere, refusal) => {
    const run = await records.aRun();
    const talking = isElsewhere ? await records.aRun({ clinicId: records.otherClinicId, phone: run.phone }) : run;

    expect(await begin(run, {}, () => anInboundCall(talking, about))).toBe(refusal);
  });

  test('is waited for in line until that call is over, and none of it is an attempt', async () => {
    const run = await records.aRun({ clinicId: await records.aClinic() });
    const { clinicId, workflowId } = run;
    let inboundId = '';
    await begin(run, {}, async () => (inboundId = await anInboundCall(run)));

    const again = await records.stores.calls.reserve(records.anIntent(run, { dial: 2 }));
    const mayRing = await records.stores.callingRules.mayRing(clinicId, run.phone);
    await records.stores.calls.close({ clinicId, callId: inboundId, reason: 'customer-ended-call' });
    const told = await prisma().workflowMessage.findMany({ where: { workflowId } });
    const after = await records.stores.calls.reserve(records.anIntent(run, { dial: 2 }));

    expect([again.kind, mayRing]).toEqual(['queued', false]);
    expect([told.map(({ signal }) => signal), after.kind]).toEqual([['lineFreed'], 'reserved']);
    expect(await records.stores.runs.find(clinicId, workflowId)).toMatchObject({ attempts: 0 });
  });
});

describe('a call about an appointment rings', () => {
  let visits = 0;
  const aVisit = async ({ clinicId, patientId }: OpenedRun, startsAt: Date, externalId: string | null = null) => {
    const { id: providerId } = await prisma().provider.findFirstOrThrow({ where: { clinicId } });
    const endsAt = new Date(startsAt.getTime() + 1_800_000);
    const data = { id: newId(), clinicId, patientId, providerId, visitType: 'v', startsAt, endsAt, externalId };
    return (await prisma().appointment.create({ data })).id;
  };

  test.each<[what: string, which: 'own' | 'other' | 'elsewhere', about: object, refusal: string | null]>([
    ['as it was', 'own', {}, null],
    ['and was cancelled', 'own', { status: 'cancelled' }, 'appointment_changed'],
    ['and is over', 'own', { status: 'fulfilled' }, 'appointment_changed'],
    ['while another is cancelled', 'other', { status: 'cancelled' }, null],
    ['while one of the same name is cancelled at another clinic', 'elsewhere', { status: 'cancelled' }, null],
  ])('unless it has changed: %s', async (_what, which, data, refusal) => {
    const run = await records.aRun();
    const there = await records.aRun({ clinicId: records.otherClinicId });
    visits += 1;
    const startsAt = new Date(Date.UTC(2038, 0, visits, 10));
    const later = new Date(startsAt.getTime() + 3_600_000);
    const named = `visit-${visits}`;
    await aVisit(run, startsAt, named);
    const [other, elsewhere] = [await aVisit(run, later), await aVisit(there, startsAt, named)];
    const context = { appointment: { appointmentId: named } };
    await prisma().workflowRun.update({ where: { id: run.workflowId }, data: { context } });
    const where = {
      own: { clinicId: run.clinicId, externalId: named },
      other: { id: other },
      elsewhere: { id: elsewhere },
    }[which];

    const change = () => prisma().appointment.updateMany({ where, data });

    expect(await begin(run, { appointmentStartsAt: startsAt.toISOString() }, change)).toBe(refusal);
  });
});

test.each(['superseded', null] as const)(
  'a call about a payment of which a later event has come: %s',
  async (refusal) => {
    const run = await records.aRun({ workflowType: 'payment-recovery' });
    const { clinicId, patientId } = run;
    const about = async (workflowId: string) =>
      prisma().workflowRun.update({
        where: { id: workflowId },
        data: { context: { payment: { paymentId: 'pay-1' } } },
      });
    await about(run.workflowId);

    const comes = async () => {
      if (refusal === null) return;
      const later = await records.stores.runs.openRun({
        clinicId,
        sessionId: newId(),
        workflowType: 'payment-recovery',
        patient: { firstName: '', lastName: '', phone: null, patientId },
        context: { payment: { paymentId: 'pay-1' } },
      });
      expect(later.isNew).toBe(true);
    };

    expect(await begin(run, {}, comes)).toBe(refusal);
  },
);

test.each<[what: string, notAfter: Date, refusal: string | null]>([
  ['is over', ago(0, 1), 'window_over'],
  ['is not over', ago(0, -60), null],
])('a call whose window %s rings, or does not', async (_what, notAfter, refusal) => {
  const run = await records.aRun();

  const end = (callId: string) => prisma().call.update({ where: { id: callId }, data: { notAfter } });

  expect(await begin(run, {}, end)).toBe(refusal);
});

test.each<[what: string, status: string, owner: 'own' | 'other', refusal: string | null]>([
  ['is open', 'open', 'own', null],
  ['was withdrawn', 'withdrawn', 'own', 'appointment_changed'],
  ['has lapsed', 'lapsed', 'own', 'appointment_changed'],
  ['of another run was withdrawn', 'withdrawn', 'other', null],
])('a call about an offer rings while that is open: it %s', async (_what, status, owner, refusal) => {
  const { clinicId } = records;
  const run = await records.aRun();
  const other = await records.aRun();
  await prisma().workflowRun.updateMany({
    where: { id: { in: [run.workflowId, other.workflowId] } },
    data: { workflowType: 'waitlist-offer' },
  });
  const { patientId } = run;
  const days = { earliestOn: '2030-02-01', latestOn: '2030-02-28' };
  const entryId = newId();
  await prisma().waitlistEntry.create({
    data: { id: entryId, clinicId, patientId, visitType: 'v', addedBy: 'operator', ...days },
  });
  const { id: providerId } = await prisma().provider.findFirstOrThrow({ where: { clinicId } });
  const startsAt = new Date('2030-02-04T09:00:00Z');
  const workflowId = owner === 'own' ? run.workflowId : other.workflowId;
  const offer = {
    clinicId,
    entryId,
    workflowId,
    providerId,
    startsAt,
    endsAt: startsAt,
    appointmentId: newId(),
    status,
  };
  await prisma().waitlistOffer.create({ data: { id: newId(), ...offer } });

  expect(await begin({ ...run, workflowType: 'waitlist-offer' })).toBe(refusal);
  await prisma().waitlistOffer.deleteMany({ where: { clinicId } });
});

describe('a call about an appointment', () => {
  const startsAt = new Date('2035-02-05T10:00:00Z');
  const anHourLater = new Date('2035-02-05T11:00:00Z');
  const lastYear = new Date('2025-02-05T10:00:00Z');
  const visitAt = (start: Date) => ({ startsAt: start, endsAt: new Date(start.getTime() + 30 * 60_000) });
  const isCancelled = { status: 'cancelled', cancelledAt: new Date() };

  /** An appointment of a new clinic, and the call of a run that is about what `context` and `call` say. */
  async function ringsAbout({
    visit = {},
    context = (visitId: string): object => ({ appointment: { appointmentId: visitId } }),
    call = { appointmentStartsAt: startsAt.toISOString() },
    isOfOther = false,
  }) {
    const [clinicId, elsewhere] = [await records.aClinic(), await records.aClinic()];
    const add = async (owner: string, patientId: string, about: object) => {
      const { id: providerId } = await prisma().provider.findFirstOrThrow({ where: { clinicId: owner } });
      const made = {
        id: newId(),
        clinicId: owner,
        patientId,
        providerId,
        visitType: 'Consultation',
        externalId: newId(),
      };
      return prisma().appointment.create({ data: { ...made, ...visitAt(startsAt), ...about } });
    };
    const run = await records.aRun({ clinicId, workflowType: 'appointment-reminder' });
    const [another, there] = [await records.aRun({ clinicId }), await records.aRun({ clinicId: elsewhere })];
    const ofOther = isOfOther ? visit : isCancelled;
    const { id, externalId } = await add(clinicId, run.patientId, isOfOther ? {} : visit);
    await add(clinicId, another.patientId, { ...visitAt(anHourLater), ...ofOther });
    await add(elsewhere, there.patientId, { externalId, ...isCancelled });
    const told = context(visit === isCancelledByOthers ? (externalId ?? '') : id);
    await prisma().workflowRun.update({ where: { id: run.workflowId }, data: { context: told } });
    return begin(run, call);
  }
  const isCancelledByOthers = { ...isCancelled };

  test.each<[what: string, about: Parameters<typeof ringsAbout>[0], refusal: string | null]>([
    ['that is as it was', {}, null],
    ['that is at another time', { visit: visitAt(new Date('2035-02-05T12:00:00Z')) }, 'appointment_changed'],
    ['that was cancelled', { visit: isCancelled }, 'appointment_changed'],
    ['that was cancelled, by the id of another system', { visit: isCancelledByOthers }, 'appointment_changed'],
    ['whose patient is there', { visit: { status: 'arrived' } }, 'appointment_changed'],
    ['while another one of the clinic was cancelled', { visit: isCancelled, isOfOther: true }, null],
    ['that was cancelled, and that its run is not about', { visit: isCancelled, context: () => ({}) }, null],
    ['that was cancelled, and that it was not decided by', { visit: isCancelled, call: {} as never }, null],
    [
      'that has begun',
      { visit: visitAt(lastYear), call: { appointmentStartsAt: lastYear.toISOString() } },
      'appointment_changed',
    ],
    [
      'that has begun, of which no record is',
      { context: () => ({}), call: { appointmentStartsAt: lastYear.toISOString() } },
      'appointment_changed',
    ],
  ])('%s rings, or does not', async (_what, about, refusal) => {
    expect(await ringsAbout(about)).toBe(refusal);
  });
});

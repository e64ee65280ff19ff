import { newId } from '@clinic/shared/crypto';
import { deliveryWaitsMs } from '@clinic/shared/domain/events/delivery-schedule';
import { defaultCallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import type { AttemptResult, Lease } from '@clinic/prisma/stores/events/delivery-leases';
import type { Place } from '@clinic/prisma/stores/operations/bulk-steps';
import { readsTooMuch, recordStatements } from '../../../support/plans';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const failed: AttemptResult = { kind: 'failed', status: 503, error: 'http_503', retryAfterMs: null };

const emit = async (subject = newId(), clinicId = records.clinicId) => {
  const deliveryId = await records.stores.deliveries.emit({
    clinicId,
    event: 'test',
    subject,
    data: { message: 'hello' },
  });
  return { clinicId, subject, deliveryId };
};
/** Records an attempt with the lease that holds the delivery, taking it where there is none. */
const record = async (
  deliveryId: string,
  result: AttemptResult,
  about: { clinicId?: string; url?: string; token?: string } = {},
) => {
  const token = about.token ?? (await stored(deliveryId)).leaseToken ?? (await hold(deliveryId));
  return records.stores.deliveryLeases.record({
    clinicId: records.clinicId,
    deliveryId,
    token,
    url: 'https://clinic.example/events',
    durationMs: 5,
    response: null,
    random: 0,
    result,
    ...about,
  });
};
const hold = async (deliveryId: string) => {
  const leaseToken = newId();
  await set(deliveryId, { leaseToken, leasedUntil: inSeconds(30) });
  return leaseToken;
};
const lease = (subject: string, clinicId = records.clinicId) =>
  records.stores.deliveryLeases.lease({ clinicId, subject });
const stored = (id: string) => records.database.prisma.delivery.findUniqueOrThrow({ where: { id } });
const set = (id: string, data: object) => records.database.prisma.delivery.update({ where: { id }, data });
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);

test('a delivery that is leased is not leased again until its lease is over', async () => {
  const { subject, deliveryId } = await emit();

  const [first, second] = [await lease(subject), await lease(subject)];
  await set(deliveryId, { leasedUntil: inSeconds(-1) });
  const third = await lease(subject);

  expect(first).toMatchObject({ kind: 'leased', delivery: { deliveryId } });
  expect(second.kind).toBe('later');
  expect(third).toMatchObject({ kind: 'leased', delivery: { deliveryId } });
});

test('a lease reads the run or case that it tells of, however many the clinic has', async () => {
  const { database } = records;
  const clinicId = await records.aClinic();
  const { patientId, workflowId } = await records.aRun({ clinicId });
  const { caseId } = await records.aCase({ clinicId });
  await database.sql`
    insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id, is_simulated)
    select clinic_id || n, clinic_id, workflow_type, session_id || n, ${patientId}, false
    from workflow_runs, generate_series(1, 300) n where id = ${workflowId}`;
  await database.sql`update workflow_runs set is_simulated = false where clinic_id = ${clinicId}`;
  await database.sql`analyze workflow_runs`;
  const statements = recordStatements();
  for (const subject of [workflowId, caseId ?? '']) await lease((await emit(subject, clinicId)).subject, clinicId);
  const sent = statements.take().filter(({ text }) => text.includes('is_simulated'));
  statements.stop();

  expect(sent).toHaveLength(2);
  for (const { text, ...rest } of sent) {
    const read = { text: text.replace('for update of d', ''), ...rest };
    const tables = ['workflow_runs', 'recovery_cases'];
    expect(await readsTooMuch(database, read, { tables, atMost: 10 })).toEqual([]);
  }
});

test('an event of a run that was simulated, or of its case, says so, and of no other', async () => {
  const clinicId = await records.aClinic();
  const [run, recovery, real] = [
    await records.aRun({ clinicId }),
    await records.aCase({ clinicId }),
    await records.aCase({ clinicId }),
  ];
  const { prisma } = records.database;
  const mark = (workflowId: string, isSimulated: boolean) =>
    prisma.workflowRun.update({ where: { id: workflowId }, data: { isSimulated } });
  for (const { workflowId } of [run, recovery]) await mark(workflowId, true);
  await mark(real.workflowId, false);
  const said = async (subject: string) => {
    const leased = await lease((await emit(subject, clinicId)).subject, clinicId);
    return leased.kind === 'leased' && leased.delivery.isSimulated;
  };

  expect([await said(run.workflowId), await said(recovery.caseId ?? '')]).toEqual([true, true]);
  expect([await said(real.caseId ?? ''), await said(newId())]).toEqual([false, false]);
});

test('a lease lasts longer than an attempt may take', async () => {
  const { subject, deliveryId } = await emit();
  await lease(subject);

  const { leasedUntil } = await stored(deliveryId);

  expect(leasedUntil?.getTime()).toBeGreaterThan(inSeconds(20).getTime());
  expect(leasedUntil?.getTime()).toBeLessThan(inSeconds(60).getTime());
});

test('a delivery is not leased before it is due, and holds up the later ones of its subject', async () => {
  const { subject, deliveryId } = await emit();
  await emit(subject);
  const at = inSeconds(300);
  await set(deliveryId, { nextAttemptAt: at });

  const told = await lease(subject);
  expect(told).toMatchObject({ kind: 'later', at });
  // By the database's own clock.
  expect(told.kind === 'later' && told.waitMs).toBeGreaterThan(290_000);
});

test('the events of a subject are sent in the order in which they happened', async () => {
  const first = await emit();
  const second = await emit(first.subject);

  const order: unknown[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const leased = await lease(first.subject);
    if (leased.kind !== 'leased') throw new Error(leased.kind);
    order.push(leased.delivery.deliveryId);
    await record(leased.delivery.deliveryId, { kind: 'delivered', status: 200 });
  }

  expect(order).toEqual([first.deliveryId, second.deliveryId]);
  expect(await lease(first.subject)).toEqual({ kind: 'none' });
});

test('a delivery says of which run, case and patient of its clinic it tells', async () => {
  const clinicId = await records.aClinic();
  const [run, recovery, theirs] = [
    await records.aRun({ clinicId }),
    await records.aCase({ clinicId }),
    await records.aCase({ clinicId: records.otherClinicId }),
  ];
  const { prisma } = records.database;
  await prisma.patient.update({ where: { id: run.patientId }, data: { firstName: 'Bo', lastName: 'Ray' } });
  await prisma.workflowRun.update({ where: { id: run.workflowId }, data: { isSimulated: false } });
  const told = [run.workflowId, recovery.workflowId, recovery.caseId, theirs.workflowId, theirs.caseId, newId()];
  const sent: string[] = [];
  for (const subject of told) sent.push((await emit(subject ?? '', clinicId)).deliveryId);

  const { items } = await records.stores.deliveries.list(clinicId, { limit: 50 });

  const about = (id: string | undefined) => items.find((each) => each.id === id)?.about;
  const of = { workflowType: 'care-gap-follow-up', caseId: null, isSimulated: false, firstName: 'Bo', lastName: 'Ray' };
  const { workflowId, caseId, patientId } = recovery;
  const ofCase = { workflowId, caseId, patientId, isSimulated: true, firstName: 'Ann', lastName: 'Lee' };
  expect(sent.map(about)).toEqual([
    { ...of, workflowId: run.workflowId, patientId: run.patientId },
    ...[1, 2].map(() => ({ ...ofCase, workflowType: 'abandonment-recovery' })),
    ...[1, 2, 3].map(() => null),
  ]);
  expect((await records.stores.deliveries.find(clinicId, sent[0] ?? ''))?.about).toEqual(about(sent[0]));
});

test.each<[string, object, boolean]>([
  ['endpoint', {}, true],
  ['endpoint', { message: 'hello' }, false],
  ['subscription', {}, false],
  ['subscription', { message: 'hello' }, false],
])(
  'what is leased for the %s has lost its body only where it is sent the body itself: %#',
  async (kind, data, isPurged) => {
    const clinicId = await records.aClinic();
    const { subject, deliveryId } = await emit(newId(), clinicId);
    const { receiverId } = await stored(deliveryId);
    const { prisma } = records.database;
    await prisma.receiver.update({ where: { id: receiverId }, data: { kind } });
    await prisma.outboundEvent.updateMany({ where: { clinicId, subject }, data: { data } });

    expect(await lease(subject, clinicId)).toMatchObject({ kind: 'leased', delivery: { kind, isPurged } });
  },
);

test('another clinic leases and records nothing of a clinic', async () => {
  const { subject, deliveryId } = await emit();

  expect(await lease(subject, records.otherClinicId)).toEqual({ kind: 'none' });
  await record(deliveryId, { kind: 'delivered', status: 200 }, { clinicId: records.otherClinicId });
  expect(await records.stores.deliveries.find(records.clinicId, deliveryId)).toMatchObject({
    state: 'PENDING',
    attempts: [],
  });
  await expect(records.stores.deliveries.resend(records.otherClinicId, deliveryId)).resolves.toBeNull();
  expect(await records.stores.deliveries.find(records.otherClinicId, deliveryId)).toBeNull();
  expect((await stored(deliveryId)).state).toBe('PENDING');
});

test('a failed attempt counts, frees the lease and waits as the schedule says', async () => {
  const { subject, deliveryId } = await emit();
  await lease(subject);

  await record(deliveryId, failed);

  const { state, tries, leasedUntil, nextAttemptAt, deliveredAt } = await stored(deliveryId);
  expect({ state, tries, leasedUntil, deliveredAt }).toEqual({
    state: 'PENDING',
    tries: 1,
    leasedUntil: null,
    deliveredAt: null,
  });
  const waits = (nextAttemptAt?.getTime() ?? 0) - Date.now();
  expect(waits).toBeGreaterThan(2_000);
  expect(waits).toBeLessThanOrEqual(deliveryWaitsMs[0]);
});

test('a receiver that asks for more time is given it', async () => {
  const { subject, deliveryId } = await emit();
  await lease(subject);

  await record(deliveryId, { kind: 'failed', status: 429, error: 'http_429', retryAfterMs: 600_000 });

  const { nextAttemptAt } = await stored(deliveryId);
  expect((nextAttemptAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(500_000);
});

test('after the last wait of the schedule a delivery is dead, and not due again', async () => {
  const { deliveryId } = await emit();
  await set(deliveryId, { tries: deliveryWaitsMs.length - 1 });
  await record(deliveryId, failed);
  const beforeTheLast = await stored(deliveryId);

  await record(deliveryId, failed);

  expect(beforeTheLast.state).toBe('PENDING');
  expect(await stored(deliveryId)).toMatchObject({ state: 'DEAD', nextAttemptAt: null, deliveredAt: null });
});

const gone: AttemptResult = { kind: 'failed', status: 410, error: 'http_410', retryAfterMs: null };

test('nothing waits for a receiver that has no address, or that there is not', async () => {
  const clinicId = await records.stores.clinics.create({
    name: 'Nowhere',
    timezone: 'UTC',
    isDemo: true,
    voiceProvider: 'simulator',
    policy: defaultCallingPolicy,
  });

  const unknown = await records.stores.deliveries.receiver(records.clinicId, newId());

  const nothing = { url: null, isEnabled: false, failures: 0, failingSince: null, pausedUntil: null };
  const without = { ...nothing, waiting: 0, failed: 0, hours: [] };
  expect(await records.stores.deliveries.receiver(clinicId)).toEqual({ ...without, isEnabled: true });
  expect(unknown).toEqual(without);
});

describe('a receiver that answers 410', () => {
  const url = 'https://clinic.example/events';
  const firstOf = (clinicId: string) => records.stores.clinics.outboundEndpoint(clinicId);
  const ofTests = (clinicId: string) =>
    records.database.prisma.delivery.findMany({
      where: { clinicId, eventName: 'test' },
      orderBy: { createdAt: 'asc' },
    });
  const hoursPass = (clinicId: string) =>
    records.database.prisma.receiver.updateMany({ where: { clinicId }, data: { goneSince: inSeconds(-21_601) } });
  /** It has answered nothing else for hours, and an event waits. */
  const longGone = async () => {
    const clinicId = await records.aClinic();
    const { deliveryId } = await anEvent(clinicId);
    await record(deliveryId, gone, { clinicId });
    await hoursPass(clinicId);
    return { clinicId, deliveryId };
  };

  test('is asked again: the event waits, and the receiver stays on', async () => {
    const clinicId = await records.aClinic();
    const { deliveryId } = await anEvent(clinicId);

    await record(deliveryId, gone, { clinicId });

    expect(await stored(deliveryId)).toMatchObject({ state: 'PENDING', nextAttemptAt: expect.any(Date) });
    expect((await firstOf(clinicId)).isEnabled).toBe(true);
    expect(await ofTests(clinicId)).toEqual([]);
  });

  test('and nothing else for hours is sent one test event, and is off when that is answered so too; staff are told', async () => {
    const { clinicId, deliveryId } = await longGone();

    await record(deliveryId, gone, { clinicId });
    await record((await anEvent(clinicId)).deliveryId, gone, { clinicId });
    const asked = await ofTests(clinicId);
    const on = await firstOf(clinicId);
    const awake = await records.stores.deliveryLeases.untried(60_000, 100);
    await record(asked[0]?.id ?? '', gone, { clinicId, url: `${url}/old` });
    const afterAnOldUrl = await firstOf(clinicId);
    await record(asked[0]?.id ?? '', gone, { clinicId });

    expect(asked).toHaveLength(1);
    expect(awake).toContainEqual(expect.objectContaining({ clinicId, subject: asked[0]?.subject }));
    expect([on.isEnabled, afterAnOldUrl.isEnabled]).toEqual([true, true]);
    expect(await firstOf(clinicId)).toMatchObject({
      isEnabled: false,
      disabledReason: expect.stringContaining('410'),
    });
    expect(await records.database.prisma.staffTask.findMany({ where: { clinicId } })).toMatchObject([
      { reason: 'endpoint_failing' },
    ]);
    expect((await firstOf(records.otherClinicId)).isEnabled).toBe(true);
  });

  test.each([
    ['takes the test event', { kind: 'delivered', status: 200 }],
    ['answers anything else', failed],
  ] as const)('and then %s is not gone', async (_what, result) => {
    const { clinicId, deliveryId } = await longGone();
    await record(deliveryId, gone, { clinicId });
    const [asked] = await ofTests(clinicId);

    await record(asked?.id ?? '', result, { clinicId });
    await record(deliveryId, gone, { clinicId });
    await record(asked?.id ?? '', gone, { clinicId });

    expect((await firstOf(clinicId)).isEnabled).toBe(true);
    expect(await ofTests(clinicId)).toHaveLength(1);
  });
});

test('what passes by an endpoint that is off stays owed, and is sent by a replay; test events are not', async () => {
  const clinicId = await records.aClinic();
  const taken = await anEvent(clinicId);
  await record(taken.deliveryId, { kind: 'delivered', status: 200 }, { clinicId });
  const first = await records.stores.clinics.outboundEndpoint(clinicId);
  await records.stores.clinics.setOutboundEndpoint(clinicId, { ...first, isEnabled: false });
  const missed = await anEvent(clinicId);
  const test = await emit(newId(), clinicId);
  const whileOff = await stored(missed.deliveryId);
  await records.stores.clinics.setOutboundEndpoint(clinicId, { ...first, isEnabled: true });

  const until = inSeconds(1).toISOString();
  const preview = (filter: object) =>
    records.stores.bulkJobs.preview(clinicId, 'resend_deliveries', { until, ...filter });
  const counts = await Promise.all(
    [{}, { isReplay: true }, { isReplay: true, event: 'workflow.completed' }, { isReplay: true, from: until }].map(
      preview,
    ),
  );
  const filter = { until, isReplay: true };
  const started = await records.stores.bulkJobs.start(
    clinicId,
    { kind: 'resend_deliveries', filter },
    { actor: 'account:somebody' },
  );
  if (started.kind !== 'started') throw new Error(started.kind);
  let place: Place | null = null;
  for (let n = 0; n < 2; n += 1) {
    place = (await records.stores.bulkSteps.resendSome(clinicId, started.job.id, place))?.place ?? null;
  }

  expect(whileOff).toMatchObject({ state: 'DEAD', nextAttemptAt: null });
  expect(await records.stores.deliveries.find(clinicId, test.deliveryId)).toBeNull();
  expect(counts.map(({ total }) => total)).toEqual([1, 2, 0, 0]);
  for (const { deliveryId } of [taken, missed]) expect((await stored(deliveryId)).state).toBe('PENDING');
});

test('what was delivered in the meantime is not abandoned', async () => {
  const { clinicId, deliveryId } = await emit();
  const token = await hold(deliveryId);
  await record(deliveryId, { kind: 'delivered', status: 200 });

  await records.stores.deliveryLeases.abandon({ clinicId, deliveryId, token, error: 'endpoint_disabled' });

  expect((await stored(deliveryId)).state).toBe('DELIVERED');
});

test('an abandoned delivery is dead at once', async () => {
  const { clinicId, deliveryId } = await emit();
  const token = await hold(deliveryId);

  await records.stores.deliveryLeases.abandon({ clinicId, deliveryId, token, error: 'endpoint_disabled' });

  expect(await stored(deliveryId)).toMatchObject({ state: 'DEAD', nextAttemptAt: null, leasedUntil: null });
});

test('a dead letter that is sent again begins anew', async () => {
  const { clinicId, subject, deliveryId } = await emit();
  await set(deliveryId, { state: 'DEAD', tries: 11, nextAttemptAt: null });

  const queued = await records.stores.deliveries.resend(clinicId, deliveryId);

  expect(queued).toMatchObject({ clinicId, subject });
  expect(await stored(deliveryId)).toMatchObject({ state: 'PENDING', tries: 0 });
  expect((await lease(subject)).kind).toBe('leased');
});

test('nothing is sent again while an attempt is under way', async () => {
  const { clinicId, subject, deliveryId } = await emit();
  await set(deliveryId, { tries: 3 });
  await lease(subject);

  await expect(records.stores.deliveries.resend(clinicId, deliveryId)).rejects.toMatchObject({ code: 'conflict' });
  expect((await stored(deliveryId)).tries).toBe(3);
});

test('a sample is sent whatever events are chosen, and says that nobody was reached', async () => {
  const subject = `sample-${newId()}`;
  const data = {
    workflowId: subject,
    workflowType: 'appointment-reminder',
    sessionId: subject,
    outcome: 'CONFIRMED',
  } as const;
  const { clinicId } = records;
  await records.stores.deliveries.emit({ clinicId, event: 'workflow.completed', subject, data });

  expect(await lease(subject)).toMatchObject({ kind: 'leased', delivery: { isSimulated: true } });
});

test('only subjects whose delivery has been due for a while, and which nobody holds, are overdue', async () => {
  const [old, young, held, dead] = [await emit(), await emit(), await emit(), await emit()];
  await set(old.deliveryId, { nextAttemptAt: inSeconds(-60) });
  await set(young.deliveryId, { nextAttemptAt: inSeconds(-30) });
  await set(held.deliveryId, { nextAttemptAt: inSeconds(-60), leasedUntil: inSeconds(20) });
  await set(dead.deliveryId, { nextAttemptAt: inSeconds(-60), state: 'DEAD' });

  const overdue = await records.stores.deliveryLeases.overdue(45_000, 1_000);

  const mine = overdue.map(({ subject }) => subject);
  expect(mine).toContain(old.subject);
  for (const { subject } of [young, held, dead]) expect(mine).not.toContain(subject);
});

test('of subjects that are overdue the clinics take turns', async () => {
  const { clinicId, otherClinicId, stores } = records;
  for (let n = 0; n < 3; n += 1) await set((await emit()).deliveryId, { nextAttemptAt: inSeconds(-600) });
  await set((await emit(newId(), otherClinicId)).deliveryId, { nextAttemptAt: inSeconds(-60) });

  const [first, second] = await stores.deliveryLeases.overdue(45_000, 2);

  expect([first?.clinicId, second?.clinicId]).toEqual([clinicId, otherClinicId]);
});

test('of a receiver that fails a few senders are woken, for they wait on purpose, and all once it is well', async () => {
  const { stores } = records;
  const waiting = await Promise.all(Array.from({ length: 12 }, () => emit()));
  for (const { deliveryId } of waiting) await set(deliveryId, { nextAttemptAt: inSeconds(-60) });
  const woken = async () => {
    const overdue = await stores.deliveryLeases.overdue(45_000, 1_000);
    return overdue.filter(({ clinicId }) => clinicId === records.clinicId).length;
  };
  const [{ deliveryId }] = [await emit()];
  const url = (await stores.clinics.outboundEndpoint(records.clinicId)).url ?? '';

  for (let n = 0; n < 3; n += 1)
    await record(deliveryId, { kind: 'failed', status: 500, error: 'http_500', retryAfterMs: null }, { url });
  const whileFailing = await woken();
  await record(deliveryId, { kind: 'delivered', status: 200 }, { url });

  expect(whileFailing).toBe(5);
  expect(await woken()).toBeGreaterThanOrEqual(12);
});

test('of a receiver that has no place free a few senders are woken, and the others look about as often as one gets free', async () => {
  const { stores, clinicId } = records;
  const underWay = await Promise.all(Array.from({ length: 20 }, () => emit()));
  for (const { deliveryId } of underWay) await set(deliveryId, { leasedUntil: inSeconds(20) });
  const waiting = await Promise.all(Array.from({ length: 8 }, () => emit()));
  for (const { deliveryId } of waiting) await set(deliveryId, { nextAttemptAt: inSeconds(-60) });

  const looks: number[] = [];
  for (const { subject } of waiting.slice(0, 3)) {
    const told = await lease(subject);
    if (told.kind === 'later') looks.push(told.at.getTime());
  }
  const overdue = await stores.deliveryLeases.overdue(45_000, 1_000);

  expect(overdue.filter((each) => each.clinicId === clinicId)).toHaveLength(5);
  // The oldest attempt has lasted for ten seconds, and twenty are under way.
  expect(looks.slice(1).map((at, index) => Math.round((at - (looks[index] ?? 0)) / 100))).toEqual([5, 5]);
  for (const { deliveryId } of underWay) await set(deliveryId, { leasedUntil: null });
});

describe('a holder whose lease another has taken', () => {
  const overtaken = async () => {
    const emitted = await emit();
    const first = await lease(emitted.subject);
    await set(emitted.deliveryId, { leasedUntil: inSeconds(-1) });
    const second = await lease(emitted.subject);
    if (first.kind !== 'leased' || second.kind !== 'leased') throw new Error('both lease it');
    return { ...emitted, stale: first.token, token: second.token };
  };
  const attempts = async (deliveryId: string) =>
    (await records.stores.deliveries.find(records.clinicId, deliveryId))?.attempts.map(({ error }) => error);

  test('takes back nothing that was delivered meanwhile; its attempt is noted', async () => {
    const { deliveryId, stale, token } = await overtaken();
    await record(deliveryId, { kind: 'delivered', status: 200 }, { token });
    const delivered = await stored(deliveryId);

    await record(deliveryId, { kind: 'failed', status: null, error: 'timeout', retryAfterMs: null }, { token: stale });

    expect(await stored(deliveryId)).toEqual(delivered);
    expect(delivered.state).toBe('DELIVERED');
    expect(await attempts(deliveryId)).toEqual([null, 'timeout']);
  });

  test('does not free the lease of the other', async () => {
    const { deliveryId, stale, subject } = await overtaken();

    await record(deliveryId, failed, { token: stale });

    expect((await lease(subject)).kind).toBe('later');
    expect(await stored(deliveryId)).toMatchObject({ tries: 0, state: 'PENDING' });
  });

  test('gives up nothing that the other sends', async () => {
    const { clinicId, deliveryId, stale } = await overtaken();

    await records.stores.deliveryLeases.abandon({ clinicId, deliveryId, token: stale, error: 'endpoint_disabled' });

    expect((await stored(deliveryId)).state).toBe('PENDING');
  });

  test('changes nothing of a delivery that was queued again', async () => {
    const { clinicId, deliveryId, token } = await overtaken();
    await set(deliveryId, { leasedUntil: inSeconds(-1) });
    await records.stores.deliveries.resend(clinicId, deliveryId);

    await record(deliveryId, gone, { token });

    expect((await stored(deliveryId)).state).toBe('PENDING');
  });

  test('still counts when nobody has taken the delivery, however late it comes', async () => {
    const { deliveryId, token } = await overtaken();
    await set(deliveryId, { leasedUntil: inSeconds(-1) });

    await record(deliveryId, { kind: 'delivered', status: 200 }, { token });

    expect((await stored(deliveryId)).state).toBe('DELIVERED');
  });
});

describe('a receiver that fails', () => {
  const url = 'https://clinic.example/events';
  const events = async (clinicId: string, count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await anEvent(clinicId)).subject));
  const leaseAll = async (clinicId: string, subjects: string[]) => {
    const leases = [];
    for (const subject of subjects) leases.push(await lease(subject, clinicId));
    return leases;
  };
  const kinds = (leases: Lease[]) => leases.map(({ kind }) => kind);
  const fail = async (clinicId: string, leases: Lease[], retryAfterMs: number | null = null) => {
    for (const each of leases) {
      if (each.kind !== 'leased') continue;
      const { token, delivery } = each;
      await record(delivery.deliveryId, { ...failed, retryAfterMs }, { clinicId, token, url });
    }
  };
  const health = (clinicId: string) =>
    records.database.prisma.receiver.findFirst({ where: { clinicId, isFirst: true } });
  const endPause = (clinicId: string) =>
    records.database.prisma.receiver.updateMany({
      where: { clinicId, isFirst: true },
      data: { pausedUntil: inSeconds(-1) },
    });

  test('has twenty attempts under way at most; another clinic has its own twenty', async () => {
    const [hung, other] = [await records.aClinic(), await records.aClinic()];

    const leases = kinds(await leaseAll(hung, await events(hung, 25)));

    expect(leases.filter((kind) => kind === 'leased')).toHaveLength(20);
    expect(leases.filter((kind) => kind === 'later')).toHaveLength(5);
    expect(kinds(await leaseAll(other, await events(other, 1)))).toEqual(['leased']);
  });

  test('is left alone after three failures in a row, then tried one attempt at a time, until one succeeds', async () => {
    const clinicId = await records.aClinic();
    await fail(clinicId, await leaseAll(clinicId, await events(clinicId, 3)));
    const subjects = await events(clinicId, 2);

    const inPause = kinds(await leaseAll(clinicId, subjects));
    await endPause(clinicId);
    const [probe, other] = await leaseAll(clinicId, subjects);
    if (probe?.kind !== 'leased') throw new Error('the pause is over');
    const { token, delivery } = probe;
    await record(delivery.deliveryId, { kind: 'delivered', status: 200 }, { clinicId, token, url });
    const after = kinds(await leaseAll(clinicId, await events(clinicId, 3)));

    expect(inPause).toEqual(['later', 'later']);
    expect(other?.kind).toBe('later');
    expect(after).toEqual(['leased', 'leased', 'leased']);
    expect(await health(clinicId)).toMatchObject({ failures: 0, failingSince: null, pausedUntil: null });
  });

  test('is left alone for as long as it was to be, whatever fails meanwhile', async () => {
    const clinicId = await records.aClinic();
    const leases = await leaseAll(clinicId, await events(clinicId, 3));
    const pausedUntil = inSeconds(86_400);
    await records.database.prisma.receiver.updateMany({ where: { clinicId, isFirst: true }, data: { pausedUntil } });

    await fail(clinicId, leases);

    expect(await health(clinicId)).toMatchObject({ failures: 3, pausedUntil });
  });

  test('two failures are no reason to wait', async () => {
    const clinicId = await records.aClinic();
    await fail(clinicId, await leaseAll(clinicId, await events(clinicId, 2)));

    expect(kinds(await leaseAll(clinicId, await events(clinicId, 2)))).toEqual(['leased', 'leased']);
  });

  test('is left alone for as long as it asks, after the first failure already', async () => {
    const clinicId = await records.aClinic();
    await fail(clinicId, await leaseAll(clinicId, await events(clinicId, 1)), 600_000);

    const [next] = await leaseAll(clinicId, await events(clinicId, 1));

    if (next?.kind !== 'later') throw new Error('it must wait');
    expect(next.at.getTime()).toBeGreaterThan(inSeconds(500).getTime());
  });

  test('is tried at once when a person sends an event again', async () => {
    const clinicId = await records.aClinic();
    const subjects = await events(clinicId, 3);
    const leases = await leaseAll(clinicId, subjects);
    await fail(clinicId, leases);
    const [first] = leases;
    if (first?.kind !== 'leased') throw new Error('it was leased');

    await records.stores.deliveries.resend(clinicId, first.delivery.deliveryId);

    expect(kinds(await leaseAll(clinicId, subjects.slice(0, 1)))).toEqual(['leased']);
  });

  test('is tried at once with a test event', async () => {
    const clinicId = await records.aClinic();
    await fail(clinicId, await leaseAll(clinicId, await events(clinicId, 3)));

    const { subject } = await emit(newId(), clinicId);

    expect((await lease(subject, clinicId)).kind).toBe('leased');
  });

  test('is judged anew at a new URL', async () => {
    const clinicId = await records.aClinic();
    await fail(clinicId, await leaseAll(clinicId, await events(clinicId, 3)));
    const endpoint = await records.stores.clinics.outboundEndpoint(clinicId);
    await records.stores.clinics.setOutboundEndpoint(clinicId, { ...endpoint, url: `${url}/new` });

    expect(kinds(await leaseAll(clinicId, await events(clinicId, 1)))).toEqual(['leased']);
  });

  test('for a day is a task for staff, once', async () => {
    const clinicId = await records.aClinic();
    const tasks = () => records.database.prisma.staffTask.findMany({ where: { clinicId } });
    const failAfter = async (hours: number) => {
      await fail(clinicId, await leaseAll(clinicId, await events(clinicId, 1)));
      await records.database.prisma.receiver.updateMany({
        where: { clinicId, isFirst: true },
        data: { failingSince: inSeconds(-3_600 * hours), pausedUntil: null },
      });
      const before = await health(clinicId);
      await fail(clinicId, await leaseAll(clinicId, await events(clinicId, 1)));
      return before?.failingSince;
    };

    await failAfter(23);
    const early = await tasks();
    const since = await failAfter(25);
    await endPause(clinicId);
    await fail(clinicId, await leaseAll(clinicId, await events(clinicId, 1)));

    expect(early).toEqual([]);
    expect((await tasks()).map(({ reason, detail }) => ({ reason, detail }))).toEqual([
      { reason: 'endpoint_failing', detail: { failingSince: since?.toISOString() } },
    ]);
  });
});

describe('several endpoints', () => {
  const url = 'https://warehouse.example/events';
  const settings = { name: 'Warehouse', url, isEnabled: true, events: ['recovery_case.outcome'] };
  const endpointOf = async (clinicId: string, about: Partial<typeof settings> = {}) => {
    const added = await records.stores.endpoints.add(clinicId, { ...settings, ...about });
    return added?.endpoint.id ?? '';
  };
  const leaseTo = (receiverId: string | null, subject: string, clinicId: string) =>
    records.stores.deliveryLeases.lease(
      receiverId === null ? { clinicId, subject } : { clinicId, subject, receiverId },
    );
  const firstOf = async (clinicId: string) => (await records.stores.clinics.outboundEndpoint(clinicId)).id ?? '';
  const toFurther = (clinicId: string) =>
    records.database.prisma.delivery.findMany({
      where: { clinicId, receiver: { isFirst: false } },
      orderBy: { event: { sequence: 'asc' } },
      include: { attempts: true },
    });
  const fail = async (held: Lease, clinicId: string) => {
    if (held.kind !== 'leased') throw new Error(held.kind);
    await record(held.delivery.deliveryId, failed, { clinicId, token: held.token, url });
  };

  test('each is owed the events that it wants, from when it was added on, under one event id; test events are for the first', async () => {
    const clinicId = await records.aClinic();
    const before = await anEvent(clinicId);
    const [wants, wantsNot] = [
      await endpointOf(clinicId),
      await endpointOf(clinicId, { events: ['workflow.completed'] }),
    ];
    const off = await endpointOf(clinicId, { isEnabled: false });

    const after = await anEvent(clinicId);
    await emit(newId(), clinicId);

    const owed = await toFurther(clinicId);
    expect(new Map(owed.map(({ receiverId, eventId, state }) => [receiverId, [eventId, state]]))).toEqual(
      new Map([
        [wants, [after.deliveryId, 'PENDING']],
        [off, [after.deliveryId, 'DEAD']],
      ]),
    );
    expect(await leaseTo(wants, after.subject, clinicId)).toMatchObject({
      kind: 'leased',
      delivery: { eventId: after.deliveryId, url },
    });
    expect(await lease(after.subject, clinicId)).toMatchObject({
      kind: 'leased',
      delivery: { eventId: after.deliveryId, deliveryId: after.deliveryId, url: 'https://clinic.example/events' },
    });
    for (const id of [wantsNot, off]) expect((await leaseTo(id, after.subject, clinicId)).kind).toBe('none');
    expect((await leaseTo(wants, before.subject, clinicId)).kind).toBe('none');
  });

  test('one that fails, or hangs, has pauses and places of its own', async () => {
    const clinicId = await records.aClinic();
    const [dead, well] = [await endpointOf(clinicId), await endpointOf(clinicId)];
    const events = [];
    for (let n = 0; n < 25; n += 1) events.push(await anEvent(clinicId));
    const hung = [];
    for (const { subject } of events.slice(0, 20)) hung.push(await leaseTo(dead, subject, clinicId));
    const full = await leaseTo(dead, events[20]?.subject ?? '', clinicId);
    for (const each of hung.slice(0, 3)) await fail(each, clinicId);

    const [subject = ''] = events.slice(21).map((event) => event.subject);
    const kinds = [];
    for (const id of [dead, well, null]) kinds.push((await leaseTo(id, subject, clinicId)).kind);

    expect(full.kind).toBe('later');
    expect(kinds).toEqual(['later', 'leased', 'leased']);
    expect(await records.stores.deliveries.receiver(clinicId, dead)).toMatchObject({ failures: 3, waiting: 25 });
    expect(await records.stores.deliveries.receiver(clinicId)).toMatchObject({ failures: 0, hours: [] });
    // Another URL is judged again.
    await records.stores.endpoints.change(clinicId, dead, { ...settings, url: `${url}/new` });
    expect((await leaseTo(dead, events[0]?.subject ?? '', clinicId)).kind).toBe('later');
    expect(await records.stores.deliveries.receiver(clinicId, dead)).toMatchObject({ failures: 0, pausedUntil: null });
  });

  test('one that is gone is switched off alone; one that took an event is well again', async () => {
    const clinicId = await records.aClinic();
    const [left, other] = [await endpointOf(clinicId), await endpointOf(clinicId)];
    const goneSince = inSeconds(-21_601);
    await records.database.prisma.receiver.update({ where: { id: left }, data: { goneSince } });
    const { subject } = await anEvent(clinicId);
    const data = { message: 'hello' };
    const test = await records.stores.deliveries.emit({ clinicId, event: 'test', onlyTo: left, data });
    for (const [id, result, about] of [
      [other, failed, subject],
      [left, gone, test],
    ] as const) {
      const leased = await leaseTo(id, about, clinicId);
      if (leased.kind !== 'leased') throw new Error(leased.kind);
      await record(leased.delivery.deliveryId, result, { clinicId, token: leased.token, url });
    }
    const failing = await records.stores.deliveries.receiver(clinicId, other);
    const [row] = (await toFurther(clinicId)).filter(({ receiverId }) => receiverId === other);
    await record(row?.id ?? '', { kind: 'delivered', status: 200 }, { clinicId, url });

    expect(failing.failures).toBe(1);
    expect(await records.stores.endpoints.find(clinicId, left)).toMatchObject({
      isEnabled: false,
      disabledReason: expect.stringContaining('410'),
    });
    expect(await records.stores.endpoints.find(clinicId, other)).toMatchObject({ isEnabled: true });
    expect((await records.stores.clinics.outboundEndpoint(clinicId)).isEnabled).toBe(true);
    expect(await records.stores.deliveries.receiver(clinicId, other)).toMatchObject({
      failures: 0,
      failingSince: null,
    });
  });

  test('one that fails for a day is a task of its own, which says its name', async () => {
    const clinicId = await records.aClinic();
    const id = await endpointOf(clinicId);
    await records.database.prisma.receiver.update({ where: { id }, data: { failingSince: inSeconds(-90_000) } });
    const { subject } = await anEvent(clinicId);

    await fail(await leaseTo(id, subject, clinicId), clinicId);

    const tasks = await records.database.prisma.staffTask.findMany({ where: { clinicId } });
    expect(tasks.map(({ reason, detail }) => [reason, detail])).toEqual([
      ['endpoint_failing', { failingSince: expect.any(String), endpoint: 'Warehouse' }],
    ]);
  });

  test('what waits for one that is removed ends so: at once, or when the one that holds it is done; nothing else does', async () => {
    const clinicId = await records.aClinic();
    const [removed, kept] = [await endpointOf(clinicId), await endpointOf(clinicId)];
    const [waiting, later, held] = [await anEvent(clinicId), await anEvent(clinicId), await anEvent(clinicId)];
    await set(`${later.deliveryId}-${removed}`, { nextAttemptAt: inSeconds(80_000), tries: 8 });
    const underWay = await leaseTo(removed, held.subject, clinicId);

    await records.stores.endpoints.remove(clinicId, removed);
    await fail(underWay, clinicId);
    const next = await leaseTo(removed, held.subject, clinicId);
    await anEvent(clinicId);

    const ofRemoved = (await toFurther(clinicId)).filter(({ receiverId }) => receiverId === removed);
    expect(ofRemoved.map(({ state, attempts }) => [state, attempts.map(({ error }) => error)])).toEqual([
      ['DEAD', ['endpoint_removed']],
      ['DEAD', ['endpoint_removed']],
      ['PENDING', ['http_503']],
    ]);
    // Due or not: its sender ends it.
    expect(next).toMatchObject({ kind: 'leased', delivery: { isRemoved: true } });
    for (const id of [kept, null]) expect((await leaseTo(id, waiting.subject, clinicId)).kind).toBe('leased');
    expect(await records.stores.keys.signingSecrets(clinicId, removed)).toEqual([]);
    await expect(records.stores.deliveries.resend(clinicId, `${waiting.deliveryId}-${removed}`)).rejects.toThrow(
      'has been removed',
    );
  });

  test('what nobody sends is looked for by endpoint: one that fails holds up none of the others', async () => {
    const clinicId = await records.aClinic();
    const [dead, well] = [await endpointOf(clinicId), await endpointOf(clinicId)];
    await records.database.prisma.receiver.update({ where: { id: dead }, data: { failures: 9 } });
    for (let n = 0; n < 7; n += 1) await anEvent(clinicId);
    const first = await firstOf(clinicId);
    const count = (found: { clinicId: string; receiverId: string }[], id: string) =>
      found.filter((each) => each.clinicId === clinicId && each.receiverId === id).length;

    const young = await records.stores.deliveryLeases.untried(45_000, 1_000);
    await records.database.prisma.delivery.updateMany({ where: { clinicId }, data: { nextAttemptAt: inSeconds(-60) } });
    const overdue = await records.stores.deliveryLeases.overdue(45_000, 10_000);

    expect([count(young, well), count(young, first)]).toEqual([7, 0]);
    expect([count(overdue, dead), count(overdue, well), count(overdue, first)]).toEqual([5, 7, 7]);
    expect(count(await records.stores.deliveryLeases.untried(45_000, 1_000), well)).toBe(0);
  });

  test('a job sends again what failed at one of them alone', async () => {
    const clinicId = await records.aClinic();
    const id = await endpointOf(clinicId);
    const { subject } = await anEvent(clinicId);
    await records.database.prisma.delivery.updateMany({
      where: { clinicId },
      data: { state: 'DEAD', nextAttemptAt: null },
    });
    const { bulkJobs, bulkSteps } = records.stores;
    const filter = { until: inSeconds(1).toISOString(), endpointId: id };

    const started = await bulkJobs.start(
      clinicId,
      { kind: 'resend_deliveries', filter },
      { actor: 'account:somebody' },
    );

    if (started.kind !== 'started') throw new Error(started.kind);
    expect(started.job.total).toBe(1);
    const step = await bulkSteps.resendSome(clinicId, started.job.id, null);
    expect(step).toMatchObject({ owners: [{ clinicId, subject, receiverId: id }] });
    expect((await leaseTo(id, subject, clinicId)).kind).toBe('leased');
    expect((await lease(subject, clinicId)).kind).toBe('none');
    // Once it is removed there is nothing to wait for.
    await records.stores.endpoints.remove(clinicId, id);
    expect(await bulkSteps.resendSome(clinicId, started.job.id, step?.place ?? null)).toBeNull();
  });
});

/** An event that is no test event, of a subject of its own. */
async function anEvent(clinicId: string) {
  const subject = newId();
  const data = { recoveryCaseId: subject, sessionId: subject, recoveryStatus: 'RECOVERED' } as const;
  const deliveryId = await records.stores.deliveries.emit({ clinicId, event: 'recovery_case.outcome', subject, data });
  return { subject, deliveryId };
}

describe('a job that sends again what failed', () => {
  const by = { actor: 'account:somebody' };
  const aJob = async (failures: number) => {
    const clinicId = await records.aClinic();
    for (let n = 0; n < failures; n += 1) {
      const { deliveryId } = await anEvent(clinicId);
      await set(deliveryId, { state: 'DEAD', nextAttemptAt: null });
    }
    const filter = { until: inSeconds(1).toISOString() };
    const started = await records.stores.bulkJobs.start(clinicId, { kind: 'resend_deliveries', filter }, by);
    if (started.kind !== 'started') throw new Error(started.kind);
    const { job } = started;
    let place: Place | null = null;
    const made = () => records.stores.bulkSteps.resendSome(clinicId, job.id, place);
    const step = async () => {
      const result = await made();
      if (result) ({ place } = result);
      return result;
    };
    const now = () => records.stores.bulkJobs.find(clinicId, job.id);
    return { clinicId, job, made, step, now };
  };
  const delivered = (clinicId: string) =>
    records.database.prisma.delivery.updateMany({
      where: { clinicId, state: 'PENDING' },
      data: { state: 'DELIVERED', nextAttemptAt: null },
    });

  test('begins with one and doubles, makes no step twice, and says when nothing is left', async () => {
    const { clinicId, job, made, step, now } = await aJob(5);

    const first = await Promise.all([made(), made(), made()]);
    await step();
    const waits = await now();
    const sent = [];
    for (let n = 0; n < 2; n += 1) {
      await delivered(clinicId);
      sent.push((await step())?.owners.length);
    }
    await delivered(clinicId);
    const none = await step();
    await records.stores.bulkJobs.end(clinicId, job.id);

    // Anyone who makes it again learns whom to wake.
    expect(new Set(first.flatMap((each) => each?.owners.map(({ subject }) => subject))).size).toBe(1);
    expect(waits).toMatchObject({ state: 'RUNNING', done: 1, pace: 2, total: 5 });
    expect(sent).toEqual([2, 2]);
    expect(none).toBeNull();
    expect(await now()).toMatchObject({ state: 'DONE', done: 5, endedAt: expect.any(Date) });
    const again = await records.stores.bulkJobs.start(clinicId, { kind: job.kind, filter: job.filter }, by);
    expect(again.kind).toBe('started');
    expect(await records.stores.bulkJobs.start(clinicId, { kind: job.kind, filter: job.filter }, by)).toEqual({
      kind: 'running',
    });
  });

  test('asks a receiver that fails one at a time, waits where there is none, and begins nothing once it is stopped', async () => {
    const { clinicId, job, step, now } = await aJob(3);
    const url = 'https://clinic.example/events';
    await records.database.prisma.receiver.updateMany({ where: { clinicId }, data: { url, failures: 1 } });

    const probe = await step();
    const held = await step();
    const failing = await now();
    await records.database.prisma.receiver.updateMany({ where: { clinicId }, data: { isEnabled: false } });
    await step();
    const off = await now();
    await records.stores.bulkJobs.stop(clinicId, job.id, by);
    const stopped = await step();
    await records.stores.bulkJobs.end(clinicId, job.id);

    expect([probe?.owners.length, held?.owners.length, stopped]).toEqual([1, 0, null]);
    expect(failing).toMatchObject({ waitsFor: 'receiver', pace: 1, done: 1 });
    expect(off).toMatchObject({ waitsFor: 'endpoint' });
    expect(await now()).toMatchObject({ state: 'STOPPED', done: 1 });
  });
});

describe('a job that cancels runs', () => {
  const by = { actor: 'account:somebody' };

  test('counts what the records say, each step once', async () => {
    const clinicId = await records.aClinic();
    const runs = [];
    for (let n = 0; n < 4; n += 1) runs.push(await records.aRun({ clinicId }));
    const ids = runs.map(({ workflowId }) => workflowId);
    const filter = { until: inSeconds(1).toISOString() };
    const started = await records.stores.bulkJobs.start(clinicId, { kind: 'cancel_runs', filter }, by);
    if (started.kind !== 'started') throw new Error(started.kind);
    const { id } = started.job;
    const { bulkJobs, bulkSteps } = records.stores;
    const end = (workflowId: string, status: 'cancelled' | 'completed', cancelledBy: string | null) =>
      records.stores.runs.end({
        clinicId,
        workflowId,
        status,
        outcome: 'FOLLOW_UP_REQUIRED',
        taskReason: null,
        resolution: null,
        cancelledBy,
      });
    const next = async () => {
      const step = await bulkSteps.nextRuns(clinicId, id, 3);
      if (!step) throw new Error('nothing is left');
      return step;
    };

    const [step, sameAgain] = [await next(), await next()];
    await bulkSteps.noteWait(clinicId, id, 'workflows');
    const waiting = await bulkJobs.find(clinicId, id);
    await end(step.runs[0] ?? '', 'cancelled', by.actor);
    await end(step.runs[1] ?? '', 'completed', null);
    await Promise.all([bulkSteps.noteRuns(clinicId, id, step), bulkSteps.noteRuns(clinicId, id, step)]);
    const noted = await bulkJobs.find(clinicId, id);
    const last = await next();
    await end(last.runs[0] ?? '', 'cancelled', by.actor);
    await bulkSteps.noteRuns(clinicId, id, last);
    await bulkSteps.noteRuns(clinicId, id, step);
    const none = await bulkSteps.nextRuns(clinicId, id, 3);
    await bulkJobs.end(clinicId, id);

    expect(sameAgain).toEqual(step);
    expect([...step.runs, ...last.runs].toSorted()).toEqual(ids.toSorted());
    expect(waiting).toMatchObject({ state: 'RUNNING', waitsFor: 'workflows' });
    expect(noted).toMatchObject({ done: 1, skipped: 1, failed: 1, waitsFor: null });
    expect(none).toBeNull();
    expect(await bulkJobs.find(clinicId, id)).toMatchObject({ state: 'DONE', done: 2, skipped: 1, failed: 1 });
  });
});

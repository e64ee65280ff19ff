import type { BulkFilter } from '@clinic/prisma/stores/operations/bulk-jobs';
import { newId } from '@clinic/shared/crypto';
import type { BulkJobKind } from '@clinic/shared/domain/operations/bulk-job';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;
let first: string;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  clinicId = await records.aClinic();
  first = await receiverOf(clinicId);
});
afterAll(() => records.close());

const by = { actor: 'account:somebody' };
const from = '2030-01-01T00:00:00.000Z';
const until = '2030-02-01T00:00:00.000Z';
const within = new Date('2030-01-10T00:00:00Z');
const later = new Date('2999-01-01T00:00:00Z');
const past = new Date('2020-01-01T00:00:00Z');
const justBefore = (instant: string) => new Date(Date.parse(instant) - 1);

const receiverOf = async (owner: string) =>
  (await records.database.prisma.receiver.findFirstOrThrow({ where: { clinicId: owner, isFirst: true } })).id;

async function start(kind: BulkJobKind, filter: Partial<BulkFilter> = {}) {
  const started = await records.stores.bulkJobs.start(clinicId, { kind, filter: { until, ...filter } }, by);
  if (started.kind !== 'started') throw new Error(started.kind);
  return started.job;
}

async function aRun(about: { startedAt?: Date; status?: string; workflowType?: string }, owner = clinicId) {
  const id = newId();
  const run = { workflowType: 'care-gap-follow-up', sessionId: id, startedAt: within };
  await records.database.prisma.workflowRun.create({ data: { id, clinicId: owner, ...run, ...about } });
  return id;
}

interface DeliveryAbout {
  at?: Date;
  state?: string;
  event?: string;
  subject?: string;
  data?: object;
  receiverId?: string;
  owner?: string;
  nextAttemptAt?: Date | null;
  leasedUntil?: Date;
  triedAt?: Date;
}

async function aDelivery(about: DeliveryAbout = {}) {
  const { prisma } = records.database;
  const id = newId();
  const { owner = clinicId, event: eventName = 'case.ended', subject = id, data = { full: true } } = about;
  const { receiverId = owner === clinicId ? first : await receiverOf(owner), at: createdAt = within } = about;
  // Under a name that nobody wants, so that it is owed to nobody else.
  await prisma.outboundEvent.create({
    data: { id, clinicId: owner, event: `unheard ${id}`, subject: id, data, createdAt },
  });
  const { state = 'DEAD', nextAttemptAt = null, leasedUntil } = about;
  const tried = { state, nextAttemptAt, leasedUntil, createdAt, tries: 3, place: 1 };
  await prisma.delivery.create({
    data: { id, clinicId: owner, eventId: id, receiverId, eventName, subject, ...tried },
  });
  if (about.triedAt) {
    const attempt = { id, clinicId: owner, deliveryId: id, url: '', durationMs: 1, receiverId, at: about.triedAt };
    await prisma.deliveryAttempt.create({ data: attempt });
  }
  return id;
}

async function anEndpoint(about: object = {}) {
  const id = newId();
  const url = 'https://clinic.example/further';
  await records.database.prisma.receiver.create({ data: { id, clinicId, name: 'Further', url, ...about } });
  return id;
}

const statesOf = async (ids: string[]) => {
  const rows = await records.database.prisma.delivery.findMany({ where: { id: { in: ids } } });
  return ids.map((id) => rows.find((row) => row.id === id)?.state);
};

describe('a job that cancels runs', () => {
  test.each<[what: string, about: Parameters<typeof aRun>[0], filter: Partial<BulkFilter>, isMeant: boolean]>([
    ['an open run', {}, { from }, true],
    ['one that was started as the span begins', { startedAt: new Date(from) }, { from }, true],
    ['one that was started before', { startedAt: justBefore(from) }, { from }, false],
    ['one of long ago', { startedAt: past }, {}, true],
    ['one that was started just before the span ends', { startedAt: justBefore(until) }, {}, true],
    ['one that was started as it ends', { startedAt: new Date(until) }, {}, false],
    ['one that has ended', { status: 'completed' }, {}, false],
    ['one of the type', {}, { workflowType: 'care-gap-follow-up' }, true],
    ['one of another type', {}, { workflowType: 'payment-recovery' }, false],
  ])('is about %s, or is not', async (_what, about, filter, isMeant) => {
    const id = await aRun(about);
    await aRun({}, records.otherClinicId);
    await aDelivery();
    const preview = await records.stores.bulkJobs.preview(clinicId, 'cancel_runs', { until, ...filter });
    const job = await start('cancel_runs', filter);

    const step = await records.stores.bulkSteps.nextRuns(clinicId, job.id, 5);

    expect([preview.total, job.total]).toEqual(isMeant ? [1, 1] : [0, 0]);
    expect(step?.runs ?? []).toEqual(isMeant ? [id] : []);
  });

  test('takes the oldest first, each once, and none where it has ended or is of another clinic', async () => {
    const { bulkSteps, bulkJobs } = records.stores;
    const [second, oldest] = [await aRun({}), await aRun({ startedAt: past })];
    const { id } = await start('cancel_runs');

    const step = await bulkSteps.nextRuns(clinicId, id, 1);
    if (!step) throw new Error('there are two');
    const before = await bulkSteps.placeOf(clinicId, id);
    await bulkSteps.noteRuns(records.otherClinicId, id, step);
    const elsewhere = await bulkSteps.placeOf(clinicId, id);
    await bulkSteps.noteRuns(clinicId, id, step);
    const after = await bulkSteps.placeOf(clinicId, id);
    const next = await bulkSteps.nextRuns(clinicId, id, 5);
    const foreign = await bulkSteps.nextRuns(records.otherClinicId, id, 5);
    await bulkJobs.stop(clinicId, id, by);
    await start('cancel_runs');

    expect([step.runs, next?.runs]).toEqual([[oldest], [second]]);
    expect([before, elsewhere, after]).toEqual([null, null, { at: past.toISOString(), id: oldest }]);
    expect(next).toMatchObject({ by: by.actor, from: after });
    expect([foreign, await bulkSteps.nextRuns(clinicId, id, 5)]).toEqual([null, null]);
    expect(await bulkSteps.placeOf(records.otherClinicId, id)).toBeNull();
  });

  test.each<[what: string, about: { status?: string; cancelledBy?: string; completedAt?: Date }, counts: object]>([
    ['was cancelled by it', { status: 'cancelled', cancelledBy: by.actor, completedAt: later }, { done: 1 }],
    [
      'was cancelled by somebody else',
      { status: 'cancelled', cancelledBy: 'operator', completedAt: later },
      { skipped: 1 },
    ],
    [
      'was cancelled before it began',
      { status: 'cancelled', cancelledBy: by.actor, completedAt: past },
      { skipped: 1 },
    ],
    ['ended otherwise', { status: 'completed', cancelledBy: by.actor, completedAt: later }, { skipped: 1 }],
    ['is open still', {}, { failed: 1 }],
  ])('counts a run that %s', async (_what, about, counts) => {
    const { bulkSteps, bulkJobs } = records.stores;
    const runId = await aRun({});
    const { id } = await start('cancel_runs');
    const step = await bulkSteps.nextRuns(clinicId, id, 5);
    await records.database.prisma.workflowRun.update({ where: { id: runId }, data: about });
    await bulkSteps.noteWait(clinicId, id, 'workflows');

    if (step) await bulkSteps.noteRuns(clinicId, id, step);

    const none = { done: 0, skipped: 0, failed: 0 };
    expect(await bulkJobs.find(clinicId, id)).toMatchObject({ ...none, ...counts, waitsFor: null });
  });

  test('waits for something only while it goes on', async () => {
    const { bulkSteps, bulkJobs } = records.stores;
    const { id } = await start('cancel_runs');

    await bulkSteps.noteWait(records.otherClinicId, id, 'workflows');
    const elsewhere = await bulkJobs.find(clinicId, id);
    await bulkJobs.stop(clinicId, id, by);
    await bulkSteps.noteWait(clinicId, id, 'workflows');

    expect(elsewhere?.waitsFor).toBeNull();
    expect((await bulkJobs.find(clinicId, id))?.waitsFor).toBeNull();
  });
});

describe('a job that sends again', () => {
  const replay = { isReplay: true };
  const givenUpSince = '2030-01-15T00:00:00.000Z';

  test.each<
    [what: string, about: () => Promise<DeliveryAbout> | DeliveryAbout, filter: Partial<BulkFilter>, isMeant: boolean]
  >([
    ['what was given up', () => ({}), { from }, true],
    ['what waits', () => ({ state: 'PENDING' }), {}, false],
    ['what was delivered', () => ({ state: 'DELIVERED' }), {}, false],
    ['what the span begins with', () => ({ at: new Date(from) }), { from }, true],
    ['what was before', () => ({ at: justBefore(from) }), { from }, false],
    ['what was long ago', () => ({ at: past }), {}, true],
    ['what was just before its end', () => ({ at: justBefore(until) }), {}, true],
    ['what was at its end', () => ({ at: new Date(until) }), {}, false],
    ['what is of the event', () => ({}), { event: 'case.ended' }, true],
    ['what is of another event', () => ({}), { event: 'case.opened' }, false],
    ['what is of another endpoint', async () => ({ receiverId: await anEndpoint() }), {}, false],
    ['what is of another clinic', () => ({ owner: records.otherClinicId }), {}, false],
    ['what was delivered, in a replay', () => ({ state: 'DELIVERED' }), replay, true],
    ['a test, in a replay', () => ({ event: 'test' }), replay, false],
    ['a sample, in a replay', () => ({ subject: 'sample-1' }), replay, false],
    ['what is being sent, in a replay', () => ({ leasedUntil: later }), replay, false],
    ['what was being sent, in a replay', () => ({ leasedUntil: past }), replay, true],
    ['what was tried last since then', () => ({ triedAt: new Date('2030-01-16T00:00:00Z') }), { givenUpSince }, true],
    ['what was tried last then', () => ({ triedAt: new Date(givenUpSince) }), { givenUpSince }, false],
    ['what was never tried since then', () => ({ at: new Date('2030-01-16T00:00:00Z') }), { givenUpSince }, true],
    ['what was never tried before', () => ({}), { givenUpSince }, false],
  ])('is about %s, or is not', async (_what, about, filter, isMeant) => {
    const id = await aDelivery(await about());
    await aRun({});
    const preview = await records.stores.bulkJobs.preview(clinicId, 'resend_deliveries', { until, ...filter });
    const job = await start('resend_deliveries', filter);
    const [before] = await statesOf([id]);

    const step = await records.stores.bulkSteps.resendSome(clinicId, job.id, null);

    expect([preview.total, job.total]).toEqual(isMeant ? [1, 1] : [0, 0]);
    expect(step?.owners.length ?? 0).toBe(isMeant ? 1 : 0);
    expect(await statesOf([id])).toEqual([isMeant ? 'PENDING' : before]);
  });

  test('tells of what it is about by event, with the first and the last', async () => {
    await aDelivery({ at: past });
    await aDelivery({ event: 'case.opened' });
    await aDelivery({});

    const { bulkJobs } = records.stores;
    const preview = await bulkJobs.preview(clinicId, 'resend_deliveries', { until });

    expect(preview).toEqual({
      total: 3,
      parts: [
        { name: 'case.ended', count: 2 },
        { name: 'case.opened', count: 1 },
      ],
      oldest: past,
      newest: within,
    });
    const none = await bulkJobs.preview(clinicId, 'resend_deliveries', { until: past.toISOString() });
    expect(none).toEqual({ total: 0, parts: [], oldest: null, newest: null });
  });

  test('passes over what is no longer kept, and counts it', async () => {
    const [purged, kept] = [await aDelivery({ at: past, data: {} }), await aDelivery()];
    const { id } = await start('resend_deliveries');
    const { bulkSteps, bulkJobs } = records.stores;

    const one = await bulkSteps.resendSome(clinicId, id, null);
    await bulkSteps.resendSome(clinicId, id, one?.place ?? null);

    expect(one).toMatchObject({ place: { at: past.toISOString(), id: purged }, owners: [] });
    expect(await statesOf([purged, kept])).toEqual(['DEAD', 'PENDING']);
    const sent = await records.database.prisma.delivery.findUniqueOrThrow({ where: { id: kept } });
    expect([sent.tries, sent.nextAttemptAt !== null]).toEqual([0, true]);
    expect(await bulkJobs.find(clinicId, id)).toMatchObject({ done: 1, skipped: 1 });
  });

  test.each<[what: string, arrange: () => Promise<unknown>, step: object | null]>([
    ['fails', () => change({ failures: 1 }), { waitsFor: 'receiver', waitMs: 5_000, sent: 1 }],
    ['is paused', () => change({ pausedUntil: later }), { waitsFor: 'receiver', waitMs: 5_000, sent: 0 }],
    ['was paused', () => change({ pausedUntil: past }), { waitsFor: null, sent: 1 }],
    ['is off', () => change({ isEnabled: false }), { waitsFor: 'endpoint', waitMs: 10_000, sent: 0 }],
    ['has no URL', () => change({ url: null }), { waitsFor: 'endpoint', sent: 0 }],
    ['was removed', () => change({ removedAt: past }), null],
    ['has much to take', () => owe(4, {}), { waitsFor: null, waitMs: 1_000, sent: 0 }],
    ['has less', () => owe(3, {}), { waitsFor: null, sent: 1 }],
    ['has much to take later', () => owe(4, { nextAttemptAt: later }), { waitsFor: null, sent: 1 }],
    ['has taken much', () => owe(4, { state: 'DELIVERED' }), { waitsFor: null, sent: 1 }],
    [
      'stands beside one that has much to take',
      async () => owe(4, { receiverId: await anEndpoint() }),
      { waitsFor: null, sent: 1 },
    ],
  ])('goes by its receiver, that %s', async (_what, arrange, expected) => {
    await aDelivery();
    await arrange();
    const { id } = await start('resend_deliveries');

    const step = await records.stores.bulkSteps.resendSome(clinicId, id, null);

    const shown = step && { waitsFor: step.waitsFor, waitMs: step.waitMs, sent: step.owners.length };
    if (expected === null) expect(shown).toBeNull();
    else expect(shown).toMatchObject(expected);
  });

  test('in a replay owes it as if it had never been sent, and wakes each subject once', async () => {
    const { prisma } = records.database;
    const { bulkSteps, bulkJobs } = records.stores;
    const sent = { state: 'DELIVERED', leasedUntil: past };
    const ids = [await aDelivery({ ...sent, at: past }), await aDelivery(sent), await aDelivery(sent)];
    const other = await aDelivery({ ...sent, receiverId: await anEndpoint() });
    const ofAll = { where: { id: { in: [...ids, other] } } };
    await prisma.delivery.updateMany({ ...ofAll, data: { deliveredAt: past, leaseToken: 'of before' } });
    await prisma.outboundEvent.updateMany({ where: { id: { in: ids.slice(1) } }, data: { subject: 'one case' } });
    const { id } = await start('resend_deliveries', replay);

    const one = await bulkSteps.resendSome(clinicId, id, null);
    const two = await bulkSteps.resendSome(clinicId, id, one?.place ?? null);

    expect(await bulkSteps.resendSome(clinicId, id, two?.place ?? null)).toBeNull();
    expect([one, two].map((step) => step?.owners)).toEqual([
      [{ clinicId, subject: ids[0], receiverId: first }],
      [{ clinicId, subject: 'one case', receiverId: first }],
    ]);
    expect(await bulkJobs.find(clinicId, id)).toMatchObject({ done: 3, skipped: 0 });
    const rows = await prisma.delivery.findMany(ofAll);
    const shown = Object.fromEntries(
      rows.map((row) => [row.id, [row.state, row.tries, row.deliveredAt, row.leaseToken, row.nextAttemptAt !== null]]),
    );
    expect(shown).toEqual({
      ...Object.fromEntries(ids.map((each) => [each, ['PENDING', 0, null, null, true]])),
      [other]: ['DELIVERED', 3, past, 'of before', false],
    });
  });

  test('that was made and not heard of says again whom to wake, as far as they wait still', async () => {
    const { prisma } = records.database;
    const other = await anEndpoint();
    const ids = [
      await aDelivery({ at: new Date('2030-01-01T00:00:00Z') }),
      await aDelivery({ at: new Date('2030-01-02T00:00:00Z') }),
      await aDelivery({ at: new Date('2030-01-03T00:00:00Z') }),
    ];
    await aDelivery({ state: 'PENDING', receiverId: other });
    await aDelivery({ state: 'PENDING', receiverId: other, at: new Date('2030-01-02T12:00:00Z') });
    const { id } = await start('resend_deliveries');
    const { bulkSteps } = records.stores;
    const one = await bulkSteps.resendSome(clinicId, id, null);
    const place = one?.place ?? null;
    const two = await bulkSteps.resendSome(clinicId, id, place);

    const ofSecond = await bulkSteps.resendSome(clinicId, id, place);
    const ofBoth = await bulkSteps.resendSome(clinicId, id, null);
    await prisma.delivery.update({ where: { id: ids[1] ?? '' }, data: { state: 'DELIVERED' } });
    const ofFirst = await bulkSteps.resendSome(clinicId, id, null);

    const subjects = (step: typeof one) => new Set(step?.owners.map(({ subject }) => subject));
    const [firstId, ...rest] = ids;
    expect([two, ofSecond, ofBoth].map(subjects)).toEqual([new Set(rest), new Set(rest), new Set(ids)]);
    expect(subjects(ofFirst)).toEqual(new Set([firstId, rest[1]]));
    expect(ofBoth).toMatchObject({ place: two?.place, waitMs: 1_000, waitsFor: null });
    expect(await bulkSteps.resendSome(records.otherClinicId, id, null)).toBeNull();
  });

  const change = (about: object) => records.database.prisma.receiver.update({ where: { id: first }, data: about });
  async function owe(count: number, about: DeliveryAbout): Promise<void> {
    for (let n = 0; n < count; n += 1) await aDelivery({ state: 'PENDING', nextAttemptAt: past, ...about });
  }
});

test('a job is stopped once, by its clinic, and stays so; one that ends is done', async () => {
  const { bulkJobs } = records.stores;
  const [stopped, done] = [await start('cancel_runs'), await start('resend_deliveries')];

  const answers = [
    await bulkJobs.stop(records.otherClinicId, stopped.id, by),
    await bulkJobs.stop(clinicId, stopped.id, by),
    await bulkJobs.stop(clinicId, stopped.id, by),
  ];
  await bulkJobs.end(clinicId, stopped.id);
  await bulkJobs.end(records.otherClinicId, done.id);
  const before = await bulkJobs.find(clinicId, done.id);
  await bulkJobs.end(clinicId, done.id);

  expect(answers).toEqual([null, true, false]);
  expect(before?.state).toBe('RUNNING');
  expect((await bulkJobs.find(clinicId, stopped.id))?.state).toBe('STOPPED');
  expect((await bulkJobs.find(clinicId, done.id))?.state).toBe('DONE');
  expect(await bulkJobs.find(records.otherClinicId, done.id)).toBeNull();
  const { items } = await records.stores.audit.list(clinicId, { action: 'bulk.stop', limit: 5 });
  expect(items).toHaveLength(1);
});

test('two jobs of a clinic keep each its own place, wait and end', async () => {
  const { bulkSteps, bulkJobs } = records.stores;
  await aRun({ startedAt: past });
  const deliveryId = await aDelivery();
  await records.database.prisma.receiver.update({ where: { id: first }, data: { failures: 1 } });
  const [cancels, resends] = [await start('cancel_runs'), await start('resend_deliveries')];
  const places = () => Promise.all([cancels, resends].map(({ id }) => bulkSteps.placeOf(clinicId, id)));
  const jobs = async () => [await bulkJobs.find(clinicId, cancels.id), await bulkJobs.find(clinicId, resends.id)];
  const before = await places();
  const step = await bulkSteps.nextRuns(clinicId, cancels.id, 5);
  if (!step) throw new Error('there is one');
  await bulkSteps.noteRuns(clinicId, cancels.id, step);
  const [afterRuns, ofRuns] = [await places(), await jobs()];
  await bulkSteps.noteWait(clinicId, cancels.id, 'workflows');
  const waits = await jobs();

  await bulkSteps.resendSome(clinicId, resends.id, null);
  const [afterResend, bothWait] = [await places(), await jobs()];
  await records.stores.longWork.markDispatched({ kind: 'cancel_runs', clinicId, id: cancels.id });
  const given = await records.database.prisma.bulkJob.findMany({ where: { clinicId, dispatchedAt: { not: null } } });
  await bulkJobs.end(clinicId, resends.id);
  const oneEnded = await jobs();

  const ofDelivery = { at: within.toISOString(), id: deliveryId };
  expect(before).toEqual([null, null]);
  expect(given.map(({ id }) => id)).toEqual([cancels.id]);
  expect(afterRuns).toEqual([step.to, null]);
  expect(ofRuns).toMatchObject([{ failed: 1 }, { failed: 0 }]);
  expect(waits).toMatchObject([{ waitsFor: 'workflows' }, { waitsFor: null }]);
  expect(afterResend).toEqual([step.to, ofDelivery]);
  expect(bothWait).toMatchObject([
    { waitsFor: 'workflows', done: 0 },
    { waitsFor: 'receiver', done: 1 },
  ]);
  expect(oneEnded).toMatchObject([{ state: 'RUNNING', waitsFor: 'workflows' }, { state: 'DONE' }]);
});

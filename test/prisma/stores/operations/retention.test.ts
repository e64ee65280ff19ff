import { createRetentionStores } from '@clinic/prisma/stores/operations/retention';
import { newId } from '@clinic/shared/crypto';
import {
  type RetentionDays,
  type RetentionKind,
  retentionDefaults,
  retentionKinds,
} from '@clinic/shared/domain/operations/retention';
import { Client } from 'pg';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;
let elsewhere: string;
/** Of somebody who writes at the same time. */
let another: Client;

beforeAll(async () => {
  records = await openRecords();
  ({ clinicId, otherClinicId: elsewhere } = records);
  another = new Client({ connectionString: records.database.url });
  await another.connect();
  await arrange();
});
afterAll(async () => {
  await another.end();
  await records.close();
});

const from = new Date('2020-01-01T00:00:00Z');
const until = new Date('2020-03-01T00:00:00Z');
const after = (instant: Date, milliseconds: number) => new Date(instant.getTime() + milliseconds);
const by = { actor: 'account:admin' };

/** What a row is about; unless told otherwise of the clinic, in February, of what is over and of nobody who is held. */
interface About {
  at?: Date;
  clinicId?: string;
  workflowId?: string;
  callId?: string;
  runId?: string;
  patientId?: string;
  event?: string;
  key?: string;
  contents?: object;
  reply?: string | null;
  detail?: object;
  sentAt?: Date | null;
  delivery?: { state: string; nextAttemptAt: Date | null };
}

interface Kind {
  table: string;
  /** The column that holds the name of a row. */
  name: string;
  plant(name: string, about: About): Promise<unknown>;
  /** Names of the rows that have contents. */
  full(): Promise<string[]>;
  goes: Record<string, About>;
  stays: Record<string, About>;
  /** What has no contents, or is not there, before. */
  empty: Record<string, About>;
}

const runs = { over: '', open: '', held: '', later: '', openElsewhere: '', heldElsewhere: '' };
const calls = { over: '', ofNoRun: '', ofOpen: '', held: '', later: '', ringing: '', elsewhere: '' };
const patients = { plain: '', held: '', later: '', heldElsewhere: '' };
const sessions = { open: '', over: '', openOfAnotherType: '', openElsewhere: '', held: '' };
const cases = { open: '', held: '', openElsewhere: '' };

async function arrange() {
  const { prisma } = records.database;
  const end = (workflowId: string) =>
    prisma.workflowRun.update({ where: { id: workflowId }, data: { status: 'completed', completedAt: new Date() } });
  const hold = (owner: string, patientId: string) =>
    prisma.legalHold.create({ data: { clinicId: owner, patientId, reason: 'A case at court', placedBy: 'operator' } });
  const [over, open, held, later] = [
    await records.aCase(),
    await records.aCase(),
    await records.aCase(),
    await records.aCase(),
  ];
  const [openElsewhere, heldElsewhere] = [
    await records.aCase({ clinicId: elsewhere }),
    await records.aCase({ clinicId: elsewhere }),
  ];
  const ofAnotherType = await records.aRun();
  for (const { workflowId } of [over, held, later, heldElsewhere]) await end(workflowId);
  Object.assign(runs, {
    over: over.workflowId,
    open: open.workflowId,
    held: held.workflowId,
    later: later.workflowId,
    openElsewhere: openElsewhere.workflowId,
    heldElsewhere: heldElsewhere.workflowId,
  });
  Object.assign(sessions, {
    open: open.sessionId,
    over: over.sessionId,
    openOfAnotherType: ofAnotherType.sessionId,
    openElsewhere: openElsewhere.sessionId,
    held: held.sessionId,
  });
  Object.assign(cases, { open: open.caseId, held: held.caseId, openElsewhere: openElsewhere.caseId });
  Object.assign(patients, {
    plain: over.patientId,
    held: held.patientId,
    later: later.patientId,
    heldElsewhere: heldElsewhere.patientId,
  });
  await hold(clinicId, held.patientId);
  await hold(elsewhere, heldElsewhere.patientId);
  for (const [name, about] of Object.entries({
    over: { clinicId, patientId: over.patientId, workflowId: over.workflowId, state: 'ENDED' },
    ofNoRun: { clinicId, patientId: over.patientId, workflowId: null, state: 'ENDED' },
    ofOpen: { clinicId, patientId: open.patientId, workflowId: open.workflowId, state: 'ENDED' },
    held: { clinicId, patientId: held.patientId, workflowId: null, state: 'ENDED' },
    later: { clinicId, patientId: later.patientId, workflowId: null, state: 'ENDED' },
    ringing: { clinicId, patientId: over.patientId, workflowId: null, state: 'RINGING' },
    elsewhere: { clinicId: elsewhere, patientId: openElsewhere.patientId, workflowId: null, state: 'ENDED' },
  })) {
    const { id } = await prisma.call.create({ data: { id: newId(), direction: 'outbound', isTest: true, ...about } });
    Object.assign(calls, { [name]: id });
  }
  for (const [owner, id, findings] of [
    [clinicId, 'with-findings', {}],
    [clinicId, 'without-findings', undefined],
    [elsewhere, 'elsewhere', {}],
  ] as const) {
    const endsAt = after(from, 3_600_000);
    await prisma.validationRun.create({
      data: { id, clinicId: owner, startedBy: 'operator', startedAt: from, endsAt, endedAt: endsAt, findings },
    });
  }
  await Promise.all(
    retentionKinds.map(async (kind) => {
      const { plant, goes, stays, empty } = kinds[kind];
      for (const [name, about] of Object.entries({ ...goes, ...ofTime.goes, ...stays, ...ofTime.stays, ...empty }))
        await plant(`${kind} ${name}`, about);
    }),
  );
}

/** At the edges of what is looked through. */
const ofTime: Pick<Kind, 'goes' | 'stays'> = {
  goes: { 'from the beginning': { at: from }, 'just before the end': { at: after(until, -1) }, plain: {} },
  stays: { 'just before the beginning': { at: after(from, -1) }, 'from the end': { at: until } },
};
const february = new Date('2020-02-01T00:00:00Z');
const full = { text: 'full' };
const namesOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

const kinds: Record<RetentionKind, Kind> = {
  inbound_payloads: {
    table: 'inbound_events',
    name: 'id',
    plant: (id, about) =>
      records.database.prisma.inboundEvent.create({
        data: {
          id,
          clinicId: about.clinicId ?? clinicId,
          event: about.event ?? `event ${id}`,
          dedupeKey: about.key ?? id,
          payload: about.contents ?? full,
          workflowId: about.workflowId ?? null,
          receivedAt: about.at ?? february,
        },
      }),
    full: async () => namesOf(await records.database.prisma.inboundEvent.findMany({ where: { payload: { not: {} } } })),
    get goes() {
      return {
        'of a run that is over': { workflowId: runs.over },
        'of an open run of another clinic': { workflowId: runs.openElsewhere },
        'of the run of somebody who is held elsewhere': { workflowId: runs.heldElsewhere },
        'a completed form of a case that is over': { event: 'forms.completed', key: sessions.over },
        'a completed form of an open run of another type': {
          event: 'forms.completed',
          key: sessions.openOfAnotherType,
        },
        'a completed form of an open case of another clinic': {
          event: 'forms.completed',
          key: sessions.openElsewhere,
        },
        'another event of an open session': { event: 'payments.failed', key: sessions.open },
        'another event of the session of somebody who is held': { event: 'payments.failed', key: sessions.held },
      };
    },
    get stays() {
      return {
        'of an open run': { workflowId: runs.open },
        'a completed form of an open case': { event: 'forms.completed', key: sessions.open },
        'of the run of somebody who is held': { workflowId: runs.held },
        'a completed form of somebody who is held': { event: 'forms.completed', key: sessions.held },
        'of another clinic': { clinicId: elsewhere },
      };
    },
    empty: { 'without contents': { contents: {} } },
  },

  tool_contents: {
    table: 'tool_calls',
    name: 'id',
    plant: (id, about) =>
      records.database.prisma.toolCall.create({
        data: {
          id,
          clinicId: about.clinicId ?? clinicId,
          callId: about.callId ?? calls.over,
          toolCallId: id,
          family: 'emr',
          tool: 'find',
          meaning: 'full',
          arguments: about.contents ?? full,
          reply: about.reply === undefined ? 'full' : about.reply,
          detail: about.detail,
          startedAt: about.at ?? february,
        },
      }),
    full: async () => {
      const found = await records.database.prisma.toolCall.findMany();
      return namesOf(found.filter((row) => JSON.stringify([row.arguments, row.reply, row.detail]).includes('full')));
    },
    get goes() {
      const [contents, reply] = [{}, '{"success":false}'];
      return {
        'of a call without a run': { callId: calls.ofNoRun },
        'with arguments alone': { reply },
        'with a reply alone': { contents, reply: 'full' },
        'with a detail alone': { contents, reply, detail: full },
      };
    },
    get stays() {
      return {
        'of a call that goes on': { callId: calls.ringing },
        'of an open run': { callId: calls.ofOpen },
        'of somebody who is held': { callId: calls.held },
        'of another clinic': { clinicId: elsewhere, callId: calls.elsewhere },
      };
    },
    empty: { 'without contents': { contents: {}, reply: '{"success":false}', detail: {} } },
  },

  event_bodies: {
    table: 'outbound_events',
    name: 'id',
    async plant(id, about) {
      const { prisma } = records.database;
      const owner = about.clinicId ?? clinicId;
      const ofEvent = { clinicId: owner, event: `event ${id}`, subject: about.workflowId ?? about.key ?? id };
      await prisma.outboundEvent.create({
        data: { id, ...ofEvent, data: about.contents ?? full, createdAt: about.at ?? february },
      });
      const { id: receiverId } = await prisma.receiver.findFirstOrThrow({ where: { clinicId: owner } });
      const delivery = about.delivery ?? { state: 'DELIVERED', nextAttemptAt: null };
      const { event: eventName, subject } = ofEvent;
      await prisma.delivery.create({
        data: { id, clinicId: owner, eventId: id, receiverId, eventName, subject, place: 1, ...delivery },
      });
      await prisma.deliveryAttempt.create({
        data: { id, clinicId: owner, deliveryId: id, url: '', durationMs: 1, response: 'full', receiverId },
      });
    },
    full: async () => {
      const found = await records.database.prisma.outboundEvent.findMany({
        where: { data: { not: {} }, event: { startsWith: 'event ' } },
      });
      return namesOf(found);
    },
    get goes() {
      return {
        'of a run that is over': { workflowId: runs.over },
        'of an open run of another clinic': { workflowId: runs.openElsewhere },
        'of an open case of another clinic': { key: cases.openElsewhere },
        'about the run of somebody who is held elsewhere': { workflowId: runs.heldElsewhere },
        'about somebody who is held elsewhere': { contents: { patientId: patients.heldElsewhere } },
        'about somebody else': { contents: { patientId: patients.plain } },
        'of which nothing is tried again': { delivery: { state: 'PENDING', nextAttemptAt: null } },
        'that was delivered before it was tried again': { delivery: { state: 'DELIVERED', nextAttemptAt: until } },
      };
    },
    get stays() {
      return {
        'of an open run': { workflowId: runs.open },
        'of an open case': { key: cases.open },
        'still to be sent': { delivery: { state: 'PENDING', nextAttemptAt: until } },
        'about the run of somebody who is held': { workflowId: runs.held },
        'about the case of somebody who is held': { key: cases.held },
        'about somebody who is held': { contents: { patientId: patients.held } },
        'of another clinic': { clinicId: elsewhere },
      };
    },
    empty: { 'without contents': { contents: {} } },
  },

  sent_messages: {
    table: 'workflow_messages',
    name: 'id',
    plant: (id, about) =>
      records.database.prisma.workflowMessage.create({
        data: {
          id,
          clinicId: about.clinicId ?? clinicId,
          workflowId: about.workflowId ?? runs.over,
          signal: 'rulesChanged',
          payload: about.contents ?? full,
          createdAt: about.at ?? february,
          sentAt: about.sentAt === undefined ? until : about.sentAt,
        },
      }),
    full: async () =>
      namesOf(await records.database.prisma.workflowMessage.findMany({ where: { payload: { not: {} } } })),
    goes: {},
    get stays() {
      return {
        'that were not sent': { sentAt: null },
        'of an open run': { workflowId: runs.open },
        'of somebody who is held': { workflowId: runs.held },
        'of another clinic': { clinicId: elsewhere, workflowId: runs.heldElsewhere },
      };
    },
    empty: { 'without contents': { contents: {} } },
  },

  stored_answers: {
    table: 'idempotency_records',
    name: 'key',
    plant: (key, about) =>
      records.database.prisma.idempotencyRecord.create({
        data: {
          clinicId: about.clinicId ?? clinicId,
          route: 'POST /patients',
          key,
          requestHash: 'x',
          status: 200,
          body: about.reply === undefined ? 'full' : about.reply,
          createdAt: about.at ?? february,
        },
      }),
    full: async () => {
      const found = await records.database.prisma.idempotencyRecord.findMany({ where: { body: { not: null } } });
      return found.map(({ key }) => key);
    },
    goes: {},
    get stays() {
      return { 'of another clinic': { clinicId: elsewhere } };
    },
    empty: { 'without contents': { reply: null } },
  },

  call_evidence: {
    table: 'call_evidence',
    name: 'success',
    async plant(success, about) {
      const { prisma } = records.database;
      const call = await prisma.call.findUniqueOrThrow({ where: { id: about.callId ?? calls.over } });
      // A call has one row of evidence.
      const { id: callId } = await prisma.call.create({
        data: {
          id: newId(),
          clinicId: call.clinicId,
          patientId: call.patientId,
          workflowId: call.workflowId,
          direction: 'outbound',
          isTest: true,
          state: 'ENDED',
        },
      });
      await prisma.callEvidence.create({
        data: { clinicId: call.clinicId, callId, success, createdAt: about.at ?? february },
      });
    },
    full: async () => (await records.database.prisma.callEvidence.findMany()).map(({ success }) => success ?? ''),
    get goes() {
      return { 'of a call without a run': { callId: calls.ofNoRun } };
    },
    get stays() {
      return {
        'of an open run': { callId: calls.ofOpen },
        'of somebody who is held': { callId: calls.held },
        'of another clinic': { callId: calls.elsewhere },
      };
    },
    empty: {},
  },

  call_decisions: {
    table: 'call_decisions',
    name: 'id',
    plant: (id, about) =>
      records.database.prisma.callDecision.create({
        data: {
          id,
          clinicId: about.clinicId ?? clinicId,
          workflowId: about.workflowId ?? runs.over,
          stage: 'plan',
          rule: 'paused',
          decided: {},
          inputs: {},
          decidedAt: about.at ?? february,
        },
      }),
    full: async () => namesOf(await records.database.prisma.callDecision.findMany()),
    goes: {},
    get stays() {
      return {
        'of an open run': { workflowId: runs.open },
        'of somebody who is held': { workflowId: runs.held },
        'of another clinic': { clinicId: elsewhere, workflowId: runs.heldElsewhere },
      };
    },
    empty: {},
  },

  observed_exchanges: {
    table: 'observed_exchanges',
    name: 'operation',
    plant: (operation, about) => records.database.sql`
      insert into observed_exchanges (clinic_id, run_id, at, operation, duration_ms, patient_id, detail)
      values (${about.clinicId ?? clinicId}, ${about.runId ?? 'with-findings'}, ${about.at ?? february}, ${operation}, 1,
        ${about.patientId ?? null}, '{}')`,
    full: async () => {
      const found = await records.database.prisma.observedExchange.findMany();
      return found.map(({ operation }) => operation);
    },
    get goes() {
      return {
        'about somebody': { patientId: patients.plain },
        'about somebody who is held elsewhere': { patientId: patients.heldElsewhere },
      };
    },
    get stays() {
      return {
        'of a run without findings': { runId: 'without-findings' },
        'about somebody who is held': { patientId: patients.held },
        'of another clinic': { clinicId: elsewhere, runId: 'elsewhere' },
      };
    },
    empty: {},
  },
};

const fullOf = async (kind: RetentionKind, about: Kind['goes']) => {
  const found = await kinds[kind].full();
  return Object.keys(about).filter((name) => found.includes(`${kind} ${name}`));
};

describe.each(retentionKinds)('a purge of %s', (kind) => {
  test('takes the contents of what is due and of nothing else, so many at a time', async () => {
    const { goes, stays } = kinds[kind];
    const [due, kept] = [
      { ...goes, ...ofTime.goes },
      { ...stays, ...ofTime.stays },
    ];
    const before = [await fullOf(kind, due), await fullOf(kind, kept)];

    const first = await records.stores.retention.purge({ clinicId, kind, from, until }, 1);
    const left = await fullOf(kind, due);
    const rest = await records.stores.retention.purge({ clinicId, kind, from, until }, 100);
    const again = await records.stores.retention.purge({ clinicId, kind, from, until }, 100);

    expect(before).toEqual([Object.keys(due), Object.keys(kept)]);
    expect([first, rest, again]).toEqual([1, Object.keys(due).length - 1, 0]);
    expect(left).toHaveLength(Object.keys(due).length - 1);
    expect([await fullOf(kind, due), await fullOf(kind, kept)]).toEqual([[], Object.keys(kept)]);
  });

  test('locks what it found, and leaves what is held or due only since then', async () => {
    const { table, name, plant } = kinds[kind];
    const { database } = records;
    const [begin, end] = [new Date('2021-01-01T00:00:00Z'), new Date('2021-03-01T00:00:00Z')];
    const at = new Date('2021-02-01T00:00:00Z');
    const ofLater = {
      workflowId: runs.later,
      callId: calls.later,
      patientId: patients.later,
    };
    const isOfPatients = kind !== 'stored_answers';
    await plant(`${kind} once`, { at });
    if (isOfPatients) await plant(`${kind} held since`, { at, ...ofLater });
    let free: unknown[] | null = null;
    const interrupted = createRetentionStores({
      ...database,
      transaction: (work) =>
        database.transaction((tx) =>
          work(async (...statement) => {
            const rows = await tx(...statement);
            if (free) return rows as never;
            const unlocked = `select from ${table} where ${name} = $1 for update skip locked`;
            free = (await another.query(unlocked, [`${kind} once`])).rows;
            await plant(`${kind} due since`, { at });
            if (isOfPatients) {
              await database.prisma.legalHold.create({
                data: { clinicId, patientId: patients.later, reason: 'A case at court', placedBy: 'operator' },
              });
            }
            return rows as never;
          }),
        ),
    });

    const count = await interrupted.purge({ clinicId, kind, from: begin, until: end }, 10);

    await database.prisma.legalHold.deleteMany({ where: { clinicId, patientId: patients.later } });
    expect(free).toEqual([]);
    expect(count).toBe(isOfPatients ? 2 : 1);
    expect(await fullOf(kind, { once: {}, 'held since': {}, 'due since': {} })).toEqual([
      ...(isOfPatients ? ['held since'] : []),
      'due since',
    ]);
  });
});

test('what receivers answered goes with the body of the event, and with no other', async () => {
  const { prisma } = records.database;
  const answered = await prisma.deliveryAttempt.findMany({ where: { response: 'full' } });

  const emptyBefore = Object.keys(kinds.event_bodies.empty).map((name) => `event_bodies ${name}`);
  expect(answered.map(({ id }) => id).toSorted()).toEqual(
    [...(await kinds.event_bodies.full()), ...emptyBefore].toSorted(),
  );
  expect(answered.length).toBeGreaterThan(5);
});

const DAY = 24 * 3_600_000;
const MINUTE = 60_000;
const ago = (days: number, minutes = 0) => new Date(Date.now() - days * DAY - minutes * MINUTE);

test('what is due is counted from where the purge of that kind has come to, in that clinic', async () => {
  const { retention } = records.stores;
  const own = await records.aClinic();
  const plant = (at: Date) => kinds.stored_answers.plant(newId(), { at, clinicId: own });
  for (const at of [ago(41), ago(31), ago(29)]) await plant(at);
  const { prisma } = records.database;
  const rows = [
    { clinicId: own, kind: 'event_bodies', purgedUntil: ago(30) },
    { clinicId: elsewhere, kind: 'stored_answers', purgedUntil: ago(30) },
  ];
  await prisma.retention.createMany({ data: rows });

  const counts = [await retention.countDue(own, 'stored_answers', 30)];
  await prisma.retention.create({ data: { clinicId: own, kind: 'stored_answers', purgedUntil: ago(40) } });
  counts.push(await retention.countDue(own, 'stored_answers', 30));

  expect(counts).toEqual([2, 1]);
  await prisma.retention.deleteMany({ where: { clinicId: elsewhere } });
});

test('a kind of a clinic is due when so much more is old, what waits longest first, ninety days at a time', async () => {
  const { prisma } = records.database;
  const defaults: RetentionDays = { ...retentionDefaults, stored_answers: 30 };
  const clinicOf = new Map<string, string>();
  const HALF_DAY = 12 * 60;
  for (const [name, createdAt, retention] of [
    ['new enough', ago(29, HALF_DAY - 1), null],
    ['old enough', ago(29, HALF_DAY + 1), null],
    ['of long ago', ago(500), null],
    ['purged lately', ago(500), { purgedUntil: ago(30, HALF_DAY - 1) }],
    ['purged before', ago(500), { purgedUntil: ago(30, HALF_DAY + 1) }],
    ['purged long before', ago(500), { purgedUntil: ago(300) }],
    ['kept for longer', ago(500), { purgedUntil: ago(39), days: 40 }],
    ['kept for longer, and old enough', ago(500), { purgedUntil: ago(41), days: 40 }],
    ['held back lately', ago(500), { purgedUntil: ago(45), heldBackAt: ago(0, HALF_DAY - 1) }],
    ['held back before', ago(500), { purgedUntil: ago(45), heldBackAt: ago(0, HALF_DAY + 1) }],
    ['another kind', ago(500), { purgedUntil: ago(1), kind: 'event_bodies' }],
  ] as const) {
    const id = await records.aClinic(name);
    clinicOf.set(id, name);
    await prisma.clinic.update({ where: { id }, data: { createdAt } });
    if (retention) await prisma.retention.create({ data: { clinicId: id, kind: 'stored_answers', ...retention } });
  }
  const shown = (at: Date | null) => at && Math.round((Date.now() - at.getTime()) / DAY);

  const due = await records.stores.retention.due(defaults, 1_000);

  const answers = due.filter((each) => each.kind === 'stored_answers' && clinicOf.has(each.clinicId));
  const found = answers.map((each) => [clinicOf.get(each.clinicId), shown(each.from), shown(each.until)]);
  const isNew = ([, start]: (typeof found)[number]) => start === null;
  expect(found.filter(isNew)).toHaveLength(3);
  expect(found.filter(isNew)).toEqual(
    expect.arrayContaining([
      ['old enough', null, 30],
      ['of long ago', null, 410],
      ['another kind', null, 410],
    ]),
  );
  expect(found.slice(3)).toEqual([
    ['purged long before', 300, 210],
    ['held back before', 45, 30],
    ['kept for longer, and old enough', 41, 40],
    ['purged before', 31, 30],
  ]);
  expect(await records.stores.retention.due(defaults, 2)).toHaveLength(2);
  expect(due.some((each) => clinicOf.get(each.clinicId) === 'another kind' && each.kind === 'event_bodies')).toBe(
    false,
  );
});

/** Of a span of its own. */
const ofSpan = { from: new Date('2022-01-01T00:00:00Z'), until: new Date('2022-03-01T00:00:00Z') };
const onDay = (day: string) => new Date(`2022-${day}T00:00:00Z`);
const notedOf = async (kind: RetentionKind) => {
  const { purgedUntil, heldBackAt } = await records.database.prisma.retention.findUniqueOrThrow({
    where: { clinicId_kind: { clinicId, kind } },
  });
  return [purgedUntil?.toISOString(), heldBackAt !== null];
};

test.each(retentionKinds)(
  '%s are purged up to the oldest that has contents still, and never less than before',
  async (kind) => {
    const { retention } = records.stores;
    const { plant, stays, empty } = kinds[kind];
    const due = { clinicId, kind, ...ofSpan };
    for (const day of ['02-20', '01-10', '03-01']) await plant(`${kind} of ${day}`, { at: onDay(day) });
    for (const about of Object.values(empty)) await plant(`${kind} empty`, { ...about, at: onDay('01-05') });
    await plant(`${kind} elsewhere`, { ...stays['of another clinic'], at: onDay('01-05') });

    const held = await retention.done(due);
    const first = await notedOf(kind);
    await retention.purge(due, 100);
    const heldThen = await retention.done(due);
    const then = await notedOf(kind);
    await retention.done({ ...due, until: onDay('01-20') });

    expect([held, heldThen]).toEqual([true, false]);
    expect([first, then]).toEqual([
      [onDay('01-10').toISOString(), true],
      [ofSpan.until.toISOString(), false],
    ]);
    expect(await notedOf(kind)).toEqual(then);
    await records.database.prisma.retention.deleteMany({ where: { clinicId } });
  },
);

test.each(retentionKinds.map((kind, place) => [kind, 2010 + place] as const))(
  'contents of other kinds do not keep %s',
  async (kind, year) => {
    const { retention } = records.stores;
    const inYear = (day: string) => new Date(`${year}-${day}T00:00:00Z`);
    for (const other of retentionKinds.filter((each) => each !== kind))
      await kinds[other].plant(`${other} beside ${kind}`, { at: inYear('01-10') });

    expect(await retention.done({ clinicId, kind, from: inYear('01-01'), until: inYear('03-01') })).toBe(false);
    await records.database.prisma.retention.deleteMany({ where: { clinicId } });
  },
);

test.each<[string, (run: { workflowId: string; patientId: string }) => Promise<unknown>]>([
  [
    'a run that ends',
    ({ workflowId }) =>
      records.database.prisma.workflowRun.update({ where: { id: workflowId }, data: { status: 'completed' } }),
  ],
  ['a legal hold that is lifted', ({ patientId }) => records.stores.legalHolds.lift(clinicId, patientId, by)],
])('what belongs to %s between the purge and its note is purged the next time', async (what, end) => {
  const { retention } = records.stores;
  const kind = 'inbound_payloads';
  const run = await records.aRun();
  if (what.includes('hold')) {
    const { prisma } = records.database;
    await prisma.workflowRun.update({ where: { id: run.workflowId }, data: { status: 'completed' } });
    await records.stores.legalHolds.place({ clinicId, patientId: run.patientId, reason: 'A case at court' }, by);
  }
  await kinds[kind].plant(what, { at: onDay('02-10'), workflowId: run.workflowId });
  const due = { clinicId, kind, ...ofSpan } as const;

  await retention.purge(due, 100);
  await end(run);
  const isHeldBack = await retention.done(due);
  const [{ purgedUntil: next } = { purgedUntil: null }] = await retention.chosen(clinicId);
  await retention.purge({ ...due, from: next }, 100);

  expect([isHeldBack, next]).toEqual([true, onDay('02-10')]);
  expect(await kinds[kind].full()).not.toContain(what);
  await records.database.prisma.retention.deleteMany({ where: { clinicId } });
});

test('days that are not given stay as they were chosen', async () => {
  const { retention } = records.stores;
  const own = await records.aClinic();

  await retention.choose(own, { stored_answers: 50, event_bodies: 60 }, by);
  await retention.choose(own, { stored_answers: 70 }, by);
  await retention.choose(own, { event_bodies: null }, by);

  expect(await retention.chosen(own)).toHaveLength(2);
  expect(await retention.chosen(own)).toEqual(
    expect.arrayContaining([
      { kind: 'stored_answers', days: 70, purgedUntil: null },
      { kind: 'event_bodies', days: null, purgedUntil: null },
    ]),
  );
  const { items } = await records.stores.audit.list(own, { action: 'retention.change', limit: 5 });
  expect(items.map(({ detail }) => detail)).toEqual([
    { event_bodies: null },
    { stored_answers: 70 },
    { stored_answers: 50, event_bodies: 60 },
  ]);
});
